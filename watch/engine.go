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
	"github.com/a2alock/a2alock/internal/moment"
	"github.com/a2alock/a2alock/internal/pace"
	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/internal/watched"
	"github.com/a2alock/a2alock/store"
)

// An Engine watches every agent that a lock is about. Its exported fields are
// set before [Engine.Open], and not changed afterwards.
//
// Whoever moves an agent has its turn, and then takes the desk's Mu for as long
// as no disk or network is waited for. Decisions need neither.
type Engine struct {
	Store *store.Store // open; the engine does not close it
	// Client makes what asks for cards, with Gates, by a configuration.
	Client func(*setup.Setup) *fetch.Client
	// Told is called after each transaction that left messages in the store.
	Told    func()
	Metrics *metrics.Set // nil: counted for nobody
	Log     *slog.Logger // nil: discard
	// Version is that of the rules: another one judges every lock anew.
	Version string
	// Wall is the wall clock, nil being time.Now: the one seam through which a
	// clock that jumps reaches the engine.
	Wall func() time.Time

	cfg    atomic.Pointer[current]
	locks  atomic.Pointer[lockIndex]
	wake   chan struct{}
	turn   chan struct{} // held by whoever reloads
	work   chan struct{} // has room for [atWork]
	begun  time.Time     // for its monotonic reading
	beat   atomic.Int64  // how long after begun the engine last looked around
	news   watched.News
	unread watched.Failing // the locks, again
	// crowded are the hosts with very many agents, as the last reload saw them.
	crowded map[string]int

	desk    watched.Desk // with the Mu of what follows
	agents  map[string]*agent
	queue   schedule.Queue
	catchUp schedule.CatchUp
	clock   schedule.Clock
	outage  schedule.Outage
	until   time.Duration // after begun, the loop sleeps
	lines   pace.Lines[waiting]
	flights sync.WaitGroup
}

// current is the configuration that holds, replaced as a whole.
type current struct {
	*watched.Config
	client *fetch.Client
}

// A waiting agent is due for a request, and in line at its host.
type waiting struct {
	agent   *agent
	request request
}

// A lockIndex has every lock by its id. It never changes.
type lockIndex struct {
	byID map[string]*lock
	ids  []string // sorted
}

const (
	// maxSleep is how long the engine sleeps at most, so that a clock that jumps
	// and a machine that wakes up are seen.
	maxSleep = 30 * time.Second
	// batch is how many agents are looked at before others have Mu.
	batch = 100
	// atWork is how many agents time moves at once; how many answers are judged and
	// written at once, the gates say.
	atWork = 512
)

// Open reads the locks, and what the store remembers of them. The engine
// answers from then on, and asks nobody before [Engine.Run].
func (e *Engine) Open(ctx context.Context, s *setup.Setup) error {
	e.wake, e.turn, e.work = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, atWork)
	e.agents = map[string]*agent{}
	e.locks.Store(&lockIndex{})
	e.begun = time.Now()
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
	e.desk.Store, e.desk.Log, e.desk.Metrics, e.desk.Told, e.desk.Wall = e.Store, e.Log, e.Metrics, e.Told, e.Wall
	e.desk.Config = func() *watched.Config { return e.cfg.Load().Config }
	if err := e.news.Open(&e.desk); err != nil {
		return err
	}
	if slices.Contains(e.news.Words(), networkWord) {
		e.outage.Resume(e.Wall())
	}
	return e.Reload(ctx, s)
}

// Run refreshes agents until ctx ends, and returns when every request that it
// began has ended too. What those still found is in the store by then.
func (e *Engine) Run(ctx context.Context) {
	defer e.flights.Wait()
	e.replan(ctx, 0)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-e.wake:
		}
		if ctx.Err() != nil {
			return
		}
		e.beat.Store(int64(time.Since(e.begun)))
		e.desk.Mu.Lock()
		jump := e.clock.Tick(e.Wall(), time.Since(e.begun))
		e.desk.Mu.Unlock()
		if jump != 0 {
			e.Metrics.ClockJumps.Inc()
			e.desk.ForgetClocks()
			e.Log.WarnContext(ctx, "wall clock jumped", "by", jump)
			e.replan(ctx, jump)
		}
		timer.Reset(e.begin(ctx))
	}
}

// Idle is how long ago the engine last looked for what is due: over a minute
// when it hangs.
func (e *Engine) Idle() time.Duration { return time.Since(e.begun) - time.Duration(e.beat.Load()) }

// begin starts what is due, and says how long there is nothing more to do.
func (e *Engine) begin(ctx context.Context) time.Duration {
	e.desk.Mu.Lock()
	defer e.desk.Mu.Unlock()
	now := e.Wall()
	for range batch {
		id, due, ok := e.queue.Peek()
		if !ok || due.After(now) {
			break
		}
		if a := e.agents[id]; a != nil {
			e.launch(ctx, a, now) // which moves it in the queue, or takes it out
		} else {
			e.queue.Remove(id)
		}
	}
	for range batch {
		id, ok := e.catchUp.Pop(now)
		if !ok {
			break
		}
		if a := e.agents[id]; a != nil && !a.Flying && !a.Queued {
			e.queue.Remove(a.ID)
			a.Own = time.Time{}
			r := e.request(a, now)
			r.At = now
			e.fly(ctx, a, r, now)
			e.enqueue(a, now) // for its ticks
		}
	}
	sleep := maxSleep
	if _, due, ok := e.queue.Peek(); ok {
		sleep = min(sleep, due.Sub(now))
	}
	if at, ok := e.catchUp.Ready(now); ok {
		sleep = min(sleep, at.Sub(now))
	}
	sleep = max(sleep, 0)
	e.until = time.Since(e.begun) + sleep
	return sleep
}

