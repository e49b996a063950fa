// Package strength grades ways to authenticate.
package strength

import (
	"fmt"
	"strings"
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

// Parse reads a strength as people write it: case, "-", "_" and spaces
// do not count, and the names that A2A and OAuth have for a kind are read too.
func Parse(s string) (Strength, error) {
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
