package findings

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/diff"
)

func TestSet(t *testing.T) {
	a := diff.Finding{Rule: "skill-removed", Class: diff.Breaking, Fingerprint: "a", Skills: []string{"x"}, Message: "m", Was: 1}
	b := diff.Finding{Rule: "card-changed", Fingerprint: "b"}
	base := Set([]diff.Finding{a, b})
	change := func(do func(*diff.Finding)) []diff.Finding {
		c := a
		do(&c)
		return []diff.Finding{c, b}
	}
	waived := change(func(f *diff.Finding) { f.Waived = &diff.Waived{Reason: "r"} })
	extended := change(func(f *diff.Finding) { f.Waived = &diff.Waived{Reason: "r", Until: "2027-01-01"} })
	tests := []struct {
		name       string
		list       []diff.Finding
		set, shown bool // the same as base
	}{
		{"another order", []diff.Finding{b, a}, true, false},
		{"another wording", change(func(f *diff.Finding) { f.Message = "n" }), true, false},
		{"another class", change(func(f *diff.Finding) { f.Class = diff.Review }), false, false},
		{"another skill", change(func(f *diff.Finding) { f.Skills = []string{"x", "y"} }), false, false},
		{"another fingerprint", change(func(f *diff.Finding) { f.Fingerprint = "c" }), false, false},
		{"waived", waived, false, false},
		{"fewer", []diff.Finding{a}, false, false},
	}
	for _, tt := range tests {
		if got := Set(tt.list) == base; got != tt.set {
			t.Errorf("%s: the same set: %v, want %v", tt.name, got, tt.set)
		}
		if got := Shown(tt.list) == Shown([]diff.Finding{a, b}); got != tt.shown {
			t.Errorf("%s: shown the same: %v, want %v", tt.name, got, tt.shown)
		}
	}
	if Set(waived) != Set(extended) || Shown(waived) == Shown(extended) {
		t.Error("a waiver that was extended is not seen, or counts")
	}
	if got := Set(nil) + Set([]diff.Finding{waived[0]}) + Shown(nil); got != "" {
		t.Errorf("nothing counts, and is named %q", got)
	}
}

// What came back from a store has the same names.
func TestSetAfterJSON(t *testing.T) {
	list := []diff.Finding{{
		Rule: "skill-removed", Class: diff.Breaking, Fingerprint: "a", Skills: []string{"x", "y"}, Was: struct{ A int }{1},
		Parts: []diff.Part{{Path: "/a", Fingerprint: "a"}, {Path: "/b", Fingerprint: "b"}},
	}}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var back []diff.Finding
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if Set(back) != Set(list) || Shown(back) != Shown(list) || !slices.Equal(Marks(back), Marks(list)) {
		t.Errorf("%q became %q", Marks(list), Marks(back))
	}
}

func TestMarks(t *testing.T) {
	got := Marks([]diff.Finding{
		{Class: diff.Breaking, Fingerprint: "b", Skills: []string{"x", "y"}},
		{Class: diff.Review, Fingerprint: "a"},
		{Class: diff.Compatible, Fingerprint: "c"},
		{Class: diff.Breaking, Fingerprint: "d", Waived: &diff.Waived{}},
	})
	if want := []string{"a", "b", "b y"}; !slices.Equal(got, want) {
		t.Errorf("Marks = %q, want %q", got, want)
	}
}

func TestFloor(t *testing.T) {
	origin := diff.Finding{Rule: "interface-origin-changed", Class: diff.Breaking}
	lowered := diff.Finding{Rule: "interface-origin-changed", Class: diff.Review} // the origin is trusted
	waived := origin
	waived.Waived = &diff.Waived{}
	plain := diff.Finding{Rule: "skill-removed", Class: diff.Breaking}
	for _, tt := range []struct {
		list []diff.Finding
		want diff.Class
	}{
		{nil, diff.Compatible},
		{[]diff.Finding{plain}, diff.Compatible},
		{[]diff.Finding{plain, lowered}, diff.Review},
		{[]diff.Finding{lowered, origin}, diff.Breaking},
		{[]diff.Finding{waived}, diff.Compatible},
	} {
		if got := Floor(tt.list); got != tt.want {
			t.Errorf("Floor(%+v) = %s, want %s", tt.list, got, tt.want)
		}
	}
}
