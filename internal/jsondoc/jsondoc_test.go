package jsondoc

import (
	"slices"
	"strings"
	"testing"
)

func mustParse(t *testing.T, text string) *Tree {
	t.Helper()
	tree, refusal := Parse([]byte(text), 8)
	if refusal != nil {
		t.Fatalf("Parse(%s): %v", text, refusal)
	}
	return tree
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct {
		text   string
		reason Reason
		want   string
	}{
		{``, NotJSON, "empty"},
		{`{"a":1} x`, NotJSON, "data after the JSON value, at line 1, column 9"},
		{"{\n\"a\":?}", NotJSON, "no JSON at line 2, column 5"},
		{`{"a":`, NotJSON, "the JSON ends early"},
		{`{"a":{"b":1,"\u0062":2}}`, Ambiguous, "/a/b: a repeated member"},
		{`{"a/b":"\ud800"}`, Ambiguous, "/a~1b: a lone surrogate in a string"},
		{`[1,-1e999]`, Ambiguous, "/1: a number outside double range"},
		{strings.Repeat("[", 9), TooLarge, "nested more than 8 deep"},
	} {
		tree, refusal := Parse([]byte(tt.text), 8)
		if tree != nil || refusal == nil || refusal.Reason != tt.reason || refusal.Error() != tt.want {
			t.Errorf("Parse(%s) = %v, %v, want %q", tt.text, tree, refusal, tt.want)
		}
	}
}

func TestTree(t *testing.T) {
	tree := mustParse(t, `{"a~/b":[{"x":"\u0041"},null],"y":null,"z":{}}`)
	list := tree.Member(Root, "a~/b")
	var pointers []string
	for c := range tree.Children(list) {
		pointers = append(pointers, tree.Pointer(c)+" "+string(tree.At(c).Kind.String()))
	}
	if want := []string{"/a~0~1b/0 {", "/a~0~1b/1 null"}; !slices.Equal(pointers, want) {
		t.Errorf("children = %q, want %q", pointers, want)
	}
	x := tree.Member(tree.At(list).First, "x")
	if got := tree.At(x).Str; got != "A" {
		t.Errorf("the string at %s = %q, want A", tree.Pointer(x), got)
	}
	for _, n := range []Ref{tree.Member(Root, "y"), tree.Member(Root, "none"), tree.Member(list, ""), tree.At(tree.Member(Root, "z")).First} {
		if n != 0 {
			t.Errorf("a member that is null or absent is %s, want none", tree.Pointer(n))
		}
	}
	if got := tree.Label(tree.At(list).First); got != `an entry of "a~/b"` {
		t.Errorf("label = %s", got)
	}
}

