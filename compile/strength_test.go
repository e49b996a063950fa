package compile

import (
	"testing"

	"github.com/a2alock/a2alock/card"
)

func TestStrengthOf(t *testing.T) {
	tests := []struct {
		scheme Scheme
		want   Strength
	}{
		{Scheme{Kind: card.KindMutualTLS}, MutualTLS},
		{Scheme{Kind: card.KindOAuth2}, OAuth2},
		{Scheme{Kind: card.KindOpenIDConnect}, OAuth2},
		{Scheme{Kind: card.KindHTTP, HTTPScheme: "bearer"}, Bearer},
		{Scheme{Kind: card.KindHTTP, HTTPScheme: "dpop"}, Bearer},
		{Scheme{Kind: card.KindAPIKey}, APIKey},
		{Scheme{Kind: card.KindHTTP, HTTPScheme: "basic"}, Basic},
		{Scheme{Kind: card.KindHTTP, HTTPScheme: "digest"}, Basic},
		{Scheme{Kind: card.KindUnknown}, Basic},
	}
	for _, tt := range tests {
		if got := StrengthOf(tt.scheme); got != tt.want {
			t.Errorf("StrengthOf(%s %s) = %v, want %v", tt.scheme.Kind, tt.scheme.HTTPScheme, got, tt.want)
		}
	}
	both := Alternative{Schemes: map[string]SchemeUse{
		"key":  {Scheme: Scheme{Kind: card.KindAPIKey}},
		"mtls": {Scheme: Scheme{Kind: card.KindMutualTLS}},
	}}
	if got := both.Strength(); got != MutualTLS {
		t.Errorf("strength of a key and mutual TLS together = %v, want %v", got, MutualTLS)
	}
	if got := (Alternative{}).Strength(); got != Anonymous {
		t.Errorf("strength of an empty alternative = %v, want %v", got, Anonymous)
	}
}

func TestMeets(t *testing.T) {
	use := func(k card.Kind, http string, scopes ...string) SchemeUse {
		return SchemeUse{Scheme: Scheme{Kind: k, HTTPScheme: http}, Scopes: scopes}
	}
	all := func(uses ...SchemeUse) Alternative {
		a := Alternative{Schemes: map[string]SchemeUse{}}
		for i, u := range uses {
			a.Schemes[string(rune('a'+i))] = u
		}
		return a
	}
	oauth := Credential{Name: "o", Kind: OAuth2, Scopes: []string{"read", "write"}}
	key := Credential{Name: "k", Kind: APIKey}
	tests := []struct {
		name string
		a    Alternative
		held []Credential
		want bool
	}{
		{"anonymous needs nothing", Alternative{}, nil, true},
		{"kind fits", all(use(card.KindAPIKey, "")), []Credential{key}, true},
		{"nothing held", all(use(card.KindAPIKey, "")), nil, false},
		{"a stronger kind is another kind", all(use(card.KindAPIKey, "")), []Credential{oauth}, false},
		{"scopes within", all(use(card.KindOAuth2, "", "read")), []Credential{oauth}, true},
		{"scope beyond", all(use(card.KindOAuth2, "", "read", "admin")), []Credential{oauth}, false},
		{"scopes are not pooled", all(use(card.KindOAuth2, "", "read", "admin")), []Credential{oauth, {Kind: OAuth2, Scopes: []string{"admin"}}}, false},
		{"OpenID Connect is OAuth 2", all(use(card.KindOpenIDConnect, "", "read")), []Credential{oauth}, true},
		{"all of them", all(use(card.KindOAuth2, ""), use(card.KindAPIKey, "")), []Credential{oauth, key}, true},
		{"one is missing", all(use(card.KindOAuth2, ""), use(card.KindMutualTLS, "")), []Credential{oauth, key}, false},
		{"basic", all(use(card.KindHTTP, "basic")), []Credential{{Kind: Basic}}, true},
		{"bearer", all(use(card.KindHTTP, "bearer")), []Credential{{Kind: Bearer}}, true},
		{"digest is no basic", all(use(card.KindHTTP, "digest")), []Credential{{Kind: Basic}}, false},
		{"DPoP is no bearer", all(use(card.KindHTTP, "dpop")), []Credential{{Kind: Bearer}}, false},
		{"unknown never", all(use(card.KindUnknown, "")), []Credential{oauth, key, {Kind: Basic}, {Kind: MutualTLS}, {Kind: Bearer}}, false},
	}
	for _, tt := range tests {
		if got := Meets(tt.a, tt.held); got != tt.want {
			t.Errorf("%s: Meets = %v, want %v", tt.name, got, tt.want)
		}
	}
}
