package main

import (
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

func newAck(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "ack LOCK",
		Short: "Acknowledge a lock's open episode: no more reminders until it moves",
		Long: `ack tells the running a2alockd that somebody knows. Reminders stop; a worse class, a
finding that was not there, or the end of the episode are told all the same, and clear
it. It changes neither the lock nor what is decided: a2alock pin does that. LOCK is the
lock's id, or its file.

Exit codes: 0 acknowledged; 1 there is no such lock; 2 the command line, the config or
the token is wrong, or nothing is open; 3 the daemon does not answer.`,
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
		if reason == "" || who == "" {
			return misuse(c, "want --reason TEXT and --author NAME")
		}
		in := map[string]any{"author": who, "reason": reason}
		if hold.Duration > 0 {
			in["until"] = time.Now().Add(hold.Duration).UTC()
		}
		if err := r.change(c.Context(), http.MethodPost, args[0], "/ack", in); err != nil {
			return err
		}
		r.say("acknowledged; see a2alock status %s", args[0])
		return nil
	}
	return c
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
