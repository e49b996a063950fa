//go:build unix

package lockfile_test

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// writeOverLimit writes a lock in a process whose files may have 100 bytes: the
// write ends half-way, as on a full disk.
func writeOverLimit(path string) int {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 100, Max: 100}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Fprintln(os.Stderr, "setrlimit:", err)
		return 2
	}
	err := minimal().WriteFile(path)
	fmt.Fprintln(os.Stderr, err)
	if err == nil {
		return 0
	}
	return 1
}

func TestWriteFileFullDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "q.a2a.lock.json")
	if err := os.WriteFile(path, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "write-over-limit", path)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "writing "+path+": ") {
		t.Fatalf("child = %v, said %q", err, out)
	}
	holds(t, path, []byte("kept"))
	alone(t, dir)
}
