package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/internal/moment"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/internal/watched"
	"github.com/a2alock/a2alock/netguard"
)

// A flight is one request for an agent's card under way.
type flight struct {
	*watched.Agent
	request
	run   time.Time // the slot that it runs; zero: none
	asked bool      // a person wanted it
	plain bool      // past every cache, since the last answer was none
}

// refresh makes one request, and lets it land.
func (e *Engine) refresh(ctx context.Context, f flight) {
	written, paused := true, (*gate.PausedError)(nil)
	sent, sentAt := e.timed(f.At)
	defer func() {
		e.settle(f.Agent, func() {
			f.Flying, f.Behind = false, false
			switch now := e.Wall(); {
			case !written:
				f.Floor = now.Add(notWritten)
			case paused == nil:
			case sentAt().IsZero():
				f.Unsent(now) // the pause holds it back
			default: // the pause is of a host that a redirect leads to
				f.Plain, f.Floor, f.Retry = f.plain, now.Add(time.Until(paused.Until)), now
			}
		})
	}()
	f.Take()
	began := e.Wall()
	full := e.cfg.Load().Setup.Config.Daemon.FullRefetch
	req := f.Request(e.Store, f.plain || f.Audits(full, began), f.asked || f.Want.Fresh, f.Want.Elsewhere)
	f.Give()
	client, landed := e.cfg.Load().client, false
	req.Sent, req.Landed = sent, func() { client.Gates.Land(); landed = true }
	defer func() {
		if landed {
			client.Gates.Taken()
		}
	}()

	answer, err := client.Refresh(ctx, req)
	e.makeRoom(ctx, f.Agent)
	if ctx.Err() != nil {
		return // cut short by us: that says nothing of the agent
	}
	if paused, _ = errors.AsType[*gate.PausedError](err); paused != nil {
		e.Metrics.Refreshes.WithLabelValues("skipped").Inc()
		return
	}
	if at := sentAt(); !at.IsZero() {
		e.Metrics.RefreshDuration.Observe(time.Since(at).Seconds())
	}

	f.Take()
	defer f.Give()
	if err != nil {
		written = e.failed(ctx, f, began, err)
		return
	}
	e.desk.Mu.Lock()
	e.outage.Observe(f.Key.Host(), true, e.Wall())
	back := e.outage.Ends(e.Wall())
	e.desk.Mu.Unlock()
	if back {
		e.Log.InfoContext(ctx, "the network is there")
		e.Over(ctx, "network")
	}
	written = e.arrived(ctx, f, began, req, answer)
}

// makeRoom lets the next agent of the host have its turn: what is now to be done
// with this answer is no business of the host.
func (e *Engine) makeRoom(ctx context.Context, a *agent) {
	e.desk.Mu.Lock()
	defer e.desk.Mu.Unlock()
	next, ok := e.lines.Leave(a.Host, func(w waiting) bool { return !w.agent.Gone && ctx.Err() == nil })
	if ok {
		e.fly(ctx, next.agent, next.request, e.Wall())
	}
}

// timed notes how long after it was due the first request went out, of which sent
// is told, and gives when that was: waiting at gates comes before. Zero: never.
func (e *Engine) timed(due time.Time) (sent func(), at func() time.Time) {
	var first atomic.Pointer[time.Time]
	sent = func() {
		if first.CompareAndSwap(nil, new(time.Now())) {
			e.Metrics.Lateness.Observe(max(0, e.Wall().Sub(due).Seconds()))
		}
	}
	at = func() time.Time {
		if t := first.Load(); t != nil {
			return *t
		}
		return time.Time{}
	}
	return sent, at
}

// asking is a client by s whose requests are counted.
func (e *Engine) asking(s *setup.Setup) *fetch.Client {
	c := e.Client(s)
	c.Asked = func(code int, conditional bool) {
		class := "error"
		if code > 0 {
			class = fmt.Sprintf("%dxx", code/100)
		}
		e.Metrics.Requests.WithLabelValues(class, strconv.FormatBool(conditional)).Inc()
	}
	return c
}

// ran is the slot that counts as run when the flight lands: its own, or the last
// that came due meanwhile. Those are skipped.
func (e *Engine) ran(f flight, now time.Time) time.Time {
	e.desk.Mu.RLock()
	defer e.desk.Mu.RUnlock()
	last := moment.Later(f.run, f.Seen.Slot)
	slot := f.Plan.Latest(last, now)
	if last.IsZero() || slot.IsZero() {
		return f.run
	}
	e.Metrics.Refreshes.WithLabelValues("skipped").Add(float64(f.Plan.Count(last, now)))
	return slot.At
}

