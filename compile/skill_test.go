package compile

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/card"
)

// docs/design.md, Compiling 4.
func TestCompileModes(t *testing.T) {
	tests := []struct {
		name           string
		defaults, list []string
		want           []string
	}{
		{"the card's default", []string{"text/plain", "a/b"}, nil, []string{"a/b", "text/plain"}},
		{"the skill's own list replaces it", []string{"text/plain"}, []string{"a/c", "a/b"}, []string{"a/b", "a/c"}},
		{"it never adds", []string{"a/b", "a/c"}, []string{"a/b"}, []string{"a/b"}},
		{"declared nowhere is unknown", nil, nil, nil},
		{"an empty list inherits", []string{"a/b"}, []string{}, []string{"a/b"}},
		{"two empty lists are unknown", []string{}, []string{}, nil},
		{"blank modes are none", []string{" "}, []string{""}, nil},
		{"equal ones once", nil, []string{"Text/Plain", "text/plain", "text", " text/plain "}, []string{"text/plain"}},
		{"parameters make another type", nil, []string{"a/b; x=1", "a/b"}, []string{"a/b", "a/b; x=1"}},
		{"wildcards stay", nil, []string{"text/*"}, []string{"text/*"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := compiled(t, func(c *card.Card, _ *Client) {
				c.DefaultInputModes, c.DefaultOutputModes = tt.defaults, []string{"a/other"}
				c.Skills[0].InputModes = tt.list
			})
			s := p.Skills["quote"]
			if !slices.Equal(s.Input, tt.want) || (s.Input == nil) != (tt.want == nil) {
				t.Errorf("input %#v, want %#v", s.Input, tt.want)
			}
			if !slices.Equal(s.Output, []string{"a/other"}) {
				t.Errorf("output %v, want the default: input and output inherit on their own", s.Output)
			}
		})
	}
}

func TestCompileModesFollowTheClientsAliases(t *testing.T) {
	for _, tt := range []struct {
		aliases map[string]string
		want    string
	}{
		{DefaultAliases(), "text/plain"},
		{map[string]string{"TEXT": "text/markdown"}, "text/markdown"},
		{map[string]string{}, "text"},
		{nil, "text"},
	} {
		p, _ := compiled(t, func(c *card.Card, cl *Client) {
			cl.Aliases, c.DefaultInputModes = tt.aliases, []string{"text"}
		})
		if got := p.Skills["quote"].Input; !slices.Equal(got, []string{tt.want}) {
			t.Errorf("with aliases %v: %v, want %v", tt.aliases, got, tt.want)
		}
	}
}

func TestCompileSkills(t *testing.T) {
	p, _ := compiled(t, func(c *card.Card, _ *Client) {
		c.Skills = []card.Skill{
			{ID: "a", Tags: []string{"z", "b", "z"}},
			{ID: "twice"},
			{ID: "broken", Disabled: "inputModes is a string"},
			{ID: "", Disabled: "no id"},
			{ID: "twice", Disabled: "also broken"},
			{ID: "", Disabled: "no id"},
		}
	})
	if len(p.Skills) != 1 || !slices.Equal(p.Skills["a"].Tags, []string{"b", "z"}) {
		t.Errorf("skills %v, want a alone, its tags a sorted set", p.Skills)
	}
	if diff := cmp.Diff(map[string]string{"broken": "inputModes is a string"}, p.Disabled); diff != "" {
		t.Errorf("disabled (-want +got):\n%s", diff)
	}
	if !slices.Equal(p.Ambiguous, []string{"twice"}) {
		t.Errorf("ambiguous %v, want [twice]", p.Ambiguous)
	}
}

