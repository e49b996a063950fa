package route

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A route is a [config.Route] made ready.
type route struct {
	config.Route
	// id says what it matches and where it leads, so that it stays when other
	// routes come and go: keys and reminders are by it.
	id       string
	minClass diff.Class
}

func newRoutes(n *config.Notify) []route {
	var routes []route
	seen := map[string]int{}
	list := slices.Clone(n.Routes)
	if sinks := slices.Sorted(maps.Keys(n.Sinks)); !slices.ContainsFunc(list, isCatchAll) && len(sinks) > 0 {
		if n.Fallback != "" {
			sinks = []string{n.Fallback}
		}
		list = append(list, config.Route{Sinks: sinks, Resolve: true})
	}
	for _, c := range list {
		r := route{Route: c, id: routeID(c), minClass: diff.Review}
		if c.MinClass != "" {
			if class, err := diff.ParseClass(c.MinClass); err == nil {
				r.minClass = class
			}
		}
		if seen[r.id]++; seen[r.id] > 1 {
			r.id = fmt.Sprintf("%s#%d", r.id, seen[r.id])
		}
		routes = append(routes, r)
	}
	return routes
}

func isCatchAll(r config.Route) bool { return r.Match == config.Match{} }

// routeID reads "owner=team-travel,class=breaking:travel+ops", "*" where all
// is matched.
func routeID(r config.Route) string {
	var terms []string
	for _, m := range []struct{ name, value string }{
		{"owner", r.Match.Owner},
		{"workflow", r.Match.Workflow},
		{"agent", r.Match.Agent},
		{"class", r.Match.Class},
		{"rule", r.Match.Rule},
	} {
		if m.value != "" {
			terms = append(terms, m.name+"="+m.value)
		}
	}
	id := cmp.Or(strings.Join(terms, ","), "*") + ":" + strings.Join(r.Sinks, "+")
	return strings.ReplaceAll(id, "|", "%7C") // keys are made with it
}

// A Subject is what matchers see of a message.
type Subject struct {
	Lock  *store.Lock
	Class diff.Class
	Rules []string // of its findings
}

// matches reports whether r takes messages about s.
func (r *route) matches(s Subject) bool {
	m := &r.Match
	return r.matchesLock(s.Lock) &&
		(m.Class == "" || m.Class == s.Class.String()) &&
		(m.Rule == "" || slices.Contains(s.Rules, m.Rule))
}

func (r *route) matchesLock(l *store.Lock) bool {
	m := &r.Match
	return glob(m.Owner, l.Owner) && glob(m.Workflow, l.Workflow) && glob(m.Agent, l.URL)
}

// group is the group key of messages about s; "" where they go one by one.
func (r *route) group(s Subject) string {
	if r.GroupWindow == 0 {
		return ""
	}
	var key strings.Builder
	key.WriteString(r.id)
	for _, by := range r.GroupBy {
		key.WriteString("|" + by + "=" + strings.Join(s.values(by), ","))
	}
	return key.String()
}

func (s Subject) values(by string) []string {
	switch by {
	case "owner":
		return []string{s.Lock.Owner}
	case "workflow":
		return []string{s.Lock.Workflow}
	case "agent":
		return []string{s.Lock.URL}
	case "lock":
		return []string{s.Lock.ID}
	case "class":
		return []string{s.Class.String()}
	case "rule":
		return s.Rules
	}
	return nil
}

// delay is how long after the reminder before it (or the opening) the one of
// that ordinal is due; 0: there is none.
func (r *route) delay(ordinal int) time.Duration {
	if len(r.Reminders) == 0 {
		return 0
	}
	return r.Reminders[min(ordinal, len(r.Reminders))-1]
}

// glob reports whether s is pattern, in which * stands for any text. The empty
// pattern fits all.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if pattern == "" || len(parts) == 1 {
		return pattern == "" || pattern == s
	}
	last := len(parts) - 1
	rest, ok := strings.CutPrefix(s, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1:last] {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}

// SilencedBy is the silence that holds back messages about s, nil for none.
func SilencedBy(silences []store.Silence, s Subject, now time.Time) *store.Silence {
	for i := range silences {
		q := &silences[i]
		if now.Before(q.Until) && len(q.Match) > 0 && s.fits(q.Match) {
			return q
		}
	}
	return nil
}

// fits reports whether s has all that match asks for. A name that nobody knows
// fits nothing.
func (s Subject) fits(match map[string]string) bool {
	for by, want := range match {
		if !slices.ContainsFunc(s.values(by), func(v string) bool { return glob(want, v) }) {
			return false
		}
	}
	return true
}

// classOf is the class by which a message about e is routed. What has none of its
// own counts as review; that an agent is back, or settled, is told by what it is
// back with, and what callers met by the lock that it is about.
func classOf(e *verdict.Event) diff.Class {
	switch e.Kind {
	case verdict.WentAway, verdict.WentInvalid, verdict.RanOut, verdict.Flapping:
		return diff.Review
	case verdict.CameBack, verdict.Stale, verdict.Settled:
		return max(diff.Review, e.Class)
	}
	return e.Class
}

// RulesOf are the rules of the findings that count, each once, sorted.
func RulesOf(findings []diff.Finding) []string {
	var rules []string
	for i := range findings {
		if findings[i].Waived == nil {
			rules = append(rules, findings[i].Rule)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}
