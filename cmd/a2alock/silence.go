package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/report"
)

func newSilence(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "silence COMMAND",
		Short: "Hold back the daemon's messages for a time",
		Long: `silence works with the running a2alockd. A silence holds back messages that all of its
matchers fit, until it ends; history, decisions and metrics go on.`,
		Example: `  a2alock silence add --match owner=team-travel --for 4h --reason "move of the partner"
  a2alock silence list
  a2alock silence remove k3m9q2x7ab`,
	}
	r := a.addRemote(c)
	return group(c, r.newSilenceAdd(), r.newSilenceList(), r.newSilenceRemove())
}

func (r *remote) newSilenceAdd() *cobra.Command {
	c := &cobra.Command{
		Use:   "add",
		Short: "Hold back messages",
		Long: `add makes a silence, and prints its id. A matcher is owner, workflow, agent, class, rule
or lock, "=" and a value; in owner, workflow and agent * stands for anything.

Exit codes: 0 made; 2 the command line, the config or the token is wrong; 3 the daemon
does not answer.`,
		Example: `  a2alock silence add --match agent=https://pricing.partner.example/* --match class=review \
    --for 4h --reason "they move today"`,
		Args: none,
	}
	var match list
	var reason, who string
	var hold until
	c.Flags().Var(&match, "match", "hold back what this `NAME=VALUE` fits (repeatable; all must fit)")
	c.Flags().Var(&hold, "for", "how long, such as 4h or 2d (required)")
	c.Flags().StringVar(&reason, "reason", "", "why (required)")
	addAuthor(c, &who)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if !c.Flags().Changed("author") {
			who = author()
		}
		err := lacking(c, "--match NAME=VALUE", strings.Join(match, ","), "--for DURATION", hold.String(),
			"--reason TEXT", reason, "--author NAME", who)
		if err != nil {
			return err
		}
		by, err := matched(c, match)
		if err != nil {
			return err
		}
		var made struct{ ID string }
		_, err = r.call(c.Context(), http.MethodPost, "/v1/silences", map[string]any{
			"match": by, "author": who, "reason": reason, "until": time.Now().Add(hold.Duration).UTC(),
		}, &made)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(r.stdout, made.ID)
		return err
	}
	return c
}

// matched reads matchers. What a name may be is the daemon's to say; that it is
// a slip is said here.
func matched(c *cobra.Command, match []string) (map[string]string, error) {
	names := []string{"owner", "workflow", "agent", "class", "rule", "lock"}
	by := map[string]string{}
	for _, m := range match {
		name, value, ok := strings.Cut(m, "=")
		switch _, twice := by[name]; {
		case !ok:
			return nil, misuse(c, "--match %q: want NAME=VALUE, such as owner=team-travel", m)
		case twice:
			return nil, misuse(c, "--match %q: %s is named twice, and all matchers must fit", m, name)
		case !slices.Contains(names, name):
			if near := nearest.Meant(name, names); near != "" {
				return nil, misuse(c, "--match %q: did you mean %s=%s?", m, near, value)
			}
		}
		by[name] = value
	}
	return by, nil
}

func (r *remote) newSilenceList() *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the silences",
		Long: `list prints the silences that hold, or with --all also those that have ended, with when
and by whom. The daemon keeps those as long as daemon.history_age says.

Exit codes: 0 listed; 2 the command line, the config or the token is wrong; 3 the
daemon does not answer.`,
		Example: "  a2alock silence list\n  a2alock silence list --all --format json",
		Args:    none,
	}
	all := c.Flags().Bool("all", false, "those that have ended too")
	f := r.addFormat(c, "text", "json")
	c.RunE = func(c *cobra.Command, _ []string) error {
		q, head := url.Values{}, "ID\tUNTIL\tMATCH\tAUTHOR\tREASON"
		if *all {
			q.Set("all", "true")
			head += "\tENDED"
		}
		list, err := r.all(c.Context(), "/v1/silences", "silences", q)
		if err != nil {
			return err
		}
		if f.value == "json" {
			return report.WriteJSON(r.stdout, map[string]any{"silences": list})
		}
		now := time.Now()
		return rows(r, head, list, func(s hush) []string {
			cells := []string{s.ID, clock(&s.Until), s.matchers(), s.Author, s.Reason}
			if *all {
				cells = append(cells, s.ended(now))
			}
			return cells
		})
	}
	return c
}

// A hush is a silence.
type hush struct {
	ID, Author, Reason string

	Match     map[string]string
	Until     time.Time
	Removed   time.Time `json:"removed_at"`
	RemovedBy string    `json:"removed_by"`
}

// ended says how h has ended; "" while it holds.
func (h *hush) ended(now time.Time) string {
	switch {
	case !h.Removed.IsZero() && h.RemovedBy != "":
		return clock(&h.Removed) + " by " + h.RemovedBy
	case !h.Removed.IsZero():
		return clock(&h.Removed)
	case now.Before(h.Until):
		return ""
	}
	return "in time"
}

// silences are those that keep chooses.
func (r *remote) silences(ctx context.Context, keep func(*hush) bool) ([]hush, error) {
	list, err := r.all(ctx, "/v1/silences", "silences", url.Values{})
	if err != nil {
		return nil, err
	}
	var kept []hush
	for _, raw := range list {
		var h hush
		if err := json.Unmarshal(raw, &h); err != nil {
			return nil, r.foreign(err)
		}
		if keep(&h) {
			kept = append(kept, h)
		}
	}
	return kept, nil
}

// fits reports whether h would hold back a message about l as it stands, by the
// words that silences and routes share.
func (h *hush) fits(l *standing) bool {
	for by, want := range h.Match {
		values := map[string][]string{
			"owner": {l.Owner}, "workflow": {l.Workflow}, "agent": {l.Agent}, "class": {l.Class}, "lock": {l.ID},
		}[by]
		if by == "rule" {
			for i := range l.Findings {
				values = append(values, l.Findings[i].Rule)
			}
		}
		if !slices.ContainsFunc(values, func(v string) bool { return globbed(want, v) }) {
			return false
		}
	}
	return len(h.Match) > 0
}

// globbed reports whether s is pattern, in which * stands for any text.
func globbed(pattern, s string) bool {
	re, err := regexp.Compile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
	return err == nil && re.MatchString(s)
}

func (h hush) matchers() string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(h.Match)) {
		list = append(list, k+"="+h.Match[k])
	}
	return strings.Join(list, " ")
}

func (r *remote) newSilenceRemove() *cobra.Command {
	c := &cobra.Command{
		Use:   "remove ID",
		Short: "End a silence",
		Long: `remove ends a silence before its time. What it held back of episodes that are still open
is told then.

Exit codes: 0 ended; 1 there is no such silence, or it has ended; 2 the command line,
the config or the token is wrong; 3 the daemon does not answer.`,
		Example: "  a2alock silence remove k3m9q2x7ab",
		Args:    one("ID"),
	}
	var who string
	addAuthor(c, &who)
	c.RunE = func(c *cobra.Command, args []string) error {
		if !c.Flags().Changed("author") {
			who = author()
		}
		path := "/v1/silences/" + url.PathEscape(args[0])
		if who != "" {
			path += "?" + url.Values{"author": {who}}.Encode()
		}
		if _, err := r.call(c.Context(), http.MethodDelete, path, nil, nil); err != nil {
			return err
		}
		r.say("silence %s is over", args[0])
		return nil
	}
	return c
}
