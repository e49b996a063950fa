package watch

import (
	"context"
	"time"

	"github.com/a2alock/a2alock/internal/moment"
	"github.com/a2alock/a2alock/internal/pace"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/internal/watched"
)

type (
	agent = watched.Agent
	lock  = watched.Lock
	// request is why and when an agent is asked next.
	request = pace.Request
	change  = watched.Change
)

// notWritten is how long an agent rests after something about it could not be
// written: the disk is full, say, and neither it nor the agent is to be
// hammered.
const notWritten = time.Minute

// next is when something of the agent is due: a request, or a moment at which
// time alone moves a lock. Zero: nothing ever. Under [watched.Desk.Mu].
func (e *Engine) next(a *agent, now time.Time) time.Time {
	due := a.TickAt(now)
	if a.Flying || a.Queued {
		return due // whoever lands puts the agent back
	}
	return moment.Earlier(due, e.request(a, now).At)
}

// request is the next request. A pause that the server asked for holds back
// every kind, and a little longer, so that not all come back at once. Under
// [watched.Desk.Mu].
func (e *Engine) request(a *agent, now time.Time) request {
	r := a.Next(a.Seen.Slot, now, a.Wants())
	mono := time.Now()
	if until, long := e.cfg.Load().client.Gates.Paused(a.Key.URL, mono); !until.IsZero() {
		r.At = moment.Later(r.At, now.Add(until.Sub(mono)+time.Duration(a.Share*float64(long)/10)))
	}
	return r
}

// tick lets time alone move the locks of an agent, and compares again where
// something else than the card has moved.
func (e *Engine) tick(ctx context.Context, a *agent) {
	e.work <- struct{}{}
	defer func() { <-e.work }()
	a.Take()
	now := e.Wall()
	ok := e.desk.Observe(ctx, a, change{}, func(w *lock) verdict.Observation { return e.desk.Tick(w, now) })
	a.Give()
	e.settle(a, func() {
		a.Ticking = false
		if !ok {
			a.Rest = now.Add(notWritten)
		}
	})
}
