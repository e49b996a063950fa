package boltfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A look makes nothing, holds the file against others, and can be taken twice.
func TestLook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	if _, err := Look(path, time.Millisecond); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Look where nothing is: %v", err)
	}
	f, err := Acquire(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Load(), f.Close()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		f, err := Look(path, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Load(); err != nil {
			t.Fatal(err)
		}
		if _, err := f.DB.Begin(true); err == nil {
			t.Error("a look may write")
		}
		if _, err := Acquire(path, time.Millisecond); !errors.As(err, new(*InUseError)) {
			t.Errorf("Acquire beside a look = %v", err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was written (%v)", err)
	}
}

// A copy has the name of a file that was set aside, and is none.
func TestCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	at := time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC)
	f, err := Acquire(path, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Load(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{path + ".corrupt-20261130T010203Z", path + ".corrupt-20261130T010203Z-2"} {
		got, err := f.Copy(at)
		if got != want || err != nil {
			t.Errorf("Copy = %q, %v; want %q", got, err, want)
		}
		if noted, _ := f.Noted(); noted != "" {
			t.Errorf("Noted = %q, want none", noted)
		}
		is, err1 := os.ReadFile(got)
		was, err2 := os.ReadFile(path)
		if err1 != nil || err2 != nil || !bytes.Equal(is, was) {
			t.Errorf("the copy is another file (%v, %v)", err1, err2)
		}
	}
}

// A note is of a file that is there, and ends with Forget; an empty file in the
// place of one that was set aside leaves the note of that alone.
func TestNote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	if err := os.WriteFile(path, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	set := func(reason string) (*File, string) {
		t.Helper()
		f, err := Acquire(path, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Load(); err == nil {
			t.Fatal("Load took it for a database")
		}
		aside, err := f.SetAside(time.Now(), reason)
		if err != nil {
			t.Fatal(err)
		}
		return f, aside
	}
	f, first := set("a text\nof two lines")
	if err := errors.Join(f.Close(), os.WriteFile(path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	f, _ = set("empty")
	defer f.Close()
	if aside, reason := f.Noted(); aside != first || reason != "a text\nof two lines" {
		t.Errorf("Noted = %q, %q; want %q", aside, reason, first)
	}
	for _, text := range []string{"", "a.db\n", "a.db.corrupt-1", "a.db.corrupt-/../a.db\n", "a.db.corrupt-gone\nwhy"} {
		if err := os.WriteFile(path+asideNote, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if aside, _ := f.Noted(); aside != "" {
			t.Errorf("Noted of %q = %q, want none", text, aside)
		}
	}
	f.note(first, "why")
	if f.Forget(); isNoted(f) {
		t.Error("it is noted after Forget")
	}
	f.Forget() // again
}

func isNoted(f *File) bool {
	aside, _ := f.Noted()
	return aside != ""
}
