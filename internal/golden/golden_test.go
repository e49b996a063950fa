package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/internal/golden"
)

// recorder is a testing.TB that notes what it was told. Fatalf panics with
// itself, since a test that is over must not go on.
type recorder struct {
	testing.TB
	failed bool
	said   string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Logf(format string, a ...any)   { r.said += fmt.Sprintf(format, a...) }
func (r *recorder) Errorf(format string, a ...any) { r.failed = true; r.Logf(format, a...) }
func (r *recorder) Fatalf(format string, a ...any) { r.Errorf(format, a...); panic(r) }

// equal runs golden.Equal to its end, be it a panic of the recorder.
func equal(t *testing.T, path, got string) (r *recorder) {
	r = &recorder{TB: t}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
	}()
	golden.Equal(r, path, []byte(got))
	return r
}

func TestEqual(t *testing.T) {
	const file = "one\ntwo\nthree\n"
	tests := []struct {
		name string
		got  string
		want []string // what a failure shows; nil for a pass
	}{
		{name: "same", got: file},
		{name: "other line", got: "one\n2\nthree\n", want: []string{"a.golden", "UPDATE=1", `-`, `two`, `+`, `2`}},
		{name: "missing line", got: "one\nthree\n", want: []string{"two"}},
		{name: "missing final newline", got: "one\ntwo\nthree", want: []string{`"three\n"`}},
		{name: "CRLF", got: "one\r\ntwo\nthree\n", want: []string{`\r`}},
		{name: "empty", got: "", want: []string{"one"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("UPDATE", "")
			path := filepath.Join(t.TempDir(), "a.golden")
			if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
				t.Fatal(err)
			}
			r := equal(t, path, tt.got)
			if r.failed != (tt.want != nil) {
				t.Fatalf("Equal(%q) failed = %v, want %v; it said %q", tt.got, r.failed, tt.want != nil, r.said)
			}
			for _, s := range tt.want {
				if !strings.Contains(r.said, s) {
					t.Errorf("Equal(%q) said %q, want %q in it", tt.got, r.said, s)
				}
			}
			if after, _ := os.ReadFile(path); string(after) != file {
				t.Errorf("the file holds %q, want it untouched", after)
			}
		})
	}
}

func TestEqualMissingFile(t *testing.T) {
	t.Setenv("UPDATE", "")
	path := filepath.Join(t.TempDir(), "none.golden")
	for _, got := range []string{"text\n", ""} {
		r := equal(t, path, got)
		if !r.failed || !strings.Contains(r.said, "no such golden file") {
			t.Errorf("Equal(%q) without a file: failed = %v, said %q", got, r.failed, r.said)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("Equal made the file without UPDATE=1")
	}
}

func TestEqualUpdates(t *testing.T) {
	t.Setenv("UPDATE", "1")
	path := filepath.Join(t.TempDir(), "new", "folder", "a.golden")
	for _, got := range []string{"one\n", "two\n"} {
		if r := equal(t, path, got); r.failed {
			t.Fatalf("Equal with UPDATE=1 failed: %s", r.said)
		}
		if after, _ := os.ReadFile(path); string(after) != got {
			t.Errorf("the file holds %q, want %q", after, got)
		}
	}
}
