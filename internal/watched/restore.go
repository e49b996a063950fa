package watched

import (
	"context"

	"github.com/a2alock/a2alock/store"
)

// A lack is what the store has not of an agent, or not as it is.
type lack struct {
	agent, seen bool
	locks       []*Lock
}

// Restore writes what the store lacks of the agent and its locks: a record that
// could not be read was taken out there, or made from what else there was, which
// says less ([store.Store.Mend]). It reports whether the store has all of it.
// With the turn.
func (d *Desk) Restore(ctx context.Context, a *Agent) bool {
	d.Mu.RLock()
	gone := a.Gone
	d.Mu.RUnlock()
	var l lack
	err := d.Store.View(func(tx *store.Tx) (err error) {
		l, err = lackOf(tx, a)
		return err
	})
	if gone || err != nil || !l.agent && !l.seen && len(l.locks) == 0 {
		return err == nil
	}
	recs := make([]store.Lock, 0, len(l.locks))
	for _, w := range l.locks {
		rec := w.Record()
		rec.Good, _ = d.textOf(w) // one that is lost is an error for whoever needs it
		recs = append(recs, rec)
	}
	rec := a.rec
	err = d.Store.Update(func(tx *store.Tx) error {
		if l.seen {
			if err := tx.PutSeen(a.ID, a.Seen); err != nil {
				return err
			}
		}
		if l.agent {
			if _, ok, err := tx.Body(rec.Body); err != nil {
				return err
			} else if !ok { // taken out with what named it
				rec.Body = ""
			}
			if err := tx.PutAgent(rec); err != nil {
				return err
			}
		}
		for _, r := range recs {
			if err := tx.PutLock(r); err != nil {
				return err
			}
		}
		return nil
	})
	if d.Wrote(ctx, err); err != nil {
		return false
	}
	a.rec = rec
	return true
}

// lackOf finds what tx lacks.
func lackOf(tx *store.Tx, a *Agent) (l lack, err error) {
	_, ok, err := tx.Agent(a.ID)
	if err != nil && !store.IsRecord(err) {
		return l, err
	}
	seen, err := tx.Seen(a.ID)
	if err != nil && !store.IsRecord(err) {
		return l, err
	}
	l.agent, l.seen = !ok, seen == (store.Seen{}) && a.Seen != seen
	for _, w := range a.Locks {
		kept, _, err := tx.Lock(w.ID)
		if err != nil && !store.IsRecord(err) {
			return l, err
		}
		if !w.IsKept(&kept) || len(kept.Good) == 0 {
			l.locks = append(l.locks, w)
		}
	}
	return l, nil
}
