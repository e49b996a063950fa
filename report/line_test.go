package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/visible"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"plain <b> & \"text\"":  "plain <b> & \"text\"",
		"a\nb\r\nc":             "a⏎b⏎c",
		"a\rb\tc":               "a<U+000D>b<U+0009>c",
		"\x1b[2J\x00\x7f\u009b": "<U+001B>[2J<U+0000><U+007F><U+009B>",
		"trans\u200bfer":        "trans<U+200B>fer",
		"trans\u200dfer":        "trans<U+200D>fer",
		"\u202egnp":             "<U+202E>gnp",
		"a\u00a0b\u2003c\u3000": "a<U+00A0>b<U+2003>c<U+3000>",
		"\U000e0041\ufeff\u00ad\u2028\u2800\u3164": "<U+E0041><U+FEFF><U+00AD><U+2028><U+2800><U+3164>",
		"a\xffb\xed\xa0\x80":                       "a<0xFF>b<0xED><0xA0><0x80>",
		"\ufffd":                                   "\ufffd",
		// Honest text stays as it is.
		"René €5 – 日本語":            "René €5 – 日本語",
		"مرحبا بالعالم":            "مرحبا بالعالم",
		"می\u200cخواهم":            "می\u200cخواهم",
		"👩\u200d❤\ufe0f\u200d👨":    "👩\u200d❤\ufe0f\u200d👨",
		"葛\U000e0100":              "葛\U000e0100",
		"x\ufe0f":                  "x<U+FE0F>",
		"é\u200d\u200d":            "é\u200d<U+200D>",
		"é\ufe00\ufe01\U000e0101":  "é\ufe00<U+FE01><U+E0101>",
		"\n\u200d":                 "⏎<U+200D>",
		"⏎\u200d":                  "⏎<U+200D>",
		"\u200b\u200d":             "<U+200B><U+200D>",
		"::error::x":               "<U+003A>:error::x",
		"  ::error::x":             "  <U+003A>:error::x",
		"\xa0::error::":            "<0xA0><U+003A>:error::",
		": :a::b":                  ": :a::b",
		"std::vector":              "std::vector",
		"##[error]x":               "#<U+0023>[error]x",
		"a ##vso[task.x]b":         "a #<U+0023>vso[task.x]b",
		"###[x] ##teamcity[x] ##x": "##<U+0023>[x] #<U+0023>teamcity[x] ##x",
		"## Title [1]":             "## Title [1]",
		"%0A::error::":             "%0A::error::", // percent signs are decoded inside a command alone
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

// unseen returns the first character of s that leaves no mark, or "". It asks
// the Unicode categories, not the code under test; joiners and selectors behind
// other than ASCII are let through.
func unseen(s string) string {
	prev := ' '
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			return fmt.Sprintf("byte %#x", s[i])
		case unicode.In(r, unicode.Variation_Selector, unicode.Join_Control) && prev > unicode.MaxASCII:
		case unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Join_Control, unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point), unicode.IsSpace(r) && r != ' ', card.IsHidden(r):
			return fmt.Sprintf("%U", r)
		}
		prev = r
	}
	return ""
}

func TestLineCoversCardHidden(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if card.IsHidden(r) && !visible.IsUnseen(r) {
			t.Errorf("%U is hidden in a card and shown in a report", r)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add(hostileText)
	f.Add("é\u200d\u200d\ufe0f\U000e0100")
	f.Add(" \r\n ::x ###[ #\r\n#[")
	f.Fuzz(func(t *testing.T, s string) {
		got := Line(s)
		if u := unseen(got); u != "" {
			t.Errorf("Line(%q) = %q has %s", s, got, u)
		}
		if strings.HasPrefix(strings.TrimSpace(got), "::") || strings.Contains(got, "##[") || strings.Contains(got, "##vso[") {
			t.Errorf("Line(%q) = %q has a command", s, got)
		}
		if again := Line(got); again != got {
			t.Errorf("Line(Line(%q)) = %q, want %q", s, again, got)
		}
		if short := cut(got, 10); utf8.RuneCountInString(short) > 10+len(" … 1000000 more") || unseen(short) != "" {
			t.Errorf("cut(%q, 10) = %q", got, short)
		}
	})
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{strings.Repeat("é", 11), 10, strings.Repeat("é", 11)},
		{strings.Repeat("é", 12), 10, strings.Repeat("é", 10) + " … 2 more"},
		{strings.Repeat("x", 20_000), 100, strings.Repeat("x", 100) + " … 19900 more"},
		{strings.Repeat("<U+200B>", 4), 12, "<U+200B> … 24 more"},
		{strings.Repeat("<U+200B>", 4), 16, "<U+200B><U+200B> … 16 more"},
		{"aé\u200déééé", 2, "a … 6 more"},
	} {
		if got := cut(tt.in, tt.n); got != tt.want {
			t.Errorf("cut(%.20q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}
