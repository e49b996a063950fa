package records

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/a2alock/a2alock/internal/packed"
)

var gzippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// PutBody keeps raw, compressed and once, and gives the digest that it is kept
// under: "sha256:" and the hash of raw. It stays while a record names it, which
// [Tx.MoveBody] counts in the same function.
func (tx *Tx) PutBody(raw []byte) (digest string, err error) {
	sum := sha256.Sum256(raw)
	digest = packed.FormatDigest(sum[:])
	if _, ok, err := tx.Body(digest); err != nil || ok { // a damaged one is replaced
		return digest, err
	}
	var b bytes.Buffer
	w := gzippers.Get().(*gzip.Writer)
	defer gzippers.Put(w)
	w.Reset(&b)
	w.Write(raw) // to memory
	w.Close()
	return digest, tx.Put(bodies, sum[:], b.Bytes())
}

// Body is the body that is kept under digest. One that is damaged is not found,
// so that it is fetched anew.
func (tx *Tx) Body(digest string) (raw []byte, ok bool, err error) {
	sum, ok := packed.ParseDigest(digest)
	if !ok {
		return nil, false, nil
	}
	data, err := tx.Get(bodies, sum)
	if err != nil || data == nil {
		return nil, false, err
	}
	raw, err = unzip(data)
	if err == nil && sha256.Sum256(raw) == [sha256.Size]byte(sum) {
		return raw, true, nil
	}
	tx.db.opts.Log.Warn("stored body damaged", "digest", digest, "err", err)
	return nil, false, nil
}

func unzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// MoveBody counts that a record names the body now, and not was any more; ""
// is none. A body that nobody names is dropped.
func (tx *Tx) MoveBody(was, now string) error {
	if was == now {
		return nil
	}
	if err := tx.countRef(now, 1); err != nil {
		return err
	}
	return tx.countRef(was, -1)
}

func (tx *Tx) countRef(digest string, by int) error {
	if digest == "" {
		return nil
	}
	sum, ok := packed.ParseDigest(digest)
	if !ok {
		return fmt.Errorf("the digest of a body: %q: want sha256: and 64 hex digits", digest)
	}
	data, err := tx.Get(bodyRefs, sum)
	if err != nil {
		return err
	}
	n, _ := binary.Uvarint(data) // 0 where there is none
	if n += uint64(by); int64(n) > 0 {
		return tx.Put(bodyRefs, sum, binary.AppendUvarint(nil, n))
	}
	if err := tx.Drop(bodyRefs, sum); err != nil {
		return err
	}
	return tx.Drop(bodies, sum)
}
