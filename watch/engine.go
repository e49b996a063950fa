package watch

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/metrics"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// An Engine watches every agent that a lock is about. Its exported fields are
// set before [Engine.Open], and not changed afterwards.
type Engine struct {
	Store *store.Store // open; the engine does not close it
	// Client makes what asks for cards, with Gates, by a configuration.
	Client func(*setup.Setup) *fetch.Client
	// Told is called after each transaction that left messages in the store.
	Told    func()
	Metrics *metrics.Set // nil: counted for nobody
	Log     *slog.Logger // nil: discard
	// Wall is the wall clock, nil being time.Now: the one seam through which a
	// clock that jumps reaches the engine.
	Wall func() time.Time

	cfg   atomic.Pointer[current]
	wake  chan struct{}
	turn  chan struct{} // held by whoever reloads
	begun time.Time     // for its monotonic reading
	beat  atomic.Int64  // Unix seconds at which the engine last looked around

	mu      sync.RWMutex // of what follows
	agents  map[string]*agent
	locks   map[string]*watched
	queue   schedule.Queue
	catchUp schedule.CatchUp
	clock   schedule.Clock
	outage  schedule.Outage
	told    map[string]string // why locks are broken, as it was told
	flights sync.WaitGroup
}

// current is the configuration that holds, replaced as a whole.
type current struct {
	*setup.Setup
	router *route.Router
	client *fetch.Client
}

// maxSleep is how long the engine sleeps at most, so that a clock that jumps
// and a machine that wakes up are seen.
const maxSleep = 30 * time.Second

// Open reads the locks, and what the store remembers of them. The engine
// answers from then on, and asks nobody before [Engine.Run].
func (e *Engine) Open(ctx context.Context, s *setup.Setup) error {
	e.wake, e.turn = make(chan struct{}, 1), make(chan struct{}, 1)
	e.agents, e.locks, e.told = map[string]*agent{}, map[string]*watched{}, map[string]string{}
	e.begun = time.Now()
	e.beat.Store(e.begun.Unix())
	if e.Wall == nil {
		e.Wall = time.Now
	}
	if e.Log == nil {
		e.Log = slog.New(slog.DiscardHandler)
	}
	if e.Metrics == nil {
		e.Metrics = metrics.New("")
	}
	if e.Told == nil {
		e.Told = func() {}
	}
	return e.Reload(ctx, s)
}

// Run refreshes agents until ctx ends, and returns when every request that it
// began has ended too. What those still found is in the store by then.
func (e *Engine) Run(ctx context.Context) {
	defer e.flights.Wait()
	e.replan(ctx, "start")
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-e.wake:
		}
		e.beat.Store(time.Now().Unix())
		e.mu.Lock()
		jump := e.clock.Tick(e.Wall(), time.Since(e.begun))
		e.mu.Unlock()
		if jump != 0 {
			e.Metrics.ClockJumps.Inc()
			e.Log.WarnContext(ctx, "wall clock jumped", "by", jump)
			e.replan(ctx, "clock")
		}
		timer.Reset(e.begin(ctx))
	}
}

// Idle is how long ago the engine last looked for what is due: over a minute
// when it hangs.
func (e *Engine) Idle() time.Duration {
	return time.Since(time.Unix(e.beat.Load(), 0))
}

// begin starts what is due, and says how long there is nothing more to do.
func (e *Engine) begin(ctx context.Context) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.Wall()
	for {
		id, _, ok := e.queue.Pop(now)
		if !ok {
			break
		}
		if a := e.agents[id]; a != nil {
			e.launch(ctx, a, now)
		}
	}
	for {
		run, ok := e.catchUp.Pop(now)
		if !ok {
			break
		}
		if a := e.agents[run.ID]; a != nil && !a.flying {
			e.missed(run.Missed)
			e.fly(ctx, a, request{at: now, slot: true}, run.Slot.At, now)
		}
	}
	sleep := maxSleep
	if _, due, ok := e.queue.Peek(); ok {
		sleep = min(sleep, due.Sub(now))
	}
	if at, ok := e.catchUp.Ready(now); ok {
		sleep = min(sleep, at.Sub(now))
	}
	return max(sleep, 0)
}

