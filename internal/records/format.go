package records

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
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

// Our own buckets, by what their keys are.
var (
	metas    = []byte("meta")      // mark, format, seq
	bodies   = []byte("bodies")    // SHA-256: the body, gzipped
	bodyRefs = []byte("body_refs") // SHA-256: by how many records it is named
	names    = []byte("names")     // see Name
)

var markKey, formatKey, seqKey = []byte("mark"), []byte("format"), []byte("seq")

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

// migrate brings the file to the present format, in one transaction, and an
// empty one too. It reports whether an older one was there. A file that is
// none of ours is a [*boltfile.DamageError].
func (f Format) migrate(db *bolt.DB, path string) (migrated bool, err error) {
	defer boltfile.Catch(path, &err)
	defer boltfile.PanicOnFault()()
	have, begun, err := f.of(db, path)
	switch {
	case err != nil:
		return false, err
	case have > len(f.Steps):
		return false, &FormatError{Path: path, Have: have, Know: len(f.Steps)}
	case begun && have == len(f.Steps):
		return false, nil
	}
	return begun, db.Update(func(b *bolt.Tx) error {
		for _, name := range slices.Concat([][]byte{metas, bodies, bodyRefs, names}, f.Buckets) {
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
		return f.begin(b)
	})
}

// of reads the format of a file, and whether anything is in it.
func (f Format) of(db *bolt.DB, path string) (format int, begun bool, err error) {
	err = db.View(func(b *bolt.Tx) error {
		if first, _ := b.Cursor().First(); first == nil {
			return nil
		}
		begun = true
		meta := b.Bucket(metas)
		if meta == nil || !bytes.Equal(meta.Get(markKey), []byte(f.Mark)) {
			return &boltfile.DamageError{Path: path, Reason: "another program's bbolt file"}
		}
		var err error
		if format, err = strconv.Atoi(string(meta.Get(formatKey))); err != nil || format < 0 {
			return &boltfile.DamageError{Path: path, Reason: fmt.Sprintf("format %q", meta.Get(formatKey))}
		}
		return nil
	})
	return format, begun, err
}

// begin writes what every file holds.
func (f Format) begin(b *bolt.Tx) error {
	meta := b.Bucket(metas)
	if err := meta.Put(markKey, []byte(f.Mark)); err != nil {
		return err
	}
	if err := meta.Put(formatKey, strconv.AppendInt(nil, int64(len(f.Steps)), 10)); err != nil {
		return err
	}
	if f.Begin == nil {
		return nil
	}
	return f.Begin(b)
}

// NextSeq is the next number of the file's one counter. A number is used once, whatever the
// clock does; that of a function that failed is used again.
func (tx *Tx) NextSeq() (uint64, error) {
	n, err := tx.Seq()
	if err != nil {
		return 0, err
	}
	return n + 1, tx.Put(metas, seqKey, binary.BigEndian.AppendUint64(nil, n+1))
}

// Seq is the last number that NextSeq gave, 0 before the first.
func (tx *Tx) Seq() (uint64, error) {
	data, err := tx.Get(metas, seqKey)
	if err != nil || data == nil {
		return 0, err
	}
	if len(data) != 8 {
		return 0, &RecordError{Kind: "meta", Key: "seq", Err: ErrShort}
	}
	return binary.BigEndian.Uint64(data), nil
}
