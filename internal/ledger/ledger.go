// Package ledger writes what one observation makes of a lock: its state,
// history, episode and messages, in the transaction that takes their numbers.
package ledger

import (
	"time"

	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A Step is one observation of one lock.
type Step struct {
	Router *route.Router
	// Lock is the lock as it is now; Write has it written even where the
	// observation moves nothing.
	Lock   store.Lock
	Write  bool
	Said   verdict.Observation
	Now    time.Time
	Params *verdict.Params
}

// An Entry is what came of a [Step]: it holds once the transaction has ended.
type Entry struct {
	State  verdict.State
	Events []verdict.Event
	Rows   int // messages
}

// Quiet is the state that s leads to; false where there would be more to write
// than when it was validated.
func (s *Step) Quiet() (verdict.State, bool) {
	if s.Write {
		return verdict.State{}, false
	}
	state, events := verdict.Step(s.Lock.State, s.Said, verdict.Moment{Now: s.Now}, s.Params)
	return state, len(events) == 0 && !verdict.Moved(s.Lock.State, state)
}

// Enter takes the step. A lock that was removed is dropped.
func (s *Step) Enter(tx *store.Tx) (e Entry, err error) {
	seq, err := tx.Seq()
	if err != nil {
		return e, err
	}
	e.State, e.Events = verdict.Step(s.Lock.State, s.Said, verdict.Moment{Now: s.Now, Seq: seq + 1}, s.Params)
	if len(e.Events) == 0 && !s.Write && !verdict.Moved(s.Lock.State, e.State) {
		return e, nil
	}
	rec := s.Lock
	rec.State = e.State
	for _, event := range e.Events {
		if _, err := tx.NextSeq(); err != nil {
			return e, err
		}
		rows, err := s.tell(tx, &rec, event)
		if err != nil {
			return e, err
		}
		e.Rows += rows
	}
	if e.State.Removed {
		return e, tx.DeleteLock(rec.ID)
	}
	return e, tx.PutLock(rec)
}

// tell writes one event: history, episode and messages.
func (s *Step) tell(tx *store.Tx, rec *store.Lock, event verdict.Event) (rows int, err error) {
	findings := rec.State.Findings
	if err := tx.PutTransition(store.Transition{Event: event, Lock: rec.ID, Findings: findings}); err != nil {
		return 0, err
	}
	h := route.Happening{Event: event, Lock: rec, Findings: findings, Now: s.Now}
	if event.Episode != 0 {
		ep, ok, err := tx.Episode(rec.ID, event.Episode)
		if err != nil {
			return 0, err
		}
		if ok {
			h.Episode = &ep
		}
	}
	if h.Silences, err = tx.SilencesAt(s.Now); err != nil {
		return 0, err
	}
	list, ep := s.Router.Rows(h)
	if ep != nil {
		if err := tx.PutEpisode(*ep); err != nil {
			return 0, err
		}
	}
	return len(list), Insert(tx, list)
}

// Insert puts messages into the outbox.
func Insert(tx *store.Tx, rows []store.Row) error {
	for _, row := range rows {
		if _, err := tx.InsertRow(row); err != nil {
			return err
		}
	}
	return nil
}
