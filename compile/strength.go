package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/set"
)

// Strength grades credentials and schemes from anonymous to mutual TLS
// (docs/design.md, Matching). A larger value is stronger.
type Strength int

// The strengths, weakest first.
const (
	Anonymous Strength = iota
	Basic
	APIKey
	Bearer
	OAuth2 // OAuth 2 and OpenID Connect
	MutualTLS
)

var strengthNames = [...]string{
	Anonymous: "anonymous",
	Basic:     "basic",
	APIKey:    "API key",
	Bearer:    "bearer",
	OAuth2:    "OAuth 2",
	MutualTLS: "mutual TLS",
}

// String returns the strength in words: "mutual TLS", "OAuth 2", "bearer",
// "API key", "basic" or "anonymous".
func (s Strength) String() string {
	if s < 0 || int(s) >= len(strengthNames) {
		return fmt.Sprintf("Strength(%d)", int(s))
	}
	return strengthNames[s]
}

// ParseStrength reads a strength as people write it: case, "-", "_" and spaces
// do not count, and the names that A2A and OAuth have for a kind are read too.
func ParseStrength(s string) (Strength, error) {
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s)) {
	case "mtls", "mutualtls":
		return MutualTLS, nil
	case "oauth2", "oauth2clientcredentials", "oidc", "openidconnect":
		return OAuth2, nil
	case "bearer":
		return Bearer, nil
	case "apikey":
		return APIKey, nil
	case "basic":
		return Basic, nil
	case "anonymous":
		return Anonymous, nil
	}
	return Anonymous, fmt.Errorf("credential kind %q: want mtls, oauth2, oidc, bearer, api-key, basic or anonymous", s)
}

// StrengthOf grades one scheme. An HTTP scheme other than bearer and DPoP
// counts as basic, and so does a scheme that cannot be read: it is the least
// that asks for something, and never anonymous.
func StrengthOf(s Scheme) Strength {
	switch s.Kind {
	case card.KindMutualTLS:
		return MutualTLS
	case card.KindOAuth2, card.KindOpenIDConnect:
		return OAuth2
	case card.KindAPIKey:
		return APIKey
	case card.KindHTTP:
		if s.HTTPScheme == "bearer" || s.HTTPScheme == "dpop" {
			return Bearer
		}
	}
	return Basic
}

// Strength is that of the strongest of the alternative's schemes, all of which
// a caller must meet; [Anonymous] when there are none.
func (a Alternative) Strength() Strength {
	strongest := Anonymous
	for _, use := range a.Schemes {
		strongest = max(strongest, StrengthOf(use.Scheme))
	}
	return strongest
}

// Meets reports whether held is enough for a: for each of its schemes there is
// a credential of the scheme's kind that carries every scope asked for. An
// alternative without schemes is always met, a scheme of unknown kind never.
func Meets(a Alternative, held []Credential) bool {
	for _, use := range a.Schemes {
		if !slices.ContainsFunc(held, func(c Credential) bool { return c.meets(use) }) {
			return false
		}
	}
	return true
}

func (c Credential) meets(use SchemeUse) bool {
	return c.fits(use.Scheme) && len(set.Without(use.Scopes, c.Scopes)) == 0
}

// fits is narrower than an equal strength: a password is no use for a scheme
// like digest, although both grade as basic.
func (c Credential) fits(s Scheme) bool {
	switch s.Kind {
	case card.KindUnknown:
		return false
	case card.KindHTTP:
		return s.HTTPScheme == "basic" && c.Kind == Basic || s.HTTPScheme == "bearer" && c.Kind == Bearer
	}
	return c.Kind == StrengthOf(s)
}
