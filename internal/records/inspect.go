package records

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"

	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/boltfile"
)

// Inspect runs fn on the file at path, which nobody may hold, and changes
// nothing. With deep, bbolt's own check of the file comes first. Only a file of
// this program's format is inspected.
func Inspect(path string, opts Options, deep bool, fn func(*Tx) error) error {
	return with(path, opts, func(file *boltfile.File) (err error) {
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
	err = with(path, opts, func(file *boltfile.File) error {
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
func with(path string, opts Options, fn func(*boltfile.File) error) (err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such file", path)
	}
	file, err := boltfile.Acquire(path, opts.withDefaults().Timeout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Load(); err != nil {
		return err
	}
	switch have, begun, err := opts.Format.of(file.DB, path); {
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

// CheckNames holds the names against how often each is used.
func (tx *Tx) CheckNames(uses map[Name]uint64) error {
	var errs []error
	found := 0
	for e, err := range tx.All(names, nil) {
		if err != nil {
			return err
		}
		r := Reader{Data: e.Value}
		n, kind := r.Uvarint(), r.Byte()
		if r.Err != nil || len(e.Key) != NameSize || kind != nameOfText && kind != nameOfJSON {
			errs = append(errs, &RecordError{Kind: "name", Key: Printable(e.Key), Err: ErrShort})
			continue
		}
		found++
		if want := uses[Name(e.Key)]; n != want {
			errs = append(errs, fmt.Errorf("name %x: counted %d times, used %d times", e.Key, n, want))
		}
	}
	delete(uses, Name{})
	if found < len(uses) {
		errs = append(errs, fmt.Errorf("%d names are used and missing", len(uses)-found))
	}
	return errors.Join(errs...)
}

// CheckBodies holds the bodies, which must be what their digests say, against
// how often each is named.
func (tx *Tx) CheckBodies(named map[string]uint64) error {
	var errs []error
	for e, err := range tx.All(bodies, nil) {
		if err != nil {
			return err
		}
		raw, err := unzip(e.Value)
		if err == nil && (len(e.Key) != sha256.Size || sha256.Sum256(raw) != [sha256.Size]byte(e.Key)) {
			err = errors.New("its digest is another")
		}
		if err != nil {
			errs = append(errs, &RecordError{Kind: "body", Key: FormatDigest(e.Key), Err: err})
		}
	}
	counted := map[string]uint64{}
	for e, err := range tx.All(bodyRefs, nil) {
		if err != nil {
			return err
		}
		digest := FormatDigest(e.Key)
		counted[digest], _ = binary.Uvarint(e.Value)
		if counted[digest] != named[digest] {
			errs = append(errs, fmt.Errorf("body %s: counted %d times, named %d times", digest, counted[digest], named[digest]))
		}
		if body, err := tx.Get(bodies, e.Key); err != nil {
			return err
		} else if body == nil {
			errs = append(errs, fmt.Errorf("body %s: named and missing", digest))
		}
	}
	for digest := range named {
		if counted[digest] == 0 {
			errs = append(errs, fmt.Errorf("body %s: named and not counted", digest))
		}
	}
	return errors.Join(errs...)
}

// CheckIndex holds a bucket against what it should hold, by key.
func (tx *Tx) CheckIndex(k Kind, want map[string]string) error {
	var errs []error
	found := 0
	for e, err := range tx.All(k.Bucket, nil) {
		if err != nil {
			return err
		}
		if value, ok := want[string(e.Key)]; !ok || value != string(e.Value) {
			errs = append(errs, &RecordError{Kind: k.Name, Key: Printable(e.Key), Err: errors.New("leads nowhere")})
		} else {
			found++
		}
	}
	if found < len(want) {
		errs = append(errs, fmt.Errorf("index %s: %d entries are missing", k.Name, len(want)-found))
	}
	return errors.Join(errs...)
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
		digests = append(digests, FormatDigest(e.Key))
	}
	return digests, nil
}
