package watch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/a2alock/a2alock/internal/ledger"
	"github.com/a2alock/a2alock/internal/lockset"
	"github.com/a2alock/a2alock/internal/pace"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/internal/watched"
	"github.com/a2alock/a2alock/store"
)

// An adoption makes a [reading] hold.
type adoption struct {
	*reading
	*Engine
	now    time.Time
	agents map[string]*agent // all there will be
	// Those that locks come to or go from. Their turns are held.
	touched map[string]*agent
	locks   map[string][]*lock                // of each agent there will be, by id
	by      map[time.Duration]*verdict.Params // shared by the agents of one interval
	index   *lockIndex

	put    []*lock      // to be written
	closed []store.Lock // to be closed
	events []store.Transition
	rows   int
}

// adopt makes r hold, all of it or with an error nothing.
func (e *Engine) adopt(ctx context.Context, r *reading) error {
	o := &adoption{
		reading: r, Engine: e, now: e.Wall(), agents: map[string]*agent{}, touched: map[string]*agent{},
		locks: map[string][]*lock{}, by: map[time.Duration]*verdict.Params{}, index: &lockIndex{byID: map[string]*lock{}},
	}
	o.place()
	for _, id := range slices.Sorted(maps.Keys(o.touched)) {
		a := o.touched[id]
		a.Take()
		defer a.Give()
	}
	o.settleLocks()
	err := e.Store.Update(o.write)
	if e.desk.Wrote(ctx, err); err != nil {
		return fmt.Errorf("writing locks to the store: %w", err)
	}
	for _, w := range o.put {
		if w.File = w.Kept(); w.Broken == nil {
			e.Log.InfoContext(ctx, "lock read", "lock", w.ID, "path", w.Path, "agent", w.Agent.ID)
		}
	}
	for _, event := range o.events {
		e.Log.InfoContext(ctx, "lock closed", "lock", event.Lock, "seq", event.Seq, "class", event.Class)
	}
	watched.Keep(r.client.Gates, r.agents, o.now)
	before := e.cfg.Swap(r.current)
	e.locks.Store(o.index)
	o.settleAgents()
	if r.again = maps.Values(o.touched); before != nil && before.Judging != r.Judging {
		r.again = maps.Values(o.agents)
	}
	if o.rows > 0 {
		e.Told()
	}
	return nil
}

// place finds the agent of each lock, and those that locks come to or go from.
func (o *adoption) place() {
	before := o.Engine.locks.Load()
	o.desk.Mu.RLock()
	defer o.desk.Mu.RUnlock()
	there := map[string]*lockset.File{}
	for _, f := range o.files {
		there[f.ID] = f
		if f.Digest == "" {
			continue
		}
		id := f.Key.ID()
		a := o.agents[id]
		if a == nil {
			if a = o.Engine.agents[id]; a == nil {
				a = watched.NewAgent(f.Key, o.reading.agents[id], o.seen[id])
				a.Params.Store(o.params(a))
			}
			o.agents[id] = a
		}
		if w := before.byID[f.ID]; w == nil || w.File != f {
			o.touched[id] = a
		}
	}
	for id, w := range before.byID {
		if f := there[id]; w.Agent != nil && (f == nil || f != w.File) {
			o.touched[w.Agent.ID] = w.Agent
		}
	}
}

// settleLocks makes the locks that there will be. Turns are held.
func (o *adoption) settleLocks() {
	before := o.Engine.locks.Load()
	for _, f := range o.files {
		old := before.byID[f.ID]
		w := old
		if old == nil || old.File != f {
			w = o.lock(f, old)
		}
		o.index.byID[f.ID] = w
		if w.Agent != nil {
			o.locks[w.Agent.ID] = append(o.locks[w.Agent.ID], w)
		}
	}
	o.index.ids = slices.Sorted(maps.Keys(o.index.byID))
	for _, id := range before.ids {
		w := before.byID[id]
		if now := o.index.byID[id]; w.Agent != nil && (now == nil || now.Agent != w.Agent) {
			o.closed = append(o.closed, w.Record())
		}
	}
	if !o.first {
		return
	}
	// Locks that went while nobody watched.
	for _, id := range slices.Sorted(maps.Keys(o.reading.locks)) {
		l := o.reading.locks[id]
		w := o.index.byID[id]
		isOther := w != nil && (w.Agent == nil && l.Path != "" && w.Path != l.Path || w.Agent != nil && l.Agent != "" && w.Agent.ID != l.Agent)
		if w == nil || isOther {
			o.closed = append(o.closed, l)
		}
	}
}

