package want

import (
	"encoding/base64"
	"strings"
	"testing"
)

// key is the base64 of n bytes.
func key(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, n)) }

func TestChecks(t *testing.T) {
	for _, tt := range []struct {
		name     string
		check    func(string) error
		yes, not []string
	}{
		{"OneOf", OneOf("a", "b", "c"), []string{"a", "c"}, []string{"", "d", "A"}},
		{"URL", URL, []string{"https://h.example", "HTTP://h.example:80/a?b"}, []string{
			"", "h.example", "//h.example", "https://", "ftp://h.example", "https://u@h.example", "https://u:p@h.example",
			"https://h.example/#", "https://h.example/#a", "https://h.example/a\u200b", "https://h.example\n", "https:h.example",
		}},
		{"Endpoint", Endpoint, []string{"", "https://h.example/#a"}, []string{"h.example", "ftp://h.example"}},
		{"Optional", Optional(URL), []string{"", "https://h.example"}, []string{"h.example"}},
		{"Path", Path("a file"), []string{"a", "../a b", "/srv/ä"}, []string{"", "a\u200b", "a\n", "a\x00"}},
		{"Listen", Listen, []string{"127.0.0.1:8437", "[::1]:0", ":80", "h.example:65535", "localhost:1"}, []string{
			"", "127.0.0.9", "8437", ":", "h:-1", "h:+1", "h:65536", "h:http", "a b:1", "[::1:1", "http://h:1", "h/p:1",
		}},
		{"Label", Label, []string{"a", "team-travel_2.b", strings.Repeat("x", 64)}, []string{"", "-a", "a b", "a|b", "ä", "a\n", strings.Repeat("x", 65)}},
		{"Pattern", Pattern, []string{"*", "team-*", "https://*.example/*", "a b"}, []string{"", " a", "a\u202e"}},
		{"Word", Word("a word"), []string{"#general", "C0123", "xoxb-1-2"}, []string{"", "a b", "a\n", "a\u00a0"}},
		{"Secret", Secret, []string{"whsec_" + key(24), "whsec_" + key(25), "whsec_" + key(64)}, []string{
			"", key(24), "whsec_", "whsec_" + key(23), "whsec_" + key(65), "whsec_" + strings.TrimRight(key(25), "="),
			"whsec_" + key(24) + "\n", "WHSEC_" + key(24), "whsec_ " + key(24), strings.Repeat("x", 40),
		}},
		{"Host", Host, []string{"h.example", "h.example.", "10.0.0.1", "::1", "[::1]"}, []string{"", "h:80", "https://h", "*.h", "[10.0.0.1]", "a..b"}},
		{"Address", Address, []string{"10.0.0.0/8", "h:80", "[::1]:80", "::1"}, []string{"10.0.0.1/8", "h:0", "h/p", ""}},
		{"Rule", Rule, []string{"skill-removed", "a"}, []string{"", "a-", "-a", "A", "a--b", "a1"}},
		{"Scope", Scope, []string{"pricing.quote", "a:b/c"}, []string{"", "a b", `a"b`, `a\b`, "ä"}},
		{"Version", Version, []string{"0.3", "1.10"}, []string{"", "1", "1.0.0", "01.0", "1.-1", "1.65536"}},
	} {
		for _, s := range tt.yes {
			if err := tt.check(s); err != nil {
				t.Errorf("%s(%q) = %v, want nil", tt.name, s, err)
			}
		}
		for _, s := range tt.not {
			switch err := tt.check(s); {
			case err == nil:
				t.Errorf("%s(%q) = nil, want an error", tt.name, s)
			case len(s) > 8 && strings.Contains(err.Error(), s):
				t.Errorf("%s(%q) = %v, want an error without the value", tt.name, s, err)
			}
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for s, want := range map[string]bool{
		"127.0.0.1:8437": true, "127.9.9.9:1": true, "[::1]:1": true, "localhost:1": true, "LOCALHOST.:1": true,
		"[::ffff:127.0.0.1]:1": true,
		":8437":                false, "0.0.0.0:1": false, "[::]:1": false, "h.example:1": false, "10.0.0.1:1": false,
		"localhost.example:1": false, "127.0.0.1.example:1": false, "2130706433:1": false,
	} {
		if got := IsLoopback(s); got != want {
			t.Errorf("IsLoopback(%q) = %v, want %v", s, got, want)
		}
	}
}
