package say

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPointer(t *testing.T) {
	p := Pointer("skills", "a/b~c", "tags")
	if p != "/skills/a~1b~0c/tags" {
		t.Errorf("Pointer = %s", p)
	}
	if name, rest, ok := Inside(p, "/skills/"); name != "a/b~c" || rest != "tags" || !ok {
		t.Errorf("Inside(%s) = %q, %q, %v", p, name, rest, ok)
	}
	if _, _, ok := Inside(p, "/schemes/"); ok {
		t.Errorf("%s lies in /schemes/", p)
	}
}

func TestQuote(t *testing.T) {
	long := strings.Repeat("é", 100)
	for text, want := range map[string]string{
		"plain":       `"plain"`,
		"a\u202eb\n":  `"a\u202eb\n"`,
		"x" + long:    `"x` + strings.Repeat("é", 59) + `…"`,
		long[:2*60+0]: `"` + long[:120] + `"`,
	} {
		got := Quote(text)
		if got != want || !utf8.ValidString(got) {
			t.Errorf("Quote(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestList(t *testing.T) {
	for want, list := range map[string][]string{
		``:                                   nil,
		`"a"`:                                {"a"},
		`"a", "b", "c", "d", "e"`:            {"a", "b", "c", "d", "e"},
		`"a", "b", "c", "d", "e" and 2 more`: {"a", "b", "c", "d", "e", "f", "g"},
	} {
		if got := List(list); got != want {
			t.Errorf("List(%q) = %s, want %s", list, got, want)
		}
	}
	if Verb(1, "is", "are") != "is" || Verb(2, "is", "are") != "are" || OneLine(" a\n\tb ") != "a b" {
		t.Error("Verb or OneLine is wrong")
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " \t\n": "", "\u200b": "", "\u00a0\u200b\ufeff": "", "\u3164": "", "\u2800 \u115f": "",
		" team ": "team", "\u200bx": "\u200bx", "\u0645": "\u0645",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	if got := Printable("a\x1b[2J\u202eé"); got != `a\x1b[2J\u202eé` {
		t.Errorf("Printable = %s", got)
	}
}
