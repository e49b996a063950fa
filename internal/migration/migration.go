// Package migration tells our bbolt files from others, and brings those of an
// older format to the present one.
package migration

import (
	"bytes"
	"fmt"
	"strconv"

	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/boltfile"
)

// A Format says what is in a file.
type Format struct {
	Mark    string   // tells our files from other bbolt files
	Buckets [][]byte // those of the caller, which are there from the start
	// Steps take a file from the format of their index to the next one; that of
	// this program is their number. A step once published stays as it is.
	Steps []func(*bolt.Tx) error
	// Begin, where not nil, writes what a new file holds, and an old one that
	// was just migrated.
	Begin func(*bolt.Tx) error
}

// metas is the bucket that says whose file it is, and of which format.
var metas = []byte("meta")

// The format stands there twice: a bit of it that turned is no newer format.
var markKey, formatKey, againKey = []byte("mark"), []byte("format"), []byte("format again")

// A FormatError reports a file that a newer a2alockd wrote. Nothing was done
// to it.
type FormatError struct {
	Path       string
	Have, Know int // its format, and the newest that this program knows
}

// Error names the file and both formats.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: has format %d, and this a2alockd knows %d at most: run the newer one, or move the file away to begin anew",
		e.Path, e.Have, e.Know)
}

// Migrate brings the file to the present format, in one transaction, and an
// empty one too. It reports whether an older one was there. A file that is
// none of ours is a [*boltfile.DamageError]. fresh, where not nil, writes into a new
// file with all else.
func (f Format) Migrate(db *bolt.DB, path string, fresh func(*bolt.Tx) error) (migrated bool, err error) {
	defer boltfile.Catch(path, &err)
	defer boltfile.PanicOnFault()()
	have, begun, err := f.Of(db, path)
	switch {
	case err != nil:
		return false, err
	case have > len(f.Steps):
		return false, &FormatError{Path: path, Have: have, Know: len(f.Steps)}
	case begun && have == len(f.Steps):
		return false, nil
	}
	return begun, db.Update(func(b *bolt.Tx) error {
		for _, name := range append([][]byte{metas}, f.Buckets...) {
			if _, err := b.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		if begun {
			for n, step := range f.Steps[have:] {
				if err := step(b); err != nil {
					return fmt.Errorf("%s: from format %d to %d: %w", path, have+n, have+n+1, err)
				}
			}
		}
		if !begun && fresh != nil {
			if err := fresh(b); err != nil {
				return err
			}
		}
		return f.begin(b)
	})
}

// Of reads the format of a file, and whether anything is in it.
func (f Format) Of(db *bolt.DB, path string) (format int, begun bool, err error) {
	err = db.View(func(b *bolt.Tx) error {
		if first, _ := b.Cursor().First(); first == nil {
			return nil
		}
		begun = true
		meta := b.Bucket(metas)
		if meta == nil || !bytes.Equal(meta.Get(markKey), []byte(f.Mark)) {
			return &boltfile.DamageError{Path: path, Reason: "another program's bbolt file"}
		}
		once, again := meta.Get(formatKey), meta.Get(againKey)
		var ok bool
		if format, ok = f.agree(number(once), number(again)); !ok {
			reason := fmt.Sprintf("format %q", once)
			if again != nil {
				reason += fmt.Sprintf(", and %q", again)
			}
			return &boltfile.DamageError{Path: path, Reason: reason}
		}
		return nil
	})
	return format, begun, err
}

// number reads a format, -1 where it is none.
func number(text []byte) int {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// agree is the format that a file has, by the two that stand there, -1 for none:
// where they differ a bit of one has turned.
func (f Format) agree(a, b int) (format int, ok bool) {
	low, high, known := min(a, b), max(a, b), len(f.Steps)
	switch {
	case low < 0:
		return high, high >= 0
	case low == high, high > known:
		return low, true
	}
	return high, high == known
}

// text is the present format, as it is kept.
func (f Format) text() []byte { return strconv.AppendInt(nil, int64(len(f.Steps)), 10) }

// begin writes what every file holds.
func (f Format) begin(b *bolt.Tx) error {
	meta := b.Bucket(metas)
	if err := meta.Put(markKey, []byte(f.Mark)); err != nil {
		return err
	}
	for _, key := range [][]byte{formatKey, againKey} {
		if err := meta.Put(key, f.text()); err != nil {
			return err
		}
	}
	if f.Begin == nil {
		return nil
	}
	return f.Begin(b)
}