// launch starts what the agent is due for. Under Mu.
func (e *Engine) launch(ctx context.Context, a *agent, now time.Time) {
	if tick := a.TickAt(now); !tick.IsZero() && !tick.After(now) {
		a.Ticking = true
		e.queue.Remove(a.ID)
		e.flights.Go(func() { e.tick(ctx, a) }) // which puts the agent back
		return
	}
	if r := e.request(a, now); !a.Flying && !a.Queued && !r.At.After(now) {
		e.catchUp.Remove(a.ID)
		e.fly(ctx, a, r, now)
	}
	e.enqueue(a, now)
}

// fly begins a request, as soon as its host has room. Whatever it is for, it
// runs the slot that is due as well. Under Mu.
func (e *Engine) fly(ctx context.Context, a *agent, r request, now time.Time) {
	if a.Queued = !e.lines.Enter(a.Host, waiting{a, r}, e.cfg.Load().Setup.Config.Daemon.HostFlights); a.Queued {
		return
	}
	f := flight{Agent: a, request: r, asked: a.Asked, plain: a.Plain}
	if slot := a.Plan.Latest(a.Seen.Slot, now); !slot.IsZero() {
		f.run = slot.At
		if n := a.Plan.Count(moment.Later(a.Seen.Slot, a.Hold.Add(-a.Plan.Phase)), now) - 1; n > 0 && !a.Seen.Slot.IsZero() {
			e.Metrics.MissedSlots.Add(float64(n))
		}
	}
	a.Begin(now)
	e.flights.Go(func() { e.refresh(ctx, f) })
}

// enqueue puts the agent where it is due next, and says when that is. Under Mu.
func (e *Engine) enqueue(a *agent, now time.Time) (due time.Time) {
	if due = e.next(a, now); due.IsZero() {
		e.queue.Remove(a.ID)
	} else {
		e.queue.Push(a.ID, due)
	}
	return due
}

// settle puts the agent back into the queue after something moved it, which
// change does under Mu.
func (e *Engine) settle(a *agent, change func()) {
	e.desk.Mu.Lock()
	defer e.desk.Mu.Unlock()
	if change != nil {
		change()
	}
	if e.agents[a.ID] != a {
		return
	}
	now := e.Wall()
	// It is nearly always due long after others.
	if due := e.enqueue(a, now); !due.IsZero() && time.Since(e.begun)+due.Sub(now) < e.until {
		e.awake()
	}
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
func (e *Engine) replan(ctx context.Context, jump time.Duration) {
	e.each(func(a *agent, now time.Time) {
		a.Shift(jump)
		a.Rest = time.Time{}
		e.plan(a, now)
	})
	if jump < 0 { // what lies ahead now counts as now
		e.inTurn(ctx, e.everyone(), func(a *agent) {
			e.desk.Observe(ctx, a, change{Urgent: true}, func(*lock) verdict.Observation { return verdict.Observation{Cause: verdict.Tick} })
		})
	}
	e.desk.Mu.RLock()
	n := e.catchUp.Len()
	e.desk.Mu.RUnlock()
	if n > 0 {
		e.Log.InfoContext(ctx, "catching up", "agents", n)
	}
}

// each calls do for every agent under Mu, in batches, between which others have
// it.
func (e *Engine) each(do func(a *agent, now time.Time)) {
	e.desk.Mu.RLock()
	ids := slices.Sorted(maps.Keys(e.agents))
	e.desk.Mu.RUnlock()
	for group := range slices.Chunk(ids, batch) {
		e.desk.Mu.Lock()
		now := e.Wall()
		for _, id := range group {
			if a := e.agents[id]; a != nil {
				do(a, now)
			}
		}
		e.desk.Mu.Unlock()
	}
}

// plan puts the agent into the queue, and where a slot passed unseen, or nobody
// ever looked, among those that catch up. Under Mu.
func (e *Engine) plan(a *agent, now time.Time) {
	e.catchUp.Rate = schedule.CatchUpRate(e.cfg.Load().Setup.Config.Daemon.CatchupRate, len(e.agents))
	e.catchUp.Remove(a.ID)
	a.Own = time.Time{}
	if !a.Flying { // whoever lands has caught up
		c := schedule.Candidate{ID: a.ID, Plan: a.Plan, Last: a.Seen.Slot, Validated: a.Seen.Validated}
		for _, w := range a.Locks {
			s := w.State()
			c.Stale = c.Stale || !s.Stale.Over(now, a.Params.Load().StaleHold) // whatever its freshness is by now
			c.Breaking = c.Breaking || s.Verdict == verdict.Breaking
		}
		if v := a.Seen.Validated; v.After(a.Last) && !v.After(now) {
			a.Last = v // at least: before a restart
		}
		switch a.Behind = e.catchUp.Add(c, now); {
		case a.Behind && a.Last.Add(a.Min).After(now):
			e.catchUp.Remove(a.ID) // its slot waits for min_interval
		case a.Behind:
			a.Own = a.Plan.After(a.Seen.Slot, now).Due
		}
	}
	e.enqueue(a, now)
}
