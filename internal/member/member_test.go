package member

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/card"
)

func TestTexts(t *testing.T) {
	texts := NewTexts(4)
	texts.Add("/none", "")
	texts.Add("/plain", "hello")
	texts.Add("/odd", "a\u202eb\u200b")
	texts.AddList("/tags", []string{"y\u200b", "x", "x"})
	texts.AddList("/empty", nil)
	texts.AddHidden("/id", "id")
	texts.AddHidden("/same", "h\u200b")
	texts.AddHidden("/same", "h\u200b")
	texts.AddHidden("/apart", "h\u200b")
	texts.AddHidden("/apart", "g\u202e")
	want := map[string]Text{
		"/plain": {Digest: card.Sum([]byte("hello"))},
		"/odd":   {Digest: card.Sum([]byte("a\u202eb\u200b")), Hidden: []string{"U+200B", "U+202E"}},
		"/tags":  {Digest: card.Sum([]byte("[\"x\",\"y\u200b\"]")), Hidden: []string{"U+200B"}},
		"/same":  {Digest: card.Sum([]byte("h\u200b")), Hidden: []string{"U+200B"}},
		"/apart": {Digest: card.Sum([]byte("[\"g\u202e\",\"h\u200b\"]")), Hidden: []string{"U+200B", "U+202E"}},
	}
	if d := cmp.Diff(want, texts.Finish()); d != "" {
		t.Errorf("texts (-want +got):\n%s", d)
	}
}

func TestUnknown(t *testing.T) {
	limit := `"` + strings.Repeat("x", longest-2) + `"`
	long := `"` + strings.Repeat("x", longest-1) + `"`
	member := func(value string) map[string]jsontext.Value {
		return map[string]jsontext.Value{"a/b": jsontext.Value(value)}
	}
	for _, tt := range []struct {
		name      string
		set, list []string // "" for one without the member
		want      string   // "" for none
	}{
		{name: "nothing"},
		{name: "one", set: []string{`1`}, want: `1`},
		{name: "equal ones", set: []string{`1`, `1`}, want: `1`},
		{name: "in any order", set: []string{`"b"`, `1`, `"a"`, `1`}, want: `["a","b",1]`},
		{name: "a null", set: []string{`null`}, want: `null`},
		{name: "integers to the last digit", set: []string{`9007199254740993`, `9007199254740992`}, want: `[9007199254740992,9007199254740993]`},
		{name: "as long as may be", set: []string{limit}, want: limit},
		{name: "longer", set: []string{long}, want: `"` + card.Sum([]byte(long)) + `"`},
		{name: "longer together", set: []string{limit, `1`}, want: `"` + card.Sum([]byte(`[`+limit+`,1]`)) + `"`},
		{name: "a list of one", list: []string{`1`}, want: `1`},
		{name: "their order", list: []string{`2`, `1`, `2`}, want: `[2,1,2]`},
		{name: "not the first", list: []string{"", `1`}, want: `[null,1]`},
		{name: "not the one between", list: []string{`1`, "", `1`}, want: `[1,null,1]`},
		{name: "not the last", list: []string{`1`, `2`, ""}, want: `[1,2]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := NewUnknown()
			for _, v := range tt.set {
				u.Add("/at", member(v))
			}
			for n, v := range tt.list {
				if v != "" {
					u.AddInOrder("/at", n, member(v))
				}
			}
			got := u.Finish()
			if string(got["/at/a~1b"]) != tt.want {
				t.Errorf("value = %s, want %s", got["/at/a~1b"], tt.want)
			}
			if keys := slices.Collect(maps.Keys(got)); len(keys) > 1 {
				t.Errorf("pointers %q, want one at most", keys)
			}
		})
	}
}