// lock is the lock of a file that is new, or has changed from what old was.
func (o *adoption) lock(f *lockset.File, old *lock) *lock {
	if f.Digest == "" {
		return watched.NewLock(f, nil)
	}
	a := o.agents[f.Key.ID()]
	w := watched.NewLock(f, a)
	stored, kept := o.reading.locks[f.ID]
	switch {
	case old != nil && old.Agent == a:
		w.Follow(old)
	case kept && (stored.Agent == a.ID || stored.Agent == ""): // of a record that was lost: see [store.Store.Mend]
		w.Resume(&stored, o.Config)
	}
	if kept && w.IsKept(&stored) {
		w.File = f.Kept()
	} else {
		o.put = append(o.put, w)
	}
	return w
}

// write is the transaction: what went is closed, and what is new is kept.
func (o *adoption) write(tx *store.Tx) error {
	o.events, o.rows = nil, 0
	for _, l := range o.closed {
		s := ledger.Step{
			Router: o.Router, Lock: l, Said: verdict.Observation{Cause: verdict.Removed}, Now: o.now, Params: verdict.DefaultParams(),
		}
		entry, err := s.Enter(tx)
		if err != nil {
			return err
		}
		for _, event := range entry.Events {
			o.events = append(o.events, store.Transition{Event: event, Lock: l.ID})
		}
		o.rows += entry.Rows
	}
	for _, id := range o.left() {
		if err := tx.DeleteAgent(id); err != nil {
			return err
		}
	}
	for _, w := range o.put {
		if err := tx.PutLock(w.Record()); err != nil {
			return err
		}
	}
	return nil
}

// left are the agents that no lock is about any more.
func (o *adoption) left() []string {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(o.touched)) {
		if o.agents[id] == nil {
			list = append(list, id)
		}
	}
	if o.first {
		ids := slices.AppendSeq(slices.Collect(maps.Keys(o.reading.agents)), maps.Keys(o.seen)) // which one that never answered has
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			if o.agents[id] == nil {
				list = append(list, id)
			}
		}
	}
	return list
}

// settleAgents makes rules and locks hold, and leaves alone whom they did not
// move.
func (o *adoption) settleAgents() {
	o.desk.Mu.Lock()
	for id := range o.touched {
		if o.agents[id] == nil {
			o.touched[id].Locks, o.touched[id].Gone = nil, true
			delete(o.Engine.agents, id)
			o.queue.Remove(id)
			o.catchUp.Remove(id)
		}
	}
	o.desk.Mu.Unlock()
	for group := range slices.Chunk(slices.Sorted(maps.Keys(o.agents)), batch) {
		o.desk.Mu.Lock()
		for _, id := range group {
			o.settleAgent(o.agents[id])
		}
		o.desk.Mu.Unlock()
	}
}

// settleAgent is settleAgents for one. Under Mu.
func (o *adoption) settleAgent(a *agent) {
	rules := o.rules[a.Key]
	isNew, isTouched := o.Engine.agents[a.ID] == nil, o.touched[a.ID] != nil
	params := o.params(a)
	// Whoever is asked as somebody may be somebody else now.
	renewed := o.renewed && !isNew && a.Key.Identity != ""
	if !isTouched && !renewed && a.Same(rules) && *params == *a.Params.Load() {
		return
	}
	a.Asked = a.Asked || renewed
	moved := isNew || !a.Same(rules)
	a.Rules = rules
	a.Params.Store(params)
	o.Engine.agents[a.ID] = a
	if isTouched {
		a.Locks = o.locks[a.ID]
	}
	switch {
	case o.first: // [Engine.Run] does
	case moved:
		o.plan(a, o.now)
	default:
		o.enqueue(a, o.now) // for what its locks want now; its phase stays
	}
}

// params are what the state machine goes by for the agent from now on.
func (o *adoption) params(a *agent) *verdict.Params {
	interval := o.rules[a.Key].Interval(o.now)
	p := o.by[interval]
	if p == nil {
		p = pace.Params(&o.reading.Setup.Config.Daemon, interval)
		o.by[interval] = p
	}
	return p
}
