package say

import (
	"strings"
	"testing"
)

func TestShow(t *testing.T) {
	for s, want := range map[string]string{
		"plain":                  "plain",
		"https://a.example/?x#y": "https://a.example/?x#y",
		"":                       `""`,
		"two words":              `"two words"`,
		"a\u202eb":               `"a\u202eb"`,
		`q"`:                     `"q\""`,
		strings.Repeat("x", 200): strings.Repeat("x", 200),
		strings.Repeat("x", 201): `"` + strings.Repeat("x", 200) + `…"`,
	} {
		if got := Show(s); got != want {
			t.Errorf("Show(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestListed(t *testing.T) {
	for want, list := range map[string][]string{
		"none":                     nil,
		`a, "b c"`:                 {"a", "b c"},
		"1, 2, 3, 4, 5":            {"1", "2", "3", "4", "5"},
		"1, 2, 3, 4, 5 and 1 more": {"1", "2", "3", "4", "5", "6"},
	} {
		if got := Listed(list); got != want {
			t.Errorf("Listed(%q) = %s, want %s", list, got, want)
		}
	}
}
