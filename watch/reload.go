package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// Setup is the configuration that holds.
func (e *Engine) Setup() *setup.Setup { return e.cfg.Load().Setup }

// Reload makes s the configuration, and the locks below its roots the locks.
// Either all of it holds afterwards, or with an error nothing has changed. An
// agent whose schedule and locks are as before is not disturbed: its phase, its
// request under way and its validators stay. A lock that is broken keeps its
// last good text, and is reported once.
func (e *Engine) Reload(ctx context.Context, s *setup.Setup) error {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	r, err := e.read(s)
	if err != nil {
		return err
	}
	e.adopt(ctx, r)
	return nil
}

// A reading is everything that a reload is about to make hold.
type reading struct {
	*setup.Setup
	files    []*file
	policies map[string]diff.Policy // by lock
	rules    map[agentKey]rules
	agents   map[string]store.Agent // those that are new to the engine, as stored
	seen     map[string]store.Seen
	locks    map[string]store.Lock
}

// read finds out what holds by s, and changes nothing.
func (e *Engine) read(s *setup.Setup) (*reading, error) {
	r := &reading{
		Setup: s, policies: map[string]diff.Policy{}, rules: map[agentKey]rules{},
		agents: map[string]store.Agent{}, locks: map[string]store.Lock{},
	}
	if err := e.Store.View(r.recall); err != nil {
		return nil, err
	}
	files, err := readLocks(s.Config, e.lastGood(r))
	if err != nil {
		return nil, err
	}
	r.files = files
	var errs []error
	for _, f := range files {
		if f.text == nil {
			continue
		}
		policy, err := s.PolicyOf(f.lock())
		errs = append(errs, err)
		r.policies[f.id] = policy
		if _, ok := r.rules[f.key]; !ok {
			rules, err := e.rulesFor(s.Config, f.key)
			if err != nil {
				errs = append(errs, fmt.Errorf("the schedule for %s: %w", f.Agent, err))
			}
			r.rules[f.key] = rules
		}
	}
	return r, errors.Join(errs...)
}

// recall reads what the store remembers.
func (r *reading) recall(tx *store.Tx) (err error) {
	if r.seen, err = tx.Seens(); err != nil {
		return err
	}
	for p := (store.Page{Limit: 500}); ; {
		page, next, err := tx.Agents(p)
		if err != nil {
			return err
		}
		for _, a := range page {
			r.agents[a.ID] = a
		}
		if p.After = next; next == "" {
			break
		}
	}
	for p := (store.Page{Limit: 500}); ; {
		page, next, err := tx.Locks(p)
		if err != nil {
			return err
		}
		for _, l := range page {
			r.locks[l.ID] = l
		}
		if p.After = next; next == "" {
			return nil
		}
	}
}

// lastGood is the last good text of a lock: the engine's, else the store's.
func (e *Engine) lastGood(r *reading) func(id string) []byte {
	return func(id string) []byte {
		e.mu.RLock()
		defer e.mu.RUnlock()
		if w := e.locks[id]; w != nil && w.text != nil {
			return w.text
		}
		return r.locks[id].Good
	}
}

// adopt makes r hold.
func (e *Engine) adopt(ctx context.Context, r *reading) {
	before := e.cfg.Load()
	next := &current{r.Setup, route.New(new(r.Config.Notify.OrLog())), nil}
	if before != nil && sameAsking(before.Setup, r.Setup) {
		next.client = before.client // with what it knows of hosts that are to be left alone
	} else {
		next.client = e.Client(r.Setup)
	}
	e.cfg.Store(next)
	judgedAlike := before != nil && sameJudging(before.Setup, r.Setup)

	byAgent := map[agentKey][]*file{}
	var broken []*file // that never were locks
	for _, f := range r.files {
		if f.text == nil {
			broken = append(broken, f)
			continue
		}
		byAgent[f.key] = append(byAgent[f.key], f)
	}
	gone := e.strays(r.files)
	for _, key := range slices.SortedFunc(maps.Keys(byAgent), func(a, b agentKey) int { return strings.Compare(a.id(), b.id()) }) {
		e.settleAgent(r, key, byAgent[key])
	}
	e.forget(ctx, gone, byAgent)
	e.setBroken(broken)
	e.report(ctx, r.files)
	e.rejudge(ctx, judgedAlike)
}

