package store

import (
	"context"
	"time"

	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/records"
)

// TrimOptions say what history is old enough to go.
type TrimOptions struct {
	Before time.Time // what ended before it goes; zero: nothing for its age
	// PerLock and PerAgent are how many transitions and card versions stay at
	// most; 0: as many as there are.
	PerLock, PerAgent int
}

// Trimmed counts what went.
type Trimmed struct {
	Transitions, CardVersions, Episodes, Rows, Silences, Bodies int
}

// Trim drops history that is old: transitions and card versions, closed episodes
// with their rows, rows of the daemon itself that ended, silences that are over,
// and bodies that nobody names. What is open stays whatever its age, with its
// transitions and rows: an episode that is not closed or has a row that waits.
// So does the newest transition of a lock, and the newest card of an agent and
// the one that its Agent names. It works in small transactions, between which
// others are run, until all is looked at or ctx ends.
func (s *Store) Trim(ctx context.Context, o TrimOptions) (all Trimmed, err error) {
	for _, step := range []func(*trimmer) error{
		(*trimmer).transitions, (*trimmer).versions, (*trimmer).episodes, (*trimmer).rows, (*trimmer).silences, (*trimmer).bodies,
	} {
		t := trimmer{TrimOptions: o}
		for !t.ended {
			if err := ctx.Err(); err != nil {
				return all, err
			}
			t.Trimmed = Trimmed{}
			err := s.Update(func(tx *Tx) error {
				t.tx, t.held = tx, map[heldKey]bool{}
				return step(&t)
			})
			if err != nil {
				return all, err
			}
			all = all.plus(t.Trimmed)
		}
	}
	return all, nil
}

func (t Trimmed) plus(o Trimmed) Trimmed {
	return Trimmed{
		t.Transitions + o.Transitions, t.CardVersions + o.CardVersions, t.Episodes + o.Episodes,
		t.Rows + o.Rows, t.Silences + o.Silences, t.Bodies + o.Bodies,
	}
}

// bite is how many records one transaction looks at.
const bite = 500

// A trimmer works through one bucket, a bite at a time.
type trimmer struct {
	TrimOptions
	Trimmed
	tx    *Tx
	held  map[heldKey]bool // what isHeld found in this bite
	at    []byte           // the last key
	ended bool
	owner records.Name // of the last key
	count int          // how many of the owner's were seen
}

type heldKey struct {
	lock    string
	episode uint64
}

// step looks at the next bite: with back from the end of the bucket on.
func (t *trimmer) step(bucket []byte, back bool, fn func(records.Entry) error) error {
	scan := t.tx.tx.Scan
	if back {
		scan = t.tx.tx.ScanBack
	}
	list, err := scan(bucket, nil, t.at, bite)
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := fn(e); err != nil {
			return err
		}
		t.at = e.Key
	}
	t.ended = len(list) < bite
	return nil
}

// rank counts the records of each owner, the newest being 1.
func (t *trimmer) rank(e records.Entry) int {
	if owner, _, err := records.SplitNumbered(e.Key); err == nil && owner != t.owner {
		t.owner, t.count = owner, 0
	}
	t.count++
	return t.count
}

// isOld reports whether a record of rank goes for its age or for its rank.
func (t *trimmer) isOld(at time.Time, rank, most int) bool {
	return rank > 1 && (at.Before(t.Before) || most > 0 && rank > most)
}

// isHeld reports whether the episode is open, or has rows that wait.
func (t *trimmer) isHeld(lock string, start uint64) (held bool, err error) {
	key := heldKey{lock, start}
	if held, ok := t.held[key]; ok {
		return held, nil
	}
	defer func() { t.held[key] = held }()
	l, ok, err := records.One[lockRecord](t.tx.tx, locks, []byte(lock))
	if err != nil || ok && l.State.Episode != nil && l.State.Episode.Start == start {
		return true, err
	}
	e, ok, err := t.tx.Episode(lock, start)
	if err != nil || ok && e.ClosedAt.IsZero() {
		return true, err
	}
	rows, err := t.tx.EpisodeRows(lock, start)
	for _, r := range rows {
		if r.State == Waiting {
			return true, nil
		}
	}
	return false, err
}

func (t *trimmer) transitions() error {
	return t.step(history.Transitions.Bucket, true, func(e records.Entry) error {
		rec, err := history.ReadTransition(e)
		if rank := t.rank(e); err == nil && !t.isOld(rec.Event.At, rank, t.PerLock) {
			return nil
		}
		if err == nil && rec.Event.Episode != 0 {
			lock, err := t.tx.tx.Text(rec.Lock)
			if err != nil {
				return err
			}
			if held, err := t.isHeld(lock, rec.Event.Episode); held || err != nil {
				return err
			}
		}
		t.Transitions++
		return history.DropTransition(t.tx.tx, e)
	})
}

func (t *trimmer) versions() error {
	return t.step(history.Versions.Bucket, true, func(e records.Entry) error {
		v, err := history.ReadVersion(e)
		if rank := t.rank(e); err == nil && !t.isOld(v.At, rank, t.PerAgent) {
			return nil
		}
		if err == nil {
			id, err := t.tx.tx.Text(t.owner)
			if err != nil {
				return err
			}
			if a, ok, err := t.tx.Agent(id); err != nil || ok && a.CardDigest == v.Digest {
				return err
			}
		}
		t.CardVersions++
		return history.DropVersion(t.tx.tx, e)
	})
}

func (t *trimmer) episodes() error {
	return t.step(episodes.Bucket, false, func(e records.Entry) error {
		var ep Episode
		if err := episodes.Decode(e.Key, e.Value, &ep); err != nil {
			return err
		}
		if ep.ClosedAt.IsZero() || !ep.ClosedAt.Before(t.Before) {
			return nil
		}
		if held, err := t.isHeld(ep.Lock, ep.Start); held || err != nil {
			return err
		}
		rows, err := t.tx.EpisodeRows(ep.Lock, ep.Start)
		if err != nil {
			return err
		}
		for _, r := range rows {
			t.Rows++
			if err := t.tx.dropRow(r); err != nil {
				return err
			}
		}
		t.Episodes++
		return t.tx.tx.Drop(episodes.Bucket, e.Key)
	})
}

// rows drops those that no episode keeps.
func (t *trimmer) rows() error {
	return t.step(rows.Bucket, false, func(e records.Entry) error {
		var r Row
		if err := rows.Decode(e.Key, e.Value, &r); err != nil {
			return err
		}
		if r.State == Waiting || !r.EndedAt.Before(t.Before) {
			return nil
		}
		if toldKey(r) != nil {
			if _, ok, err := t.tx.Episode(r.Lock, r.Episode); ok || err != nil {
				return err
			}
		}
		t.Rows++
		return t.tx.dropRow(r)
	})
}

func (t *trimmer) silences() error {
	return t.step(silences.Bucket, false, func(e records.Entry) error {
		var s Silence
		if err := silences.Decode(e.Key, e.Value, &s); err != nil {
			return err
		}
		if !s.Until.Before(t.Before) {
			return nil
		}
		t.Silences++
		return t.tx.tx.Drop(silences.Bucket, e.Key)
	})
}

func (t *trimmer) bodies() error {
	n, last, err := t.tx.tx.DropUnnamed(t.at, bite)
	t.Bodies, t.at, t.ended = n, last, last == nil
	return err
}
