package watched

import (
	"context"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/ledger"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A Change is what a transaction writes of an agent beside its locks' states.
type Change struct {
	Slot   time.Time    // that was run; zero: none
	Urgent bool         // somebody waits for it
	Landed bool         // a request has ended
	Pause  *store.Pause // that the server asked for; nil: it did not

	// Of an agent that showed a card, and else zero.
	Validated time.Time
	Rec       *store.Agent
	Sight     *Sight
	Answer    *fetch.Answer
}

// An observing is one observation of an agent on its way through its locks.
type observing struct {
	*Desk
	Change
	agent   *Agent
	locks   []*Lock
	said    []verdict.Observation // one for each lock; without a Cause: none
	now     time.Time
	seen    store.Seen
	rec     *store.Agent   // to be written; nil: it stays
	entries []ledger.Entry // one for each lock
	rows    int            // messages
}

// Observe puts an observation of the agent through the state machine for each
// of its locks (nil of: for none), and writes everything that follows in one
// transaction. It holds once that is on the disk; where it cannot be written
// Observe gives false, nothing has moved but what [Lock.Decide] keeps in mind,
// and the next observation says it again. With the turn.
func (d *Desk) Observe(ctx context.Context, a *Agent, c Change, of func(*Lock) verdict.Observation) bool {
	d.Mu.RLock()
	o := observing{Desk: d, agent: a, locks: a.Locks, now: d.Wall(), seen: a.Seen, Change: c}
	gone, ahead, asked := a.Gone, a.Plan.IsAhead(a.Seen.Slot, o.now), a.Asked
	d.Mu.RUnlock()
	o.rec = o.record(asked)
	if gone { // while it was asked
		return true
	}
	if c.Slot.After(o.seen.Slot) || !c.Slot.IsZero() && ahead {
		o.seen.Slot = c.Slot
	}
	if !c.Validated.IsZero() {
		o.seen.Validated = c.Validated
	}
	if o.seen.Validated.After(o.now) { // by a clock that was set back
		o.seen.Validated = o.now
	}
	o.said = make([]verdict.Observation, len(o.locks))
	if of != nil {
		for i, w := range o.locks {
			o.said[i] = of(w)
		}
	}
	if o.Sight != nil {
		o.Sight.close()
	}
	if o.isQuiet() {
		o.pass(ctx)
		return true
	}
	if o.commit(ctx) == nil {
		return true
	}
	for i, w := range o.locks {
		if o.said[i].Cause != "" {
			w.lose(&o.said[i])
		}
	}
	return false
}

// record is the agent's record as it is to be written: what it showed, whether a
// person still wants it asked, and a pause. nil: it stays.
func (o *observing) record(asked bool) *store.Agent {
	if o.Rec != nil {
		o.Rec.Asked = asked
		return o.Rec
	}
	rec := o.agent.rec
	if o.Landed {
		rec.Asked = asked
	}
	if o.Pause != nil {
		rec.Pause = o.Pause
	}
	if rec.Asked == o.agent.rec.Asked && rec.Pause == o.agent.rec.Pause {
		return nil
	}
	return &rec
}

// Ask notes that a person wants the agent asked, over a restart too. With the
// turn.
func (d *Desk) Ask(ctx context.Context, a *Agent) {
	d.Mu.Lock()
	a.Asked = true
	d.Mu.Unlock()
	if a.rec.Asked {
		return
	}
	rec := a.rec
	rec.Asked = true
	err := d.Store.Update(func(tx *store.Tx) error { return tx.PutAgent(rec) })
	if d.Wrote(ctx, err); err == nil {
		a.rec = rec
	}
}

// Hear puts what a person or an orchestrator says of one lock through the state
// machine. It is on the disk when Hear returns. With the turn of its agent.
func (d *Desk) Hear(ctx context.Context, w *Lock, said verdict.Observation) error {
	o := observing{
		Desk: d, agent: w.Agent, locks: []*Lock{w}, said: []verdict.Observation{said},
		now: d.Wall(), seen: w.Agent.Seen, Change: Change{Urgent: true},
	}
	return o.commit(ctx)
}

// commit writes the observation, and makes it hold.
func (o *observing) commit(ctx context.Context) (err error) {
	if o.Urgent {
		err = o.Store.Update(o.write)
	} else {
		done := make(chan error, 1)
		o.Store.Later(o.write, func(err error) { done <- err })
		err = <-done
	}
	if o.Wrote(ctx, err); err != nil {
		o.Log.DebugContext(ctx, "not written", "agent", o.agent.ID, "err", err)
		return err
	}
	o.hold(ctx)
	if o.rows > 0 {
		o.Told()
	}
	return nil
}

// step is the i-th lock's.
func (o *observing) step(i int) ledger.Step {
	w := o.locks[i]
	rec := w.Record()
	s := ledger.Step{Router: o.Config().Router, Said: o.said[i], Now: o.now, Params: o.agent.Params.Load()}
	if s.Said.Cause == verdict.Decided {
		rec.Judged = w.basis(w.said.judging)
		s.Write = rec.Judged != w.judged
	}
	s.Lock = rec
	return s
}

// isQuiet is whether nothing but the moments of the observation is new, and if
// so has worked out the states.
func (o *observing) isQuiet() bool {
	if o.Rec == nil && o.rec != nil {
		return false
	}
	if o.Rec != nil && (!o.Sight.Same || !o.Sight.Stored || o.Rec.Lied != o.agent.rec.Lied || !sameButDate(o.Rec, &o.agent.rec)) {
		return false
	}
	o.entries = make([]ledger.Entry, len(o.locks))
	for i := range o.locks {
		if o.said[i].Cause == "" {
			continue
		}
		s := o.step(i)
		state, quiet := s.Quiet()
		if !quiet {
			return false
		}
		o.entries[i].State = state
	}
	return true
}

// pass lets an observation hold that moved nothing. Losing the last seconds of
// such costs a request each.
func (o *observing) pass(ctx context.Context) {
	if o.Rec != nil {
		o.Rec.Body = o.agent.rec.Body
	}
	moved := o.seen != o.agent.Seen
	o.hold(ctx)
	if !moved {
		return
	}
	id, seen, d := o.agent.ID, o.seen, o.Desk
	o.Store.Eventually(func(tx *store.Tx) error { return tx.PutSeen(id, seen) }, func(err error) { d.Wrote(ctx, err) })
}

// write is the transaction.
func (o *observing) write(tx *store.Tx) error {
	o.rows, o.entries = 0, make([]ledger.Entry, len(o.locks))
	if err := o.writeAgent(tx); err != nil {
		return err
	}
	for i := range o.locks {
		if o.said[i].Cause == "" {
			continue
		}
		s := o.step(i)
		entry, err := s.Enter(tx)
		if err != nil {
			return err
		}
		o.entries[i] = entry
		o.rows += entry.Rows
	}
	return nil
}

// writeAgent writes what the observation says of the agent itself.
func (o *observing) writeAgent(tx *store.Tx) error {
	if o.seen != o.agent.Seen {
		if err := tx.PutSeen(o.agent.ID, o.seen); err != nil {
			return err
		}
	}
	if o.Rec == nil {
		if o.rec == nil {
			return nil
		}
		return tx.PutAgent(*o.rec)
	}
	o.Rec.Body = ""
	switch {
	case o.Answer.NoStore:
	case o.Answer.Body == nil: // held
		o.Rec.Body = o.agent.rec.Body
	default:
		digest, err := tx.PutBody(o.Answer.Body)
		if err != nil {
			return err
		}
		o.Rec.Body = digest
	}
	if !o.Sight.Same {
		seq, err := tx.NextSeq()
		if err != nil {
			return err
		}
		if err := tx.PutCardVersion(store.CardVersion{
			Seq: seq, Agent: o.agent.ID, Digest: o.Rec.CardDigest, Body: o.Rec.Body, At: o.Validated, Version: o.Sight.version, Lost: o.Rec.Lost,
		}); err != nil {
			return err
		}
	}
	return tx.PutAgent(*o.Rec)
}

// hold makes what was worked out what holds.
func (o *observing) hold(ctx context.Context) {
	o.Mu.Lock()
	o.agent.Seen = o.seen
	o.Mu.Unlock()
	if o.Rec == nil && o.rec != nil {
		o.agent.rec = *o.rec
	}
	other := o.Rec != nil && (!o.Sight.Same || o.Rec.Lost != o.agent.rec.Lost)
	if o.Rec != nil {
		if !o.Answer.NotModified {
			o.agent.whole = o.Rec.Body != "" && (o.agent.whole || !o.Sight.Stored)
		}
		o.agent.rec = *o.Rec
		h := &shown{card: o.Rec.CardDigest, body: o.Rec.Body, lost: o.Rec.Lost, caches: o.Rec.Caches, ignored: o.Rec.Memory.IsIgnored()}
		if o.Answer.NoStore {
			h.kept = o.Answer.Body
		}
		o.agent.shown.Store(h)
	}
	for i, w := range o.locks {
		if o.Rec != nil {
			w.mute.Store(false)
		}
		if o.said[i].Cause == "" {
			continue
		}
		w.find(&o.said[i])
		entry := &o.entries[i]
		moved := other || verdict.Moved(*w.State(), entry.State)
		moved = moved || o.said[i].By == verdict.Local // another client plans otherwise on the same card
		if o.said[i].Cause == verdict.Decided {
			basis := w.basis(w.said.judging)
			w.judged, moved = basis, moved || w.judged != basis
		}
		w.hold(entry.State, moved)
		for _, event := range entry.Events {
			o.Log.InfoContext(ctx, "lock moved", "lock", w.ID, "event", event.Kind, "class", event.Class,
				"was", event.Was, "digest", event.CardDigest, "detail", event.Detail)
		}
	}
}