// sameJudging is whether two configurations judge cards alike.
func sameJudging(a, b *setup.Setup) bool {
	return reflect.DeepEqual(a.Config.Client, b.Config.Client) && a.Config.Limits == b.Config.Limits &&
		a.Config.Strict == b.Config.Strict && reflect.DeepEqual(a.Policy, b.Policy) &&
		a.Config.Daemon.Review == b.Config.Daemon.Review
}

// sameAsking is whether two configurations ask for cards alike.
func sameAsking(a, b *setup.Setup) bool {
	x, y := &a.Config.Daemon, &b.Config.Daemon
	return reflect.DeepEqual(a.Config.Network, b.Config.Network) && a.Config.Limits == b.Config.Limits &&
		x.Flights == y.Flights && x.HostFlights == y.HostFlights && x.HostGap == y.HostGap &&
		slices.Equal(x.OwnHosts, y.OwnHosts) && x.ContactURL == y.ContactURL
}

// strays are the locks whose files are gone, or are about another agent now.
func (e *Engine) strays(files []*file) []*watched {
	there := map[string]*file{}
	for _, f := range files {
		there[f.id] = f
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	var gone []*watched
	for _, id := range slices.Sorted(maps.Keys(e.locks)) {
		w := e.locks[id]
		if f := there[id]; w.agent != nil && (f == nil || f.text == nil || f.key != w.key) {
			gone = append(gone, w)
		}
	}
	return gone
}

// settleAgent makes files the locks of the agent.
func (e *Engine) settleAgent(r *reading, key agentKey, files []*file) {
	id := key.id()
	e.mu.RLock()
	a := e.agents[id]
	e.mu.RUnlock()
	if a == nil {
		a = &agent{id: id, key: key, turn: make(chan struct{}, 1), rec: r.agents[id], seen: r.seen[id]}
		a.rec.ID, a.rec.URL, a.rec.Identity = id, key.url, key.identity
		a.shown.Store(&shown{card: a.rec.CardDigest, body: a.rec.Body})
	}
	a.take()
	defer a.give()
	now := e.Wall()
	e.mu.Lock()
	defer e.mu.Unlock()
	isNew := e.agents[id] == nil
	rules := r.rules[key]
	moved := isNew || a.rules.schedule != rules.schedule || a.rules.zone != rules.zone || a.rules.plan.Phase != rules.plan.Phase ||
		a.rules.minimum != rules.minimum || a.rules.maximum != rules.maximum
	e.agents[id], a.rules = a, rules
	a.params = paramsOf(r.Setup, &rules, now)
	locks := make([]*watched, 0, len(files))
	for _, f := range files {
		locks = append(locks, e.settleLock(r, a, f))
	}
	a.locks = locks
	if moved {
		e.plan(a, now)
	} else if !a.flying {
		e.enqueue(a, now)
	}
	e.awake()
}

// settleLock is the lock of a file: the one that is there, where nothing about
// it moved. Under mu.
func (e *Engine) settleLock(r *reading, a *agent, f *file) *watched {
	old := e.locks[f.id]
	same := old != nil && old.agent == a && old.path == f.path && bytes.Equal(old.text, f.text) &&
		reflect.DeepEqual(old.policy, r.policies[f.id])
	if same && fmt.Sprint(old.broken) == fmt.Sprint(f.broken) {
		return old
	}
	w := &watched{file: f, policy: r.policies[f.id], agent: a}
	if same {
		w.said.Store(old.said.Load())
	}
	var state verdict.State
	switch stored := r.locks[f.id]; {
	case old != nil && old.agent == a:
		state = *old.state.Load()
	case stored.Agent == a.id:
		state = stored.State
		state.ValidatedAt = latest(state.ValidatedAt, a.seen.Validated)
	}
	w.state.Store(&state)
	e.locks[f.id] = w
	return w
}

// paramsOf are what the state machine goes by for an agent.
func paramsOf(s *setup.Setup, r *rules, now time.Time) *verdict.Params {
	d := &s.Config.Daemon
	p := verdict.DefaultParams()
	p.FailureThreshold, p.FailureMinTime = d.FailureThreshold, d.FailureMinTime
	p.ConfirmAfter, p.RecoverThreshold, p.MinStable = d.ConfirmAfter, d.RecoverThreshold, d.MinStable
	p.StaleHold, p.RolloutGrace, p.MaxStaleness = d.StaleHold, d.RolloutGrace, d.MaxStaleness
	p.RuntimeEvidenceTTL, p.Review, p.OnUnknown = d.RuntimeEvidenceTTL, d.Review, d.OnUnknown
	p.Interval = r.plan.Spec.Period(now)
	return p
}

// forget closes locks that are gone, and leaves agents without any.
func (e *Engine) forget(ctx context.Context, gone []*watched, kept map[agentKey][]*file) {
	for _, w := range gone {
		a := w.agent
		a.take()
		o := observing{
			Engine: e, agent: a, locks: []*watched{w}, seen: a.seen, now: e.Wall(),
			said: []verdict.Observation{{Cause: verdict.Removed}},
		}
		if err := e.Store.Update(o.write); err != nil {
			e.Log.ErrorContext(ctx, "cannot write to the store", "lock", w.id, "err", err)
		} else {
			o.hold(ctx)
		}
		e.mu.Lock()
		if e.locks[w.id] == w {
			delete(e.locks, w.id)
		}
		if _, ok := kept[w.key]; !ok {
			a.locks = nil
			delete(e.agents, a.id)
			e.queue.Remove(a.id)
			e.catchUp.Remove(a.id)
		}
		e.mu.Unlock()
		a.give()
	}
}

// setBroken lists files that never were locks, so that a reader sees them.
func (e *Engine) setBroken(files []*file) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, w := range e.locks {
		if w.agent == nil {
			delete(e.locks, id)
		}
	}
	for _, f := range files {
		w := &watched{file: f}
		w.state.Store(&verdict.State{})
		e.locks[f.id] = w
	}
}

