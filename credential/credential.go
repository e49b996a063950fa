// Package credential holds what a2alock shows to others when they ask who it
// is, and lets each credential go to its own origins alone.
//
// A [Credential] names its origins, exactly: scheme, host and port. The
// [Wallet] puts it on a request to one of them ([Wallet.Apply]) and refuses
// every other with an [*OriginError]. Nothing that a card or a server says adds
// an origin.
//
//	w, err := credential.New([]credential.Credential{{
//		Name:    "pricing",
//		Origins: []string{"https://pricing.example.com"},
//		Kind:    credential.Bearer{Token: credential.File("/run/secrets/pricing")},
//	}})
//
// A secret is a [Value]. No error, log line or printed struct shows one.
package credential

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/netguard"
)

// A Credential is one thing that proves who asks.
type Credential struct {
	Name string
	// Origins are where it may be sent ("https://agent.example:8443"); there is at
	// least one. Plain http is for loopback hosts alone.
	Origins []string
	// Scopes are those that it carries, where that is known. For
	// [ClientCredentials] nil means the scopes that it asks for.
	Scopes []string
	Kind   Kind
	// Err is why it cannot be used, although it is configured: a variable that is
	// not set, say. It is then known by its name, and what would show it on a
	// request fails. Nil for one that can.
	Err error
}

// A Kind is what a credential is: [Bearer], [APIKey], [Basic],
// [ClientCredentials] or [MutualTLS].
type Kind interface {
	strength() compile.Strength
	// faults are what is wrong with the kind itself.
	faults() []error
	// values are what it reads when it is used, by the member that names it.
	values() map[string]Value
}

// Bearer is a token that is sent as it is (RFC 6750 2.1).
type Bearer struct{ Token Value }

func (Bearer) strength() compile.Strength { return compile.Bearer }

func (b Bearer) faults() []error { return missing(b, "token", b.Token) }

func (b Bearer) values() map[string]Value { return map[string]Value{"token": b.Token} }

// The places of an [APIKey].
const (
	InHeader = "header"
	InQuery  = "query"
	InCookie = "cookie"
)

// APIKey is a value under an agreed name.
type APIKey struct {
	In   string // InHeader, InQuery or InCookie
	Name string
	Key  Value
}

func (APIKey) strength() compile.Strength { return compile.APIKey }

