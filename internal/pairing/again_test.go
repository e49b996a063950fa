package pairing

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAgain(t *testing.T) {
	for _, test := range []struct {
		name     string
		was, now []string
		want     []string
	}{
		{name: "nothing"},
		{name: "its own place", was: []string{"a x/w 1"}, now: []string{"a x/w 2"}},
		{name: "a name that is given away", was: []string{"a x/w 1"}, now: []string{"a x/decoy 1", "b x/w 2"}, want: []string{"a>b"}},
		{name: "an identity likewise", was: []string{"a x/w 1"}, now: []string{"a x/w/i 1", "b x/w 2"}, want: []string{"a>b"}},
		{name: "names that were exchanged", was: []string{"a x/v 1", "b x/w 1"}, now: []string{"a x/w 1", "b x/v 1"}, want: []string{"b>a", "a>b"}},
		{name: "another URL of the origin", was: []string{"a x:1/w 1"}, now: []string{"a x:1/decoy 1", "b x:2/w 2"}, want: []string{"a>b"}},
		{name: "a name that is taken over from one that went", was: []string{"a x/w 1", "b x/v 1"}, now: []string{"b x/w 1"}, want: []string{"a>b"}},
		{name: "a copy of one that stays", was: []string{"a x/w 1"}, now: []string{"a x/w 1", "b x/w 1"}},
		{name: "another workflow", was: []string{"a x/w 1"}, now: []string{"a x/decoy 1", "b x/v 2"}},
		{name: "what is no lock", was: []string{"a ! 1"}, now: []string{"a ! 2", "b x/w 2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, p := range Again(Of(locksOf(test.was...), locksOf(test.now...))) {
				got = append(got, p.Was.File+">"+p.Now.File)
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// Of several that may have taken a place, the one that asks for the same did.
func TestOfTheSameSkill(t *testing.T) {
	for _, test := range []struct{ was, now, want []string }{
		{
			[]string{"a h:1/v//quote 1", "b h:2/w//quote 1"},
			[]string{"c h:2/y//quote 2", "d h:1/z//quote 2"},
			[]string{"b>c", "a>d"},
		},
		{
			[]string{"a x/w/i/quote 1", "b x/w/j/fare 1"},
			[]string{"c x/w/k/fare 2", "d x/w/l/quote 2"},
			[]string{"b>c", "a>d"},
		},
		{
			[]string{"a x/w//quote 1", "b x/w//fare 1"},
			[]string{"c x/w//fare 2", "d x/w//quote 2"},
			[]string{"b>c", "a>d"},
		},
	} {
		var got []string
		for _, p := range Of(locksOf(test.was...), locksOf(test.now...)) {
			if p.Was != nil && p.Now != nil {
				got = append(got, p.Was.File+">"+p.Now.File)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q to %q: %q, want %q", test.was, test.now, got, test.want)
		}
	}
}
