package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/diff"
)

func newAck(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "ack LOCK",
		Short: "Acknowledge a lock's open episode: no more reminders until it moves",
		Long: `ack tells the running a2alockd that somebody knows. Reminders stop; a worse class, a
finding that was not there, or the end of the episode are told all the same, and clear
it. It changes neither the lock nor what is decided: a2alock pin does that. LOCK is the
lock's id, or its file. What is acknowledged is shown; where the lock moves meanwhile,
nothing is.

Exit codes: 0 acknowledged; 1 there is no such lock, or it has moved; 2 the command
line, the config or the token is wrong, nothing is open, or with --undo nothing is
acknowledged; 3 the daemon does not answer.`,
		Example: `  a2alock ack itinerary-pricing --reason "asked the partner, ticket 812" --for 2d
  a2alock ack locks/itinerary-pricing.a2a.lock.json --undo`,
		Args: one("LOCK"),

		ValidArgsFunction: completeLocks,
	}
	r := a.addRemote(c)
	var reason, who string
	var undo bool
	var hold until
	c.Flags().StringVar(&reason, "reason", "", "why it may stand (required)")
	addAuthor(c, &who)
	c.Flags().Var(&hold, "for", "how long it holds at most, such as 4h or 2d (default: until it clears)")
	c.Flags().BoolVar(&undo, "undo", false, "take an acknowledgement back")
	c.RunE = func(c *cobra.Command, args []string) error {
		if undo {
			if err := r.change(c.Context(), http.MethodDelete, args[0], "/ack", nil); err != nil {
				return err
			}
			r.say("%s is acknowledged no more; reminders go on", args[0])
			return nil
		}
		if !c.Flags().Changed("author") {
			who = author()
		}
		if err := lacking(c, "--reason TEXT", reason, "--author NAME", who); err != nil {
			return err
		}
		in := map[string]any{"author": who, "reason": reason}
		if hold.Duration > 0 {
			in["until"] = time.Now().Add(hold.Duration).UTC()
		}
		return r.ack(c.Context(), args[0], in)
	}
	return c
}

// ack shows where the lock stands, and acknowledges that with what in says.
func (r *remote) ack(ctx context.Context, lock string, in map[string]any) error {
	path, err := r.lock(ctx, lock)
	if err != nil {
		return err
	}
	var l struct {
		ID, Class, Freshness string

		FindingSet string `json:"finding_set"`
		Episode    *struct{ Start uint64 }
		Findings   []diff.Finding
	}
	if _, err := r.call(ctx, http.MethodGet, path, nil, &l); err != nil {
		return err
	}
	if l.Episode == nil { // what opens meanwhile, nobody has seen
		return usage(fmt.Errorf("%s is %s, %s: no episode is open, and there is nothing to acknowledge", lock, l.Class, l.Freshness))
	}
	in["episode"], in["class"], in["finding_set"] = l.Episode.Start, l.Class, l.FindingSet
	if _, err := r.call(ctx, http.MethodPost, path+"/ack", in, nil); err != nil {
		return err
	}
	rules := map[string]bool{}
	for i := range l.Findings {
		if l.Findings[i].Waived == nil {
			rules[l.Findings[i].Rule] = true
		}
	}
	what := append([]string{l.Class, l.Freshness}, slices.Sorted(maps.Keys(rules))...)
	r.say("acknowledged: %s is %s; see a2alock status %s", l.ID, strings.Join(what, ", "), lock)
	return nil
}

func newRefresh(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "refresh LOCK",
		Short: "Have the daemon ask a lock's agent now",
		Long: `refresh has the running a2alockd ask the agent past all caches, as soon as its host
allows. It does not wait for the answer: a2alock status LOCK shows it. LOCK is the
lock's id, or its file.

Exit codes: 0 it will be asked; 1 there is no such lock; 2 the command line, the config
or the token is wrong; 3 the daemon does not answer.`,
		Example: "  a2alock refresh itinerary-pricing",
		Args:    one("LOCK"),

		ValidArgsFunction: completeLocks,
	}
	r := a.addRemote(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := r.change(c.Context(), http.MethodPost, args[0], "/refresh", nil); err != nil {
			return err
		}
		r.say("asked for; see a2alock status %s", args[0])
		return nil
	}
	return c
}