// ownHeaders are those by which a request is framed, or says what it is.
var ownHeaders = []string{
	"Accept", "Accept-Encoding", "A2a-Extensions", "A2a-Version", "Connection", "Content-Encoding", "Content-Length", "Content-Type",
	"Cookie", "Expect", "Host", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Referer", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

func (k APIKey) values() map[string]Value { return map[string]Value{"key": k.Key} }

func (k APIKey) faults() []error {
	errs := missing(k, "key", k.Key)
	switch k.In {
	case InHeader:
		if !httpguts.ValidHeaderFieldName(k.Name) {
			errs = append(errs, &FieldError{"name", k.Name, errors.New("no name of a header")})
		}
		if slices.Contains(ownHeaders, http.CanonicalHeaderKey(k.Name)) {
			errs = append(errs, &FieldError{"name", k.Name, errors.New("a header with a meaning of its own")})
		}
	case InCookie:
		if !httpguts.ValidHeaderFieldName(k.Name) {
			errs = append(errs, &FieldError{"name", k.Name, errors.New("no name of a cookie")})
		}
	case InQuery:
		if k.Name == "" {
			errs = append(errs, &FieldError{"name", "", errors.New("empty")})
		}
	default:
		errs = append(errs, &FieldError{"in", k.In, errors.New("want header, query or cookie")})
	}
	return errs
}

// Basic is a user name and a password (RFC 7617).
type Basic struct {
	User     string
	Password Value
}

func (Basic) strength() compile.Strength { return compile.Basic }

func (b Basic) values() map[string]Value { return map[string]Value{"password": b.Password} }

func (b Basic) faults() []error {
	errs := missing(b, "password", b.Password)
	if check(b.User) != nil || strings.Contains(b.User, ":") {
		errs = append(errs, &FieldError{"user", "", errors.New("want a name without colons and line breaks")})
	}
	return errs
}

// The values of [ClientCredentials.AuthStyle].
const (
	AuthHeader = "header"
	AuthParams = "params"
)

// ClientCredentials is a token that a token server gives for a client's own
// name and secret (RFC 6749 4.4).
type ClientCredentials struct {
	// TokenURL is https, or http of a loopback host. The secret goes to it, and
	// follows no redirect.
	TokenURL string
	ClientID string
	Secret   Value
	Scopes   []string
	// AuthStyle is where the token server wants the secret: AuthHeader (also ""),
	// or AuthParams.
	AuthStyle string
	// Params are sent along, like "audience" or "resource" (RFC 8707).
	Params url.Values
}

func (ClientCredentials) strength() compile.Strength { return compile.OAuth2 }

// ownParams are set by the grant itself.
var ownParams = []string{"client_id", "client_secret", "grant_type", "scope"}

func (c ClientCredentials) values() map[string]Value {
	return map[string]Value{"client_secret": c.Secret}
}

func (c ClientCredentials) faults() []error {
	errs := missing(c, "client_secret", c.Secret)
	if check(c.ClientID) != nil {
		errs = append(errs, &FieldError{"client_id", "", errors.New("empty, or with a line break")})
	}
	u, err := url.Parse(c.TokenURL)
	switch {
	case err != nil || netguard.Origin(u) == "":
		errs = append(errs, &FieldError{"token_url", "", errors.New("want an https URL")})
	case u.User != nil || u.Fragment != "":
		errs = append(errs, &FieldError{"token_url", "", errors.New("want no user name, password or fragment in it")})
	case u.Scheme == "http" && !netguard.IsLoopback(u):
		errs = append(errs, &FieldError{"token_url", "", errors.New("plain http would show the secret on the way: want https")})
	}
	if !slices.Contains([]string{"", AuthHeader, AuthParams}, c.AuthStyle) {
		errs = append(errs, &FieldError{"auth_style", c.AuthStyle, errors.New("want header or params")})
	}
	for _, name := range ownParams {
		if _, ok := c.Params[name]; ok {
			errs = append(errs, &FieldError{"params", "", fmt.Errorf("%s has a setting of its own", name)})
		}
	}
	for _, s := range c.Scopes {
		if s == "" || strings.ContainsAny(s, " \"\\") || check(s) != nil {
			errs = append(errs, &FieldError{"scopes", s, errors.New("no scope")})
		}
	}
	return errs
}

// MutualTLS is a certificate that is shown in the handshake. Both files are PEM,
// and are read again when they change; the certificate's may hold a chain.
type MutualTLS struct{ CertFile, KeyFile string }

func (MutualTLS) strength() compile.Strength { return compile.MutualTLS }

func (MutualTLS) values() map[string]Value { return nil }

func (m MutualTLS) faults() []error {
	var errs []error
	if m.CertFile == "" {
		errs = append(errs, &FieldError{"cert_file", "", errMissing})
	}
	if m.KeyFile == "" {
		errs = append(errs, &FieldError{"key_file", "", errMissing})
	}
	return errs
}

var errMissing = errors.New("missing")

func missing(k Kind, what string, v Value) []error {
	if v.IsZero() {
		return []error{&FieldError{what, "", errMissing}}
	}
	if v.text == nil {
		return nil // what a file holds is seen when it is used
	}
	if _, err := v.read(k, nil); err != nil {
		return []error{&FieldError{what, "", err}}
	}
	return nil
}

// origins reads where c may go.
func (c *Credential) origins() ([]string, []error) {
	list := []string{}
	var errs []error
	if len(c.Origins) == 0 {
		errs = append(errs, &FieldError{"origins", "", errors.New("name at least one: without, it could go nowhere")})
	}
	for _, s := range c.Origins {
		origin, err := netguard.ParseOrigin(s)
		if err != nil {
			errs = append(errs, &FieldError{"origins", "", err})
			continue
		}
		u, _ := url.Parse(origin) // ParseOrigin's own form
		_, certificate := c.Kind.(MutualTLS)
		switch {
		case u.Scheme == "http" && certificate:
			errs = append(errs, &FieldError{"origins", s, errors.New("plain http has no certificates")})
		case u.Scheme == "http" && !netguard.IsLoopback(u):
			errs = append(errs, &FieldError{"origins", s, errors.New("plain http would show it on the way: want https")})
		}
		list = append(list, origin)
	}
	return list, errs
}