// docs/design.md, Compiling 5.
func TestCompileSecurity(t *testing.T) {
	definitions := map[string]card.SecurityScheme{
		"key":    {Kind: card.KindAPIKey, Location: "header", Name: "X-Key"},
		"basic":  {Kind: card.KindHTTP, Scheme: "basic"},
		"broken": {Kind: card.KindUnknown, Unreadable: "two kinds at once"},
		"oauth": {Kind: card.KindOAuth2, Flows: map[string]card.Flow{
			"clientCredentials": {TokenURL: "https://id.example/token", Scopes: []string{"b", "a"}},
		}},
	}
	key := SchemeUse{Scheme: Scheme{Kind: card.KindAPIKey, In: "header", Name: "X-Key"}, Scopes: []string{}}
	basic := SchemeUse{Scheme: Scheme{Kind: card.KindHTTP, HTTPScheme: "basic"}, Scopes: []string{}}
	oauth := SchemeUse{Scheme: Scheme{Kind: card.KindOAuth2, Flows: map[string]Flow{
		"clientCredentials": {TokenURL: "https://id.example/token", Scopes: []string{"a", "b"}},
	}}, Scopes: []string{"a", "b"}}
	unknown := func(reason string) SchemeUse {
		return SchemeUse{Scheme: Scheme{Kind: card.KindUnknown, Reason: reason}, Scopes: []string{}}
	}
	of := func(name string, use SchemeUse) Alternative {
		return Alternative{Schemes: map[string]SchemeUse{name: use}}
	}

	needs := func(alternatives ...card.Alternative) card.Security {
		return card.Security{Declared: true, Alternatives: alternatives}
	}
	asks := func(names ...string) card.Alternative {
		a := card.Alternative{Schemes: map[string][]string{}}
		for _, n := range names {
			a.Schemes[n] = nil
		}
		return a
	}
	scoped := card.Alternative{Schemes: map[string][]string{"oauth": {"b", "a", "b"}}}
	none := card.Security{}

	tests := []struct {
		name        string
		card, skill card.Security
		from        string
		want        []Alternative
	}{
		{"none", none, none, "none", []Alternative{}},
		{"inherited", needs(asks("key")), none, "card", []Alternative{of("key", key)}},
		{"replaced", needs(asks("key")), needs(scoped), "skill", []Alternative{of("oauth", oauth)}},
		{"the skill's alone", none, needs(asks("key")), "skill", []Alternative{of("key", key)}},
		{"alternatives keep their order", needs(asks("key"), asks("basic")), none, "card", []Alternative{of("key", key), of("basic", basic)}},
		{"and", needs(asks("key", "basic")), none, "card", []Alternative{{Schemes: map[string]SchemeUse{"key": key, "basic": basic}}}},
		{"anonymous is an alternative", needs(asks("key"), asks()), none, "card", []Alternative{of("key", key), {Schemes: map[string]SchemeUse{}}}},
		{"a skill that is open", needs(asks("key")), needs(asks()), "skill", []Alternative{{Schemes: map[string]SchemeUse{}}}},
		{"equal ones once", needs(scoped, asks("key"), card.Alternative{Schemes: map[string][]string{"oauth": {"a", "b"}}}), none, "card", []Alternative{of("oauth", oauth), of("key", key)}},
		{"other scopes are another", needs(asks("key"), card.Alternative{Schemes: map[string][]string{"key": {"a"}}}), none, "card", []Alternative{
			of("key", key), of("key", SchemeUse{Scheme: key.Scheme, Scopes: []string{"a"}}),
		}},
		{"not declared", needs(asks("gone")), none, "card", []Alternative{of("gone", unknown("the card declares no scheme gone"))}},
		{"unreadable definition", needs(asks("broken")), none, "card", []Alternative{of("broken", unknown("two kinds at once"))}},
		{"unreadable requirement", needs(card.Alternative{Unreadable: "a number"}), none, "card", []Alternative{of("", unknown("a number"))}},
		{"half read", needs(card.Alternative{Schemes: map[string][]string{"key": nil}, Unreadable: "a number"}), none, "card", []Alternative{of("", unknown("a number"))}},
		{"declared and nothing read", none, needs(), "skill", []Alternative{of("", unknown("no requirement in the list can be read"))}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := compiled(t, func(c *card.Card, _ *Client) {
				c.SecuritySchemes, c.Security, c.Skills[0].Security = definitions, tt.card, tt.skill
			})
			s := p.Skills["quote"]
			if s.SecurityFrom != tt.from {
				t.Errorf("from %q, want %q", s.SecurityFrom, tt.from)
			}
			if diff := cmp.Diff(tt.want, s.Security); diff != "" {
				t.Errorf("security (-want +got):\n%s", diff)
			}
			if len(p.Schemes) != len(definitions) || !p.Usable {
				t.Errorf("%d schemes, usable %v, want all %d and a usable profile", len(p.Schemes), p.Usable, len(definitions))
			}
		})
	}
}
