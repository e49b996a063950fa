package watch

import (
	"context"
	"reflect"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// moved is what one observation makes of one lock.
type moved struct {
	lock   *watched
	state  verdict.State
	events []verdict.Event
}

// An observing is one observation of an agent on its way through its locks.
type observing struct {
	*Engine
	agent *agent
	locks []*watched
	said  []verdict.Observation // one for each lock; without a Cause: none
	now   time.Time
	seen  store.Seen
	change

	moved []moved
	rows  int // messages
}

// observe puts an observation of the agent through the state machine for each
// of its locks (nil of: for none), and writes everything that follows in one
// transaction. It holds once that is on the disk; where it cannot be written
// nothing happened, and the next observation says it again. The caller has the
// turn.
func (e *Engine) observe(ctx context.Context, a *agent, c change, of func(*watched) verdict.Observation) {
	e.mu.RLock()
	o := observing{Engine: e, agent: a, locks: a.locks, now: e.Wall(), seen: a.seen, change: c}
	e.mu.RUnlock()
	if !c.slot.IsZero() {
		o.seen.Slot = c.slot
	}
	if !c.validated.IsZero() {
		o.seen.Validated = c.validated
	}
	o.said = make([]verdict.Observation, len(o.locks))
	if of != nil {
		for i, w := range o.locks {
			o.said[i] = of(w)
		}
	}
	if o.isQuiet() {
		o.pass(ctx)
		return
	}
	done := make(chan error, 1)
	e.Store.Later(o.write, func(err error) { done <- err })
	if err := <-done; err != nil {
		e.Log.ErrorContext(ctx, "cannot write to the store", "agent", a.id, "err", err)
		return
	}
	o.hold(ctx)
	if o.rows > 0 {
		e.Told()
	}
}

// isQuiet is whether nothing but the moments of the observation is new, and if
// so has worked out the states.
func (o *observing) isQuiet() bool {
	if o.rec != nil && (o.fresh || o.rec.Lied != o.agent.rec.Lied || !sameButDate(*o.rec, o.agent.rec)) {
		return false
	}
	for i, w := range o.locks {
		if o.said[i].Cause == "" {
			continue
		}
		was := *w.state.Load()
		state, events := verdict.Step(was, o.said[i], verdict.Moment{Now: o.now}, o.agent.params)
		if len(events) > 0 || verdict.Moved(was, state) {
			o.moved = nil
			return false
		}
		o.moved = append(o.moved, moved{lock: w, state: state})
	}
	return true
}

// sameButDate is whether a record differs in nothing that is worth writing.
func sameButDate(a, b store.Agent) bool {
	if len(a.Memory.Entries) != len(b.Memory.Entries) {
		return false
	}
	entries := make([]fetch.Entry, len(a.Memory.Entries))
	copy(entries, a.Memory.Entries)
	for i := range entries {
		entries[i].Date, entries[i].Expires = b.Memory.Entries[i].Date, b.Memory.Entries[i].Expires
	}
	a.Memory.Entries = entries
	if len(entries) == 0 {
		a.Memory.Entries = b.Memory.Entries
	}
	a.Addr, a.Body = b.Addr, b.Body // the next change writes where we were connected to
	return reflect.DeepEqual(a, b)
}

// pass lets an observation hold that moved nothing. Losing the last second of
// such costs a request.
func (o *observing) pass(ctx context.Context) {
	if o.rec != nil {
		o.rec.Body = o.agent.rec.Body
	}
	o.hold(ctx)
	if o.seen == (store.Seen{}) {
		return
	}
	id, seen := o.agent.id, o.seen
	o.Store.Later(func(tx *store.Tx) error { return tx.PutSeen(id, seen) }, func(err error) {
		if err != nil {
			o.Log.ErrorContext(ctx, "cannot write to the store", "agent", id, "err", err)
		}
	})
}

// write is the transaction.
func (o *observing) write(tx *store.Tx) error {
	o.moved, o.rows = nil, 0
	if err := o.writeAgent(tx); err != nil {
		return err
	}
	for i, w := range o.locks {
		if o.said[i].Cause == "" {
			continue
		}
		if err := o.step(tx, w, o.said[i]); err != nil {
			return err
		}
	}
	return nil
}

// step moves one lock, and writes what follows from it.
func (o *observing) step(tx *store.Tx, w *watched, said verdict.Observation) error {
	seq, err := tx.Seq()
	if err != nil {
		return err
	}
	was := *w.state.Load()
	state, events := verdict.Step(was, said, verdict.Moment{Now: o.now, Seq: seq + 1}, o.agent.params)
	o.moved = append(o.moved, moved{w, state, events})
	if len(events) == 0 && !verdict.Moved(was, state) {
		return nil
	}
	rec := w.record(state)
	for _, event := range events {
		if _, err := tx.NextSeq(); err != nil {
			return err
		}
		if err := o.tellOf(tx, rec, event); err != nil {
			return err
		}
	}
	if state.Removed {
		return tx.DeleteLock(w.id)
	}
	return tx.PutLock(rec)
}

// tellOf writes one event: history, episode and messages.
func (o *observing) tellOf(tx *store.Tx, rec store.Lock, event verdict.Event) error {
	findings := rec.State.Findings
	if err := tx.PutTransition(store.Transition{Event: event, Lock: rec.ID, Findings: findings}); err != nil {
		return err
	}
	h := route.Happening{Event: event, Lock: &rec, Findings: findings, Now: o.now}
	if event.Episode != 0 {
		ep, ok, err := tx.Episode(rec.ID, event.Episode)
		if err != nil {
			return err
		}
		if ok {
			h.Episode = &ep
		}
	}
	var err error
	if h.Silences, err = tx.SilencesAt(o.now); err != nil {
		return err
	}
	rows, ep := o.cfg.Load().router.Rows(h)
	if ep != nil {
		if err := tx.PutEpisode(*ep); err != nil {
			return err
		}
	}
	for _, row := range rows {
		if _, err := tx.InsertRow(row); err != nil {
			return err
		}
		o.rows++
	}
	return nil
}

// writeAgent writes what the observation says of the agent itself.
func (o *observing) writeAgent(tx *store.Tx) error {
	if o.seen != o.agent.seen {
		if err := tx.PutSeen(o.agent.id, o.seen); err != nil {
			return err
		}
	}
	if o.rec == nil {
		return nil
	}
	o.rec.Body = ""
	if o.keep {
		digest, err := tx.PutBody(o.body)
		if err != nil {
			return err
		}
		o.rec.Body = digest
	}
	if o.fresh {
		seq, err := tx.NextSeq()
		if err != nil {
			return err
		}
		if err := tx.PutCardVersion(store.CardVersion{
			Seq: seq, Agent: o.agent.id, Digest: o.rec.CardDigest, Body: o.rec.Body, At: o.validated, Version: o.version,
		}); err != nil {
			return err
		}
	}
	return tx.PutAgent(*o.rec)
}

// hold makes what was worked out what holds.
func (o *observing) hold(ctx context.Context) {
	o.mu.Lock()
	o.agent.seen = o.seen
	o.mu.Unlock()
	if o.rec != nil {
		o.agent.rec = *o.rec
		h := &shown{card: o.rec.CardDigest, body: o.rec.Body}
		if !o.keep {
			h.kept = o.body
		}
		o.agent.shown.Store(h)
	}
	for _, m := range o.moved {
		was := m.lock.state.Swap(&m.state)
		if o.fresh || verdict.Moved(*was, m.state) {
			m.lock.plans.Store(nil)
		}
		for _, event := range m.events {
			o.Log.InfoContext(ctx, "lock moved", "lock", m.lock.id, "event", event.Kind, "class", event.Class,
				"was", event.Was, "digest", event.CardDigest, "detail", event.Detail)
		}
	}
}

// record is w for the store.
func (w *watched) record(state verdict.State) store.Lock {
	return store.Lock{
		ID: w.id, Path: w.path, Agent: w.agent.id, URL: w.key.url,
		Workflow: w.Workflow, Owner: w.Owner, Fallback: w.Fallback, State: state, Good: w.text,
	}
}
