package route

import (
	"slices"

	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A Target is a sink, and the route by which a message gets there.
type Target struct{ Sink, Route, Group string }

// Now are where a message that was stored for another sink goes by r: for one
// about a lock, which s is about, where such messages go (the end of a trouble as
// its beginning); for one of the daemon, the catch-all. A lock that is gone leads
// nowhere.
func (r *Router) Now(row *store.Row, s Subject) []Target {
	var list []Target
	switch {
	case row.Lock == "":
		for i := range slices.Backward(r.routes) {
			if route := &r.routes[i]; isCatchAll(route.Route) {
				for _, sink := range route.Sinks {
					list = append(list, Target{Sink: sink, Route: route.id})
				}
				break
			}
		}
	case s.Lock != nil:
		s.Class = max(s.Class, classOf(&verdict.Event{Kind: row.Kind, Class: row.Class}))
		for _, t := range r.targets(s, &verdict.Event{Kind: verdict.Opened}, nil) {
			list = append(list, Target{Sink: t.sink, Route: t.route.id, Group: t.route.group(s)})
		}
	}
	return list
}
