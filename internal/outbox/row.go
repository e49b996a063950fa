package outbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/records"
)

// EpisodeKey is the key of an episode, and the prefix of what belongs to it. A
// lock's ID holds no zero byte.
func EpisodeKey(lock string, start uint64) ([]byte, error) {
	if lock == "" || strings.ContainsRune(lock, 0) {
		return nil, fmt.Errorf("lock %q: no ID of a lock", lock)
	}
	return binary.BigEndian.AppendUint64(append([]byte(lock), 0), start), nil
}

const hashSize = 16

// hashKey is what stands for the dedupe key of a row, which is long.
func hashKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:hashSize]
}

func rowKey(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

// dueKey orders the waiting rows of a sink: by the time they are due, then as
// they were inserted.
func dueKey(r Row) []byte {
	return append(packed.AppendTime(append([]byte(r.Sink), 0), r.DueAt), rowKey(r.Number)...)
}

// toldKey puts the row among those of its episode, in order. Rows without an
// episode, the daemon's own, have none.
func toldKey(r Row) []byte {
	if r.Lock == "" || r.Episode == 0 {
		return nil
	}
	key, err := EpisodeKey(r.Lock, r.Episode)
	if err != nil {
		return nil
	}
	return append(key, rowKey(r.Number)...)
}

// Index is what the other buckets hold of r, by their names.
func (r *Row) Index() map[string]records.Entry {
	index := map[string]records.Entry{Keys.Name: {Key: hashKey(r.Key), Value: rowKey(r.Number)}}
	if r.State == Waiting {
		index[Wait.Name] = records.Entry{Key: dueKey(*r), Value: []byte{}}
	}
	if key := toldKey(*r); key != nil {
		index[Told.Name] = records.Entry{Key: key, Value: []byte(r.Sink)}
	}
	return index
}

// Insert adds r, unless there was a row of its Key ever since the last trim:
// it reports whether it did. It numbers the row.
func Insert(tx *records.Tx, r Row) (inserted bool, err error) {
	switch known, err := tx.Get(Keys.Bucket, hashKey(r.Key)); {
	case err != nil || known != nil:
		return false, err
	case r.Key == "":
		return false, errors.New("inserting a row: it has no key")
	case r.Sink == "" || strings.ContainsRune(r.Sink, 0):
		return false, fmt.Errorf("inserting row %q: sink %q: no name of a sink", r.Key, r.Sink)
	}
	data, err := tx.Get(values, lastRow)
	if err != nil {
		return false, err
	}
	r.Number = 1
	if len(data) == 8 {
		r.Number = binary.BigEndian.Uint64(data) + 1
	}
	if err := tx.Put(values, lastRow, rowKey(r.Number)); err != nil {
		return false, err
	}
	if err := tx.Put(Keys.Bucket, hashKey(r.Key), rowKey(r.Number)); err != nil {
		return false, err
	}
	if key := toldKey(r); key != nil {
		if err := tx.Put(Told.Bucket, key, []byte(r.Sink)); err != nil {
			return false, err
		}
	}
	return true, save(tx, r)
}

func save(tx *records.Tx, r Row) error {
	if r.State == Waiting {
		if err := tx.Put(Wait.Bucket, dueKey(r), []byte{}); err != nil {
			return err
		}
	}
	return records.Save(tx, Rows, rowKey(r.Number), r)
}

// Find is the row with this dedupe key.
func Find(tx *records.Tx, key string) (r Row, ok bool, err error) {
	return FindByHash(tx, hashKey(key))
}

// FindByHash is the row whose dedupe key has this SHA-256, of which the first 16
// bytes are looked at.
func FindByHash(tx *records.Tx, sum []byte) (r Row, ok bool, err error) {
	if len(sum) < hashSize {
		return Row{}, false, nil
	}
	number, err := tx.Get(Keys.Bucket, sum[:hashSize])
	if err != nil || number == nil {
		return Row{}, false, err
	}
	return records.One[Row](tx, Rows, number)
}

// Put keeps r, which was inserted before: what moves is its state. Its Key,
// Sink, Lock and Episode stay what they were.
func Put(tx *records.Tx, r Row) error {
	was, ok, err := Find(tx, r.Key)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("row %q: it was not inserted", r.Key)
	case r.Sink != was.Sink || r.Lock != was.Lock || r.Episode != was.Episode:
		return fmt.Errorf("row %q: it went to another sink or episode", r.Key)
	}
	r.Number = was.Number
	if err := tx.Drop(Wait.Bucket, dueKey(was)); err != nil {
		return err
	}
	return save(tx, r)
}

// Drop drops a row and all that leads to it.
func Drop(tx *records.Tx, r Row) error {
	if err := tx.Drop(Wait.Bucket, dueKey(r)); err != nil {
		return err
	}
	if key := toldKey(r); key != nil {
		if err := tx.Drop(Told.Bucket, key); err != nil {
			return err
		}
	}
	if err := tx.Drop(Keys.Bucket, hashKey(r.Key)); err != nil {
		return err
	}
	return tx.Drop(Rows.Bucket, rowKey(r.Number))
}

