package taken_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/taken"
)

func TestKeep(t *testing.T) {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "a.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	change := func(key string, was []byte) taken.Change {
		return taken.Change{Bucket: []byte("locks"), Key: []byte(key), Was: was}
	}
	err = db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket([]byte("meta"))
		if err != nil {
			return err
		}
		if err := errors.Join(b.Put([]byte("mark"), []byte("ours")), b.Put([]byte("tb"), nil)); err != nil {
			return err
		}
		if taken.Has(b) {
			t.Error("something is kept before")
		}
		large := bytes.Repeat([]byte("x"), taken.Most-3)
		err = errors.Join(
			taken.Keep(b, []taken.Change{
				change("a", []byte("one")), change("a", []byte("then")), change("new", nil), change("new", []byte("ours")), change("large", large), change("late", []byte("!")),
			}),
			taken.Keep(b, []taken.Change{change("a", []byte("two")), change("late", []byte("!"))}))
		got := map[string]int{}
		_ = b.ForEach(func(k, v []byte) error { got[strings.ReplaceAll(string(k), "\x00", "/")] = len(v); return nil })
		want := map[string]int{"mark": 4, "tb": 0, "taken/locks/a": 3, "taken/locks/large": len(large), "taken/locks/late": 1}
		if d := cmp.Diff(want, got); d != "" || !taken.Has(b) {
			t.Errorf("kept (-want +got):\n%s", d)
		}
		err = errors.Join(err, taken.Drop(b))
		if n := b.Stats().KeyN; taken.Has(b) || !bytes.Equal(b.Get([]byte("mark")), []byte("ours")) {
			t.Errorf("%d keys are left", n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
