package records

import (
	"encoding/binary"
	"slices"

	"github.com/a2alock/a2alock/internal/migration"
	"github.com/a2alock/a2alock/internal/packed"
)

type (
	// A Format says what is in a file.
	Format = migration.Format
	// A FormatError reports a file that a newer a2alockd wrote. Nothing was done
	// to it.
	FormatError = migration.FormatError
)

// Our own buckets, by what their keys are.
var (
	metas    = []byte("meta")      // mark, format, seq
	bodies   = []byte("bodies")    // SHA-256: the body, gzipped
	bodyRefs = []byte("body_refs") // SHA-256: by how many records it is named
	names    = []byte("names")     // see Name
)

var seqKey = []byte("seq")

// withOurs is f with our own buckets.
func withOurs(f Format) Format {
	f.Buckets = slices.Concat([][]byte{metas, bodies, bodyRefs, names}, f.Buckets)
	return f
}

// NextSeq is the next number of the file's one counter. A number is used once,
// whatever the clock does; that of a function that failed is used again.
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
		return 0, &RecordError{Kind: "meta", Key: "seq", Err: packed.ErrShort}
	}
	return binary.BigEndian.Uint64(data), nil
}
