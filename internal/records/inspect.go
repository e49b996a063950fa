package records

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/boltfile"
	"github.com/a2alock/a2alock/internal/packed"
)

// Inspect runs fn on the file at path, which nobody may hold, and changes
// nothing, so that it may be where nothing can be written. With deep, bbolt's own
// check of the file comes first. Only a file of this program's format is
// inspected.
func Inspect(path string, opts Options, deep bool, fn func(*Tx) error) error {
	return with(path, opts, boltfile.Look, func(file *boltfile.File) (err error) {
		defer boltfile.Catch(path, &err)
		defer boltfile.PanicOnFault()()
		return file.DB.View(func(b *bolt.Tx) error {
			if deep {
				for err := range b.Check() {
					return &boltfile.DamageError{Path: path, Reason: err.Error()}
				}
			}
			return fn(&Tx{db: &DB{file: file, opts: opts.withDefaults()}, b: b})
		})
	})
}

// Compact rewrites the file at path, which nobody may hold, without its free
// pages. It gives the bytes before and after; where that would make it no
// smaller, or fails, the file is as it was.
func Compact(path string, opts Options) (before, after int64, err error) {
	err = with(path, opts, boltfile.Acquire, func(file *boltfile.File) error {
		before = file.Usage.Size
		if err := file.Compact(); err != nil {
			return err
		}
		after = file.Usage.Size
		return nil
	})
	return before, after, err
}

// with opens the file that is there, and is of the present format.
func with(path string, opts Options, open func(string, time.Duration) (*boltfile.File, error), fn func(*boltfile.File) error) (err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such file", path)
	}
	file, err := open(path, opts.withDefaults().Timeout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Load(); err != nil {
		return err
	}
	switch have, begun, err := opts.Format.Of(file.DB, path); {
	case err != nil:
		return err
	case have > len(opts.Format.Steps):
		return &FormatError{Path: path, Have: have, Know: len(opts.Format.Steps)}
	case !begun:
		return fmt.Errorf("%s: is empty", path)
	case have < len(opts.Format.Steps):
		return fmt.Errorf("%s: has format %d: a start of a2alockd brings it to %d", path, have, len(opts.Format.Steps))
	}
	return fn(file)
}

// CheckBodies gives the faults of bodies: they must be what their digests say, and
// there where named.
func (tx *Tx) CheckBodies(named map[string]uint64) (faults []error, err error) {
	for e, err := range tx.All(bodies, nil) {
		if err != nil {
			return nil, err
		}
		raw, err := unzip(e.Value)
		if err == nil && (len(e.Key) != sha256.Size || sha256.Sum256(raw) != [sha256.Size]byte(e.Key)) {
			err = errors.New("its digest is another")
		}
		if err != nil {
			faults = append(faults, &RecordError{Kind: "body", Key: packed.FormatDigest(e.Key), Err: err})
		}
	}
	for _, digest := range slices.Sorted(maps.Keys(named)) {
		sum, _ := packed.ParseDigest(digest)
		body, err := tx.Get(bodies, sum)
		if err != nil {
			return nil, err
		}
		if body == nil {
			faults = append(faults, fmt.Errorf("body %s: named and missing", digest))
		}
	}
	return faults, nil
}

// DropUnnamed drops up to limit bodies that no record names, looking at those
// that follow after. It gives the last key it saw, nil at the end.
func (tx *Tx) DropUnnamed(after []byte, limit int) (dropped int, last []byte, err error) {
	list, err := tx.Scan(bodies, nil, after, limit)
	for _, e := range list {
		refs, err := tx.Get(bodyRefs, e.Key)
		if err != nil {
			return dropped, nil, err
		}
		if refs != nil {
			continue
		}
		if err := tx.Drop(bodies, e.Key); err != nil {
			return dropped, nil, err
		}
		dropped++
	}
	if len(list) == limit {
		last = list[limit-1].Key
	}
	return dropped, last, err
}

// Bodies are the digests of all bodies.
func (tx *Tx) Bodies() ([]string, error) {
	var digests []string
	for e, err := range tx.All(bodies, nil) {
		if err != nil {
			return nil, err
		}
		digests = append(digests, packed.FormatDigest(e.Key))
	}
	return digests, nil
}
