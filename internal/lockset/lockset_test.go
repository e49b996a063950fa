package lockset

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2alock/a2alock/config"
)

// An id is that of a path, whatever else is there, and of no other path.
func TestIDs(t *testing.T) {
	root := filepath.FromSlash("/w")
	hash := func(id, rel string) string { return id + "-" + digits(rel, 4) }
	forged := hash("team.pricing", "team/pricing.a2a.lock.json")
	owners := map[string]string{}
	for _, tt := range []struct{ path, want string }{
		{"/w/locks/pricing.a2a.lock.json", "pricing"},
		{"/w/locks/a.b.a2a.lock.json", "a.b"},
		{"/w/locks/a/b.a2a.lock.json", hash("a.b", "locks/a/b.a2a.lock.json")},
		{"/w/locks/a b.a2a.lock.json", hash("a-b", "locks/a b.a2a.lock.json")},
		{"/w/locks/a-b.a2a.lock.json", "a-b"},
		{"/w/locks/locks/pricing.a2a.lock.json", hash("locks.pricing", "locks/locks/pricing.a2a.lock.json")},
		{"/w/pricing.a2a.lock.json", hash("pricing", "pricing.a2a.lock.json")},
		{"/w/team/pricing.a2a.lock.json", forged},
		{"/w/locks/" + forged + ".a2a.lock.json", hash(forged, "locks/"+forged+".a2a.lock.json")},
		{"/w/team.pricing.a2a.lock.json", hash("team.pricing", "team.pricing.a2a.lock.json")},
		{"/w/a2a.lock.json", hash("w", "a2a.lock.json")},
		{"/w/locks/a2a.lock.json", hash("locks", "locks/a2a.lock.json")},
		{"/x/pricing.a2a.lock.json", hash("x.pricing", "/x/pricing.a2a.lock.json")},
	} {
		got := ids(root, []string{filepath.FromSlash(tt.path)})[0]
		if got != tt.want {
			t.Errorf("the id of %s = %q, want %q", tt.path, got, tt.want)
		}
		if other := owners[got]; other != "" {
			t.Errorf("%s and %s are both %q", other, tt.path, got)
		}
		owners[got] = tt.path
	}
}

func TestKeyID(t *testing.T) {
	ids := map[string]bool{}
	for _, k := range []Key{{"https://a.example/1", ""}, {"https://a.example/2", ""}, {"https://a.example/1", "x"}, {"%", ""}} {
		ids[k.ID()] = true
	}
	if len(ids) != 4 {
		t.Errorf("ids = %v, want 4 different ones", ids)
	}
	if got, want := (Key{"https://[2001:db8::1]:8443/c", ""}).ID(), "2001-db8--1-"; got[:len(want)] != want {
		t.Errorf("id = %q, want it to begin with %q", got, want)
	}
}

// memory is what was read last, and what is kept of the file at path.
type memory struct {
	files map[string]*File
	path  string
	good  map[string]string
}

func (m memory) File(id string) *File { return m.files[id] }

func (m memory) Good(id, path string) []byte {
	if path != m.path {
		return nil
	}
	return []byte(m.good[id])
}

func (m memory) Paths() iter.Seq[string] { return slices.Values([]string{m.path}) }

func lock(agent string) string {
	return fmt.Sprintf(`{"workflow": "w", "agent": %q, "requires": {"skills": {
		"b": {"input": ["text/plain"], "output": ["text/plain"]}, "a": {"input": ["text/plain"], "output": ["text/plain"]}
	}}}`, agent)
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	cfg := config.Default()
	cfg.Root = dir
	path := filepath.Join(dir, "locks", "x.a2a.lock.json")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := memory{path: path, files: map[string]*File{}, good: map[string]string{}}
	read := func() *File {
		t.Helper()
		list, err := Read(cfg, m)
		if err != nil || len(list) != 1 {
			t.Fatalf("Read = %v, %v, want one lock", list, err)
		}
		return list[0]
	}
	const a, b = "https://a.example.com/card.json", "https://b.example.com/card.json?key=s3cr3t"

	write("{")
	never := read()
	if never.ID != "x" || never.Digest != "" || never.Broken == nil {
		t.Errorf("a file that never was a lock = %+v", never)
	}
	m.good["x"] = lock(a)
	if f := read(); f.Key.URL != a || f.Broken == nil || f.Broken.Error() != never.Broken.Error() || string(f.Text) != lock(a) {
		t.Errorf("a broken file with a good text in the store = %+v", f)
	}
	write(lock(a))
	first := read()
	if first.Broken != nil || first.Key.URL != a || !slices.Equal(first.Skills, []string{"a", "b"}) || first.Digest != Of([]byte(lock(a))) {
		t.Errorf("a lock = %+v", first)
	}
	first = first.Kept()
	m.files["x"], m.good = first, nil
	if f := read(); f != first {
		t.Error("a lock that did not change was read anew")
	}
	write("{")
	broken := read()
	if broken.Broken == nil || broken.Digest != first.Digest || broken.Key != first.Key {
		t.Errorf("a lock that broke = %+v, want what it was", broken)
	}
	m.files["x"] = broken
	if f := read(); f != broken {
		t.Error("a lock that is broken as before was read anew")
	}
	elsewhere := *first
	elsewhere.Path = filepath.Join(dir, "old", "locks", "x.a2a.lock.json")
	m.files["x"], m.good = &elsewhere, map[string]string{"x": lock(a)}
	if f := read(); f.Broken == nil || f.Digest != "" || f.Key != (Key{}) || f.Path != path {
		t.Errorf("a broken lock where another file had its id = %+v, want nothing of that", f)
	}
	m.files["x"], m.good = broken, nil
	write(lock(a))
	if f := read(); f.Broken != nil || f.Digest != first.Digest {
		t.Errorf("a lock that is whole again = %+v", f)
	}
	write(lock(b))
	if f := read(); f.Key.URL != b || f.Agent == b {
		t.Errorf("a lock about another agent = %+v, want its secret redacted", f)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	m.files["x"] = first
	if f := read(); f.Broken == nil || f.Digest != first.Digest || f.Path != path {
		t.Errorf("a lock that became a folder = %+v, want its last good text", f)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if list, err := Read(cfg, m); err != nil || len(list) > 0 {
		t.Errorf("a lock that is gone = %v, %v", list, err)
	}
	cfg.Root = filepath.Join(dir, "gone")
	if list, err := Read(cfg, m); err == nil {
		t.Errorf("a root that is gone gave %v", list)
	}
}
