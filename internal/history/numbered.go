package history

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/records"
)

// NumberedKey is the key of a record that belongs to an owner. Numbers have six
// bytes, which is enough for a million a second for years.
func NumberedKey(owner records.Name, number uint64) ([]byte, error) {
	if number == 0 || number >= 1<<48 {
		return nil, fmt.Errorf("number %d: want one of NextSeq", number)
	}
	return append(owner[:], binary.BigEndian.AppendUint64(nil, number)[2:]...), nil
}

// SplitNumbered takes the key of NumberedKey apart.
func SplitNumbered(key []byte) (owner records.Name, number uint64, err error) {
	if len(key) != records.NameSize+6 {
		return records.Name{}, 0, packed.ErrShort
	}
	return records.Name(key[:records.NameSize]), binary.BigEndian.Uint64(append([]byte{0, 0}, key[records.NameSize:]...)), nil
}

// findNumbered is the record of the owner with this number, nil where there is none.
func findNumbered(tx *records.Tx, bucket []byte, owner string, number uint64) (e records.Entry, err error) {
	n, ok, err := tx.Find(owner)
	if err != nil || !ok {
		return records.Entry{}, err
	}
	if e.Key, err = NumberedKey(n, number); err != nil {
		return records.Entry{}, nil
	}
	e.Value, err = tx.Get(bucket, e.Key)
	return e, err
}

// newest reads the records of the owner in bucket, the newest first. Next, and
// so After, is the number of the last one.
func newest(tx *records.Tx, bucket []byte, owner string, p records.Page) (page []records.Entry, next string, err error) {
	n, ok, err := tx.Find(owner)
	if err != nil || !ok {
		return nil, "", err
	}
	before := uint64(math.MaxUint64)
	if p.After != "" {
		if before, err = strconv.ParseUint(p.After, 10, 48); err != nil {
			return nil, "", fmt.Errorf("page %q: want the end of a page before it", p.After)
		}
	}
	key := append(n[:], binary.BigEndian.AppendUint64(nil, before)[2:]...)
	page, err = tx.ScanBack(bucket, n[:], key, p.Size())
	if err == nil && len(page) == p.Size() {
		_, number, err := SplitNumbered(page[len(page)-1].Key)
		return page, strconv.FormatUint(number, 10), err
	}
	return page, "", err
}