// launch starts what the agent is due for. Under mu.
func (e *Engine) launch(ctx context.Context, a *agent, now time.Time) {
	if tick := a.tickAt(now); !tick.IsZero() && !tick.After(now) {
		e.flights.Go(func() { e.tick(ctx, a) }) // which puts the agent back
		return
	}
	if a.flying {
		if s := a.rules.plan.Latest(a.seen.Slot, now); !s.IsZero() {
			e.Metrics.Refreshes.WithLabelValues("skipped").Inc()
		}
		return // whoever lands puts the agent back
	}
	r := a.requestAt(e, now)
	if r.at.After(now) {
		e.enqueue(a, now)
		return
	}
	// Whatever the request is for, it runs the slot that is due as well.
	slot := a.rules.plan.Latest(a.seen.Slot, now)
	if !slot.IsZero() && !a.seen.Slot.IsZero() {
		e.missed(a.rules.plan.Count(a.seen.Slot, now) - 1)
	}
	e.catchUp.Remove(a.id)
	e.fly(ctx, a, r, slot.At, now)
}

// fly begins a request. Under mu.
func (e *Engine) fly(ctx context.Context, a *agent, r request, slot, now time.Time) {
	f := flight{agent: a, request: r, run: slot, asked: a.asked}
	a.flying, a.asked, a.retry, a.own, a.last = true, false, time.Time{}, time.Time{}, now
	e.flights.Go(func() { e.refresh(ctx, f) })
}

// missed counts slots that will never be run.
func (e *Engine) missed(n int) {
	if n > 0 {
		e.Metrics.MissedSlots.Add(float64(n))
	}
}

// enqueue puts the agent where it is due next. Under mu.
func (e *Engine) enqueue(a *agent, now time.Time) {
	if at := a.next(e, now); at.IsZero() {
		e.queue.Remove(a.id)
	} else {
		e.queue.Push(a.id, at)
	}
}

// settle puts the agent back into the queue after something moved it.
func (e *Engine) settle(a *agent) {
	e.mu.Lock()
	if e.agents[a.id] == a {
		e.enqueue(a, e.Wall())
	}
	e.mu.Unlock()
	e.awake()
}

// awake has the loop look for what is due.
func (e *Engine) awake() {
	select {
	case e.wake <- struct{}{}:
	default: // it will
	}
}

// replan looks at every agent anew: at the start, and after the clock jumped.
// Slots that passed meanwhile are run once, the latest alone, at a pace that
// neither we nor the agents' hosts notice.
func (e *Engine) replan(ctx context.Context, why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.Wall()
	for _, id := range slices.Sorted(maps.Keys(e.agents)) {
		e.plan(e.agents[id], now)
	}
	if n := e.catchUp.Len(); n > 0 {
		e.Log.InfoContext(ctx, "catching up", "agents", n, "why", why)
	}
}

// plan puts the agent into the queue, and where a slot passed unseen, or nobody
// ever looked, among those that catch up. Under mu.
func (e *Engine) plan(a *agent, now time.Time) {
	c := schedule.Candidate{ID: a.id, Plan: a.rules.plan, Last: a.seen.Slot, Validated: a.seen.Validated}
	for _, w := range a.locks {
		s := w.state.Load()
		c.Stale = c.Stale || s.Freshness(now, a.params) == verdict.MarkedStale
		c.Breaking = c.Breaking || s.Verdict == verdict.Breaking
	}
	e.catchUp.Rate = schedule.CatchUpRate(e.cfg.Load().Config.Daemon.CatchupRate, len(e.agents))
	a.own = time.Time{}
	if _, behind := e.catchUp.Add(c, now); behind && !a.flying {
		a.own = a.rules.plan.After(a.seen.Slot, now).Due
	}
	e.enqueue(a, now)
}