// Due are the sink's waiting rows that are due at this moment, the longest
// due first, and among equals in the order in which they were inserted. A row
// is left out while an earlier one of the same sink and episode waits: an
// opening that is late holds up its resolve, and nothing else.
func Due(tx *records.Tx, sink string, at time.Time, limit int) ([]Row, error) {
	prefix := append([]byte(sink), 0)
	end := packed.AppendTime(bytes.Clone(prefix), at)
	var list []Row
	for e, err := range tx.All(Wait.Bucket, prefix) {
		if err != nil {
			return nil, err
		}
		if len(list) == limit || bytes.Compare(e.Key[:min(len(end), len(e.Key))], end) > 0 {
			break
		}
		r, ok, err := find(tx, e.Key)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if blocked, err := isBlocked(tx, r); err != nil {
			return nil, err
		} else if !blocked {
			list = append(list, r)
		}
	}
	return list, nil
}

// find is the row whose number the key of an index ends in. One that cannot be
// read holds up no other.
func find(tx *records.Tx, key []byte) (r Row, ok bool, err error) {
	if len(key) < 8 {
		return r, false, nil
	}
	r, ok, err = records.One[Row](tx, Rows, key[len(key)-8:])
	if tx.Skip(err) {
		err = nil
	}
	return r, ok, err
}

// isBlocked reports whether an earlier row of the same sink and episode waits.
func isBlocked(tx *records.Tx, r Row) (bool, error) {
	key := toldKey(r)
	if key == nil {
		return false, nil
	}
	for e, err := range tx.All(Told.Bucket, key[:len(key)-8]) {
		if err != nil {
			return false, err
		}
		if bytes.Compare(e.Key, key) >= 0 {
			break
		}
		if string(e.Value) != r.Sink {
			continue
		}
		earlier, ok, err := find(tx, e.Key)
		if err != nil || ok && earlier.State == Waiting {
			return true, err
		}
	}
	return false, nil
}

// NextDue is when the sink's next waiting row is due, which may have been and may
// be blocked; false where none waits.
func NextDue(tx *records.Tx, sink string) (at time.Time, ok bool, err error) {
	prefix := append([]byte(sink), 0)
	list, err := tx.Scan(Wait.Bucket, prefix, nil, 1)
	if err != nil || len(list) == 0 {
		return time.Time{}, false, err
	}
	return packed.ReadTime(list[0].Key[len(prefix):]), true, nil
}

// CountWaiting is how many rows wait by sink, those of sinks that are configured
// no more among them.
func CountWaiting(tx *records.Tx) (map[string]int, error) {
	count := map[string]int{}
	for e, err := range tx.All(Wait.Bucket, nil) {
		if err != nil {
			return nil, err
		}
		sink, _, _ := bytes.Cut(e.Key, []byte{0})
		count[string(sink)]++
	}
	return count, nil
}

// A Query says which rows; zero members say nothing.
type Query struct {
	Sink  string
	State State
}

// List are the rows that fit q, as they were inserted. It looks at no more than
// 10,000 rows for a page, which may so be short though there is a next one.
func List(tx *records.Tx, q Query, p records.Page) (page []Row, next string, err error) {
	var after []byte
	if p.After != "" {
		n, err := strconv.ParseUint(p.After, 10, 64)
		if err != nil {
			return nil, "", fmt.Errorf("page %q: want the end of a page before it", p.After)
		}
		after = rowKey(n)
	}
	for range 100 {
		entries, err := tx.Scan(Rows.Bucket, nil, after, 100)
		if err != nil {
			return nil, "", err
		}
		for _, e := range entries {
			after = e.Key
			var r Row
			if err := Rows.Decode(e.Key, e.Value, &r); tx.Skip(err) {
				continue
			} else if err != nil {
				return nil, "", err
			}
			if q.Sink != "" && r.Sink != q.Sink || q.State != "" && r.State != q.State {
				continue
			}
			if page = append(page, r); len(page) == p.Size() {
				return page, strconv.FormatUint(r.Number, 10), nil
			}
		}
		if len(entries) < 100 {
			return page, "", nil
		}
	}
	return page, strconv.FormatUint(binary.BigEndian.Uint64(after), 10), nil
}

// OfEpisode are all rows of the episode, as they were inserted.
func OfEpisode(tx *records.Tx, lock string, start uint64) ([]Row, error) {
	prefix, err := EpisodeKey(lock, start)
	if err != nil {
		return nil, nil
	}
	var list []Row
	for e, err := range tx.All(Told.Bucket, prefix) {
		if err != nil {
			return nil, err
		}
		r, ok, err := find(tx, e.Key)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, r)
		}
	}
	return list, nil
}
