package outbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/records"
)

// ReadRow reads a row that has to be what its key says.
func ReadRow(e records.Entry) (r Row, err error) {
	err = Rows.Decode(e.Key, e.Value, &r)
	if err != nil {
		return Row{}, err
	}
	switch {
	case !bytes.Equal(e.Key, rowKey(r.Number)):
		err = fmt.Errorf("it is of number %d", r.Number)
	case r.Key == "" || r.Sink == "" || bytes.ContainsRune([]byte(r.Sink), 0):
		err = fmt.Errorf("key %q of sink %q", r.Key, r.Sink)
	case !slices.Contains([]State{Waiting, Delivered, Superseded, Dead}, r.State):
		err = fmt.Errorf("state %q", r.State)
	case r.Lock != "" && r.Episode != 0 && toldKey(r) == nil:
		err = fmt.Errorf("lock %q", r.Lock)
	}
	if err != nil {
		return r, &records.RecordError{Kind: Rows.Name, Key: packed.Printable(e.Key), Err: err}
	}
	return r, nil
}

// KeyOf is the key that a row belongs under by what it says; nil where that cannot
// be read.
func KeyOf(e records.Entry) []byte {
	var r Row
	if Rows.Decode(e.Key, e.Value, &r) != nil || r.Number == 0 {
		return nil
	}
	key := rowKey(r.Number)
	if _, err := ReadRow(records.Entry{Key: key, Value: e.Value}); err != nil {
		return nil
	}
	return key
}

// Lost are the rows that the other buckets lead to, by their keys, with what those
// say of them: whether one waits, its sink and its episode. Each has a Key of its
// own, for one that takes the place of a row that cannot be read, and no kind.
func Lost(tx *records.Tx) (map[string]Row, error) {
	rows := map[string]Row{}
	lead := func(k records.Kind, say func(r *Row, name, rest, value []byte)) error {
		for e, err := range tx.All(k.Bucket, nil) {
			if err != nil {
				return err
			}
			name, rest, _ := bytes.Cut(e.Key, []byte{0})
			if len(rest) != 16 {
				continue
			}
			key := rest[8:]
			r, ok := rows[string(key)]
			if !ok {
				r = Row{Number: binary.BigEndian.Uint64(key), State: Delivered}
				r.Key = fmt.Sprintf("lost|%d", r.Number)
			}
			say(&r, name, rest, e.Value)
			if r.Sink != "" && (r.Lock == "" || r.Episode != 0) {
				rows[string(key)] = r
			}
		}
		return nil
	}
	err := lead(Wait, func(r *Row, sink, rest, _ []byte) {
		r.State, r.Sink, r.DueAt = Waiting, string(sink), packed.ReadTime(rest)
	})
	if err != nil {
		return nil, err
	}
	err = lead(Told, func(r *Row, lock, rest, sink []byte) {
		r.Sink, r.Lock, r.Episode = string(sink), string(lock), binary.BigEndian.Uint64(rest)
	})
	return rows, err
}

// Replace keeps r under its number, whatever was there. What leads to it is made
// anew by the caller, as [Row.Index] has it.
func Replace(tx *records.Tx, r Row) error { return records.Save(tx, Rows, rowKey(r.Number), r) }

// Counted makes the number of the last row number at least.
func Counted(tx *records.Tx, number uint64) (faults []error, err error) {
	data, err := tx.Get(values, lastRow)
	if err != nil || data == nil && number == 0 || len(data) == 8 && binary.BigEndian.Uint64(data) >= number {
		return nil, err
	}
	fault := &records.RecordError{Kind: "value", Key: string(lastRow), Err: fmt.Errorf("want %d at least", number)}
	return []error{fault}, tx.Mend(values, lastRow, rowKey(number))
}
