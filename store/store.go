// Package store keeps what must survive: cards, validators, states, history,
// episodes, the outbox and silences, in one bbolt file.
//
// What belongs together is one function on a [Tx]. [Store.Update] runs it and
// returns when it is on disk; [Store.Later] runs it within a second, together
// with what else comes, and [Store.Eventually] within five. Functions are run one
// at a time and once, in the order of the calls; one that fails takes back what
// it did and disturbs no other. [Store.View] reads. Its reader may get stuck and
// stops nobody.
//
// The file belongs to one process. A damaged or foreign file is set aside and
// begun anew, since all but history comes back from locks and fresh fetches.
package store

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/boltfile"
	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/kept"
	"github.com/a2alock/a2alock/internal/mend"
	"github.com/a2alock/a2alock/internal/outbox"
	"github.com/a2alock/a2alock/internal/records"
)

type (
	// An InUseError reports that another process holds the store, and which.
	InUseError = boltfile.InUseError
	// A DamageError reports a file that is no store, or a damaged one. [Open]
	// sets such a file aside; an open store gives it to every call once a page of
	// its file could not be read.
	DamageError = boltfile.DamageError
	// A FormatError reports a store that a newer a2alockd wrote.
	FormatError = records.FormatError
	// A RecordError reports a record that does not decode. Putting it anew,
	// deleting it, or [Store.Mend] mends that.
	RecordError = records.RecordError

	// Options are how a store is opened. The zero value is the usual thing; its
	// Format is set by [Open].
	Options = records.Options
	// Opened tells what [Open] met.
	Opened = records.Opened
	// A Page is a part of a list.
	Page = records.Page
)

var (
	// ErrClosed is what calls on a closed store give.
	ErrClosed = records.ErrClosed
	// ErrTooLong is what a reader gets that was open for longer than ReadLimit.
	ErrTooLong = records.ErrTooLong
)

var saltKey = []byte("salt") // of values: what Salt gives

func format() records.Format {
	f := records.Format{Mark: "a2alock store", Buckets: [][]byte{kept.Values}, Begin: drawSalt}
	for _, k := range []records.Kind{kept.Agents, kept.Seens, kept.Locks, history.Transitions, history.Versions, kept.Episodes, kept.Open, outbox.Rows, outbox.Keys, outbox.Wait, outbox.Told, kept.Silences, kept.Sinks} {
		f.Buckets = append(f.Buckets, k.Bucket)
	}
	return f
}

func drawSalt(b *bolt.Tx) error {
	vals := b.Bucket(kept.Values)
	if vals.Get(saltKey) != nil {
		return nil
	}
	salt := make([]byte, 32)
	rand.Read(salt) // never fails
	return vals.Put(saltKey, salt)
}

// A Store is an open store. It is safe for concurrent use.
type Store struct {
	db   *records.DB
	salt []byte
}

// A Tx is one view of the store, and in [Store.Update] and [Store.Later] the
// change of it. What its methods give belongs to the caller. It ends with the
// function that it was given to, and is for one goroutine. A record that cannot
// be read is a [*RecordError].
type Tx struct{ tx *records.Tx }

