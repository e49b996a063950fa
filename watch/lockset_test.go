package watch

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestLockIDs(t *testing.T) {
	root := filepath.FromSlash("/w")
	paths := []string{
		"/w/a2a.lock.json",
		"/w/locks/a2a.lock.json",
		"/w/locks/pricing.a2a.lock.json",
		"/w/locks/team a/pricing.a2a.lock.json",
		"/w/pricing.a2a.lock.json",
		"/w/team/pricing.a2a.lock.json",
		"/x/pricing.a2a.lock.json",
	}
	got := lockIDs(root, paths)
	want := []string{"w", "locks", "pricing", "team-a.pricing", "pricing-" + short("pricing.a2a.lock.json"), "team.pricing", "x.pricing"}
	if !slices.Equal(got, want) {
		t.Errorf("ids = %q, want %q", got, want)
	}
}
