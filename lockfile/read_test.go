package lockfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/lockfile"
)

// files returns the inputs in a folder of testdata.
func files(t testing.TB, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("testdata", dir, "*.json"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no files in testdata/%s: %v", dir, err)
	}
	return found
}

func TestFormatGolden(t *testing.T) {
	for _, path := range files(t, "golden") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			l, err := lockfile.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := lockfile.Format(l)
			if err != nil {
				t.Fatal(err)
			}
			golden.Equal(t, strings.TrimSuffix(path, ".json")+".golden", got)
			fixedPoint(t, got)
		})
	}
}

// fixedPoint fails t unless canonical bytes format to themselves.
func fixedPoint(t testing.TB, data []byte) {
	t.Helper()
	l, err := lockfile.Parse(data, "")
	if err != nil {
		t.Fatalf("Parse(Format(l)) = %v of\n%s", err, data)
	}
	again, err := lockfile.Format(l)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, again) {
		t.Errorf("Format(Parse(x)) =\n%s\nwant\n%s", again, data)
	}
}

func TestParseInvalid(t *testing.T) {
	for _, path := range files(t, "invalid") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			l, err := lockfile.Parse(data, filepath.Base(path))
			if err == nil {
				t.Fatalf("Parse(%s) = %+v, want an error", path, l)
			}
			if _, ok := errors.AsType[*lockfile.Fault](err); !ok {
				t.Errorf("Parse(%s) error is a %T, want *Fault in it", path, err)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("Parse(%s) shows a secret: %v", path, err)
			}
			golden.Equal(t, strings.TrimSuffix(path, ".json")+".txt", []byte(err.Error()+"\n"))
		})
	}
}

const valid = `{"agent": "https://a.example/c.json", "requires": {"skills": {"q": {"input": ["a/b"], "output": ["a/b"]}}}, "x": `

func TestParseLimits(t *testing.T) {
	room := lockfile.MaxBytes - len(valid+`""}`)
	levels := lockfile.MaxDepth - 1 // the lock itself is one
	tests := []struct {
		name, in, want string
	}{
		{"bytes", valid + `"` + strings.Repeat("x", room) + `"}`, ""},
		{"bytes+1", valid + `"` + strings.Repeat("x", room+1) + `"}`, "l.json: larger than 16777216 bytes"},
		{"depth", valid + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}", ""},
		{"depth+1", valid + strings.Repeat("[", levels+1) + strings.Repeat("]", levels+1) + "}", "l.json: nested deeper than 256 levels"},
		{"bottomless", valid + strings.Repeat("[", 1<<20), "l.json: nested deeper than 256 levels"},
		{"no end", valid + strings.Repeat("[", 100), "l.json: line 1: cut off: the file ends inside the lock"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := lockfile.Parse([]byte(tt.in), "l.json")
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("Parse = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseManyFaults(t *testing.T) {
	_, err := lockfile.Parse([]byte(valid+`1, "waivers": [`+strings.Repeat("1,", 149)+"1]}"), "l.json")
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 101 || lines[100] != "l.json: and 50 more faults" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestParseKeepsUnknownValuesCanonical(t *testing.T) {
	l, err := lockfile.Parse([]byte(valid+"{ \"b\" : [ 1.50, \"\\u200b\\u0061\" ],\n \"a\" : {} }\n}"), "l.json")
	if err != nil {
		t.Fatal(err)
	}
	want := "{\"x\":{\"a\":{},\"b\":[1.50,\"\u200ba\"]}}"
	if string(l.Extra) != want {
		t.Errorf("Extra = %s, want %s", l.Extra, want)
	}
	if l.Path != "l.json" {
		t.Errorf("Path = %q, want l.json", l.Path)
	}
}

func TestParseTells(t *testing.T) {
	data, err := os.ReadFile("testdata/golden/plain.json")
	if err != nil {
		t.Fatal(err)
	}
	l, err := lockfile.Parse(data, "")
	if err != nil {
		t.Fatal(err)
	}
	n := l.Requires.Skills["itinerary-pricing"]
	if n.Schemes != nil || len(n.Scopes) != 1 || l.Requires.Push || !l.Requires.Streaming || l.LockVersion != 0 || l.Profile != nil {
		t.Errorf("Parse of the plain form = %+v", l)
	}
	if got := l.Verified["streaming"].Text; got != "probe ok 2026-10-02" {
		t.Errorf("Verified[streaming].Text = %q", got)
	}
	l, err = lockfile.Read("testdata/golden/full.json")
	if err != nil {
		t.Fatal(err)
	}
	if s := l.Requires.Skills["quote"].Schemes; s == nil || len(s) != 0 {
		t.Errorf("schemes [] reads as %#v, want empty and not nil", s)
	}
	if e := l.Verified["quote"]; e.Text != "" || e.Result != "ok" || string(e.Extra) != `{"took":"3s"}` {
		t.Errorf("Verified[quote] = %+v", e)
	}
}

func TestReadErrors(t *testing.T) {
	if _, err := lockfile.Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of no file = %v, want fs.ErrNotExist", err)
	}
	dir := t.TempDir()
	if _, err := lockfile.Read(dir); err == nil || err.Error() != dir+": not a regular file" {
		t.Errorf("Read of a folder = %v", err)
	}
}

// FuzzParse: bytes are refused with a fault, or are a lock whose canonical
// form is a fixed point.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"golden", "invalid"} {
		for _, path := range files(f, dir) {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := lockfile.Parse(data, "l")
		if err != nil {
			if _, ok := errors.AsType[*lockfile.Fault](err); !ok {
				t.Fatalf("Parse(%q) = %v, want a *Fault", data, err)
			}
			return
		}
		out, err := lockfile.Format(l)
		if err != nil {
			t.Fatalf("Format(Parse(%q)) = %v", data, err)
		}
		fixedPoint(t, out)
	})
}
