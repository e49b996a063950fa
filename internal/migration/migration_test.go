package migration_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/boltfile"
	"github.com/a2alock/a2alock/internal/migration"
)

const path = "a.db" // as errors name the file

// newDB is a file with nothing in it but what fill puts there.
func newDB(t *testing.T, fill func(*bolt.Tx) error) *bolt.DB {
	t.Helper()
	db, err := bolt.Open(filepath.Join(t.TempDir(), "a.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if fill != nil {
		if err := db.Update(fill); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// meta puts the members of bucket meta.
func meta(members ...string) func(*bolt.Tx) error {
	return func(b *bolt.Tx) error {
		bucket, err := b.CreateBucketIfNotExists([]byte("meta"))
		for i := 0; i < len(members) && err == nil; i += 2 {
			err = bucket.Put([]byte(members[i]), []byte(members[i+1]))
		}
		return err
	}
}

// contents are the buckets and keys of db, "bucket/key=value".
func contents(t *testing.T, db *bolt.DB) (list []string) {
	t.Helper()
	err := db.View(func(b *bolt.Tx) error {
		return b.ForEach(func(name []byte, bucket *bolt.Bucket) error {
			list = append(list, string(name))
			return bucket.ForEach(func(k, v []byte) error {
				list = append(list, fmt.Sprintf("%s/%s=%s", name, k, v))
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// format is one of so many steps, each of which adds a key with its number.
func format(steps int) migration.Format {
	put := func(bucket, key string) func(*bolt.Tx) error {
		return func(b *bolt.Tx) error { return b.Bucket([]byte(bucket)).Put([]byte(key), nil) }
	}
	f := migration.Format{Mark: "ours", Buckets: [][]byte{[]byte("data")}, Begin: put("data", "begun")}
	for n := range steps {
		f.Steps = append(f.Steps, put("data", fmt.Sprintf("step %d", n)))
	}
	return f
}

func TestMigrate(t *testing.T) {
	for _, tt := range []struct {
		name     string
		have     func(*bolt.Tx) error
		migrated bool
		want     []string
	}{
		{"a new file", nil, false, []string{"data", "data/begun=", "data/fresh=", "meta", "meta/format=2", "meta/format again=2", "meta/mark=ours"}},
		{
			"the first format", meta("mark", "ours", "format", "0"), true,
			[]string{"data", "data/begun=", "data/step 0=", "data/step 1=", "meta", "meta/format=2", "meta/format again=2", "meta/mark=ours"},
		},
		{
			"one in between", meta("mark", "ours", "format", "1", "format again", "1", "other", "stays"), true,
			[]string{"data", "data/begun=", "data/step 1=", "meta", "meta/format=2", "meta/format again=2", "meta/mark=ours", "meta/other=stays"},
		},
		{
			"the present one", meta("mark", "ours", "format", "2", "format again", "2"), false,
			[]string{"meta", "meta/format=2", "meta/format again=2", "meta/mark=ours"},
		},
		{
			"the present one, of which a bit turned", meta("mark", "ours", "format", "3", "format again", "2"), false,
			[]string{"meta", "meta/format=3", "meta/format again=2", "meta/mark=ours"},
		},
		{
			"the present one, of which a bit turned to no number", meta("mark", "ours", "format", "r", "format again", "2"), false,
			[]string{"meta", "meta/format=r", "meta/format again=2", "meta/mark=ours"},
		},
		{
			"and the other's", meta("mark", "ours", "format", "2", "format again", "\xb2"), false,
			[]string{"meta", "meta/format=2", "meta/format again=\xb2", "meta/mark=ours"},
		},
		{
			"of the present one, one is left", meta("mark", "ours", "format again", "2"), false,
			[]string{"meta", "meta/format again=2", "meta/mark=ours"},
		},
		{
			"an older one, of which a bit turned", meta("mark", "ours", "format", "3", "format again", "1"), true,
			[]string{"data", "data/begun=", "data/step 1=", "meta", "meta/format=2", "meta/format again=2", "meta/mark=ours"},
		},
		{
			"and to no number", meta("mark", "ours", "format", "1", "format again", "q"), true,
			[]string{"data", "data/begun=", "data/step 1=", "meta", "meta/format=2", "meta/format again=2", "meta/mark=ours"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := newDB(t, tt.have)
			fresh := func(b *bolt.Tx) error { return b.Bucket([]byte("data")).Put([]byte("fresh"), nil) }
			migrated, err := format(2).Migrate(db, path, fresh)
			if migrated != tt.migrated || err != nil {
				t.Errorf("Migrate = %v, %v; want %v", migrated, err, tt.migrated)
			}
			if d := cmp.Diff(tt.want, contents(t, db)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			have, begun, err := format(2).Of(db, path)
			if have != 2 || !begun || err != nil {
				t.Errorf("Of = %d, %v, %v; want 2", have, begun, err)
			}
		})
	}
}

// What is not ours, or newer than we are, is left as it is.
func TestMigrateLeavesAlone(t *testing.T) {
	for _, tt := range []struct {
		name  string
		have  func(*bolt.Tx) error
		newer bool // else damage
		want  string
	}{
		{"another's", func(b *bolt.Tx) error { _, err := b.CreateBucket([]byte("theirs")); return err }, false, "another program's bbolt file"},
		{"another mark", meta("mark", "theirs", "format", "2"), false, "another program's bbolt file"},
		{"no format", meta("mark", "ours"), false, `format ""`},
		{"no number", meta("mark", "ours", "format", "two"), false, `format "two"`},
		{"below 0", meta("mark", "ours", "format", "-1"), false, `format "-1"`},
		{"two, both older", meta("mark", "ours", "format", "1", "format again", "0"), false, `format "1", and "0"`},
		{"two, neither a number", meta("mark", "ours", "format", "two", "format again", "r"), false, `format "two", and "r"`},
		{"two, both newer", meta("mark", "ours", "format", "7", "format again", "3"), true, "a.db: has format 3, "},
		{
			"newer", meta("mark", "ours", "format", "3", "format again", "3"), true,
			"a.db: has format 3, and this a2alockd knows 2 at most: run the newer one, or move the file away to begin anew",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := newDB(t, tt.have)
			before := contents(t, db)
			_, err := format(2).Migrate(db, path, nil)
			_, isNewer := errors.AsType[*migration.FormatError](err)
			_, isDamage := errors.AsType[*boltfile.DamageError](err)
			if isNewer != tt.newer || isDamage == tt.newer || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("Migrate = %v, want %q", err, tt.want)
			}
			if d := cmp.Diff(before, contents(t, db)); d != "" {
				t.Errorf("it was written (-before +after):\n%s", d)
			}
		})
	}
}

// A step that fails takes back those before it.
func TestMigrateIsWhole(t *testing.T) {
	db := newDB(t, meta("mark", "ours", "format", "0"))
	before := contents(t, db)
	f := format(1)
	full := errors.New("disk full")
	f.Steps = append(f.Steps, func(*bolt.Tx) error { return full })
	if _, err := f.Migrate(db, path, nil); !errors.Is(err, full) || !strings.Contains(err.Error(), "a.db: from format 1 to 2: ") {
		t.Errorf("Migrate = %v, want the second step's error", err)
	}
	if d := cmp.Diff(before, contents(t, db)); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
}