// Whatever order values are looked at in, findings come in that of the
// document, and each names its place.
func TestReaderFindings(t *testing.T) {
	text := `{"icon_url":"i","NAME":"n","tags":["a",1],"on":"true","n":[9007199254740993,9007199254740995]}`
	schema := NewSchema("name!", "iconUrl", "tags", "on", "n")
	for _, tt := range []struct {
		strict bool
		want   []string
	}{
		{false, []string{
			`gap missing /name name: missing ("NAME" is not read: names match exactly)`,
			"warning snake-case /icon_url icon_url is spelled iconUrl in JSON (A2A 5.5)",
			"gap wrong-type /tags/1 an entry of tags: want a string, got a number",
			"error wrong-type /on on: want a boolean, got a string",
			"gap number-precision /n/0 an entry of n: 9007199254740993 is more than a double holds, so that a digest cannot tell it from its neighbours (and 1 more)",
		}},
		{true, []string{
			`error missing /name name: missing ("NAME" is not read: names match exactly)`,
			"warning snake-case /icon_url icon_url is spelled iconUrl in JSON (A2A 5.5)",
			"error wrong-type /tags/1 an entry of tags: want a string, got a number",
			"error wrong-type /on on: want a boolean, got a string",
			"error number-precision /n/0 an entry of n: 9007199254740993 is more than a double holds, so that a digest cannot tell it from its neighbours (and 1 more)",
		}},
	} {
		r := NewReader(mustParse(t, text), tt.strict)
		e := &Element{Scope: "thing"}
		m := r.Members(e, Root, schema)
		r.BigNumbers(e, Root)
		r.BigNumbers(e, Root) // says it once
		if r.Flag(Error, e, m.At[3]) {
			t.Error(`the text "true" is a flag`)
		}
		r.Quietly(func() { r.Flag(Error, e, m.At[3]) })
		if tags := r.Strs(Gap, e, m.At[2]); !slices.Equal(tags, []string{"a"}) {
			t.Errorf("tags = %q, want what is readable", tags)
		}
		if name := r.Need(Gap, e, &m, 0); name != "" {
			t.Errorf("name = %q, want none", name)
		}
		if got := r.Str(Gap, e, m.At[1]); got != "i" {
			t.Errorf("iconUrl = %q, want i", got)
		}
		var got []string
		for _, f := range r.Findings() {
			if (f.Severity == Error) != (f.Scope == "thing") {
				t.Errorf("%s has scope %q", f.Code, f.Scope)
			}
			got = append(got, string(f.Severity)+" "+f.Code+" "+f.Path+" "+f.Message)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("strict %v: findings =\n%s\nwant\n%s", tt.strict, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
		if e.Disabled == "" {
			t.Error("an error disabled nothing")
		}
	}
}

func TestEntriesRefuse(t *testing.T) {
	r := NewReader(mustParse(t, `{"a":[1,2,3]}`), false)
	n := r.Member(Root, "a")
	if got := r.Entries(n, 3); len(got) != 3 || r.Refused() != nil {
		t.Errorf("Entries at the limit = %v, %v", got, r.Refused())
	}
	if got := r.Entries(n, 2); got != nil || r.Refused().Error() != "/a: 3 entries, the limit is 2" {
		t.Errorf("Entries over the limit = %v, %v", got, r.Refused())
	}
}

func TestCanonicalTexts(t *testing.T) {
	for _, list := range [][]string{nil, {}, {""}, {"b", "a"}, {"\"\\\b\n\u001f\u2028é€😀</script>", "\x7f"}} {
		got := CanonicalTexts(list)
		want, err := Canonical(got)
		if err != nil || string(got) != string(want) {
			t.Errorf("CanonicalTexts(%q) = %s, want the fixed point %s (%v)", list, got, want, err)
		}
		tree := mustParse(t, string(got))
		var back []string
		for c := range tree.Children(Root) {
			back = append(back, tree.At(c).Str)
		}
		if !slices.Equal(back, list) {
			t.Errorf("CanonicalTexts(%q) reads as %q", list, back)
		}
	}
	if got := string(CanonicalTexts([]string{"a\xffb"})); got != `["a`+"\uFFFD"+`b"]` {
		t.Errorf("CanonicalTexts of what is not UTF-8 = %s", got)
	}
}

func TestWithout(t *testing.T) {
	for object, want := range map[string]string{
		`{"s":1}`:              `{}`,
		`{"s":[1],"t":2}`:      `{"t":2}`,
		`{"a":1,"s":{},"t":2}`: `{"a":1,"t":2}`,
		`{"a":1,"s":2}`:        `{"a":1}`,
		`{"a":{"s":1}}`:        `{"a":{"s":1}}`,
		`[{"s":1}]`:            `[{"s":1}]`,
	} {
		if got, err := Without([]byte(object), "s"); err != nil || string(got) != want {
			t.Errorf("Without(%s) = %s, %v, want %s", object, got, err, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for _, name := range []string{"", "plain", "a/b", "~", "~1", "~0/1"} {
		if token := Escape(name); strings.Contains(token, "/") || Unescape(token) != name {
			t.Errorf("Escape(%q) = %q, which reads as %q", name, token, Unescape(token))
		}
	}
}
