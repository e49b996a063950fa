// Package route decides who is told what: from an event, or from the time that
// has passed, to rows of the outbox. It is pure.
package route

import (
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

// A Router decides who is told what. It is pure, and safe for concurrent use:
// what it returns is stored by its caller, in the transaction that stores what
// it was decided from.
type Router struct {
	routes   []route
	sinks    []string
	fallback string
}

// New is a router by n. Where n has sinks and no catch-all, one is added
// that leads to the fallback, or to all sinks.
func New(n *config.Notify) *Router {
	return &Router{routes: newRoutes(n), sinks: slices.Collect(maps.Keys(n.Sinks)), fallback: n.Fallback}
}

// A Happening is an event, and what was known when it happened.
type Happening struct {
	Event    verdict.Event
	Lock     *store.Lock
	Findings []diff.Finding // of the event's transition
	Episode  *store.Episode // nil: the event's is not stored yet
	Silences []store.Silence
	Now      time.Time
}

// A target is a sink, and the route that leads to it.
type target struct {
	route *route
	sink  string
}

// Rows are the messages that follow from an event, and the episode as it is
// from then on: nil where the event belongs to none. Silenced messages are rows
// too, superseded from the start.
func (r *Router) Rows(in Happening) ([]store.Row, *store.Episode) {
	e := &in.Event
	ep := episodeAfter(e, in.Lock.ID, in.Episode)
	if e.Kind == verdict.Flap || e.Kind == verdict.Closed {
		return nil, ep
	}
	s := Subject{Lock: in.Lock, Class: classOf(e), Rules: RulesOf(in.Findings)}
	targets := r.targets(s, e, ep)
	if e.Quiet {
		r.plan(ep, e, targets, in.Now)
		return nil, ep
	}
	silence := SilencedBy(in.Silences, s, in.Now)
	var rows []store.Row
	for _, t := range targets {
		row := t.row(in, s)
		if silence != nil && !(e.Kind == verdict.Resolved && slices.Contains(ep.OpenedTo, t.sink)) {
			row.End(store.Superseded, "silenced by "+silence.ID, in.Now)
		}
		rows = append(rows, row)
	}
	if ep == nil || e.Kind == verdict.Resolved {
		return rows, ep
	}
	for _, t := range targets {
		if !slices.Contains(ep.OpenedTo, t.sink) {
			ep.OpenedTo = append(ep.OpenedTo, t.sink)
		}
	}
	r.plan(ep, e, targets, in.Now)
	if silence != nil {
		for _, t := range targets {
			Hold(ep, t.route.id)
		}
	}
	return rows, ep
}

// episodeAfter is the episode of e, as it is after it. The one before is left
// as it was.
func episodeAfter(e *verdict.Event, lock string, before *store.Episode) *store.Episode {
	if e.Episode == 0 {
		return nil
	}
	ep := &store.Episode{Lock: lock, Start: e.Episode, OpenedAt: e.At}
	if before != nil {
		ep = clone(before)
	}
	if e.Kind == verdict.Flap {
		return ep
	}
	ep.Class, ep.Worst = e.Class, max(ep.Worst, e.Class)
	ep.Seq = max(ep.Seq, e.Seq)
	if (e.Kind == verdict.Resolved || e.Kind == verdict.Closed) && ep.ClosedAt.IsZero() {
		ep.ClosedAt, ep.Reminders = e.At, nil
	}
	return ep
}

func clone(ep *store.Episode) *store.Episode {
	c := *ep
	c.OpenedTo = slices.Clone(ep.OpenedTo)
	c.Threads = maps.Clone(ep.Threads)
	c.Reminders = maps.Clone(ep.Reminders)
	return &c
}

// targets are where a message goes, each sink once: where routes lead, and
// with good news also wherever the bad went.
func (r *Router) targets(s Subject, e *verdict.Event, ep *store.Episode) []target {
	var list []target
	add := func(t target) {
		if !slices.ContainsFunc(list, func(o target) bool { return o.sink == t.sink }) {
			list = append(list, t)
		}
	}
	if e.Kind != verdict.Resolved {
		for i := range r.routes {
			route := &r.routes[i]
			if !route.matches(s) {
				continue
			}
			if s.Class >= route.minClass {
				for _, sink := range route.Sinks {
					add(target{route, sink})
				}
			}
			if !route.Continue {
				break
			}
		}
	}
	switch e.Kind {
	case verdict.Resolved, verdict.Improved, verdict.CameBack, verdict.Settled:
		if ep == nil {
			break
		}
		for _, sink := range ep.OpenedTo {
			if !slices.Contains(r.sinks, sink) {
				continue
			}
			route := r.toward(sink, s.Lock)
			if e.Kind != verdict.Resolved || route.Resolve {
				add(target{route, sink})
			}
		}
	}
	return list
}

// toward is the route by which messages about l get to sink. Where routes have
// changed since, whoever was told of a beginning still hears of the end.
func (r *Router) toward(sink string, l *store.Lock) *route {
	var found *route
	for i := range r.routes {
		route := &r.routes[i]
		if slices.Contains(route.Sinks, sink) && route.matchesLock(l) && (found == nil || !found.Resolve) {
			found = route
		}
	}
	if found == nil {
		return &route{Route: config.Route{Sinks: []string{sink}, Resolve: true}, id: "gone:" + sink}
	}
	return found
}

// plan sets the clocks of reminders anew, where e is about what the findings
// say. Other events only start clocks that do not run yet.
func (r *Router) plan(ep *store.Episode, e *verdict.Event, targets []target, now time.Time) {
	if ep == nil || !ep.ClosedAt.IsZero() {
		return
	}
	anew := store.TellsFindings(e.Kind)
	for _, t := range targets {
		old, runs := ep.Reminders[t.route.id]
		if runs && !anew {
			continue
		}
		next := store.Reminder{Ordinal: 1, Held: old.Held}
		if d := t.route.delay(1); d > 0 {
			next.At = now.Add(d)
		}
		setReminder(ep, t.route.id, next)
	}
}

func setReminder(ep *store.Episode, route string, next store.Reminder) {
	if ep.Reminders == nil {
		ep.Reminders = map[string]store.Reminder{}
	}
	ep.Reminders[route] = next
}

// Hold notes that a silence held back a message of route.
func Hold(ep *store.Episode, route string) {
	next := ep.Reminders[route]
	next.Ordinal, next.Held = max(next.Ordinal, 1), true
	setReminder(ep, route, next)
}

func (t target) row(in Happening, s Subject) store.Row {
	e := &in.Event
	return store.Row{
		Key: Key(t.sink, t.route.id, episodeName(in.Lock.ID, e.Episode), fmt.Sprint(e.Seq),
			string(e.Kind), s.Class.String(), e.FindingSet, "0"),
		Sink: t.sink, Route: t.route.id, Group: t.route.group(s),
		Lock: in.Lock.ID, Episode: e.Episode, Seq: e.Seq, Kind: e.Kind, Class: s.Class,
		CreatedAt: in.Now, DueAt: in.Now.Add(t.route.GroupWindow), State: store.Waiting,
	}
}

// Key is the dedupe key of a row: inserting it is the decision to send.
func Key(parts ...string) string { return strings.Join(parts, "|") }

func episodeName(lock string, start uint64) string { return fmt.Sprintf("%s@%d", lock, start) }

// A Standing is an open episode, and what decides whether it is time to remind.
type Standing struct {
	Episode  *store.Episode
	Lock     *store.Lock
	Findings []diff.Finding
	Silences []store.Silence
	// Quiet is whether nobody is to be reminded: acknowledged or suppressed.
	Quiet bool
	Now   time.Time
}

// Due are the reminders that are due, at most one for each route however long
// nobody looked, and the episode with its clocks set for the next; nil where
// nothing changed. What is quiet or silenced stays due until it no longer is, and
// what is of too low a class for the route until it is worse.
func (r *Router) Due(in Standing) ([]store.Row, *store.Episode) {
	if in.Quiet || !in.Episode.ClosedAt.IsZero() {
		return nil, nil
	}
	s := Subject{Lock: in.Lock, Class: max(in.Episode.Class, diff.Review), Rules: RulesOf(in.Findings)}
	ep := clone(in.Episode)
	changed := r.reroute(ep, s)
	var rows []store.Row
	silenced := SilencedBy(in.Silences, s, in.Now) != nil
	for _, id := range slices.Sorted(maps.Keys(ep.Reminders)) {
		next := ep.Reminders[id]
		isDue := next.Held || !next.At.IsZero() && !in.Now.Before(next.At)
		route := r.byID(id)
		if silenced || !isDue || s.Class < route.minClass {
			continue
		}
		for _, sink := range route.Sinks {
			rows = append(rows, store.Row{
				Key: Key(sink, id, episodeName(ep.Lock, ep.Start), fmt.Sprint(ep.Seq),
					string(store.KindReminder), s.Class.String(), in.Lock.State.FindingSet, fmt.Sprint(next.Ordinal)),
				Sink: sink, Route: id, Group: route.group(s),
				Lock: ep.Lock, Episode: ep.Start, Seq: ep.Seq, Kind: store.KindReminder, Class: s.Class, Ordinal: next.Ordinal,
				CreatedAt: in.Now, DueAt: in.Now, State: store.Waiting,
			})
			if !slices.Contains(ep.OpenedTo, sink) { // who is reminded of a trouble hears of its end
				ep.OpenedTo = append(ep.OpenedTo, sink)
			}
		}
		next = store.Reminder{Ordinal: next.Ordinal + 1}
		if d := route.delay(next.Ordinal); d > 0 {
			next.At = in.Now.Add(d)
		}
		ep.Reminders[id] = next
		changed = true
	}
	if !changed {
		return nil, nil
	}
	return rows, ep
}

// reroute hands the clocks of routes that are gone to those that lead there
// now.
func (r *Router) reroute(ep *store.Episode, s Subject) (changed bool) {
	for _, id := range slices.Sorted(maps.Keys(ep.Reminders)) {
		if r.byID(id) != nil {
			continue
		}
		old := ep.Reminders[id]
		delete(ep.Reminders, id)
		changed = true
		for _, t := range r.targets(s, &verdict.Event{Kind: verdict.Opened}, ep) {
			if _, runs := ep.Reminders[t.route.id]; !runs && len(t.route.Reminders) > 0 {
				ep.Reminders[t.route.id] = old
			}
		}
	}
	return changed
}

func (r *Router) byID(id string) *route {
	for i := range r.routes {
		if r.routes[i].id == id {
			return &r.routes[i]
		}
	}
	return nil
}

// Next is when the first reminder of ep is due: the beginning of time
// for one that a silence held back, zero where none is planned.
func Next(ep *store.Episode) time.Time {
	var next time.Time
	for _, n := range ep.Reminders {
		at := n.At
		if n.Held {
			at = time.Unix(0, 0)
		}
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// A Route names a route, and the sinks that it leads to.
type Route struct {
	ID    string
	Sinks []string
}

// Routes are all routes, in the order in which they are tried.
func (r *Router) Routes() []Route {
	var list []Route
	for i := range r.routes {
		list = append(list, Route{ID: r.routes[i].id, Sinks: r.routes[i].Sinks})
	}
	return list
}

// Fallback is the sink that is told of what others could not be; "": none.
func (r *Router) Fallback() string { return r.fallback }

// Daemon is a message about the daemon itself, of which kind says what it is
// about ("store-rebuilt"): it goes to the last route that matches everything,
// whatever class that asks for.
func (r *Router) Daemon(kind, text string, now time.Time) []store.Row {
	var rows []store.Row
	for i := range slices.Backward(r.routes) {
		route := &r.routes[i]
		if !isCatchAll(route.Route) {
			continue
		}
		for _, sink := range route.Sinks {
			rows = append(rows, store.Row{
				Key:  Key(sink, route.id, "daemon", kind, now.UTC().Format(time.RFC3339Nano)),
				Sink: sink, Route: route.id, Kind: store.KindDaemon, Class: diff.Review, Text: text,
				CreatedAt: now, DueAt: now, State: store.Waiting,
			})
		}
		break
	}
	return rows
}
