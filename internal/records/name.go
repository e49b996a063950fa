package records

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/a2alock/a2alock/internal/packed"
)

// A Name is the few bytes that stand in small records for a text, or a value,
// which many of them share. By Name it is kept once, with how many use it: who
// drops a record calls [Tx.Unuse]. The zero Name stands for "".
//
// It is the beginning of the text's hash. Where another text has the same
// beginning, which a stranger can bring about, the next number is taken.
type Name [NameSize]byte

// NameSize is the length of a Name.
const NameSize = 6

// The kinds of text that names stand for.
const (
	nameOfText = 'n'
	nameOfJSON = 'j'
)

// nameOf finds the Name of text. Where there is none yet, it is the one to take.
func (tx *Tx) nameOf(kind byte, text []byte) (n Name, uses uint64, err error) {
	kept := append([]byte{kind}, text...)
	sum := sha256.Sum256(kept)
	copy(n[:], sum[:])
	for ; ; n = n.next() {
		if n == (Name{}) { // stands for no text
			continue
		}
		data, err := tx.Get(names, n[:])
		if err != nil || data == nil {
			return n, 0, err
		}
		r := packed.Reader{Data: data}
		uses := r.Uvarint()
		if r.Err != nil {
			return n, 0, tx.lost(n, r.Err)
		}
		if bytes.Equal(r.Data, kept) {
			return n, uses, nil
		}
	}
}

// lost counts a Name that cannot be read.
func (tx *Tx) lost(n Name, why error) error {
	err := &RecordError{Kind: "name", Key: packed.Printable(n[:]), Err: why}
	tx.Skip(err)
	return err
}

func (n Name) next() Name {
	var b [8]byte
	copy(b[2:], n[:])
	binary.BigEndian.PutUint64(b[:], binary.BigEndian.Uint64(b[:])+1)
	copy(n[:], b[2:])
	return n
}

// use counts one more use of text, and gives its Name.
func (tx *Tx) use(kind byte, text []byte) (Name, error) {
	n, uses, err := tx.nameOf(kind, text)
	if err != nil {
		return n, err
	}
	data := append(binary.AppendUvarint(nil, uses+1), kind)
	return n, tx.Put(names, n[:], append(data, text...))
}

// Use counts one more use of s, and gives its Name.
func (tx *Tx) Use(s string) (Name, error) {
	if s == "" {
		return Name{}, nil
	}
	return tx.use(nameOfText, packed.PackText(s))
}

// Find is the Name of a text that is in use already.
func (tx *Tx) Find(s string) (n Name, ok bool, err error) {
	n, uses, err := tx.nameOf(nameOfText, packed.PackText(s))
	return n, uses > 0, err
}

// Unuse counts one use less of each Name, and drops what nobody uses.
func (tx *Tx) Unuse(list ...Name) error {
	for _, n := range list {
		if n == (Name{}) {
			continue
		}
		data, err := tx.Get(names, n[:])
		if err != nil {
			return err
		}
		r := packed.Reader{Data: data} // 0 where it is gone
		if uses := r.Uvarint(); uses > 1 {
			err = tx.Put(names, n[:], append(binary.AppendUvarint(nil, uses-1), r.Data...))
		} else {
			err = tx.Drop(names, n[:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// meaning is what a Name stands for.
func (tx *Tx) meaning(n Name, kind byte) ([]byte, error) {
	data, err := tx.Get(names, n[:])
	if err != nil {
		return nil, err
	}
	r := packed.Reader{Data: data}
	r.Uvarint()
	if got := r.Byte(); r.Err == nil && got != kind {
		r.Err = packed.ErrShort
	}
	if r.Err != nil {
		return nil, tx.lost(n, r.Err)
	}
	return r.Data, nil
}

// Text is the text that a Name stands for.
func (tx *Tx) Text(n Name) (string, error) {
	if n == (Name{}) {
		return "", nil
	}
	data, err := tx.meaning(n, nameOfText)
	if err != nil {
		return "", err
	}
	s, err := packed.UnpackText(data)
	if err != nil {
		return "", tx.lost(n, err)
	}
	return s, nil
}

// UseJSON is Use for any value, by its JSON.
func (tx *Tx) UseJSON(v any) (Name, error) {
	data, err := packed.Encode(v)
	if err != nil {
		return Name{}, err
	}
	return tx.use(nameOfJSON, data)
}

// JSON reads the value that a Name stands for into v, which stays as it is for
// the zero Name.
func (tx *Tx) JSON(n Name, v any) error {
	if n == (Name{}) {
		return nil
	}
	data, err := tx.meaning(n, nameOfJSON)
	if err != nil {
		return err
	}
	if err := packed.Decode(data, v); err != nil {
		return tx.lost(n, err)
	}
	return nil
}
