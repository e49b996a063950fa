package records

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/boltfile"
	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/taken"
)

// metKey holds, in metas, what [Open] met and nobody was told of yet.
var metKey = []byte("met")

// mendFile has Options.Mend look at what was just loaded. The file as it was is
// kept beside where something had to be mended. What makes bbolt panic is damage
// too.
func (db *DB) mendFile() (err error) {
	defer func() {
		if p := recover(); p != nil {
			db.file.DB = nil // its transaction cannot be ended
			err = &boltfile.DamageError{Path: db.file.Path(), Reason: fmt.Sprint(p)}
		}
	}()
	defer boltfile.PanicOnFault()()
	b, err := db.file.DB.Begin(true)
	if err != nil {
		return fmt.Errorf("%s: %w", db.file.Path(), err)
	}
	tx := &Tx{db: db, b: b}
	defer func() { tx.b, tx.over = nil, ErrClosed }()
	var faults []error
	for _, name := range withOurs(db.opts.Format).Buckets {
		if _, err = tx.bucket(name); err != nil {
			break
		}
	}
	if err == nil && db.opts.Mend != nil {
		faults, err = db.opts.Mend(tx)
		db.faults = nil // what it met is mended, or the file is set aside
	}
	if db.file.Usage.OneHead {
		faults = append(faults, errors.New("one of the file's two heads: what was written last may be missing"))
	}
	if err != nil || len(faults) == 0 && !taken.Has(b.Bucket(metas)) {
		return errors.Join(err, b.Rollback())
	}
	o := Opened{Mended: len(faults), Reason: Several(faults)}
	if o.Aside, err = db.file.Copy(time.Now()); err != nil {
		db.opts.Log.Warn("damaged store not copied: what is taken out is kept in it until the next start", "err", err)
		err = taken.Keep(b.Bucket(metas), tx.undo)
	} else {
		err = taken.Drop(b.Bucket(metas))
	}
	if err == nil && len(faults) > 0 {
		o, err = tx.untold(o)
	}
	if err != nil {
		return errors.Join(err, b.Rollback())
	}
	if len(faults) > 0 {
		db.opts.Log.Error("records damaged: taken out or made anew", "path", db.file.Path(), "records", o.Mended, "err", o.Reason, "aside", o.Aside)
	} else if o.Aside != "" {
		db.opts.Log.Info("what was taken out of the store is in a copy of it", "path", db.file.Path(), "aside", o.Aside)
	}
	if err := b.Commit(); err != nil { // a full disk is no reason to stay down
		db.opts.Log.Error("store not mended", "err", err)
		db.note(&RecordError{Kind: "store", Key: db.file.Path(), Err: err})
	}
	return nil
}

// untold notes o with what was not told yet.
func (tx *Tx) untold(o Opened) (Opened, error) {
	if was := tx.Met(); was.Rebuilt || was.Mended > 0 {
		o.Rebuilt, o.Mended = o.Rebuilt || was.Rebuilt, o.Mended+was.Mended
		o.Aside = strings.Join(slices.DeleteFunc([]string{was.Aside, o.Aside}, func(s string) bool { return s == "" }), ", ")
		o.Reason = was.Reason + "; " + o.Reason
	}
	return o, o.keep(tx.b)
}

// keep notes o for whoever tells of it.
func (o *Opened) keep(b *bolt.Tx) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return b.Bucket(metas).Put(metKey, data)
}

// Met is what [Open] and [DB.Mend] met until now and nobody was told of.
func (tx *Tx) Met() (o Opened) {
	data, err := tx.Get(metas, metKey)
	if err == nil && data != nil && json.Unmarshal(data, &o) != nil {
		o = Opened{Mended: 1, Reason: "what was to be told of it"}
	}
	return o
}

// Told notes that what [Tx.Met] tells was told: the next start does not meet it
// again.
func (tx *Tx) Told() error {
	tx.db.file.Forget()
	return tx.Drop(metas, metKey)
}