// failed is what follows where no body came. A failure that every host shares
// is ours, and says nothing of any agent.
func (e *Engine) failed(ctx context.Context, f flight, began time.Time, err error) bool {
	fault, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		fault = &fetch.Error{URL: f.Key.URL, State: fetch.Unreachable, Err: err}
	}
	now := e.Wall()
	slot := e.ran(f, now)
	// An answer of any kind shows that the network is there; what we refuse to
	// reach, or have no credential for, shows nothing.
	silent := fault.IsSilent()
	refusal, refused := errors.AsType[*netguard.Refused](err)
	e.desk.Mu.Lock()
	if fault.Public || !refused && !fault.Ours {
		e.outage.Observe(f.Key.Host(), !silent, now)
	}
	ours := (silent || fault.IsTokenless()) && !refused && e.outage.Suspected()
	tells := ours && e.outage.Tells(now)
	if f.Denied = fault.State == fetch.AuthRequired; !f.Denied {
		f.Fail(moment.Later(slot, f.Seen.Slot), now, rand.Float64)
	}
	f.Plain = fault.Protocol
	e.desk.Mu.Unlock()
	outcome := "failed"
	if fault.State != fetch.Unreachable {
		outcome = "invalid"
	}
	e.Metrics.Refreshes.WithLabelValues(outcome).Inc()
	if ours {
		if tells {
			e.Log.ErrorContext(ctx, "this daemon cannot reach the network")
			e.TellOnce(ctx, "network", "a2alockd cannot reach the network: requests to many hosts fail. Verdicts stay as they are until one succeeds.")
		}
		return e.desk.Observe(ctx, f.Agent, change{Slot: slot, Landed: true}, nil)
	}
	detail := fault.Error()
	if refused {
		if lines := refusal.Lines(); lines != "" {
			detail += "; if it is meant, a2alock.yaml allows it: " + lines
		}
	}
	e.Log.WarnContext(ctx, "no card", "agent", f.ID, "state", fault.State, "err", detail)
	o := verdict.Observation{
		Cause: verdict.Failed, By: f.by(), Fresh: f.Want.Fresh || f.asked, Began: began,
		State: fault.State, Detail: detail,
	}
	return e.desk.Observe(ctx, f.Agent, change{Slot: slot, Landed: true, Pause: watched.PauseOf(fault, now)}, func(*lock) verdict.Observation { return o })
}

// by is what the request is for, in the words of the state machine.
func (f flight) by() verdict.By {
	if f.Want.By != "" {
		return f.Want.By
	}
	return verdict.Scheduled
}

// arrived is what follows where a body came.
func (e *Engine) arrived(ctx context.Context, f flight, began time.Time, req fetch.Request, answer *fetch.Answer) bool {
	now := e.Wall()
	slot := e.ran(f, now)
	e.desk.CompareClocks(ctx, f.Host, answer.Date)
	sight := f.See(&e.desk, answer)
	o := verdict.Observation{By: f.by(), Fresh: req.Unconditional && req.Fresh, Began: began, NotModified: answer.NotModified}
	if err := sight.Err; err != nil {
		e.Metrics.Refreshes.WithLabelValues("invalid").Inc()
		e.Log.WarnContext(ctx, "no valid card", "agent", f.ID, "state", err.State, "err", err)
		o.Cause, o.State, o.Detail = verdict.Failed, err.State, err.Error()
		e.desk.Mu.Lock()
		f.Fail(moment.Later(slot, f.Seen.Slot), now, rand.Float64)
		e.desk.Mu.Unlock()
		// The last good body and its validators stay: a 304 must not come to
		// stand for these bytes.
		return e.desk.Observe(ctx, f.Agent, change{Slot: slot, Landed: true}, func(*lock) verdict.Observation { return o })
	}
	e.desk.Mu.Lock()
	f.Succeed(now, answer.MaxAge)
	e.desk.Mu.Unlock()
	if answer.Unreliable && !sight.Same {
		e.Metrics.Unreliable.Inc()
		e.Log.WarnContext(ctx, "validators lie", "agent", f.ID, "detail", answer.Detail)
	}
	e.Metrics.Refreshes.WithLabelValues(sight.Outcome(answer)).Inc()
	rec := f.Remember(sight, answer, req.Unconditional, now)
	c := change{Slot: slot, Landed: true, Validated: now, Rec: rec, Sight: sight, Answer: answer}
	ok := e.desk.Observe(ctx, f.Agent, c, func(w *lock) verdict.Observation { return e.desk.Judged(w, sight, rec, o, now) })
	e.desk.Mu.Lock()
	f.Expect(now)
	e.desk.Mu.Unlock()
	return ok
}
