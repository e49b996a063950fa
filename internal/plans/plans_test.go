package plans

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/evidence"
)

func TestRefutedAndClaims(t *testing.T) {
	i := compile.Interface{Binding: "JSONRPC", Version: "1.0", URL: "https://a.example.com/a b"}
	reports := []evidence.Report{
		{Operation: evidence.Streaming},
		{Operation: evidence.Push},
		{Operation: evidence.ExtendedCard},
		{Operation: evidence.Input, Skill: "a/b", Value: "text/plain"},
		{Operation: evidence.Interface, Value: Interface(&i)},
		{Operation: evidence.Interface, Value: "unreadable"},
		{Error: "TaskNotFoundError"}, // a note
	}
	var out []string
	want := []diff.Report{
		{Path: "/streaming", Value: true},
		{Path: "/push", Value: true},
		{Path: "/extended_card", Value: true},
		{Path: "/skills/a~1b/input", Skill: "a/b", Value: "text/plain"},
		{Path: "/interface", Value: Interface(&i)},
		{Path: "/interface", Value: "unreadable"},
		{Error: "TaskNotFoundError"},
	}
	for n, r := range reports {
		if got := Claim(r); got != want[n] {
			t.Errorf("Claim(%+v) = %+v, want %+v", r, got, want[n])
		}
		if r.Operation != "" {
			out = append(out, r.Out())
		}
	}
	all := compile.Refuted{
		Streaming: true, Push: true, ExtendedCard: true,
		Input: map[string][]string{"a/b": {"text/plain"}}, Interfaces: []compile.Interface{i},
	}
	if d := cmp.Diff(all, Refuted(reports, out)); d != "" {
		t.Errorf("Refuted (-want +got):\n%s", d)
	}
	if got := Refuted(reports, nil); got.Streaming || len(got.Input) > 0 || len(got.Interfaces) > 0 {
		t.Errorf("with nothing out: %+v", got)
	}
}

func TestCache(t *testing.T) {
	made := 0
	plan := func() Plan { made++; return Plan{JSON: []byte(`{}`)} }
	var c Cache
	for range 3 {
		c.Get("quote", nil, plan)
		c.Get("quote", []string{"streaming"}, plan)
	}
	if made != 2 {
		t.Errorf("made %d plans, want 2", made)
	}
	for range 2 { // no card is known: it may be by the next call
		c.Get("other", nil, func() Plan { made++; return Plan{} })
	}
	if made != 4 {
		t.Errorf("made %d plans, want 4", made)
	}
	for i := range 2 * maxPlans {
		c.Get(fmt.Sprint(i), nil, plan)
	}
	c.Get(strings.Repeat("x", 2*maxKey), nil, plan)
	if len(c.others) > maxPlans {
		t.Errorf("%d plans are kept, want %d at most", len(c.others), maxPlans)
	}
	made = 0
	for range 2 { // whatever else was asked for
		c.Get("listed", nil, func() Plan { made++; return Plan{JSON: []byte(`{}`), listed: true} })
		for i := range 2 * maxPlans {
			c.Get(fmt.Sprint(i), nil, func() Plan { return Plan{JSON: []byte(`{}`)} })
		}
	}
	if made != 1 {
		t.Errorf("the plan of a skill that the lock requires was made %d times", made)
	}
}
