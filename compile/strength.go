package compile

import (
	"slices"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/set"
	"github.com/a2alock/a2alock/internal/strength"
)

// Strength grades credentials and schemes from anonymous to mutual TLS
// (docs/design.md, Matching). A larger value is stronger.
type Strength = strength.Strength

// The strengths, weakest first.
const (
	Anonymous = strength.Anonymous
	Basic     = strength.Basic
	APIKey    = strength.APIKey
	Bearer    = strength.Bearer
	OAuth2    = strength.OAuth2 // OAuth 2 and OpenID Connect
	MutualTLS = strength.MutualTLS
)

// ParseStrength reads a strength as people write it: case, "-", "_" and spaces
// do not count, and the names that A2A and OAuth have for a kind are read too.
func ParseStrength(s string) (Strength, error) { return strength.Parse(s) }

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
