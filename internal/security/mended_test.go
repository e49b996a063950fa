package security

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
)

// and is an alternative of the schemes of several.
func and(list ...compile.Alternative) compile.Alternative {
	out := compile.Alternative{Schemes: map[string]compile.SchemeUse{}}
	for _, a := range list {
		maps.Copy(out.Schemes, a.Schemes)
	}
	return out
}

func TestWhatTheClientHolds(t *testing.T) {
	home, away := oauth("https://id.example/t"), oauth("https://elsewhere.example/t")
	code := func(u, token string) compile.Scheme {
		return compile.Scheme{Kind: card.KindOAuth2, Flows: map[string]compile.Flow{"authorizationCode": {AuthorizationURL: u, TokenURL: token}}}
	}
	kelvin := key("X-\u212Aey")
	list := func(a ...compile.Alternative) []compile.Alternative { return a }
	holds := func(kinds ...compile.Strength) *compile.Client {
		cl := &compile.Client{}
		for _, k := range kinds {
			cl.Credentials = append(cl.Credentials, compile.Credential{Name: "c", Kind: k, Scopes: []string{"read"}})
		}
		return cl
	}
	for _, tt := range []struct {
		name     string
		was, now []compile.Alternative
		scopes   []string
		client   *compile.Client
		want     string
	}{
		{"another way that is held", list(way("k", key("X"))), list(way("k", key("Y")), way("o", home)), nil, holds(compile.OAuth2), "alternative-switched"},
		{"moved, and another way is met", list(way("o", home)), list(way("o", away, "admin"), way("k", key("X"))), nil, holds(compile.APIKey), "alternative-switched scheme-endpoint-origin-changed security-weakened"},
		{"moved, and not met", list(way("o", home)), list(and(way("o", away), way("k", key("X")))), nil, nil, "scheme-endpoint-origin-changed security-unsatisfiable"},
		{"not moved, and not met", list(way("o", home)), list(and(way("o", home), way("k", key("X")))), nil, nil, "security-unsatisfiable"},
		{"a token URL came on another origin", list(way("o", code("https://id.example/a", ""))), list(way("o", code("https://id.example/a", "https://elsewhere.example/t"))), nil, nil, "change-unclassified"},
		{"a token URL came on its origin", list(way("o", code("https://id.example/a", ""))), list(way("o", code("https://id.example/a", "https://id.example/t"))), nil, nil, ""},
		{"a scope of another issuer", list(and(way("a", home, "read"), way("b", away, "list"))), list(and(way("a", home, "read"), way("b", away, "list", "read"))), []string{"list", "read"}, nil, "scope-required"},
		{"a scope of the only scheme with scopes", list(and(way("a", home, "read"), way("k", key("X")))), list(and(way("a", home, "read", "list"), way("k", key("X")))), []string{"list", "read"}, nil, ""},
		{"a header that only looks the same", list(way("k", key("X-Key"))), list(way("k", kelvin)), nil, nil, "scheme-changed"},
	} {
		r := New([]Skill{{ID: "s", Recorded: true, Was: tt.was, Now: tt.now, Scopes: tt.scopes}}, Holder{Client: tt.client})
		var got []string
		for _, c := range r.Changes() {
			got = append(got, string(c.Rule))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, s, tt.want)
		}
	}
}

// A scope that one skill records for an issuer is none of another issuer's.
func TestScopesOfAnotherIssuer(t *testing.T) {
	home, away := oauth("https://id.example/t"), oauth("https://elsewhere.example/t")
	one := func(a compile.Alternative) []compile.Alternative { return []compile.Alternative{a} }
	r := New([]Skill{
		{ID: "a", Recorded: true, Was: one(way("o", home, "read")), Now: one(way("o", home, "read", "write"))},
		{ID: "b", Recorded: true, Was: one(way("p", away, "write")), Now: one(way("p", away, "write"))},
	}, Holder{})
	if c := r.Changes(); len(c) != 1 || c[0].Rule != ScopeRequired {
		t.Errorf("changes = %+v, want scope-required alone", c)
	}
	scopes, _ := r.Held("a", map[string]compile.Scheme{"o": home, "p": away})
	if got := fmt.Sprint(scopes); got != "map[o:[read] p:[write]]" {
		t.Errorf("Held = %s", got)
	}
}

// What cannot be read is never held, whatever the lock names.
func TestUnreadableIsNotHeld(t *testing.T) {
	odd := way("z", compile.Scheme{Kind: card.KindUnknown})
	r := New([]Skill{{ID: "s", Now: []compile.Alternative{odd}, Schemes: []string{"z"}, Scopes: []string{}}}, Holder{})
	if scopes, _ := r.Held("s", nil); scopes == nil || len(scopes) > 0 {
		t.Errorf("Held = %v, want nothing", scopes)
	}
}
