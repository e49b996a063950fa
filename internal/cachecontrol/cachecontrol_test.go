package cachecontrol

import (
	"maps"
	"strings"
	"testing"
	"time"
)

func TestDirectives(t *testing.T) {
	for value, want := range map[string]map[string]string{
		"":                                 {},
		"public, Max-Age=60":               {"public": "", "max-age": "60"},
		"max-age=1, max-age=2":             {"max-age": "1"},
		`private="a, no-store", max-age=1`: {"private": "a, no-store", "max-age": "1"},
		`x="\", no-store", no-cache`:       {"x": `\", no-store`, "no-cache": ""},
		" no-store ;,":                     {"no-store ;": ""},
	} {
		if got := Directives(value); !maps.Equal(got, want) {
			t.Errorf("Directives(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestNoStore(t *testing.T) {
	for control, want := range map[string]bool{
		"no-store": true, "private, NO-STORE": true, "no-store=x": true, " no-store ,": true,
		"": false, "no-stored": false, `private="no-store"`: false, `x="a, no-store"`: false, `x="\", no-store"`: false,
	} {
		if got := NoStore(control); got != want {
			t.Errorf("NoStore(%q) = %v, want %v", control, got, want)
		}
	}
}

func TestDelta(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"0": 0, "60": time.Minute, strings.Repeat("9", 30): Longest, "999999999": Longest,
		"": -1, "-1": -1, "1.5": -1, "+1": -1, "1s": -1, " 1": -1,
	} {
		if got, ok := Delta(s); ok != (want >= 0) || ok && got != want {
			t.Errorf("Delta(%q) = %s, %v, want %s", s, got, ok, want)
		}
	}
}