// Open opens the store at path, or creates it there with mode 0600. A file that
// another process holds is an [*InUseError], one of a newer format a
// [*FormatError]; both leave it alone. A damaged or foreign file is set aside,
// as [Store.Opened] tells; in one that is whole, records that cannot be read are
// mended as [Store.Mend] does. The caller closes the store.
func Open(path string, opts Options) (*Store, error) {
	opts.Format, opts.Mend = format(), mended
	db, err := records.Open(path, opts)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	s := &Store{db: db}
	err = s.View(func(tx *Tx) (err error) {
		s.salt, err = tx.tx.Get(kept.Values, saltKey)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", errors.Join(err, db.Close()))
	}
	return s, nil
}

// Close commits what waits, ends readers that are still open, and lets go of
// the file. A second Close does nothing.
func (s *Store) Close() error { return s.db.Close() }

// Opened tells what [Open] met.
func (s *Store) Opened() Opened { return s.db.Opened() }

// Met is what [Open] and [Store.Mend] met until now and nobody was told of.
func (tx *Tx) Met() Opened { return tx.tx.Met() }

// Told notes that what [Tx.Met] tells was told, so that no other start meets it
// again.
func (tx *Tx) Told() error { return tx.tx.Told() }

// Damaged is how many records could not be read since the store was opened or
// mended, which lists leave out, and why not one of them; nil: all could.
func (s *Store) Damaged() (n int, err error) { return s.db.Damaged() }

// Mend takes out what cannot be read, and makes anew what follows from the rest,
// as [Open] does. It gives a fault for each, which [Tx.Met] tells until it was
// told.
func (s *Store) Mend() ([]error, error) { return s.db.Mend() }

func mended(tx *records.Tx) ([]error, error) { return mend.Mend(tx, readAgent, time.Now()) }

// Several is a line for many faults.
func Several(faults []error) string { return records.Several(faults) }

// Salt is 32 random bytes that were drawn when the store was begun. The caller
// does not change them.
func (s *Store) Salt() []byte { return s.salt }

// Size is the length of the file in bytes, 0 where it cannot be told.
func (s *Store) Size() int64 { return s.db.Size() }

// Update runs fn and returns when what it did is on disk, with all that waited
// before it. What fn returns is returned as it is, and then nothing of fn is
// kept. fn runs on another goroutine, and calls no method of the store. Calls
// at the same time share a commit.
func (s *Store) Update(fn func(*Tx) error) error {
	return s.db.Update(func(tx *records.Tx) error { return fn(&Tx{tx}) })
}

// Later runs fn and has what it did on disk within Options.Delay. It returns at
// once; done, where not nil, is told the outcome, as Update would return it, on
// a goroutine of the store, and is not to wait. A closed store tells it at once.
func (s *Store) Later(fn func(*Tx) error, done func(error)) {
	s.db.Later(func(tx *records.Tx) error { return fn(&Tx{tx}) }, done)
}

// Eventually is Later for what may be lost: it is on disk Options.Lull later than
// that, or with what is written before.
func (s *Store) Eventually(fn func(*Tx) error, done func(error)) {
	s.db.Eventually(func(tx *records.Tx) error { return fn(&Tx{tx}) }, done)
}

// View runs fn on the store as it is now, which later changes do not touch. fn
// reads a page at a time and does not wait for anything: past Options.ReadLimit
// every method of its Tx gives [ErrTooLong].
func (s *Store) View(fn func(*Tx) error) error {
	return s.db.View(func(tx *records.Tx) error { return fn(&Tx{tx}) })
}

// NextSeq is the next number of the store's one counter, which numbers
// transitions, episodes and card versions. A number is used once, whatever the
// clock does; that of a function that failed is used again.
func (tx *Tx) NextSeq() (uint64, error) { return tx.tx.NextSeq() }

// Seq is the last number that NextSeq gave, 0 before the first.
func (tx *Tx) Seq() (uint64, error) { return tx.tx.Seq() }

// PutBody keeps raw, compressed and once, and gives the digest that it is kept
// under: "sha256:" and the hash of raw. It stays while an Agent, CardVersion or
// Lock names it; the one that names it is put by the same function.
func (tx *Tx) PutBody(raw []byte) (digest string, err error) { return tx.tx.PutBody(raw) }

// Body is the body that is kept under digest. One that is damaged is not found,
// so that it is fetched anew.
func (tx *Tx) Body(digest string) (raw []byte, ok bool, err error) { return tx.tx.Body(digest) }

// Value is what PutValue kept under name, nil where it kept nothing.
func (tx *Tx) Value(name string) ([]byte, error) { return tx.tx.Get(kept.Values, valueKey(name)) }

// PutValue keeps a small value of the caller's under name; nil drops it.
func (tx *Tx) PutValue(name string, value []byte) error {
	if value == nil {
		return tx.tx.Drop(kept.Values, valueKey(name))
	}
	return tx.tx.Put(kept.Values, valueKey(name), bytes.Clone(value))
}

// valueKey keeps the callers' values apart from the store's own.
func valueKey(name string) []byte { return append([]byte(":"), name...) }

// Each gives every record of a list to take. No reader is open for longer than a
// page takes.
func Each[T any](s *Store, list func(*Tx, Page) ([]T, string, error), take func(T)) error {
	for p := (Page{Limit: 500}); ; {
		err := s.View(func(tx *Tx) error {
			page, next, err := list(tx, p)
			for _, x := range page {
				take(x)
			}
			p.After = next
			return err
		})
		if err != nil || p.After == "" {
			return err
		}
	}
}
