package echo

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func get(t *testing.T, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User-Agent", "a2alock")
	r.AddCookie(&http.Cookie{Name: "old", Value: "stays-here"})
	return r
}

func TestAdded(t *testing.T) {
	for _, tt := range []struct {
		name string
		sign func(r *http.Request)
		want []string // each is among the secrets
		not  []string
	}{
		{"nothing", func(*http.Request) {}, nil, []string{"a2alock", "known"}},
		{
			"a bearer", func(r *http.Request) { r.Header.Set("Authorization", "Bearer t0ken/+1") },
			[]string{"Bearer t0ken/+1", "t0ken/+1", `t0ken\/+1`, "t0ken%2F%2B1", "t0ken%2F+1"},
			[]string{"Bearer", "a2alock"},
		},
		{"a header of its own", func(r *http.Request) { r.Header.Set("X-Api-Key", "one two") }, []string{"one two"}, []string{"one"}},
		{"basic", func(r *http.Request) { r.SetBasicAuth("user", "pass:word") }, []string{"pass:word", "user:pass:word"}, []string{"user"}},
		{"a basic that is none", func(r *http.Request) { r.Header.Set("Authorization", "Basic ???") }, []string{"Basic ???"}, nil},
		{"a cookie", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "k", Value: "crumbs"}) }, []string{"crumbs"}, []string{"k=", "k"}},
		{"a query", func(r *http.Request) { r.URL.RawQuery += "&k=a%20b%2Fc" }, []string{"a b/c", "a+b%2Fc", "a%20b%2Fc"}, []string{"known", "a2alock"}},
		{"too short", func(r *http.Request) { r.Header.Set("X-Api-Key", "abc") }, nil, []string{"abc"}},
		{"short", func(r *http.Request) { r.Header.Set("X-Api-Key", "abcd") }, []string{"abcd"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after := get(t, "https://a.example/?v=known"), get(t, "https://a.example/?v=known")
			tt.sign(after)
			got := Added(before, after)
			for _, v := range tt.want {
				if !slices.Contains(got, v) {
					t.Errorf("Added = %q, want %q among them", got, v)
				}
			}
			for _, v := range tt.not {
				if slices.Contains(got, v) {
					t.Errorf("Added = %q, want no %q among them", got, v)
				}
			}
		})
	}
}

// A card may well have a word that is somebody's password, and has nobody's key.
func TestTold(t *testing.T) {
	for value, want := range map[string]bool{
		"0123456789abcdef": true, "correct horse battery": true,
		"k3y-9fX2": true, "a1b2c3d4": true, "sk_live_4f9": true, "11abcdef": true, "Tr4vel!x": true,
		"k3y-9fX": false, "welcome": false, "password": false, "Welcome2024": false, "itinerary": false,
		"pricing-v2": false, "agent.example": false, "2026-11-30": false, "12345678": false, "": false,
	} {
		answer := []byte(`{"description": "` + value + `"}`)
		if got := Of(value).Told(answer); got != want {
			t.Errorf("Told(%q) = %v, want %v", value, got, want)
		}
		if Of(value).Told([]byte(`{"description": "of another"}`)) {
			t.Errorf("%q is told by a text without it", value)
		}
	}
}

// JSON writes one value in many ways.
func TestToldInEscapes(t *testing.T) {
	s := Of("geheim+canary/token=1&x<y")
	for answer, want := range map[string]bool{
		`{"name":"geheim\u002Bcanary/token\u003d1\u0026x\u003Cy"}`: true,
		`{"name":"geheim+canary\/token=1\u0026x<y"}`:               true,
		`{"name":"\u0067eheim+canary/token=1&x<y"}`:                true,
		`{"name":"geheim%2bcanary%2ftoken%3d1%26x%3cy"}`:           true,
		`{"name":"geheim+canary/token=1&amp;x&lt;y"}`:              true,
		`{"name":"Z2VoZWltK2NhbmFyeS90b2tlbj0xJng8eQ=="}`:          true,
		`{"name":"geheim\u002Acanary/token=1&x<y"}`:                false,
	} {
		if got := s.Told([]byte(answer)); got != want {
			t.Errorf("Told(%s) = %v, want %v", answer, got, want)
		}
	}
	odd := Of("Schl\u00fcssel-\U0001f511-0815")
	for _, answer := range []string{`"Schl\u00fcssel-\ud83d\udd11-0815"`, `"Schl\u00FCssel-🔑-0815"`, `"Schlüssel-🔑-0815"`} {
		if !odd.Told([]byte(answer)) {
			t.Errorf("%s is not told", answer)
		}
	}
	for _, sent := range []string{"Bearer T0ken-0123456789 ", "Bearer  T0ken-0123456789", "Bearer Bearer T0ken-0123456789"} {
		before, after := get(t, "https://a.example/"), get(t, "https://a.example/")
		after.Header.Set("Authorization", sent)
		if got := Added(before, after).Clean("bad token T0ken-0123456789"); got != "bad token REDACTED" {
			t.Errorf("what came of %q is %q", sent, got)
		}
	}
}

func TestCleaning(t *testing.T) {
	s := Of("geheim", "geheimer/er")
	for text, want := range map[string]string{
		"nothing to see":                    "nothing to see",
		"geheim and geheimer/er":            "REDACTED and REDACTED",
		`a \/ in JSON: geheimer\/er`:        `a \/ in JSON: REDACTED`,
		"a URL: https://a/?k=geheimer%2Fer": "a URL: https://a/?k=REDACTED",
	} {
		if got := s.Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
		if got := s.In(text); got != (text != want) {
			t.Errorf("In(%q) = %v", text, got)
		}
	}
	h := http.Header{"Etag": {`"x"`, `"geheim"`}, "Date": {"today"}}
	if s.StripHeader(h); len(h) != 1 || h.Get("Date") != "today" {
		t.Errorf("StripHeader left %v", h)
	}
}

// An error says another text, and is what it was.
func TestWithout(t *testing.T) {
	s := Of("geheim")
	if s.Without(nil) != nil || s.Without(io.EOF) != io.EOF {
		t.Error("an error without a secret is another")
	}
	err := s.Without(fmt.Errorf("read geheim: %w", io.EOF))
	if strings.Contains(err.Error(), "geheim") || !errors.Is(err, io.EOF) {
		t.Errorf("Without = %v, want one that is io.EOF", err)
	}
}