// report tells of each lock that has just broken.
func (e *Engine) report(ctx context.Context, files []*file) {
	for _, f := range files {
		if f.broken == nil {
			continue
		}
		text := f.broken.Error()
		e.mu.Lock()
		known := e.told[f.id] == text
		e.told[f.id] = text
		e.mu.Unlock()
		if known {
			continue
		}
		e.Log.WarnContext(ctx, "broken lock", "lock", f.id, "path", f.path, "err", f.broken)
		rest := "Its last good version holds."
		if f.text == nil {
			rest = "It is not watched."
		}
		e.Tell(ctx, "lock", fmt.Sprintf("The lock %s cannot be read: %s. %s", f.path, text, rest))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range files {
		if f.broken == nil {
			delete(e.told, f.id)
		}
	}
}

// rejudge compares every lock that moved with the card that is stored, and with
// another configuration all of them. Nobody is asked.
func (e *Engine) rejudge(ctx context.Context, onlyMoved bool) {
	e.mu.RLock()
	byAgent := map[*agent]bool{}
	for _, w := range e.locks {
		if w.agent != nil && !(onlyMoved && w.said.Load() != nil) {
			byAgent[w.agent] = true
		}
	}
	e.mu.RUnlock()
	var wg sync.WaitGroup
	slots := make(chan struct{}, 8)
	for a := range byAgent {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			a.take()
			now := e.Wall()
			e.observe(ctx, a, change{}, func(w *watched) verdict.Observation {
				if onlyMoved && w.said.Load() != nil || a.rec.CardDigest == "" {
					return verdict.Observation{}
				}
				return e.again(w, verdict.Local, now)
			})
			a.give()
			e.settle(a)
		})
	}
	wg.Wait()
}

func escape(s string) string { return jsondoc.Escape(s) }
