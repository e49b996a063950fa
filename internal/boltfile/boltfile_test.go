package boltfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// newFile is a file with a bucket of n entries, some of them long, and free
// pages, closed.
func newFile(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	f := open(t, path)
	err := errors.Join(
		f.DB.Update(func(tx *bolt.Tx) error {
			small, err := tx.CreateBucket([]byte("small"))
			if err != nil {
				return err
			}
			large, err := tx.CreateBucket([]byte("large"))
			if err != nil {
				return err
			}
			for i := range n {
				key := fmt.Appendf(nil, "key %06d", i)
				if err := large.Put(key, bytes.Repeat([]byte("v"), 10+i%7*1000)); err != nil {
					return err
				}
			}
			return small.Put([]byte("k"), []byte("v"))
		}),
		f.DB.Update(func(tx *bolt.Tx) error {
			c := tx.Bucket([]byte("large")).Cursor()
			for k, _ := c.First(); k != nil; k, _ = c.Next() {
				if k[len(k)-1]%2 == 0 {
					if err := c.Delete(); err != nil {
						return err
					}
				}
			}
			return nil
		}),
		f.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string) *File {
	t.Helper()
	f, err := Acquire(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Load(); err != nil {
		f.Close()
		t.Fatal(err)
	}
	return f
}

// load opens and closes the file at path.
func load(t testing.TB, path string) error {
	t.Helper()
	f, err := Acquire(path, time.Second)
	if err != nil {
		return err
	}
	err = f.Load()
	return errors.Join(err, f.Close())
}

func TestWholeFilesLoad(t *testing.T) {
	for _, n := range []int{0, 1, 10, 2000} {
		if err := load(t, newFile(t, n)); err != nil {
			t.Errorf("%d entries: %v", n, err)
		}
	}
}

func TestDamage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(data []byte) []byte
		want   string
	}{
		{"another file", func([]byte) []byte { return []byte("<html>") }, "no bbolt file"},
		{"all zero", func(data []byte) []byte { return make([]byte, len(data)) }, "no bbolt file"},
		{"both metas", func(data []byte) []byte { clear(data[:2*os.Getpagesize()]); return data }, "no bbolt file"},
		{"half of it", func(data []byte) []byte { return data[:len(data)/2] }, "cut off"},
		{"two pages", func(data []byte) []byte { return data[:2*os.Getpagesize()] }, "cut off"},
		{"all but the metas zero", func(data []byte) []byte { clear(data[2*os.Getpagesize():]); return data }, "says that it is page 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := newFile(t, 400)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			data = tt.damage(data)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			err = load(t, path)
			if damage, ok := errors.AsType[*DamageError](err); !ok || !strings.Contains(damage.Reason, tt.want) || damage.Path != path {
				t.Errorf("Load = %v, want a DamageError with %q", err, tt.want)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
				t.Errorf("the damaged file was changed (%v)", err)
			}
		})
	}
}

// A torn meta page is what a crash leaves behind; the one before it is whole.
func TestOneMetaIsEnough(t *testing.T) {
	for _, page := range []int{0, 1} {
		path := newFile(t, 100)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		clear(data[page*os.Getpagesize()+20:][:40])
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := load(t, path); err != nil {
			t.Errorf("without meta %d: %v", page, err)
		}
	}
}

// Whatever bytes change, Load gives a file that can be read to its end, or an
// error: it never faults.
func TestFlippedBytes(t *testing.T) {
	path := newFile(t, 150)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	damaged := 0
	for range 100 {
		data := bytes.Clone(whole)
		page := random.IntN(len(data)/os.Getpagesize()) * os.Getpagesize()
		for range 1 + random.IntN(4) { // most of what matters is at the beginning of a page
			data[page+random.IntN(200)] = byte(random.Uint32())
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Acquire(path, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if err = f.Load(); err == nil {
			err = readAll(f)
		}
		if err != nil {
			if _, ok := errors.AsType[*DamageError](err); !ok {
				t.Errorf("%v, want a DamageError", err)
			}
			damaged++
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if damaged == 0 {
		t.Error("nothing was found damaged: the test damages the wrong place")
	}
}

func readAll(f *File) error {
	return f.DB.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error { _ = bytes.Clone(v); return nil })
		})
	})
}

func TestFaultIsAnError(t *testing.T) {
	path := newFile(t, 2000)
	f := open(t, path)
	defer f.Abandon()
	if err := os.Truncate(path, 4096); err != nil { // by somebody else
		t.Fatal(err)
	}
	err := func() (err error) {
		defer Catch(path, &err)
		defer PanicOnFault()()
		return readAll(f)
	}()
	if _, ok := errors.AsType[*DamageError](err); !ok {
		t.Errorf("reading what is not there: %v, want a DamageError", err)
	}
}

func TestSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	at := time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC)
	for _, want := range []string{path + ".corrupt-20261130T010203Z", path + ".corrupt-20261130T010203Z-2"} {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Acquire(path, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Load(); err == nil {
			t.Fatal("Load took a text for a database")
		}
		got, err := f.SetAside(at, "a text")
		if err != nil || got != want {
			t.Errorf("SetAside = %q, %v; want %q", got, err, want)
		}
		if aside, reason := f.Noted(); aside != want || reason != "a text" {
			t.Errorf("Noted = %q, %q; want %q and why", aside, reason, want)
		}
		if data, err := os.ReadFile(got); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v; want what was there", got, data, err)
		}
		if _, err := Acquire(path, 0); !isInUse(err) {
			t.Errorf("the new file is not held: %v", err)
		}
		if err := errors.Join(f.DB.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("b")); return err }), f.Close()); err != nil {
			t.Errorf("the new file: %v", err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// A file of no length is what a crash leaves behind, or a person: it is told of.
func TestEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Acquire(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if damage, ok := errors.AsType[*DamageError](f.Load()); !ok || damage.Reason != "empty" {
		t.Errorf("Load = %v, want a DamageError: empty", damage)
	}
	aside, err := f.SetAside(time.Now(), "empty")
	if noted, _ := f.Noted(); err != nil || noted != aside {
		t.Errorf("Noted = %q, %v; want %q", noted, err, aside)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := load(t, path); err != nil {
		t.Errorf("the next time: %v", err)
	}
}

func isInUse(err error) bool {
	_, ok := errors.AsType[*InUseError](err)
	return ok
}

func TestHolderIsNamed(t *testing.T) {
	path := newFile(t, 1)
	f := open(t, path)
	_, err := Acquire(path, 0)
	want := fmt.Sprintf("%s: in use by process %d (%s on ", path, os.Getpid(), filepath.Base(os.Args[0]))
	if !isInUse(err) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Acquire = %v, want %q…", err, want)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if names, err := filepath.Glob(path + "*"); err != nil || len(names) != 1 {
		t.Errorf("left behind: %q, %v; want the file alone", names, err)
	}
	// What a killed process leaves behind counts for nothing.
	if err := os.WriteFile(holderPath(path), []byte(`{"pid":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := load(t, path); err != nil {
		t.Errorf("with the name of a dead holder: %v", err)
	}
}

func TestCompact(t *testing.T) {
	path := newFile(t, 2000)
	f := open(t, path)
	if f.Usage.Free == 0 {
		t.Fatal("there is nothing to compact")
	}
	if err := os.WriteFile(path+".compact", []byte("left behind by a crash"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := f.Usage
	sum := content(t, f)
	if err := f.Compact(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, f); !bytes.Equal(got, sum) {
		t.Error("compaction lost something")
	}
	if f.Usage.Size >= before.Size {
		t.Errorf("size %d before, %d after", before.Size, f.Usage.Size)
	}
	if _, err := Acquire(path, 0); !isInUse(err) {
		t.Errorf("the new file is not held: %v", err)
	}
	// It is the new file that is written from now on.
	err := f.DB.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte("small")).Put([]byte("after"), []byte("it")) })
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	f = open(t, path)
	defer f.Close()
	if !bytes.Contains(content(t, f), []byte("after")) {
		t.Error("what was written after compaction is lost")
	}
	if _, err := os.Stat(path + ".compact"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary file stayed: %v", err)
	}
}

// bbolt writes a small file anew in more bytes than it had.
func TestCompactLeavesWhatWouldNotShrink(t *testing.T) {
	path := newFile(t, 1)
	before, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	sum := content(t, f)
	if err := f.Compact(); err != nil {
		t.Fatal(err)
	}
	after, err := os.Lstat(path)
	if err != nil || !os.SameFile(before, after) || after.Size() != before.Size() || f.Usage.Size != before.Size() {
		t.Errorf("%d bytes before; another file of %d (%d) now, %v", before.Size(), after.Size(), f.Usage.Size, err)
	}
	if _, err := os.Stat(path + ".compact"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary file stayed: %v", err)
	}
	if got := content(t, f); !bytes.Equal(got, sum) {
		t.Error("something is lost")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, f *File) (all []byte) {
	t.Helper()
	err := f.DB.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				all = fmt.Appendf(all, "%q %q %q\n", name, k, v)
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link.db")
	file := filepath.Join(dir, "file")
	if err := errors.Join(os.Symlink(newFile(t, 1), link), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "no", "a.db"): "the folder " + filepath.Join(dir, "no") + " does not exist",
		filepath.Join(file, "a.db"):      file + " is no folder",
		dir:                              "is no regular file",
		link:                             "is a symbolic link: name the file that it leads to",
		"/proc/a.db":                     "open /proc/a.db: ",
	} {
		_, err := Acquire(path, 0)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("Acquire(%q) = %v, want %q", path, err, want)
		}
	}
}

func TestMode(t *testing.T) {
	info, err := os.Stat(newFile(t, 1))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}
