package media

import (
	"mime"
	"testing"

	"pgregory.net/rapid"
)

func TestNormalize(t *testing.T) {
	aliases := map[string]string{"text": "text/plain", "JSON": "Application/JSON", "voice": "audio/wav; Rate=8000"}
	tests := []struct {
		mode, want string
		aliased    bool
	}{
		{"text/plain", "text/plain", false},
		{"Text/Plain", "text/plain", false},
		{" text/plain\t", "text/plain", false},
		{"text", "text/plain", true},
		{" Text ", "text/plain", true},
		{"json", "application/json", true},
		{"voice", "audio/wav; rate=8000", true},
		{"text/plain; charset=utf-8", "text/plain; charset=utf-8", false},
		{`text/plain;CHARSET="utf-8"`, "text/plain; charset=utf-8", false},
		{"text/plain; charset=UTF-8", "text/plain; charset=utf-8", false},
		{"a/b; x=Y", "a/b; x=Y", false}, // other values are kept
		{"text/\u212A", "text/\u212A", false},
		{"text/plain\u00A0", "text/plain\u00A0", false},
		{"text/plain\u0085;x=1", "text/plain\u0085;x=1", false},
		{"\u0130mage/png", "\u0130mage/png", false},
		{"a/b; y=2; x=1", "a/b; x=1; y=2", false},
		{`a/b; x="1 2"`, `a/b; x="1 2"`, false},
		{"a/b;", "a/b", false},
		{"text/*", "text/*", false},
		{"*/*", "*/*", false},
		{"Application/Vnd.X+JSON", "application/vnd.x+json", false},
		{"Image", "image", false},
		{"a/b/C", "a/b/c", false},
		{"a/B; x=1; x=2", "a/b; x=1; x=2", false}, // a parameter twice: no media type
		{"Markdown Text", "markdown text", false},
		{"", "", false},
	}
	for _, tt := range tests {
		got, aliased := Normalize(tt.mode, aliases)
		if got != tt.want || aliased != tt.aliased {
			t.Errorf("Normalize(%q) = %q, %v, want %q, %v", tt.mode, got, aliased, tt.want, tt.aliased)
		}
	}
	if got, aliased := Normalize("text", nil); got != "text" || aliased {
		t.Errorf("Normalize(%q, nil) = %q, %v, want %q, false: nil rewrites nothing", "text", got, aliased, "text")
	}
}

func TestIs(t *testing.T) {
	for mode, want := range map[string]bool{
		"text/plain": true, "Text/Plain": true, "a/b; x=1": true, "application/vnd.x+json": true,
		"": false, "text": false, "text/": false, "/plain": false, "a/b/c": false, "text/*": false, "*/*": false,
		" a/b": false, "text/\u212A": false, "a/b\u00A0;x=1": false, "a b/c": false, "a/b; x": false,
	} {
		if got := Is(mode); got != want {
			t.Errorf("Is(%q) = %v, want %v", mode, got, want)
		}
	}
}

func TestNormalizeIsAFixedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z*]{1,4}/[a-z+]{1,4}(; ?[a-zA-Z*0]{1,3}=("[ -~]{0,5}"|[a-z%']{1,5})){0,3}`)).Draw(t, "mode")
		once, _ := Normalize(mode, nil)
		if twice, _ := Normalize(once, nil); twice != once {
			t.Fatalf("Normalize(%q) = %q, and of that %q", mode, once, twice)
		}
	})
}

// What the short way takes for plain, the long way leaves as it is.
func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[a-z0-9.+-]{0,6}/?[a-zA-Z0-9.+*;= -]{0,6}`).Draw(t, "mode")
		parsed, params, err := mime.ParseMediaType(s)
		if isPlain(s) && (err != nil || len(params) > 0 || mime.FormatMediaType(parsed, params) != s) {
			t.Fatalf("isPlain(%q), and package mime makes %q of it (%v)", s, parsed, err)
		}
	})
	if !isPlain("application/vnd.api+json") || isPlain("text") || isPlain("/x") || isPlain("a/b/c") || isPlain("a/b;x=1") {
		t.Error("isPlain is wrong")
	}
}
