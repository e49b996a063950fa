package store

import (
	"context"
	"time"

	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/kept"
	"github.com/a2alock/a2alock/internal/outbox"
	"github.com/a2alock/a2alock/internal/records"
	"github.com/a2alock/a2alock/internal/verdict"
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
// Of that, transitions beyond PerLock go too, save the first and those that a row
// which waits tells of. So does the newest transition of a lock stay while there
// is the lock, and of an agent the newest card, the one that its Agent names and
// those that the State of one of its locks rests on or waits to confirm. Trim
// works in small transactions, between which others are run, until all is looked
// at or ctx ends.
func (s *Store) Trim(ctx context.Context, o TrimOptions) (all Trimmed, err error) {
	needed, err := s.neededCards(ctx)
	if err != nil {
		return all, err
	}
	for _, step := range []func(*trimmer) error{
		(*trimmer).transitions, (*trimmer).versions, (*trimmer).episodes, (*trimmer).rows, (*trimmer).silences, (*trimmer).bodies,
	} {
		t := trimmer{TrimOptions: o, needed: needed}
		for !t.ended {
			if err := ctx.Err(); err != nil {
				return all, err
			}
			t.Trimmed = Trimmed{}
			err := s.Update(func(tx *Tx) error {
				t.tx, t.held, t.waits = tx, map[heldKey]bool{}, map[heldKey]map[uint64]bool{}
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
	needed map[cardKey]bool // what neededCards found
	tx     *Tx
	held   map[heldKey]bool            // what isHeld found in this bite
	waits  map[heldKey]map[uint64]bool // what isToBeTold found in it
	at     []byte                      // the last key
	ended  bool
	owner  records.Name        // of the last key
	count  int                 // how many of the owner's were seen
	newer  map[versionKey]bool // the cards among them
}

type cardKey struct{ agent, digest string }

// A versionKey tells the versions of one card whose body is kept from those
// without.
type versionKey struct {
	digest string
	body   bool
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
	if owner, _, err := history.SplitNumbered(e.Key); err == nil && owner != t.owner {
		t.owner, t.count, t.newer = owner, 0, map[versionKey]bool{}
	}
	t.count++
	return t.count
}

// skip lets a record that cannot be read stay, for [Store.Mend].
func (t *trimmer) skip(err error) error {
	if t.tx.tx.Skip(err) {
		return nil
	}
	return err
}

// isHeld reports whether the episode is open, or has rows that wait.
func (t *trimmer) isHeld(lock string, start uint64) (held bool, err error) {
	key := heldKey{lock, start}
	if held, ok := t.held[key]; ok {
		return held, nil
	}
	defer func() { t.held[key] = held }()
	l, ok, err := records.One[kept.LockRecord](t.tx.tx, kept.Locks, []byte(lock))
	if err != nil || ok && l.State.Episode != nil && l.State.Episode.Start == start {
		return true, t.skip(err)
	}
	e, ok, err := t.tx.Episode(lock, start)
	if err != nil || ok && e.ClosedAt.IsZero() {
		return true, t.skip(err)
	}
	rows, err := t.tx.EpisodeRows(lock, start)
	for _, r := range rows {
		if r.State == Waiting {
			return true, nil
		}
	}
	return false, err
}

// isToBeTold reports whether a row that waits tells of this transition.
func (t *trimmer) isToBeTold(lock string, start, seq uint64) (bool, error) {
	key := heldKey{lock, start}
	if t.waits[key] == nil {
		rows, err := t.tx.EpisodeRows(lock, start)
		if err != nil {
			return false, err
		}
		t.waits[key] = map[uint64]bool{}
		for _, r := range rows {
			if r.State == Waiting {
				t.waits[key][r.Seq] = true
			}
		}
	}
	return t.waits[key][seq], nil
}

func (t *trimmer) transitions() error {
	return t.step(history.Transitions.Bucket, true, func(e records.Entry) error {
		rec, err := history.ReadTransition(e)
		if rank := t.rank(e); err == nil {
			if keeps, err := t.keepsTransition(&rec, rank); keeps || err != nil {
				return err
			}
		}
		t.Transitions++
		return history.DropTransition(t.tx.tx, e)
	})
}

func (t *trimmer) keepsTransition(rec *history.Record, rank int) (bool, error) {
	old, spare := rec.Event.At.Before(t.Before), t.PerLock > 0 && rank > t.PerLock
	if !old && !spare {
		return true, nil
	}
	lock, err := t.tx.tx.Text(rec.Lock)
	if err != nil {
		return true, t.skip(err)
	}
	if rank == 1 {
		if data, err := t.tx.tx.Get(kept.Locks.Bucket, []byte(lock)); data != nil || err != nil {
			return true, err
		}
	}
	start := rec.Event.Episode
	if start == 0 {
		return false, nil
	}
	held, err := t.isHeld(lock, start)
	if err != nil || !held || !spare || rec.Event.Seq == start {
		return held, err
	}
	return t.isToBeTold(lock, start, rec.Event.Seq)
}

func (t *trimmer) versions() error {
	return t.step(history.Versions.Bucket, true, func(e records.Entry) error {
		v, err := history.ReadVersion(e)
		if rank := t.rank(e); err == nil {
			if keeps, err := t.keepsVersion(&v, rank); keeps || err != nil {
				return err
			}
		}
		t.CardVersions++
		return history.DropVersion(t.tx.tx, e)
	})
}

func (t *trimmer) keepsVersion(v *CardVersion, rank int) (bool, error) {
	key := versionKey{v.Digest, v.Body != ""}
	newer := t.newer[key]
	t.newer[key] = true
	if !v.At.Before(t.Before) && (t.PerAgent == 0 || rank <= t.PerAgent) {
		return true, nil
	}
	id, err := t.tx.tx.Text(t.owner)
	if err != nil {
		return true, t.skip(err)
	}
	a, ok, err := t.tx.Agent(id)
	if err != nil {
		return true, t.skip(err)
	}
	if !ok || rank == 1 {
		return ok, nil
	}
	return !newer && (a.CardDigest == v.Digest || t.needed[cardKey{id, v.Digest}]), nil
}

// neededCards are the cards that agents name and that the states of their locks
// name. It reads the agents first: a card that comes later comes with a version
// of its own, which is the newest, so that nothing needed is missed although the
// list is older than the transactions that go by it.
func (s *Store) neededCards(ctx context.Context) (map[cardKey]bool, error) {
	needed := map[cardKey]bool{}
	err := s.eachPage(ctx, func(tx *Tx, p Page) (next string, err error) {
		page, next, err := tx.Agents(p)
		for i := range page {
			needed[cardKey{page[i].ID, page[i].CardDigest}] = true
		}
		return next, err
	})
	if err != nil {
		return nil, err
	}
	err = s.eachPage(ctx, func(tx *Tx, p Page) (next string, err error) {
		page, next, err := tx.Locks(p)
		for i := range page {
			for _, digest := range cardsOf(&page[i].State) {
				needed[cardKey{page[i].Agent, digest}] = true
			}
		}
		return next, err
	})
	return needed, err
}

// eachPage reads a list to its end, each page in a view of its own.
func (s *Store) eachPage(ctx context.Context, read func(*Tx, Page) (string, error)) error {
	for p := (Page{Limit: bite}); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.View(func(tx *Tx) (err error) {
			p.After, err = read(tx, p)
			return err
		})
		if err != nil || p.After == "" {
			return err
		}
	}
}

// cardsOf are the cards that s was decided on, or may be by what waits in it.
func cardsOf(s *verdict.State) []string {
	list := []string{s.CardDigest}
	if s.Pending != nil {
		list = append(list, s.Pending.CardDigest)
	}
	if s.Better != nil {
		list = append(list, s.Better.CardDigest)
	}
	if s.Dispute != nil {
		for i := range s.Dispute.Answers {
			list = append(list, s.Dispute.Answers[i].CardDigest)
		}
	}
	return list
}

func (t *trimmer) episodes() error {
	return t.step(kept.Episodes.Bucket, false, func(e records.Entry) error {
		var ep Episode
		if err := kept.Episodes.Decode(e.Key, e.Value, &ep); err != nil {
			return t.skip(err)
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
			if err := outbox.Drop(t.tx.tx, r); err != nil {
				return err
			}
		}
		t.Episodes++
		return t.tx.tx.Drop(kept.Episodes.Bucket, e.Key)
	})
}

// rows drops those that no episode keeps.
func (t *trimmer) rows() error {
	return t.step(outbox.Rows.Bucket, false, func(e records.Entry) error {
		var r Row
		if err := outbox.Rows.Decode(e.Key, e.Value, &r); err != nil {
			return t.skip(err)
		}
		if r.State == Waiting || !r.EndedAt.Before(t.Before) {
			return nil
		}
		if _, ok, err := t.tx.Episode(r.Lock, r.Episode); ok || err != nil {
			return t.skip(err)
		}
		t.Rows++
		return outbox.Drop(t.tx.tx, r)
	})
}

func (t *trimmer) silences() error {
	return t.step(kept.Silences.Bucket, false, func(e records.Entry) error {
		var s Silence
		if err := kept.Silences.Decode(e.Key, e.Value, &s); err != nil {
			return t.skip(err)
		}
		if !s.End().Before(t.Before) {
			return nil
		}
		t.Silences++
		return t.tx.tx.Drop(kept.Silences.Bucket, e.Key)
	})
}

func (t *trimmer) bodies() error {
	n, last, err := t.tx.tx.DropUnnamed(t.at, bite)
	t.Bodies, t.at, t.ended = n, last, last == nil
	return err
}
