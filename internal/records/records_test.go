package records

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/internal/boltfile"
	"github.com/a2alock/a2alock/internal/packed"
)

var things = Kind{Name: "thing", Bucket: []byte("things")}

type thing struct{ A, B string }

func testFormat() Format { return Format{Mark: "test", Buckets: [][]byte{things.Bucket}} }

func openDB(t testing.TB, path string, opts Options) *DB {
	t.Helper()
	if opts.Format.Mark == "" {
		opts.Format = testFormat()
	}
	db, err := Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func newDB(t testing.TB) *DB {
	t.Helper()
	return openDB(t, filepath.Join(t.TempDir(), "a.db"), Options{})
}

// keys are the keys of things.
func keys(t testing.TB, db *DB) (list []string) {
	t.Helper()
	err := db.View(func(tx *Tx) error {
		for e, err := range tx.All(things.Bucket, nil) {
			if err != nil {
				return err
			}
			list = append(list, string(e.Key))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func put(key string) func(*Tx) error {
	return func(tx *Tx) error { return tx.Put(things.Bucket, []byte(key), []byte("v")) }
}

func TestAFunctionThatFailsDisturbsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newDB(t)
		refused := errors.New("refused")
		if err := db.Update(put("there")); err != nil {
			t.Fatal(err)
		}
		got := map[string]error{}
		runs := map[string]int{}
		later := func(name string, fn func(*Tx) error) {
			db.Later(func(tx *Tx) error { runs[name]++; return fn(tx) }, func(err error) { got[name] = err })
		}
		later("a", put("a"))
		later("b", func(tx *Tx) error {
			return errors.Join(
				put("b")(tx), put("b")(tx), tx.Put(things.Bucket, []byte("a"), []byte("other")),
				tx.Drop(things.Bucket, []byte("there")), tx.Drop(things.Bucket, []byte("a")), refused,
			)
		})
		later("c", func(tx *Tx) error {
			defer func() { recover() }()
			return errors.Join(put("c")(tx), tx.Put(things.Bucket, nil, nil)) // no key
		})
		later("d", func(tx *Tx) error { _, err := tx.NextSeq(); return errors.Join(err, refused) })
		later("e", func(tx *Tx) error {
			if n, err := tx.NextSeq(); n != 1 || err != nil {
				t.Errorf("NextSeq after a failed one = %d, %v; want 1", n, err)
			}
			v, err := tx.Get(things.Bucket, []byte("a"))
			if string(v) != "v" {
				t.Errorf("a = %q, want what it was before b", v)
			}
			return errors.Join(err, put("e")(tx))
		})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		for name, n := range runs {
			if n != 1 {
				t.Errorf("%s ran %d times", name, n)
			}
		}
		if got["a"] != nil || !errors.Is(got["b"], refused) || got["c"] == nil || !errors.Is(got["d"], refused) || got["e"] != nil {
			t.Errorf("outcomes: %v", got)
		}
		if got := strings.Join(keys(t, db), " "); got != "a e there" {
			t.Errorf("kept: %s", got)
		}
	})
}

func TestAPanicIsTheCallers(t *testing.T) {
	db := newDB(t)
	func() {
		defer func() {
			if p := recover(); p != "a bug" {
				t.Errorf("recovered %v, want what the function panicked with", p)
			}
		}()
		db.Update(func(tx *Tx) error { put("x")(tx); panic("a bug") })
	}()
	if err := db.Update(put("y")); err != nil {
		t.Error(err)
	}
	if got := strings.Join(keys(t, db), " "); got != "y" {
		t.Errorf("kept: %s, want y", got)
	}
}

func TestUpdatesShareACommit(t *testing.T) {
	var commits int
	db := openDB(t, filepath.Join(t.TempDir(), "a.db"), Options{CommitDuration: func(time.Duration) { commits++ }})
	release, running := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		db.Update(func(*Tx) error {
			close(running)
			<-release
			return nil
		})
	})
	<-running // else some would share its commit
	const n = 200
	for i := range n {
		wg.Go(func() {
			if err := db.Update(put(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	for { // until all wait behind the first
		db.mu.Lock()
		waiting := len(db.queue)
		db.mu.Unlock()
		if waiting >= n {
			break
		}
		time.Sleep(time.Millisecond)
	}
	close(release)
	wg.Wait()
	if len(keys(t, db)) != n || commits > 3 {
		t.Errorf("%d of %d kept in %d commits, want all in 3 at most", len(keys(t, db)), n, commits)
	}
}

func TestCloseCommitsWhatWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := openDB(t, path, Options{Delay: time.Hour})
	for i := range 5000 {
		db.Later(put(fmt.Sprint(i)), nil)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := len(keys(t, openDB(t, path, Options{}))); got != 5000 {
		t.Errorf("%d kept, want 5000", got)
	}
}

func TestTxEndsWithItsFunction(t *testing.T) {
	db := newDB(t)
	var kept *Tx
	if err := db.Update(func(tx *Tx) error { kept = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := put("x")(kept); !errors.Is(err, ErrClosed) {
		t.Errorf("writing on a Tx that is over: %v", err)
	}
	err := db.View(func(tx *Tx) error {
		kept = tx
		if err := put("x")(tx); !errors.Is(err, errReadOnly) {
			t.Errorf("writing in a View: %v", err)
		}
		return nil
	})
	if _, got := kept.Get(things.Bucket, []byte("x")); err != nil || !errors.Is(got, ErrClosed) {
		t.Errorf("reading on a Tx that is over: %v, %v", got, err)
	}
}

func TestMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	format := func(n int) Format {
		f := testFormat()
		f.Begin = func(b *bolt.Tx) error { return b.Bucket(things.Bucket).Put([]byte("begun"), nil) }
		for i := range n {
			f.Steps = append(f.Steps, func(b *bolt.Tx) error {
				return b.Bucket(things.Bucket).Put(fmt.Appendf(nil, "step %d", i), nil)
			})
		}
		return f
	}
	for _, tt := range []struct {
		know, bad int
		want      string
		migrated  bool
	}{
		{know: 1, want: "begun"},
		{know: 1, want: "begun"},
		{know: 3, want: "begun step 1 step 2", migrated: true},
		{know: 3, want: "begun step 1 step 2"},
	} {
		db := openDB(t, path, Options{Format: format(tt.know)})
		if got := strings.Join(keys(t, db), " "); got != tt.want || db.Opened().Migrated != tt.migrated {
			t.Errorf("format %d: holds %q, migrated %v; want %q, %v", tt.know, got, db.Opened().Migrated, tt.want, tt.migrated)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(path, Options{Format: format(2)})
	if newer, ok := errors.AsType[*FormatError](err); !ok || newer.Have != 3 || newer.Know != 2 || newer.Path != path {
		t.Errorf("a newer format: %v, want a FormatError", err)
	}
	// A step that fails leaves the old format in place.
	f := format(4)
	f.Steps[3] = func(b *bolt.Tx) error {
		return errors.Join(b.Bucket(things.Bucket).Put([]byte("half"), nil), errors.New("refused"))
	}
	if _, err := Open(path, Options{Format: f}); err == nil || !strings.Contains(err.Error(), "from format 3 to 4: refused") {
		t.Errorf("a step that fails: %v", err)
	}
	if got := strings.Join(keys(t, openDB(t, path, Options{Format: format(3)})), " "); got != "begun step 1 step 2" {
		t.Errorf("after a step that failed: %q", got)
	}
}

func TestForeignFileIsSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	other := Format{Mark: "other"}
	if err := openDB(t, path, Options{Format: other}).Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	db := openDB(t, path, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	got := db.Opened()
	if !got.Rebuilt || !strings.HasPrefix(got.Aside, path+".corrupt-") || got.Reason != "another program's bbolt file" {
		t.Errorf("Opened = %+v", got)
	}
	if !strings.Contains(log.String(), "store damaged") {
		t.Errorf("log: %s", &log)
	}
	if _, err := Open(got.Aside, Options{Format: other}); err != nil {
		t.Errorf("what was set aside: %v", err)
	}
}

func TestCompactionAtOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := openDB(t, path, Options{})
	large := bytes.Repeat([]byte("x"), 1<<20)
	for range 2 { // fill, then empty
		err := db.Update(func(tx *Tx) error {
			for i := range 8 {
				if err := tx.Put(things.Bucket, fmt.Append(nil, i), large); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		large = []byte("small")
	}
	before := db.Size()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		over int64
		want bool
	}{{-1, false}, {0, false}, {4 << 20, true}, {4 << 20, false}} {
		db := openDB(t, path, Options{CompactOver: tt.over})
		if got := db.Opened().Compacted; got > 0 != tt.want || tt.want && (db.Size() > before/4 || got != before-db.Size()) {
			t.Errorf("over %d: gave back %d of %d, now %d", tt.over, got, before, db.Size())
		}
		if len(keys(t, db)) != 8 {
			t.Errorf("over %d: holds %v", tt.over, keys(t, db))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNames holds names and their counts against a map.
func TestNames(t *testing.T) {
	db := newDB(t)
	rapid.Check(t, func(t *rapid.T) {
		uses := map[Name]uint64{}
		texts := map[Name]string{}
		digest := packed.FormatDigest(bytes.Repeat([]byte{7}, 32))
		steps := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", digest, strings.ToUpper(digest), "sha256:"}), 1, 20).Draw(t, "texts")
		err := db.Update(func(tx *Tx) error {
			for _, s := range steps {
				n, err := tx.Use(s)
				if err != nil {
					return err
				}
				if old, ok := texts[n]; ok && old != s {
					t.Fatalf("%q and %q have one name", old, s)
				}
				texts[n] = s
				uses[n]++
			}
			for n, s := range texts {
				if got, err := tx.Text(n); got != s || err != nil {
					return fmt.Errorf("Text(%x) = %q, %v; want %q", n, got, err, s)
				}
			}
			if faults, err := tx.MendNames(uses); err != nil || faults != nil {
				return errors.Join(append(faults, err)...)
			}
			for n, times := range uses {
				for range times {
					if err := tx.Unuse(n); err != nil {
						return err
					}
				}
			}
			faults, err := tx.MendNames(map[Name]uint64{})
			return errors.Join(append(faults, err)...)
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Two texts whose hashes begin alike have two names.
func TestNamesThatCollide(t *testing.T) {
	db := newDB(t)
	err := db.Update(func(tx *Tx) error {
		n, _, err := tx.nameOf(nameOfText, packed.PackText("a"))
		if err != nil {
			return err
		}
		squatter := []byte{1, nameOfText, 0, 'z'}
		if err := tx.Put(names, n[:], squatter); err != nil {
			return err
		}
		got, err := tx.Use("a")
		if err != nil {
			return err
		}
		if text, err := tx.Text(got); got != n.next() || text != "a" || err != nil {
			t.Errorf("Use(a) = %x for %q, %v; want %x", got, text, err, n.next())
		}
		again, ok, err := tx.Find("a")
		if again != got || !ok {
			t.Errorf("Find(a) = %x, %v; want %x", again, ok, got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTimesAreOrdered(t *testing.T) {
	for _, tt := range []struct{ early, late time.Time }{
		{time.Time{}, time.Unix(0, 0)},
		{time.Unix(-1, 0), time.Unix(0, 1)},
		{time.Now(), time.Now().AddDate(100, 0, 0)},
		{time.Now(), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		early, late := packed.AppendTime(nil, tt.early), packed.AppendTime(nil, tt.late)
		if bytes.Compare(early, late) >= 0 || !packed.ReadTime(early).Equal(tt.early) {
			t.Errorf("%v and %v: %x and %x, read as %v", tt.early, tt.late, early, late, packed.ReadTime(early))
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range []any{thing{"a", "b"}, thing{strings.Repeat("long ", 200), ""}} {
		data, err := packed.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v thing
		if len(data) > 1<<16 || packed.Decode(data, &v) != nil {
			return
		}
		again, err := packed.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		var got thing
		if err := packed.Decode(again, &got); err != nil || got != v {
			t.Errorf("packed.Decode(packed.Encode(%+v)) = %+v, %v", v, got, err)
		}
	})
}

// child, where the environment names one, makes the test binary another program.
const child = "A2ALOCK_RECORDS_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(child); path != "" {
		if err := fullDisk(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	db := openDB(t, path, Options{})
	if got := strings.Join(keys(t, db), " "); got != "after before" || db.Opened().Rebuilt {
		t.Errorf("afterwards it holds %s: %+v", got, db.Opened())
	}
}

// fullDisk runs in a process of its own, whose files may not grow for a while.
func fullDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	db, err := Open(path, Options{Format: testFormat()})
	if err != nil {
		return err
	}
	if err := db.Update(put("before")); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	max := limit.Cur
	large := bytes.Repeat([]byte("x"), 4<<20)
	for range 3 {
		limit.Cur = uint64(db.Size())
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		err = db.Update(func(tx *Tx) error { return tx.Put(things.Bucket, []byte("large"), large) })
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "file too large") {
			return fmt.Errorf("writing on a full disk: %v", err)
		}
		err := db.View(func(tx *Tx) error {
			v, err := tx.Get(things.Bucket, []byte("before"))
			if string(v) != "v" {
				return fmt.Errorf("what was there before is %q", v)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	limit.Cur = max
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := db.Update(put("after")); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	return db.Close()
}

func TestInspectLeavesThingsAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	none := func(*Tx) error { return nil }
	opts := Options{Format: testFormat()}
	if err := Inspect(path, opts, true, none); err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("no file: %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("made %v, %v", list, err)
	}
	db := openDB(t, path, Options{})
	if err := db.Update(put("a")); err != nil {
		t.Fatal(err)
	}
	if err := Inspect(path, Options{Format: testFormat(), Timeout: time.Millisecond}, true, none); err == nil || !strings.Contains(err.Error(), "in use by process") {
		t.Errorf("a file in use: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Inspect(path, opts, true, none); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(path, 9000); err != nil {
		t.Fatal(err)
	}
	err := Inspect(path, opts, true, none)
	if _, ok := errors.AsType[*boltfile.DamageError](err); !ok {
		t.Errorf("a damaged file: %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v, %v; want the file alone", list, err)
	}
}
