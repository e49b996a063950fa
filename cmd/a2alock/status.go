package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/report"
)

func newStatus(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "status [LOCK]",
		Short: "Say how the daemon is doing, or where a lock stands with it",
		Long: `status asks the running a2alockd. Without LOCK it tells how many locks stand where,
what waits in the outbox and what keeps the daemon from its work, and lists the locks
that are not compatible and fresh. With LOCK, an id of that list or a lock's file, it
tells of that lock, with its findings and its next refresh.

Exit codes: 0 told; 1 there is no such lock; 2 the command line, the config or the
token is wrong; 3 the daemon does not answer.`,
		Example: "  a2alock status\n  a2alock status locks/itinerary-pricing.a2a.lock.json --format json",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return misuse(c, "%q: status takes one LOCK", args[1])
			}
			return nil
		},
		ValidArgsFunction: completeLocks,
	}
	r := a.addRemote(c)
	f := a.addFormat(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			return r.statusOf(c, args[0], f.value)
		}
		return r.status(c, f.value)
	}
	return c
}

// A standing is a lock as the daemon tells of it.
type standing struct {
	ID, Path, Workflow, Owner, Agent, Class, Freshness, Gone, Broken, Fallback string

	NextRefresh *time.Time `json:"next_refresh"`
	ValidatedAt *time.Time `json:"validated_at"`
	Since       *time.Time
	Ack         *struct{ Author, Reason string }
	Findings    []diff.Finding
}

func (r *remote) status(c *cobra.Command, format string) error {
	var o struct {
		Version       string
		Locks         map[string]int
		Agents        int
		Oldest        *float64       `json:"oldest_validation_seconds"`
		NextRefresh   *time.Time     `json:"next_refresh"`
		EpisodesOpen  int            `json:"episodes_open"`
		OutboxWaiting map[string]int `json:"outbox_waiting"`
		Trouble       []string
	}
	data, err := r.call(c.Context(), http.MethodGet, "/v1/status", nil, &o)
	if err != nil {
		return err
	}
	if format == "json" {
		return r.printJSON(data)
	}
	w := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', 0)
	row := func(label, value string) { fmt.Fprintf(w, "%s\t%s\n", label, report.Excerpt(value, 300)) }
	row("a2alockd", o.Version)
	row("agents", fmt.Sprint(o.Agents))
	for _, k := range slices.Sorted(maps.Keys(o.Locks)) {
		row("locks", fmt.Sprintf("%d %s", o.Locks[k], k))
	}
	row("episodes", fmt.Sprintf("%d open", o.EpisodesOpen))
	if o.Oldest != nil {
		row("oldest", (time.Duration(*o.Oldest)*time.Second).String()+" since a validation")
	}
	row("next", orDash(clock(o.NextRefresh)))
	for _, sink := range slices.Sorted(maps.Keys(o.OutboxWaiting)) {
		row("outbox", fmt.Sprintf("%d waiting for %s", o.OutboxWaiting[sink], sink))
	}
	for _, t := range o.Trouble {
		row("trouble", t)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return r.troubled(c)
}

// troubled lists the locks that want a look.
func (r *remote) troubled(c *cobra.Command) error {
	list, err := r.all(c.Context(), "/v1/locks", "locks", url.Values{})
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(raw json.RawMessage) bool {
		var l standing
		return json.Unmarshal(raw, &l) == nil && l.Class == "compatible" && l.Freshness == "fresh" && l.Broken == ""
	})
	if len(list) == 0 {
		return nil
	}
	return rows(r, "\nLOCK\tCLASS\tFRESHNESS\tOWNER\tAGENT", list, func(l standing) []string {
		row := []string{l.ID, l.Class, l.Freshness, orDash(l.Owner), l.Agent}
		if l.Broken != "" {
			row[4] = "broken: " + l.Broken
		}
		return row
	})
}

func (r *remote) statusOf(c *cobra.Command, lock, format string) error {
	path, err := r.lock(c.Context(), lock)
	if err != nil {
		return err
	}
	var l standing
	data, err := r.call(c.Context(), http.MethodGet, path, nil, &l)
	if err != nil {
		return err
	}
	if format == "json" {
		return r.printJSON(data)
	}
	w := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', 0)
	row := func(label, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", label, report.Excerpt(value, 500))
		}
	}
	row(l.Class, l.ID)
	row("  freshness", l.Freshness)
	row("  agent", l.Agent)
	row("  workflow", l.Workflow)
	row("  owner", l.Owner)
	row("  fallback", l.Fallback)
	row("  since", clock(l.Since))
	row("  validated", clock(l.ValidatedAt))
	row("  next", clock(l.NextRefresh))
	row("  gone", l.Gone)
	row("  broken", l.Broken)
	if l.Ack != nil {
		row("  acked", "by "+l.Ack.Author+": "+l.Ack.Reason)
	}
	for _, f := range l.Findings {
		row("  "+f.Class.String(), f.Rule+": "+f.Message)
	}
	return w.Flush()
}

// clock shows a moment with its offset; "" where there is none.
func clock(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05 -07:00")
}
