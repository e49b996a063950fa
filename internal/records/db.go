// Package records keeps small records in one bbolt file, for one process.
//
// What belongs together is one function on a [Tx]. [DB.Update] runs it and
// returns when it is on disk; [DB.Later] runs it within a second, together with
// what else comes, and [DB.Eventually] within five. Functions are run one at a
// time and once, in the order of the calls; one that fails takes back what it did
// and disturbs no other. [DB.View] reads. Its reader may get stuck and stops
// nobody.
//
// A record is JSON under a key ([Save], [One], [List]), or bytes of the caller's
// own ([Tx.Put], [Tx.Get], [Reader]). What many records share is kept once: texts
// by a short [Name], bodies by their digest.
package records

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/boltfile"
)

var (
	// ErrClosed is what calls on a closed DB give.
	ErrClosed = errors.New("the store is closed")
	// ErrTooLong is what a reader gets that was open for longer than ReadLimit.
	ErrTooLong = errors.New("reading took too long")
)

// Options are how a file is opened. The zero value is the usual thing, save
// Format, which is needed.
type Options struct {
	Format Format
	// Mend, where not nil, takes out or makes anew what cannot be read, and gives
	// a fault for each. It runs before a file is worked with, and by [DB.Mend].
	Mend func(*Tx) ([]error, error)
	// Timeout is how long to wait for another process to let go of the file; 0
	// is 800 ms.
	Timeout time.Duration
	// Delay is after which time Later is on disk at the latest; 0 is 1 s.
	Delay time.Duration
	Lull  time.Duration // by which Eventually is later; 0 is 4 s
	// ReadLimit is how long a View may take; 0 is 10 s. While a reader is open,
	// the pages that it might see are not used again, and the file grows.
	ReadLimit time.Duration
	// CompactOver is over how many free bytes the file is compacted when it is
	// opened; 0 is 32 MiB, below 0 is never.
	CompactOver int64
	Log         *slog.Logger // nil: discard
	// CommitDuration, where not nil, is told how long each commit took.
	CommitDuration func(time.Duration)
}

