package security

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

// alike reports whether two definitions are one scheme: kind, place, parameter
// name, HTTP scheme and grant count, names and addresses do not. A scheme with
// several grants is the same while one is left. What cannot be read is like
// nothing.
func alike(a, b compile.Scheme) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case card.KindAPIKey:
		// The names of headers have no case (RFC 9110 5.1), other names do.
		return a.In == b.In && (a.Name == b.Name || a.In == "header" && sameHeader(a.Name, b.Name))
	case card.KindHTTP:
		return a.HTTPScheme == b.HTTPScheme
	case card.KindOAuth2:
		for grant := range a.Flows {
			if _, ok := b.Flows[grant]; ok {
				return true
			}
		}
		return len(a.Flows) == 0 && len(b.Flows) == 0
	case card.KindOpenIDConnect, card.KindMutualTLS:
		return true
	}
	return false
}

// sameHeader compares names without the case of ASCII letters, and of no others.
func sameHeader(a, b string) bool {
	lower := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, s)
	}
	return lower(a) == lower(b)
}

// difference says in words what makes a and b two schemes.
func difference(a, b compile.Scheme) string {
	switch {
	case a.Kind != b.Kind:
		return fmt.Sprintf("it was %s and is %s", describe(a), describe(b))
	case a.Kind == card.KindOAuth2:
		return fmt.Sprintf("its grants were %s and are %s", say.List(sortedGrants(a)), say.List(sortedGrants(b)))
	}
	return fmt.Sprintf("it was %s and is %s", describe(a), describe(b))
}

func describe(s compile.Scheme) string {
	switch s.Kind {
	case card.KindAPIKey:
		return fmt.Sprintf("an API key in %s %s", say.Quote(s.In), say.Quote(s.Name))
	case card.KindHTTP:
		return "HTTP " + say.Quote(s.HTTPScheme)
	case card.KindOAuth2:
		return "OAuth 2"
	case card.KindOpenIDConnect:
		return "OpenID Connect"
	case card.KindMutualTLS:
		return "mutual TLS"
	}
	return "of a kind that cannot be read"
}

func sortedGrants(s compile.Scheme) []string { return slices.Sorted(maps.Keys(s.Flows)) }

// grants returns those of a that b does not have, sorted.
func grants(a, b compile.Scheme) []string {
	return set.Without(sortedGrants(a), sortedGrants(b))
}

// sameAlternative is true for what compiles to the same requirement.
func sameAlternative(a, b compile.Alternative) bool {
	return maps.EqualFunc(a.Schemes, b.Schemes, func(a, b compile.SchemeUse) bool {
		return sameScheme(a.Scheme, b.Scheme) && slices.Equal(a.Scopes, b.Scopes)
	})
}

// sameScheme leaves out what is a hint or a list of what could be asked for.
func sameScheme(a, b compile.Scheme) bool {
	return a.Kind == b.Kind && a.In == b.In && a.Name == b.Name && a.HTTPScheme == b.HTTPScheme &&
		a.OAuth2MetadataURL == b.OAuth2MetadataURL && a.OpenIDConnectURL == b.OpenIDConnectURL &&
		maps.EqualFunc(a.Flows, b.Flows, func(a, b compile.Flow) bool {
			return a.AuthorizationURL == b.AuthorizationURL && a.TokenURL == b.TokenURL && a.RefreshURL == b.RefreshURL &&
				a.DeviceAuthorizationURL == b.DeviceAuthorizationURL && a.PKCERequired == b.PKCERequired
		})
}

// endpoints compares the addresses that a scheme sends secrets and people to,
// for the grants that both sides have. It returns how many findings it made.
func (l *look) endpoints(p pair) int {
	before := len(l.out)
	a, b := p.was.Scheme, p.now.Scheme
	known := addresses(a)
	l.endpoint(p, a.OAuth2MetadataURL, b.OAuth2MetadataURL, tokenURLs(a), "oauth2_metadata_url")
	l.endpoint(p, a.OpenIDConnectURL, b.OpenIDConnectURL, known, "openid_connect_url")
	for _, grant := range sortedGrants(a) {
		was := a.Flows[grant]
		now, ok := b.Flows[grant]
		if !ok {
			continue
		}
		l.endpoint(p, was.AuthorizationURL, now.AuthorizationURL, known, "flows", grant, "authorization_url")
		l.endpoint(p, was.TokenURL, now.TokenURL, known, "flows", grant, "token_url")
		l.endpoint(p, was.DeviceAuthorizationURL, now.DeviceAuthorizationURL, known, "flows", grant, "device_authorization_url")
		l.endpoint(p, was.RefreshURL, now.RefreshURL, []string{was.TokenURL}, "flows", grant, "refresh_url")
		if was.PKCERequired != now.PKCERequired {
			l.add(Unclassified, change(say.Pointer("schemes", p.nowName, "flows", grant, "pkce_required"),
				was.PKCERequired, now.PKCERequired, "the scheme %s %s PKCE", say.Quote(p.nowName),
				map[bool]string{true: "now requires", false: "no longer requires"}[now.PKCERequired]))
		}
	}
	return len(l.out) - before
}

// came looks at an address that only came. On an origin of the known addresses
// nobody new gets anything; on another one no other rule says that secrets may
// go there now.
func (l *look) came(p pair, now string, known, member []string) {
	origin := compile.Origin("", now)
	if origin == "" || !slices.ContainsFunc(known, func(u string) bool { return u != "" && compile.Origin("", u) == origin }) {
		l.add(Unclassified, change(say.Pointer(append([]string{"schemes", p.nowName}, member...)...), nil, now,
			"the scheme %s has the %s %s now, on another origin than it had",
			say.Quote(p.nowName), memberWords(member), say.Quote(now)))
	}
}

// addresses are all that a scheme names.
func addresses(s compile.Scheme) []string {
	list := []string{s.OAuth2MetadataURL, s.OpenIDConnectURL}
	for _, f := range s.Flows {
		list = append(list, f.AuthorizationURL, f.TokenURL, f.RefreshURL, f.DeviceAuthorizationURL)
	}
	return list
}

// tokenURLs are where a scheme sends secrets to for a token.
func tokenURLs(s compile.Scheme) []string {
	var list []string
	for _, grant := range sortedGrants(s) {
		list = append(list, s.Flows[grant].TokenURL)
	}
	return list
}

// memberWords says the last member of a path in words.
func memberWords(member []string) string {
	return strings.ReplaceAll(member[len(member)-1], "_", " ")
}

// endpoint compares one address. One that only came, on an origin that is
// known, is no change.
func (l *look) endpoint(p pair, was, now string, known []string, member ...string) {
	if compile.NormalizeURL("", was) == compile.NormalizeURL("", now) {
		return
	}
	if was == "" {
		l.came(p, now, known, member)
		return
	}
	path := say.Pointer(append([]string{"schemes", p.nowName}, member...)...)
	words := memberWords(member)
	if now == "" {
		l.add(EndpointChanged, change(path, was, nil, "the scheme %s no longer has the %s %s",
			say.Quote(p.nowName), words, say.Quote(was)))
		return
	}
	origin := compile.Origin("", was)
	if origin != "" && origin == compile.Origin("", now) {
		l.add(EndpointChanged, change(path, was, now, "the %s of the scheme %s was %s and is %s",
			words, say.Quote(p.nowName), say.Quote(was), say.Quote(now)))
		return
	}
	l.add(EndpointOriginChanged, change(path, was, now,
		"secrets would go to another origin: the %s of the scheme %s was %s and is %s",
		words, say.Quote(p.nowName), say.Quote(was), say.Quote(now)))
}
