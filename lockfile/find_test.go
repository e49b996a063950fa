package lockfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, f := range []string{
		"b.a2a.lock.json", "a2a.lock.json", "locks/a.a2a.lock.json", "locks/deep/c.a2a.lock.json", "odd/other.json",
		".git/x.a2a.lock.json", "vendor/x.a2a.lock.json", "locks/node_modules/x.a2a.lock.json",
		"locks/.a.a2a.lock.json.tmp-ABCD", "a.lock.json", "elsewhere/vendor/y.a2a.lock.json", "folder.a2a.lock.json/x",
	} {
		if err := os.MkdirAll(filepath.Dir(f), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"linked": "locks", "odd/l.a2a.lock.json": "other.json", "odd/lost.a2a.lock.json": "nowhere"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	out := t.TempDir() // a folder elsewhere, with links back and to itself
	for link, to := range map[string]string{"shared": out, filepath.Join(out, "self"): out, filepath.Join(out, "up"): "/", "odd/up": ".."} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	if err := os.WriteFile(filepath.Join(out, "s.a2a.lock.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		roots []string
		want  []string
	}{
		{"tree", []string{"."}, []string{
			"a2a.lock.json", "b.a2a.lock.json", "locks/a.a2a.lock.json", "locks/deep/c.a2a.lock.json",
			"odd/l.a2a.lock.json", "odd/lost.a2a.lock.json", "shared/s.a2a.lock.json",
		}},
		{"folder", []string{"locks/"}, []string{"locks/a.a2a.lock.json", "locks/deep/c.a2a.lock.json"}},
		{"overlap", []string{"locks", "./locks/deep", "b.a2a.lock.json"}, []string{"b.a2a.lock.json", "locks/a.a2a.lock.json", "locks/deep/c.a2a.lock.json"}},
		{"a file of any name", []string{"odd/other.json"}, []string{"odd/other.json"}},
		{"a root that is skipped elsewhere", []string{"elsewhere/vendor"}, []string{"elsewhere/vendor/y.a2a.lock.json"}},
		{"a link as root", []string{"linked"}, []string{"linked/a.a2a.lock.json", "linked/deep/c.a2a.lock.json"}},
		{"none", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := lockfile.Find(tt.roots)
			for i := range got {
				got[i] = filepath.ToSlash(got[i])
			}
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("Find(%q) = %q, %v, want %q", tt.roots, got, err, tt.want)
			}
		})
	}
	if got, err := lockfile.Find([]string{"locks", "none"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Find of a missing root = %q, %v, want fs.ErrNotExist", got, err)
	}
}

func TestNames(t *testing.T) {
	for path, want := range map[string]string{
		"locks/pricing.a2a.lock.json": "pricing", "x.y.a2a.lock.json": "x.y", "pricing/a2a.lock.json": "pricing", "a2a.lock.json": "a2a",
		"odd.json": "odd.json",
	} {
		if got := lockfile.Name(path); got != want {
			t.Errorf("Name(%q) = %q, want %q", path, got, want)
		}
	}
	p := &compile.Profile{Name: " The Pricing_Agent (v2) "}
	for _, tt := range []struct {
		skills []string
		want   string
	}{
		{[]string{"Itinerary.Pricing"}, "locks/itinerary-pricing.a2a.lock.json"},
		{[]string{"a", "b"}, "locks/the-pricing-agent-v2.a2a.lock.json"},
		{nil, "locks/the-pricing-agent-v2.a2a.lock.json"},
		{[]string{"../../etc/passwd"}, "locks/etc-passwd.a2a.lock.json"},
		{[]string{"値段"}, "locks/agent.a2a.lock.json"},
	} {
		if got := filepath.ToSlash(lockfile.FileName(p, tt.skills)); got != tt.want {
			t.Errorf("FileName(%q) = %q, want %q", tt.skills, got, tt.want)
		}
	}
}
