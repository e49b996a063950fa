package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
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
that are not compatible and fresh, or keep changing; with --all every lock. With LOCK,
an id of that list or a lock's file, it tells of that lock, with its findings, what
waits to become its verdict, the silences that fit it, and its next refresh.

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
	var all bool
	c.Flags().BoolVar(&all, "all", false, "list every lock")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			if all {
				return misuse(c, "--all lists locks: leave LOCK out")
			}
			return r.statusOf(c, args[0], f.value)
		}
		return r.status(c, f.value, all)
	}
	return c
}

// A standing is a lock as the daemon tells of it.
type standing struct {
	ID, Path, Workflow, Owner, Agent, Class, Freshness, Gone, Broken, Fallback string

	NextRefresh *time.Time `json:"next_refresh"`
	ValidatedAt *time.Time `json:"validated_at"`
	Since       *time.Time
	Ack         *struct {
		Author, Reason string
		Until          *time.Time
	}
	Pending, Better, Dispute *waiting
	Suppressed               *struct {
		Since, Until time.Time
		Worst        string
	}
	Episode *struct {
		OpenedAt time.Time `json:"opened_at"`
	}
	Findings []diff.Finding
}

// A waiting is what may yet become the verdict.
type waiting struct {
	Verdict string
	Since   time.Time
}

// quiet reports whether nobody has to look at the lock.
func (l *standing) quiet() bool {
	return l.Class == "compatible" && l.Freshness == "fresh" && l.Broken == "" && l.Suppressed == nil
}

// An offSink is a sink that takes no messages now.
type offSink struct {
	Name, Disabled string

	Gone    bool
	ProbeAt *time.Time `json:"probe_at"`
}

// text says why, and what to do.
func (s *offSink) text() string {
	text := fmt.Sprintf("%s is off: %s; mend it", s.Name, s.Disabled)
	switch {
	case s.Gone:
		return text + ", it is tried again when its configuration changes"
	case s.ProbeAt != nil:
		return text + ", it is tried next at " + clock(s.ProbeAt)
	}
	return text
}

func (r *remote) status(c *cobra.Command, format string, all bool) error {
	var o struct {
		Version       string
		Locks         map[string]int
		Agents        int
		Oldest        *float64       `json:"oldest_validation_seconds"`
		NextRefresh   *time.Time     `json:"next_refresh"`
		EpisodesOpen  int            `json:"episodes_open"`
		OutboxWaiting map[string]int `json:"outbox_waiting"`
		Sinks         []offSink
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
	now := time.Now()
	silences, err := r.silences(c.Context(), func(h *hush) bool { return now.Before(h.Until) })
	if err != nil {
		return err
	}
	if len(silences) > 0 {
		row("silences", fmt.Sprintf("%d on; a2alock silence list shows them", len(silences)))
	}
	o.Sinks = slices.DeleteFunc(o.Sinks, func(s offSink) bool { return s.Disabled == "" })
	for i := range o.Sinks {
		row("sink", o.Sinks[i].text())
	}
	for _, t := range o.Trouble {
		told := slices.ContainsFunc(o.Sinks, func(s offSink) bool { return strings.HasPrefix(t, "sink "+s.Name+" is disabled") })
		if !told {
			row("trouble", t)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return r.listed(c, all)
}

// listed lists the locks that want a look, or all.
func (r *remote) listed(c *cobra.Command, all bool) error {
	list, err := r.all(c.Context(), "/v1/locks", "locks", url.Values{})
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(raw json.RawMessage) bool {
		var l standing
		return !all && json.Unmarshal(raw, &l) == nil && l.quiet()
	})
	if len(list) == 0 {
		return nil
	}
	return rows(r, "\nLOCK\tCLASS\tFRESHNESS\tOWNER\tAGENT", list, func(l standing) []string {
		row := []string{l.ID, l.Class, l.Freshness, orDash(l.Owner), l.Agent}
		if l.Suppressed != nil {
			row[2] += ", suppressed: " + l.Suppressed.Worst + " counts"
		}
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
	row("  undecided", l.Gone)
	row("  broken", l.Broken)
	l.details(row)
	now := time.Now()
	silences, err := r.silences(c.Context(), func(h *hush) bool { return now.Before(h.Until) && h.fits(&l) })
	if err != nil {
		return err
	}
	for _, h := range silences {
		row("  silenced", fmt.Sprintf("until %s by %s: %s (%s)", clock(&h.Until), h.Author, h.Reason, h.ID))
	}
	for _, f := range l.Findings {
		row("  "+f.Class.String(), f.Rule+": "+f.Message)
	}
	return w.Flush()
}

// details are the rows about what goes on with l.
func (l *standing) details(row func(label, value string)) {
	waits := func(label, how string, x *waiting) {
		if x != nil {
			row("  "+label, fmt.Sprintf(how, x.Verdict, clock(&x.Since)))
		}
	}
	waits("pending", "%s, seen at %s, waits for its confirmation", l.Pending)
	waits("better", "%s, since %s, waits until it has held for min_stable", l.Better)
	waits("dispute", "answers disagree, the worst is %s, since %s", l.Dispute)
	if x := l.Suppressed; x != nil {
		row("  suppressed", fmt.Sprintf("it keeps changing, since %s: decisions use the worst seen, %s, until %s at the latest",
			clock(&x.Since), x.Worst, clock(&x.Until)))
	}
	if l.Episode != nil {
		row("  episode", "open since "+clock(&l.Episode.OpenedAt))
	}
	if l.Ack != nil {
		text := "by " + l.Ack.Author + ": " + l.Ack.Reason
		if l.Ack.Until != nil {
			text += ", until " + clock(l.Ack.Until)
		}
		row("  acked", text)
	}
}

// clock shows a moment with its offset; "" where there is none.
func clock(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05 -07:00")
}