// Several is a line for many faults.
func Several(faults []error) string {
	const most = 5
	var texts []string
	for _, err := range faults[:min(len(faults), most)] {
		texts = append(texts, err.Error())
	}
	if n := len(faults) - most; n > 0 {
		texts = append(texts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(texts, "; ")
}

// Mend runs Options.Mend on the open file: what it gives is mended when Mend
// returns, and [Tx.Met] until it was told.
func (db *DB) Mend() (faults []error, err error) {
	if db.opts.Mend == nil {
		return nil, nil
	}
	err = db.Update(func(tx *Tx) (err error) {
		if faults, err = db.opts.Mend(tx); err != nil || len(faults) == 0 {
			return err
		}
		_, err = tx.untold(Opened{Mended: len(faults), Reason: Several(faults)})
		return errors.Join(err, taken.Keep(tx.b.Bucket(metas), tx.undo))
	})
	if err == nil {
		db.mu.Lock()
		db.faults = nil
		db.mu.Unlock()
	}
	return faults, err
}

// Damaged is how many records could not be read since the file was opened, or
// mended, and why not the first of them; nil: all could.
func (db *DB) Damaged() (n int, first error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(db.faults)) {
		first = db.faults[key]
		break
	}
	return len(db.faults), first
}

// Skip reports whether err is of one record that cannot be read: who lists others
// goes on without it. It is counted, see [DB.Damaged].
func (tx *Tx) Skip(err error) bool { return tx.db.note(err) }

// note counts err where it is of one record.
func (db *DB) note(err error) bool {
	fault, ok := errors.AsType[*RecordError](err)
	if !ok {
		return false
	}
	key := fault.Kind + "\n" + fault.Key
	db.mu.Lock()
	_, known := db.faults[key]
	if !known {
		if db.faults == nil {
			db.faults = map[string]error{}
		}
		db.faults[key] = err
	}
	db.mu.Unlock()
	if !known {
		db.opts.Log.Error("a record of the store cannot be read", "err", err)
	}
	return true
}

// SoundNames are the names whose text is what they say, and the keys of those
// whose is not.
func (tx *Tx) SoundNames() (sound map[Name]bool, lost [][]byte, err error) {
	sound = map[Name]bool{}
	for e, err := range tx.All(names, nil) {
		if err != nil {
			return nil, nil, err
		}
		r := packed.Reader{Data: e.Value}
		if r.Uvarint(); r.Err == nil && isNameOf(e.Key, r.Data) {
			sound[Name(e.Key)] = true
		} else {
			lost = append(lost, e.Key)
		}
	}
	return sound, lost, nil
}

// isNameOf is whether key is the Name of the text: one that came after others
// with the same beginning is next to it.
func isNameOf(key, kept []byte) bool {
	if len(key) != NameSize || len(kept) == 0 || kept[0] != nameOfText && kept[0] != nameOfJSON {
		return false
	}
	sum := sha256.Sum256(kept)
	n := Name(sum[:NameSize])
	for range 16 {
		if n == Name(key) {
			return true
		}
		n = n.next()
	}
	return false
}

// Revive gives each of texts that has no Name the one that it had; lost are
// names of something, to be dropped.
func (tx *Tx) Revive(sound map[Name]bool, lost [][]byte, texts []string) error {
	for _, key := range lost {
		if err := tx.Unmake(names, key); err != nil {
			return err
		}
	}
	for _, s := range texts {
		n, uses, err := tx.nameOf(nameOfText, packed.PackText(s))
		if err != nil || uses > 0 {
			continue
		}
		sound[n] = true
		if err := tx.Mend(names, n[:], append([]byte{0, nameOfText}, packed.PackText(s)...)); err != nil {
			return err
		}
	}
	return nil
}

// MendNames makes the names be counted as often as they are used, and gives
// what was otherwise.
func (tx *Tx) MendNames(uses map[Name]uint64) (faults []error, err error) {
	for e, err := range tx.All(names, nil) {
		if err != nil {
			return nil, err
		}
		r := packed.Reader{Data: e.Value}
		n, want := r.Uvarint(), uint64(0)
		if len(e.Key) == NameSize {
			want = uses[Name(e.Key)]
		}
		if r.Err == nil && n == want && n > 0 {
			continue
		}
		faults = append(faults, fmt.Errorf("name %x: counted %d times, used %d times", e.Key, n, want))
		if want == 0 || r.Err != nil {
			err = tx.Unmake(names, e.Key)
		} else {
			err = tx.Mend(names, e.Key, append(binary.AppendUvarint(nil, want), r.Data...))
		}
		if err != nil {
			return nil, err
		}
	}
	return faults, nil
}

// MendBodies makes the bodies be counted as often as they are named, and gives
// what was otherwise.
func (tx *Tx) MendBodies(named map[string]uint64) (faults []error, err error) {
	want := map[string]string{}
	for digest, n := range named {
		if sum, ok := packed.ParseDigest(digest); ok {
			want[string(sum)] = string(binary.AppendUvarint(nil, n))
		}
	}
	return tx.MendIndex(Kind{Name: "body_count", Bucket: bodyRefs}, want)
}

// MendIndex makes the bucket hold what it should, and gives what was otherwise.
func (tx *Tx) MendIndex(k Kind, want map[string]string) (faults []error, err error) {
	want = maps.Clone(want)
	for e, err := range tx.All(k.Bucket, nil) {
		if err != nil {
			return nil, err
		}
		value, ok := want[string(e.Key)]
		if delete(want, string(e.Key)); ok && bytes.Equal(e.Value, []byte(value)) {
			continue
		}
		wrong := errors.New("leads nowhere")
		if ok {
			wrong = errors.New("is not what the records give")
		}
		faults = append(faults, &RecordError{Kind: k.Name, Key: packed.Printable(e.Key), Err: wrong})
		if ok {
			err = tx.Mend(k.Bucket, e.Key, []byte(value))
		} else {
			err = tx.Unmake(k.Bucket, e.Key)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(want) > 0 {
		faults = append(faults, fmt.Errorf("index %s: %d entries are missing", k.Name, len(want)))
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if err := tx.Mend(k.Bucket, []byte(key), []byte(want[key])); err != nil {
			return nil, err
		}
	}
	return faults, nil
}

// Counted makes the file's counter go on behind number at least, and reports
// whether it was before, or no number that is given.
func (tx *Tx) Counted(number uint64) (faults []error, err error) {
	switch n, err := tx.Seq(); {
	case err == nil && number <= n && n < 1<<47:
		return nil, nil
	case err != nil && !tx.Skip(err):
		return nil, err
	}
	fault := &RecordError{Kind: "meta", Key: "seq", Err: fmt.Errorf("want %d at least", number)}
	return []error{fault}, tx.Mend(metas, seqKey, binary.BigEndian.AppendUint64(nil, number))
}

// Mend is Put, and nothing where only a look is taken.
func (tx *Tx) Mend(bucket, key, value []byte) error {
	return unlessReadOnly(tx.Put(bucket, key, value))
}

// Unmake is Drop, likewise.
func (tx *Tx) Unmake(bucket, key []byte) error { return unlessReadOnly(tx.Drop(bucket, key)) }

func unlessReadOnly(err error) error {
	if errors.Is(err, errReadOnly) {
		return nil
	}
	return err
}
