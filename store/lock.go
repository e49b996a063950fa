package store

import (
	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/kept"
	"github.com/a2alock/a2alock/internal/records"
)

// Lock is the lock with this ID.
func (tx *Tx) Lock(id string) (l Lock, ok bool, err error) {
	rec, ok, err := records.One[kept.LockRecord](tx.tx, kept.Locks, []byte(id))
	if err != nil || !ok {
		return Lock{}, false, err
	}
	if rec.Good != "" {
		if rec.Lock.Good, _, err = tx.Body(rec.Good); err != nil {
			return Lock{}, false, err
		}
	}
	return rec.Lock, true, nil
}

// PutLock keeps l under its ID. A Good of nil leaves the text that is kept.
func (tx *Tx) PutLock(l Lock) error {
	was, _, err := records.One[kept.LockRecord](tx.tx, kept.Locks, []byte(l.ID))
	if err != nil && !IsRecord(err) { // what cannot be read is replaced
		return err
	}
	rec := kept.LockRecord{Lock: l, Good: was.Good}
	rec.Lock.Good = nil
	if len(l.Good) > 0 {
		if rec.Good, err = tx.PutBody(l.Good); err != nil {
			return err
		}
	}
	if err := tx.tx.MoveBody(was.Good, rec.Good); err != nil {
		return err
	}
	return records.Save(tx.tx, kept.Locks, []byte(l.ID), rec)
}

// DeleteLock drops the lock. Its history and episodes stay until they are
// trimmed.
func (tx *Tx) DeleteLock(id string) error {
	was, _, err := records.One[kept.LockRecord](tx.tx, kept.Locks, []byte(id))
	if err != nil && !IsRecord(err) {
		return err
	}
	if err := tx.tx.MoveBody(was.Good, ""); err != nil {
		return err
	}
	return tx.tx.Drop(kept.Locks.Bucket, []byte(id))
}

// Locks are the locks by ID, without Good, which [Tx.Lock] gives.
func (tx *Tx) Locks(p Page) (page []Lock, next string, err error) {
	recs, next, err := records.List[kept.LockRecord](tx.tx, kept.Locks, p)
	for _, rec := range recs {
		page = append(page, rec.Lock)
	}
	return page, next, err
}

// PutTransition adds a row to the history of a lock, numbered by its Seq, or
// puts it anew. Findings are kept once, however many rows have them.
func (tx *Tx) PutTransition(t Transition) error { return history.PutTransition(tx.tx, t) }

// Transition is the row of the lock's history with this number.
func (tx *Tx) Transition(lock string, seq uint64) (t Transition, ok bool, err error) {
	return history.FindTransition(tx.tx, lock, seq)
}

// Transitions are the history of the lock, the newest first.
func (tx *Tx) Transitions(lock string, p Page) (page []Transition, next string, err error) {
	return history.ListTransitions(tx.tx, lock, p)
}
