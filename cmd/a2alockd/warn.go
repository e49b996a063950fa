package main

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/address"
	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/set"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/report"
)

// warn tells of what the daemon would start with, and nobody may have meant.
func (a *app) warn(s *setup.Setup, agents []string) {
	say := func(format string, args ...any) { a.warning(fmt.Sprintf(format, args...)) }
	cfg := s.Config
	if len(agents) == 0 {
		say("there is no lock: a2alock pin makes one, and locks in a2alock.yaml says where they are")
	}
	for _, text := range agents {
		if u, err := url.Parse(text); err == nil {
			refusal(s.Guard().Named(text).Check(u), text, say)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(cfg.Daemon.Agents)) {
		if !slices.ContainsFunc(agents, func(u string) bool { return address.Origin("", u) == key || address.Normalize("", u) == key }) {
			say("daemon.agents: %s: no lock is about it", redact.URL(key))
		}
	}
	slow(&cfg.Daemon, agents, say)
	for i, r := range cfg.Notify.Routes {
		if r.Match.Rule == "" {
			continue
		}
		if _, known := diff.Lookup(r.Match.Rule); !known {
			meant := "a2alock rules lists them"
			if near := nearest.Meant(r.Match.Rule, ruleIDs()); near != "" {
				meant = "did you mean " + near + "?"
			}
			say("notify.routes[%d].match.rule: %q: no such rule; %s", i, r.Match.Rule, meant)
		}
	}
}

// warning writes one line of standard error.
func (a *app) warning(text string) {
	fmt.Fprintf(a.stderr, "a2alockd: warning: %s\n", report.Excerpt(text, maxLine))
}

// warnIdentities tells of those that locks name and that are no credentials: their
// agents cannot be asked.
func (a *app) warnIdentities(cfg *config.Config, identities []string) {
	var names []string
	for _, c := range cfg.Credentials {
		names = append(names, c.Name)
	}
	for _, name := range set.Without(set.Of(identities), append(names, "")) {
		meant := ""
		if near := nearest.Meant(name, names); near != "" {
			meant = fmt.Sprintf("; did you mean %s?", near)
		}
		a.warning(fmt.Sprintf("identity %q: locks name it, and it is no credential under credentials%s", name, meant))
	}
}

// refusal tells of an agent that the daemon would not ask.
func refusal(err error, agent string, say func(string, ...any)) {
	r, ok := errors.AsType[*netguard.Refused](err)
	switch {
	case !ok:
	case r.Lines() == "":
		say("%s: %v", redact.URL(agent), r)
	default:
		say("%s: %v; if you mean it, allow it: %s", redact.URL(agent), r, r.Lines())
	}
}

// looked is how many runs of a schedule are looked at: a year of days.
const looked = 366

// slow tells of schedules between two runs of which a verdict expires.
func slow(d *config.Daemon, agents []string, say func(string, ...any)) {
	if d.MaxStaleness <= 0 {
		return
	}
	told := map[config.Agent]bool{}
	for _, agent := range agents {
		own := d.For(agent)
		key := config.Agent{Schedule: own.Schedule, Timezone: own.Timezone}
		parsed, err := schedule.Parse(own.Schedule, own.Timezone)
		if err != nil || told[key] {
			continue
		}
		told[key] = true
		if gap := longest(parsed); gap > d.MaxStaleness {
			say("%s: up to %s pass between two runs of %q, and verdicts expire after max_staleness, %s: run more often, or raise it",
				redact.URL(agent), hours(gap), own.Schedule, hours(d.MaxStaleness))
		}
	}
}

// longest is the longest time between two of the next runs.
func longest(s *schedule.Spec) (gap time.Duration) {
	at := s.Next(time.Now())
	for range looked {
		next := s.Next(at)
		if next.IsZero() {
			break
		}
		gap, at = max(gap, next.Sub(at)), next
	}
	return gap
}

func ruleIDs() []string {
	var ids []string
	for _, r := range diff.Rules() {
		ids = append(ids, r.ID)
	}
	return ids
}

// hours shows whole hours as such.
func hours(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return d.Round(time.Second).String()
}
