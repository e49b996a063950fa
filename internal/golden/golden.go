// Package golden holds what a test produced against a file that a person
// reviewed.
//
// Tests call [Equal]. With UPDATE=1 in the environment it writes the file
// instead, and the rewrite is reviewed like code:
//
//	UPDATE=1 go test ./...
package golden

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Equal fails t when the file at path does not hold got, byte for byte, and
// shows the lines that differ. With UPDATE=1 it writes the file, and its
// folders, and passes; a file that is already right is left alone.
func Equal(t testing.TB, path string, got []byte) {
	t.Helper()
	want, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		t.Fatalf("golden file: %v", err)
	}
	if !missing && bytes.Equal(got, want) {
		return
	}
	if Updating() {
		if err := write(path, got); err != nil {
			t.Fatalf("updating the golden file: %v", err)
		}
		t.Logf("%s: rewritten", path)
		return
	}
	if missing {
		t.Fatalf("%s: no such golden file; UPDATE=1 go test writes it with\n%s", path, got)
	}
	t.Errorf("%s differs (- the file, + what the test got; UPDATE=1 go test rewrites it):\n%s", path, lines(want, got))
}

// Updating reports whether UPDATE=1 asks for golden files to be rewritten.
func Updating() bool { return os.Getenv("UPDATE") == "1" }

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// lines shows the difference line by line. Line ends stay on the lines, so
// that a CRLF or a missing final newline is seen too.
func lines(want, got []byte) string {
	return cmp.Diff(strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(got), "\n"))
}
