package security

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
)

func key(header string) compile.Scheme {
	return compile.Scheme{Kind: card.KindAPIKey, In: "header", Name: header}
}

func oauth(token string) compile.Scheme {
	return compile.Scheme{Kind: card.KindOAuth2, Flows: map[string]compile.Flow{"clientCredentials": {TokenURL: token, Scopes: []string{}}}}
}

// way is an alternative of one scheme.
func way(name string, s compile.Scheme, scopes ...string) compile.Alternative {
	return compile.Alternative{Schemes: map[string]compile.SchemeUse{name: {Scheme: s, Scopes: append([]string{}, scopes...)}}}
}

func TestChanges(t *testing.T) {
	home, other := oauth("https://id.example/t"), oauth("https://elsewhere.example/t")
	list := func(a ...compile.Alternative) []compile.Alternative { return a }
	for _, tt := range []struct {
		name     string
		was, now []compile.Alternative
		want     string
	}{
		{"the same", list(way("k", key("X"))), list(way("k", key("X"))), ""},
		{"nothing, and nothing", nil, nil, ""},
		{"another name", list(way("k", key("X"))), list(way("key", key("x"))), "scheme-renamed /schemes/k"},
		{"another header", list(way("k", key("X"))), list(way("k", key("Y"))), "scheme-changed /schemes/k"},
		{"one more scope", list(way("o", home, "read")), list(way("o", home, "read", "write")), "scope-required /skills/s/security"},
		{"one scope less", list(way("o", home, "read", "write")), list(way("o", home, "read")), "scope-no-longer-required /skills/s/security"},
		{"another server", list(way("o", home)), list(way("o", other)), "scheme-endpoint-origin-changed /schemes/o/flows/clientCredentials/token_url"},
		{"a second way", list(way("k", key("X"))), list(way("o", home), way("k", key("X"))), "alternative-gained /skills/s/security"},
		{"the second way left", list(way("k", key("X")), way("o", home)), list(way("k", key("X"))), "alternative-lost /skills/s/security"},
		{"the order of ways", list(way("k", key("X")), way("o", home)), list(way("o", home), way("k", key("X"))), ""},
		{"now needed", nil, list(way("k", key("X"))), "security-required /skills/s/security"},
		{"no longer needed", list(way("k", key("X"))), nil, "alternative-switched /skills/s/security, security-weakened /skills/s/security"},
		{"another kind", list(way("k", key("X"))), list(way("o", home)), "security-unsatisfiable /skills/s/security"},
		{"unreadable", list(way("k", key("X"))), list(way("z", compile.Scheme{Kind: card.KindUnknown, Reason: "odd"})), "security-unreadable /skills/s/security"},
	} {
		r := New([]Skill{{ID: "s", Recorded: true, Was: tt.was, Now: tt.now}}, Holder{})
		var got []string
		for _, c := range r.Changes() {
			if c.Skill != "s" || c.Message == "" || c.Mild {
				t.Errorf("%s: %+v", tt.name, c)
			}
			got = append(got, string(c.Rule)+" "+c.Path)
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, s, tt.want)
		}
	}
}

// A credential that one skill records is held for the others too.
func TestHeldAcrossSkills(t *testing.T) {
	skills := []Skill{
		{ID: "a", Recorded: true, Was: []compile.Alternative{way("k", key("X"))}, Now: []compile.Alternative{way("o", oauth("https://id.example/t"), "read")}},
		{ID: "b", Recorded: true, Was: []compile.Alternative{way("o", oauth("https://id.example/t"), "read")}, Now: []compile.Alternative{way("o", oauth("https://id.example/t"), "read")}},
	}
	r := New(skills, Holder{})
	if c := r.Changes(); len(c) != 1 || c[0].Rule != AlternativeSwitched {
		t.Errorf("changes = %+v, want alternative-switched alone", c)
	}
	scopes, moved := r.Held("a", map[string]compile.Scheme{"new": oauth("https://elsewhere.example/t"), "z": key("Z")})
	if got := fmt.Sprint(scopes); got != "map[new:[read]]" || !slices.Equal(moved, []string{"new"}) {
		t.Errorf("Held = %s, moved %q, want new with read, and moved", got, moved)
	}
	if scopes, _ := r.Held("none", nil); scopes != nil {
		t.Errorf("Held of a skill that is not there = %v", scopes)
	}
}

func TestFirstReadable(t *testing.T) {
	odd := way("z", compile.Scheme{Kind: card.KindUnknown})
	for _, tt := range []struct {
		list   []compile.Alternative
		want   string
		wantOK bool
	}{
		{nil, "[] []", true},
		{[]compile.Alternative{odd}, "[] []", false},
		{[]compile.Alternative{odd, way("o", oauth("t"), "b", "a")}, "[o] [a b]", true},
	} {
		schemes, scopes, ok := FirstReadable(tt.list)
		if got := fmt.Sprint(schemes, " ", scopes); got != tt.want || ok != tt.wantOK {
			t.Errorf("FirstReadable(%v) = %s, %v, want %s, %v", tt.list, got, ok, tt.want, tt.wantOK)
		}
	}
}
