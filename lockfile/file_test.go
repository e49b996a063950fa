package lockfile_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/lockfile"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "folder", "q.a2a.lock.json")
	l := minimal()
	if err := l.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	want, _ := lockfile.Format(l)
	holds(t, path, want)

	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	l.Owner = "team"
	if err := l.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	want, _ = lockfile.Format(l)
	holds(t, path, want)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode after a rewrite = %v, %v, want 0600", info.Mode(), err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if err := l.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); time.Since(info.ModTime()) < time.Minute {
		t.Error("WriteFile of the same lock wrote the file")
	}
	alone(t, filepath.Dir(path))
}

func TestWriteFileFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "real", "q.json")
	link := filepath.Join(dir, "q.a2a.lock.json")
	if err := os.Symlink(filepath.Join("real", "q.json"), link); err != nil {
		t.Skip(err)
	}
	for _, owner := range []string{"", "team"} { // a target to make, one to replace
		l := minimal()
		l.Owner = owner
		if err := l.WriteFile(link); err != nil {
			t.Fatal(err)
		}
		want, _ := lockfile.Format(l)
		holds(t, target, want)
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Fatalf("the link became %v, %v", info.Mode(), err)
		}
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := minimal().WriteFile(loop); err == nil || !strings.Contains(err.Error(), "too many symbolic links") {
		t.Errorf("WriteFile through a loop = %v", err)
	}
}

func TestWriteFileErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(file, "q.a2a.lock.json")} {
		if err := minimal().WriteFile(path); err == nil || !strings.HasPrefix(err.Error(), "writing "+path+": ") {
			t.Errorf("WriteFile(%s) = %v, want writing %s: …", path, err, path)
		}
	}
	l := minimal()
	l.Owner = "\xff"
	if err := l.WriteFile(file); err == nil {
		t.Error("WriteFile of what is no JSON = nil")
	}
	holds(t, file, []byte("kept"))
	alone(t, dir)
}

func TestWriteFileReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "q.a2a.lock.json")
	if err := os.WriteFile(path, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	if err := minimal().WriteFile(path); err == nil {
		t.Error("WriteFile into a read-only folder = nil")
	}
	holds(t, path, []byte("kept"))
}

// TestWriteFileKilled kills a process that writes two locks in turn: whenever
// it dies, the file is one of them.
func TestWriteFileKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "q.a2a.lock.json")
	for round := range 8 {
		cmd := child(t, "write-forever", path)
		said, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// A byte comes after the first write; from then on it is writing.
		_, err = said.Read(make([]byte, 1))
		time.Sleep(time.Duration(round) * 3 * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		if err != nil {
			t.Fatalf("the child wrote nothing: %v", err)
		}
		if _, err := lockfile.Read(path); err != nil {
			t.Fatalf("after a kill: %v", err)
		}
	}
}

// TestWriteFileRemovesStale holds the writer to what it may remove: its own
// temporary files that have been left.
func TestWriteFileRemovesStale(t *testing.T) {
	const name = "q.a2a.lock.json"
	for _, tt := range []struct {
		left string
		age  time.Duration
		kept bool
	}{
		{left: ".q.a2a.lock.json.tmp-ABCDEFG2", age: 2 * time.Hour},
		{left: ".q.a2a.lock.json.tmp-ABCDEFG2", age: 10 * time.Minute, kept: true}, // another process is writing it
		{left: ".q.a2a.lock.json.tmp-notes.md", age: 2 * time.Hour, kept: true},
		{left: ".p.a2a.lock.json.tmp-ABCDEFG2", age: 2 * time.Hour, kept: true}, // of another lock
		{left: "q.a2a.lock.json.tmp-ABCDEFG2", age: 2 * time.Hour, kept: true},
	} {
		for _, change := range []string{"the lock is new", "the lock says the same"} {
			dir := t.TempDir()
			if change == "the lock says the same" {
				if err := minimal().WriteFile(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			left, at := filepath.Join(dir, tt.left), time.Now().Add(-tt.age)
			if err := os.WriteFile(left, []byte("{"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(left, at, at); err != nil {
				t.Fatal(err)
			}
			if found, err := lockfile.Find([]string{dir}); err != nil || slices.Contains(found, left) {
				t.Errorf("Find = %q, %v: %s is no lock", found, err, tt.left)
			}
			if err := minimal().WriteFile(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(left); (err == nil) != tt.kept {
				t.Errorf("%s of %v ago, and %s: %v, want kept %v", tt.left, tt.age, change, err, tt.kept)
			}
		}
	}
}

// child is this test binary as a process of its own, in which TestMain does
// what the mode says.
func child(t *testing.T, mode, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "LOCKFILE_TEST_CHILD="+mode, "LOCKFILE_TEST_PATH="+path)
	return cmd
}

func TestMain(m *testing.M) {
	path := os.Getenv("LOCKFILE_TEST_PATH")
	switch os.Getenv("LOCKFILE_TEST_CHILD") {
	case "write-forever":
		l := minimal()
		for i := 0; ; i++ {
			l.Owner = strings.Repeat("x", 1+i%2*100_000)
			if err := l.WriteFile(path); err != nil {
				panic(err)
			}
			if i == 0 {
				os.Stdout.WriteString("x")
			}
		}
	case "write-over-limit":
		os.Exit(writeOverLimit(path))
	}
	os.Exit(m.Run())
}

// holds fails t unless the file at path has just these bytes.
func holds(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s holds %q, %v, want %q", path, got, err, want)
	}
}

// alone fails t if a temporary file was left in dir.
func alone(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".*tmp*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
