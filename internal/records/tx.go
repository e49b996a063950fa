package records

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/boltfile"
	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/taken"
)

// A Tx is one view of the file, and in [DB.Update] and [DB.Later] the
// change of it. What its methods give belongs to the caller. It ends with the
// function that it was given to, and is for one goroutine.
//
// A record that cannot be read is a [*RecordError].
type Tx struct {
	db *DB
	mu sync.Mutex // the end of a reader's time against its reads

	b    *bolt.Tx // nil: over
	over error    // why
	undo []taken.Change
}

// A RecordError reports a record that does not decode.
type RecordError struct {
	Kind string // as in an export
	Key  string
	Err  error
}

// Error names the record and what is wrong with it.
func (e *RecordError) Error() string {
	return fmt.Sprintf("the stored %s %q: %v", e.Kind, e.Key, e.Err)
}

// Unwrap is why the record does not decode.
func (e *RecordError) Unwrap() error { return e.Err }

// View runs fn on the file as it is now, which later changes do not touch. fn
// reads a page at a time and does not wait for anything: past Options.ReadLimit
// every method of its Tx gives [ErrTooLong].
func (db *DB) View(fn func(*Tx) error) (err error) {
	defer func() { db.fail(err) }()
	defer boltfile.Catch(db.file.Path(), &err)
	defer boltfile.PanicOnFault()()
	tx := &Tx{db: db}
	if err := tx.begin(); err != nil {
		return err
	}
	limit := time.AfterFunc(db.opts.ReadLimit, func() { tx.end(ErrTooLong) })
	defer limit.Stop()
	defer tx.end(ErrClosed)
	return fn(tx)
}

// begin opens the reader. It does so under the store's mutex, so that Close
// meets every reader or lets none begin.
func (tx *Tx) begin() error {
	db := tx.db
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.failed != nil {
		return db.failed
	}
	if db.closing {
		return ErrClosed
	}
	b, err := db.file.DB.Begin(false)
	if err != nil {
		return fmt.Errorf("reading %s: %w", db.file.Path(), err)
	}
	tx.b = b
	db.readers[tx] = struct{}{}
	return nil
}

// end ends a reader, for the reason why. What it is just reading it reads to the
// end.
func (tx *Tx) end(why error) {
	tx.mu.Lock()
	if b := tx.b; b != nil {
		tx.b, tx.over = nil, why
		b.Rollback() // a reader's gives no error
	}
	tx.mu.Unlock()
	tx.db.mu.Lock()
	delete(tx.db.readers, tx)
	tx.db.mu.Unlock()
}

// bucket is to be called with the mutex held.
func (tx *Tx) bucket(name []byte) (*bolt.Bucket, error) {
	if tx.b == nil {
		return nil, tx.over
	}
	b := tx.b.Bucket(name)
	if b == nil {
		return nil, &boltfile.DamageError{Path: tx.db.file.Path(), Reason: fmt.Sprintf("no bucket %q", name)}
	}
	return b, nil
}

// Get is what key holds in the bucket, nil where it holds nothing.
func (tx *Tx) Get(bucket, key []byte) ([]byte, error) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	b, err := tx.bucket(bucket)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(b.Get(key)), nil
}

// errReadOnly is what writing in a View gives.
var errReadOnly = errors.New("a View does not write")

// Put keeps value under key, both of which stay as they are until the commit.
func (tx *Tx) Put(bucket, key, value []byte) error {
	return tx.change(bucket, key, func(b *bolt.Bucket) error { return b.Put(key, value) })
}

// Drop drops what key holds.
func (tx *Tx) Drop(bucket, key []byte) error {
	return tx.change(bucket, key, func(b *bolt.Bucket) error { return b.Delete(key) })
}

func (tx *Tx) change(bucket, key []byte, fn func(*bolt.Bucket) error) error {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	b, err := tx.bucket(bucket)
	switch {
	case err != nil:
		return err
	case !b.Writable():
		return errReadOnly
	}
	was := bytes.Clone(b.Get(key)) // empty is not nil
	if err := fn(b); err != nil {
		return fmt.Errorf("storing %q in %s: %w", key, bucket, err)
	}
	tx.undo = append(tx.undo, taken.Change{Bucket: bucket, Key: key, Was: was})
	return nil
}

// An Entry is a key with what it holds.
type Entry struct{ Key, Value []byte }

