package watch

import (
	"maps"
	"slices"
	"time"

	"github.com/a2alock/a2alock/internal/moment"
	"github.com/a2alock/a2alock/internal/standing"
	"github.com/a2alock/a2alock/internal/verdict"
)

// What a reader is told, and asks for.
type (
	// A View is where one lock stands.
	View = standing.View
	// A Filter chooses locks; what is "" chooses all.
	Filter = standing.Filter
	// Counts are what the engine holds, counted at one moment.
	Counts = standing.Counts
)

// Locks are up to limit views that f chooses, in the order of ids after the one
// named, without findings; next is where the next page begins, "" at the end.
func (e *Engine) Locks(f Filter, after string, limit int) (page []View, next string) {
	index, now := e.locks.Load(), e.Wall()
	start, found := slices.BinarySearch(index.ids, after)
	if found {
		start++
	}
	page = []View{}
	for _, id := range index.ids[start:] {
		w := index.byID[id]
		v := view(w, now)
		if !f.Chooses(&v) {
			continue
		}
		if len(page) == limit {
			return page, page[limit-1].ID
		}
		v.Findings, v.NextRefresh = nil, e.nextRefresh(w, now)
		page = append(page, v)
	}
	return page, ""
}

// Lock is the view of one lock, with its findings.
func (e *Engine) Lock(id string) (View, bool) {
	w, ok := e.locks.Load().byID[id]
	if !ok {
		return View{}, false
	}
	now := e.Wall()
	v := view(w, now)
	v.NextRefresh = e.nextRefresh(w, now)
	if w.Agent != nil {
		v.Answer = standing.AnswerOf(w.Agent.Heard())
	}
	return v, true
}

// view is where w stands, without its next refresh.
func view(w *lock, now time.Time) View {
	s := w.State()
	v := standing.Of(w.File, s)
	if w.Agent != nil {
		p := w.Agent.Params.Load()
		v.AgentID, v.Freshness, v.Suppressed = w.Agent.ID, s.Freshness(now, p), s.Suppression(p)
	}
	return v
}

// nextRefresh is when the agent of w is asked next; nil while it is being asked,
// and where there is none.
func (e *Engine) nextRefresh(w *lock, now time.Time) *time.Time {
	if w.Agent == nil {
		return nil
	}
	e.desk.Mu.RLock()
	defer e.desk.Mu.RUnlock()
	if w.Agent.Flying {
		return nil
	}
	return standing.Moment(e.request(w.Agent, now).At)
}

// Unwritten is since when and why the store cannot be written, "" where it can.
func (e *Engine) Unwritten() string { return e.desk.Unwritten.String() }

// Counts looks at every lock and agent.
func (e *Engine) Counts() Counts {
	now, cfg, index := e.Wall(), e.cfg.Load(), e.locks.Load()
	c := Counts{Unwritten: e.Unwritten(), Unread: e.unread.String(), Now: now, Locks: map[standing.Group]int{}, Open: map[verdict.Verdict]int{}}
	_, _, c.Paused = cfg.client.Gates.Gauges(time.Now())
	for _, id := range index.ids {
		w := index.byID[id]
		if w.Broken != nil {
			c.Broken = append(c.Broken, id)
		}
		if w.Agent == nil {
			continue
		}
		s := w.State()
		class := standing.Class(s)
		c.Locks[standing.Group{Class: class, Freshness: s.Freshness(now, w.Agent.Params.Load())}]++
		if s.Episode != nil {
			c.Open[class]++
		}
	}
	e.desk.Mu.RLock()
	defer e.desk.Mu.RUnlock()
	c.Agents, c.Silent = len(e.agents), e.outage.Suspected()
	var last, next time.Time
	for _, id := range slices.Sorted(maps.Keys(e.agents)) {
		a := e.agents[id]
		if a.Flying {
			c.Flights++
		} else {
			next = moment.Earlier(next, e.request(a, now).At)
		}
		last = moment.Later(last, a.Last)
		if v := a.Seen.Validated; !v.IsZero() {
			c.Oldest = moment.Earlier(c.Oldest, v)
			if cfg.Setup.Config.Daemon.PerAgent {
				c.AddAge(id, v, cfg.Setup.Config.Daemon.PerAgentCap)
			}
		}
	}
	c.LastRun = standing.Moment(last)
	c.NextRun = standing.Moment(next)
	return c
}
