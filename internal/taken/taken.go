// Package taken keeps, in a bbolt file, what was taken out of it, until there is a
// copy of the file that has it.
package taken

import (
	"bytes"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// A Change is one of a key: Was is what it held before, nil where it held nothing.
type Change struct{ Bucket, Key, Was []byte }

// Most is how many bytes one [Keep] keeps at most: what would need more is no
// small harm, and what is left out is that which came last.
const Most = 1 << 20

// mark begins the keys: bucket, 0, key.
var mark = []byte("taken\x00")

// Keep keeps in the bucket to what changes took out or replaced. What is kept of a
// key already stays.
func Keep(to *bolt.Bucket, changes []Change) error {
	room, changed := Most, map[string]bool{}
	for _, c := range changes {
		key := slices.Concat(mark, c.Bucket, []byte{0}, c.Key)
		if changed[string(key)] {
			continue // what it held then is of these changes
		}
		changed[string(key)] = true
		if len(c.Was) == 0 || len(c.Was) > room || to.Get(key) != nil {
			continue
		}
		room -= len(c.Was)
		if err := to.Put(key, c.Was); err != nil {
			return err
		}
	}
	return nil
}

// Has reports whether something is kept.
func Has(in *bolt.Bucket) bool {
	key, _ := in.Cursor().Seek(mark)
	return bytes.HasPrefix(key, mark)
}

// Drop drops what is kept.
func Drop(from *bolt.Bucket) error {
	for Has(from) {
		key, _ := from.Cursor().Seek(mark)
		if err := from.Delete(bytes.Clone(key)); err != nil {
			return err
		}
	}
	return nil
}