func (o Options) withDefaults() Options {
	o.Timeout = cmp.Or(o.Timeout, 800*time.Millisecond)
	o.Delay = cmp.Or(o.Delay, time.Second)
	o.Lull = cmp.Or(o.Lull, 4*time.Second)
	o.ReadLimit = cmp.Or(o.ReadLimit, 10*time.Second)
	o.CompactOver = cmp.Or(o.CompactOver, 32<<20)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Opened tells what [Open] met.
type Opened struct {
	// Rebuilt is whether a damaged or foreign file was there. It is now at Aside,
	// Reason says what was wrong with it, and the store began anew.
	Rebuilt       bool
	Aside, Reason string
	// Mended is how many records could not be read, of which Reason tells, and
	// were taken out or made anew; the file as it was then is at Aside. These four
	// are met by every start until [Tx.Told].
	Mended    int
	Migrated  bool  // whether it was of an older format
	Compacted int64 // the bytes that compaction gave back
}

// A DB is an open file. It is safe for concurrent use.
type DB struct {
	opened Opened
	opts   Options
	file   *boltfile.File

	now  chan struct{} // something waits that is urgent
	soon chan struct{} // something waits
	quit chan struct{} // closed by Close
	done chan struct{} // closed when the committer has ended

	mu       sync.Mutex
	queue    []*job
	pressing int         // of the queue, that are not idle
	lull     *time.Timer // until what is idle is written
	closing  bool
	failed   error            // since a page could not be read
	faults   map[string]error // of records that could not be read
	readers  map[*Tx]struct{}
}

// Open opens the file at path, or creates it there with mode 0600. One that
// another process holds is a [*boltfile.InUseError], one of a newer format a
// [*FormatError]; both leave it alone. A damaged or foreign file is set aside
// and begun anew. The caller closes the DB.
func Open(path string, opts Options) (*DB, error) {
	opts = opts.withDefaults()
	file, err := boltfile.Acquire(path, opts.Timeout)
	if err != nil {
		return nil, err
	}
	db := &DB{
		opts: opts, file: file,
		now: make(chan struct{}, 1), soon: make(chan struct{}, 1),
		quit: make(chan struct{}), done: make(chan struct{}),
		readers: map[*Tx]struct{}{},
	}
	if err := db.load(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	go db.commitAll()
	return db, nil
}

// load brings the file into a state to work with.
func (db *DB) load() error {
	err := db.file.Load()
	if err == nil {
		db.opened.Migrated, err = withOurs(db.opts.Format).Migrate(db.file.DB, db.file.Path(), db.stray)
	}
	if err == nil {
		err = db.mendFile()
	}
	if damage, ok := errors.AsType[*boltfile.DamageError](err); ok {
		met := Opened{Rebuilt: true, Reason: damage.Reason}
		if met.Aside, err = db.file.SetAside(time.Now(), damage.Reason); err != nil {
			return err
		}
		if aside, reason := db.file.Noted(); aside != "" { // by an earlier start, which got no further
			met.Aside, met.Reason = aside, reason
		}
		db.opts.Log.Error("store damaged: set aside and begun anew", "path", damage.Path, "err", damage.Reason, "aside", met.Aside)
		_, err = withOurs(db.opts.Format).Migrate(db.file.DB, db.file.Path(), met.keep)
	}
	if err == nil {
		err = db.recall()
	}
	if err != nil {
		return err
	}
	if over := db.opts.CompactOver; over > 0 && db.file.Usage.Free > over {
		before := db.file.Usage.Size
		if err := db.file.Compact(); err != nil { // a full disk is no reason to stay down
			db.opts.Log.Warn("store not compacted", "err", err)
		} else {
			db.opened.Compacted = before - db.file.Usage.Size
		}
	}
	return nil
}

// stray notes in a new file that one was set aside by a start that got no further.
func (db *DB) stray(b *bolt.Tx) error {
	aside, reason := db.file.Noted()
	if aside == "" {
		return nil
	}
	met := Opened{Rebuilt: true, Aside: aside, Reason: reason}
	return met.keep(b)
}

// recall reads what this start, or one before it, met and told nobody.
func (db *DB) recall() error {
	return db.file.DB.View(func(b *bolt.Tx) error {
		met := (&Tx{db: db, b: b}).Met()
		if met == (Opened{}) {
			db.file.Forget() // it was told, or another file was put here
		}
		met.Migrated = db.opened.Migrated
		db.opened = met
		return nil
	})
}

// Opened tells what [Open] met.
func (db *DB) Opened() Opened { return db.opened }

// Size is the length of the file in bytes, 0 where it cannot be told.
func (db *DB) Size() int64 {
	info, err := os.Stat(db.file.Path())
	if err != nil {
		return 0
	}
	return info.Size()
}

// Close commits what waits, ends readers that are still open, and lets go of
// the file. A second Close does nothing.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closing {
		db.mu.Unlock()
		<-db.done
		return nil
	}
	db.closing = true
	close(db.quit)
	db.mu.Unlock()
	<-db.done

	db.mu.Lock()
	var open []*Tx
	for tx := range db.readers {
		open = append(open, tx)
	}
	failed := db.failed
	db.mu.Unlock()
	for _, tx := range open {
		tx.end(ErrClosed)
	}
	if failed != nil {
		return db.file.Abandon()
	}
	return db.file.Close()
}

// fail makes err, where it is damage, the answer of every call from now on:
// what a fault left behind in the open database is not to be built on.
func (db *DB) fail(err error) {
	if _, ok := errors.AsType[*boltfile.DamageError](err); !ok {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.failed == nil {
		db.failed = err
		db.opts.Log.Error("store damaged while it was open", "path", db.file.Path(), "err", err)
	}
}