// Scan reads up to limit entries whose keys begin with prefix, from the key
// that follows after, where after is not nil, else from the first.
func (tx *Tx) Scan(bucket, prefix, after []byte, limit int) ([]Entry, error) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	b, err := tx.bucket(bucket)
	if err != nil {
		return nil, err
	}
	c := b.Cursor()
	var k, v []byte
	if after == nil {
		k, v = c.Seek(prefix)
	} else if k, v = c.Seek(after); bytes.Equal(k, after) {
		k, v = c.Next()
	}
	var list []Entry
	for ; k != nil && bytes.HasPrefix(k, prefix) && len(list) < limit; k, v = c.Next() {
		list = append(list, Entry{bytes.Clone(k), bytes.Clone(v)})
	}
	return list, nil
}

// ScanBack is Scan from the end: the last key with the prefix comes first, or
// that which lies before the key before, where it is not nil.
func (tx *Tx) ScanBack(bucket, prefix, before []byte, limit int) ([]Entry, error) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	b, err := tx.bucket(bucket)
	if err != nil {
		return nil, err
	}
	if before == nil { // no key with the prefix is that long and that high
		before = append(bytes.Clone(prefix), bytes.Repeat([]byte{0xFF}, 16)...)
	}
	c := b.Cursor()
	k, v := c.Seek(before)
	if k == nil {
		k, v = c.Last()
	}
	if k != nil && bytes.Compare(k, before) >= 0 {
		k, v = c.Prev()
	}
	var list []Entry
	for ; k != nil && bytes.HasPrefix(k, prefix) && len(list) < limit; k, v = c.Prev() {
		list = append(list, Entry{bytes.Clone(k), bytes.Clone(v)})
	}
	return list, nil
}

// All are the entries whose keys begin with prefix, in order. They are read a few
// hundred at a time, so the loop may change the bucket. An error ends it.
func (tx *Tx) All(bucket, prefix []byte) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		const bite = 256
		for after := []byte(nil); ; {
			list, err := tx.Scan(bucket, prefix, after, bite)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range list {
				if !yield(e, nil) {
					return
				}
			}
			if len(list) < bite {
				return
			}
			after = list[len(list)-1].Key
		}
	}
}

// A Page is a part of a list.
type Page struct {
	// After is where the page before it ended, as its call gave it; "" for the
	// first. It may be gone by now.
	After string
	Limit int // 0 is 100, and 1,000 the most
}

// Size is how many records the page may hold.
func (p Page) Size() int {
	if p.Limit <= 0 {
		return 100
	}
	return min(p.Limit, 1000)
}

// A Kind is a bucket of records, and what an export calls one of them.
type Kind struct {
	Name   string
	Bucket []byte
}

// List reads a page of the bucket's records, in the order of their keys, without
// those that cannot be read. Next is "" after the last.
func List[T any](tx *Tx, k Kind, p Page) (page []T, next string, err error) {
	var after []byte
	if p.After != "" {
		after = []byte(p.After)
	}
	entries, err := tx.Scan(k.Bucket, nil, after, p.Size())
	if err != nil {
		return nil, "", err
	}
	for _, e := range entries {
		var v T
		if err := k.Decode(e.Key, e.Value, &v); err == nil {
			page = append(page, v)
		} else if !tx.Skip(err) {
			return nil, "", err
		}
	}
	if len(entries) == p.Size() {
		next = string(entries[len(entries)-1].Key)
	}
	return page, next, nil
}

// One reads the record under key, and whether there is one.
func One[T any](tx *Tx, k Kind, key []byte) (v T, ok bool, err error) {
	data, err := tx.Get(k.Bucket, key)
	if err != nil || data == nil {
		return v, false, err
	}
	err = k.Decode(key, data, &v)
	tx.Skip(err)
	return v, err == nil, err
}

// Save keeps v under key.
func Save(tx *Tx, k Kind, key []byte, v any) error {
	if len(key) == 0 {
		return fmt.Errorf("storing a %s: it has no name", k.Name)
	}
	data, err := packed.Encode(v)
	if err != nil {
		return &RecordError{Kind: k.Name, Key: packed.Printable(key), Err: err}
	}
	return tx.Put(k.Bucket, key, data)
}

// Decode reads the record under key into v.
func (k Kind) Decode(key, data []byte, v any) error {
	if err := packed.Decode(data, v); err != nil {
		return &RecordError{Kind: k.Name, Key: packed.Printable(key), Err: err}
	}
	return nil
}
