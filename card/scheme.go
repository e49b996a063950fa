package card

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	hType = iota
	hDescription
	hIn
	hLocation
	hName
	hScheme
	hBearerFormat
	hFlows
	hMetadataURL
	hOpenIDURL
)

// One schema holds the members of every kind: what a kind does not have is
// judged by the kind.
var schemeSchema = newSchema("type", "description", "in", "location", "name", "scheme",
	"bearerFormat", "flows", "oauth2MetadataUrl", "openIdConnectUrl")

// kindMembers are the members of each kind.
var kindMembers = map[Kind][]int{
	KindAPIKey:        {hIn, hLocation, hName},
	KindHTTP:          {hScheme, hBearerFormat},
	KindOAuth2:        {hFlows, hMetadataURL},
	KindOpenIDConnect: {hOpenIDURL},
	KindMutualTLS:     nil,
}

// wrappers are the one-key forms of 1.0 (A2A 4.5.1), their snake_case
// spellings, and the inner objects that a2a-go puts beside a flat scheme.
var (
	wrappers = map[string]Kind{
		"apiKeySecurityScheme":        KindAPIKey,
		"httpAuthSecurityScheme":      KindHTTP,
		"oauth2SecurityScheme":        KindOAuth2,
		"openIdConnectSecurityScheme": KindOpenIDConnect,
		"mtlsSecurityScheme":          KindMutualTLS,
	}
	snakeWrappers = map[string]Kind{
		"api_key_security_scheme":         KindAPIKey,
		"http_auth_security_scheme":       KindHTTP,
		"oauth2_security_scheme":          KindOAuth2,
		"open_id_connect_security_scheme": KindOpenIDConnect,
		"mtls_security_scheme":            KindMutualTLS,
	}
	inners = map[string]Kind{
		"apiKey": KindAPIKey, "http": KindHTTP, "oauth2": KindOAuth2,
		"openIdConnect": KindOpenIDConnect, "mutualTLS": KindMutualTLS,
	}
	// Words for a type that are not the specification's and leave no doubt.
	typeWords = map[string]Kind{
		"httpAuth": KindHTTP, "mtls": KindMutualTLS, "mTLS": KindMutualTLS,
	}
)

// schemes reads securitySchemes. A scheme that cannot be read is unknown and
// stays in the map: it must never look like none.
func (r *reader) schemes(c *Card, n ref) {
	c.Sources["schemes"] = Assumed
	c.SecuritySchemes = map[string]SecurityScheme{}
	r.schemeMap = true
	if r.empty(n) {
		return
	}
	e := &element{scope: ScopeScheme}
	if !r.is('{', Error, e, n) {
		r.schemeMap = false
		return
	}
	if r.nodes[n].first != 0 {
		c.Sources["schemes"] = Declared
	}
	for _, d := range r.entries(n, maxEntries) {
		if r.nodes[d].kind == 'n' {
			continue
		}
		s, none := r.scheme(d)
		if none {
			if r.anonymous == nil {
				r.anonymous = map[string]bool{}
			}
			r.anonymous[r.nodes[d].name] = true
			continue
		}
		c.SecuritySchemes[r.nodes[d].name] = s
	}
}

// scheme reads one definition; none is true for a type such as "none".
func (r *reader) scheme(n ref) (s SecurityScheme, none bool) {
	e := &element{scope: ScopeScheme}
	if r.is('{', Error, e, n) {
		s, none = r.definition(e, n)
	}
	r.bigNumbers(e, n)
	if e.disabled != "" {
		s.Kind, s.Unreadable = KindUnknown, e.disabled
	}
	return s, none
}

// definition reads a scheme in any of its forms: a 1.0 wrapper, the flat form
// with a type, both side by side, a flat one with an inner object, and the
// in-memory form of a2a-js ($case).
func (r *reader) definition(e *element, n ref) (s SecurityScheme, none bool) {
	var wrapper, inner, typed, scheme ref
	var kind Kind
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		v := &r.nodes[c]
		k, isWrapper := r.wrapper(v.name, c)
		_, isInner := inners[v.name]
		switch {
		case v.kind == 'n':
		case isWrapper && wrapper != 0:
			r.err(e, "several-kinds", n, "%s and %s are both there, and a scheme has one kind", r.label(wrapper), r.label(c))
			return s, false
		case isWrapper:
			wrapper, kind = c, k
		case v.name == "type":
			typed = c
		case v.name == "scheme" && v.kind == '{':
			scheme = c
		case isInner && v.kind == '{':
			inner = c
		}
	}
	switch {
	case scheme != 0:
		return r.caseScheme(e, scheme), false
	case wrapper != 0:
		if r.is('{', Error, e, wrapper) {
			s = r.fields(e, kind, wrapper)
			r.beside(e, &s, n, wrapper, typed)
		}
		return s, false
	case typed != 0:
		return r.flat(e, n, typed, inner)
	}
	r.noKind(e, n)
	return s, false
}

// wrapper names the kind of a wrapper member, in both spellings.
func (r *reader) wrapper(name string, n ref) (Kind, bool) {
	if k, ok := wrappers[name]; ok {
		return k, true
	}
	k, ok := snakeWrappers[name]
	if ok {
		r.warn("snake-case", n, "%s is not spelled in camelCase (A2A 5.5)", name)
	}
	return k, ok
}

// noKind says what is wrong with a scheme that has neither wrapper nor type.
func (r *reader) noKind(e *element, n ref) {
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		name := r.nodes[c].name
		switch folded := string(fold(nil, name)); {
		case !strings.HasSuffix(folded, "securityscheme"):
		case strings.Contains(folded, "tls"):
			r.err(e, "unknown-wrapper", c, "%s is no kind of scheme; mtlsSecurityScheme is", plain(name))
			return
		default:
			r.err(e, "unknown-wrapper", c, "%s is no kind of scheme (A2A 4.5.1 lists them)", plain(name))
			return
		}
	}
	r.err(e, "unknown-scheme", n, "the scheme %s has neither a kind (A2A 4.5.1) nor a type", r.label(n))
}

// caseScheme reads what a2a-js sends when it serves its own objects.
func (r *reader) caseScheme(e *element, n ref) (s SecurityScheme) {
	name, value := r.caseOf(n)
	kind, ok := wrappers[name]
	if !ok || value == 0 {
		r.err(e, "unknown-scheme", n, "scheme: no kind of scheme in $case")
		return s
	}
	r.warnOnce("sdk-form", n, "the $case form of a2a-js's own objects, not the form of the specification")
	return r.fields(e, kind, value)
}

// caseOf takes {"$case": word, "value": {…}} apart.
func (r *reader) caseOf(n ref) (name string, value ref) {
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		switch v := &r.nodes[c]; {
		case v.name == "$case" && v.kind == '"':
			name = v.str
		case v.name == "value" && v.kind == '{':
			value = c
		}
	}
	return name, value
}

// flat reads the form of 0.x, where a type names the kind.
func (r *reader) flat(e *element, n, typed, inner ref) (s SecurityScheme, none bool) {
	if !r.is('"', Error, e, typed) {
		return s, false
	}
	word := r.nodes[typed].str
	if isAnonymous(word) {
		return s, true
	}
	kind, ok := inners[word]
	if !ok {
		if kind, ok = typeWords[word]; ok {
			r.warn("type-word", typed, "type: %s is spelled %s", quote(word), kind)
		}
	}
	if !ok && isHTTPScheme(word) {
		r.warn("type-word", typed, "type: %s is an HTTP scheme, and the type is http", quote(word))
		s = r.fields(e, "", n)
		s.Kind, s.Scheme = KindHTTP, strings.ToLower(word)
		return s, false
	}
	if !ok {
		r.err(e, "unknown-scheme", typed, "type: %s is no kind of scheme", quote(word))
		return s, false
	}
	if r.pure && inner == 0 {
		r.warnOnce("scheme-form", n, "the flat form of 0.x, with a type, in a 1.0 card")
	}
	s = r.fields(e, kind, n, inner)
	if inner != 0 && e.disabled == "" {
		r.warnOnce("sdk-form", n, "a flat scheme with an inner object, as a2a-go sends both")
		if again := r.quietly(func(e *element) SecurityScheme { return r.fields(e, kind, inner) }); !same(s, again) {
			r.err(e, "forms-differ", inner, "%s differs from the flat members beside it", r.label(inner))
		}
	}
	return s, false
}

// beside compares the flat members next to a wrapper with it, and keeps what
// belongs to neither.
func (r *reader) beside(e *element, s *SecurityScheme, n, wrapper, typed ref) {
	if typed != 0 && r.nodes[typed].kind == '"' {
		again := r.quietly(func(e *element) SecurityScheme {
			t, _ := r.flat(e, n, typed, 0)
			return t
		})
		if !same(*s, again) {
			r.err(e, "forms-differ", n, "%s and the flat members beside it differ", r.label(wrapper))
		}
	}
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		v := &r.nodes[c]
		_, known := schemeSchema.exact[v.name]
		if c == wrapper || v.kind == 'n' || v.name == "description" || known && typed != 0 {
			continue
		}
		keep(&s.Unknown, v.name, r.canonical(c))
	}
}

// quietly reads something a second time for comparison.
func (r *reader) quietly(read func(*element) SecurityScheme) SecurityScheme {
	muted := r.muted
	r.muted = true
	defer func() { r.muted = muted }()
	e := &element{scope: ScopeScheme}
	s := read(e)
	if e.disabled != "" {
		s.Kind = KindUnknown
	}
	return s
}

// same reports whether two readings define one scheme.
func same(a, b SecurityScheme) bool {
	return a.Kind == b.Kind && a.Location == b.Location && a.Name == b.Name && a.Scheme == b.Scheme &&
		a.BearerFormat == b.BearerFormat && a.OAuth2MetadataURL == b.OAuth2MetadataURL &&
		a.OpenIDConnectURL == b.OpenIDConnectURL && sameFlows(a.Flows, b.Flows)
}

func sameFlows(a, b map[string]Flow) bool {
	if len(a) != len(b) {
		return false
	}
	for grant, f := range a {
		g, ok := b[grant]
		if !ok || !slices.Equal(f.Scopes, g.Scopes) {
			return false
		}
		f.Scopes, g.Scopes = nil, nil
		if f.AuthorizationURL != g.AuthorizationURL || f.TokenURL != g.TokenURL || f.RefreshURL != g.RefreshURL ||
			f.DeviceAuthorizationURL != g.DeviceAuthorizationURL || f.PKCERequired != g.PKCERequired {
			return false
		}
	}
	return true
}

// fields reads the members of a kind from object n. Members outside the kind
// are unknown, save those named in known.
func (r *reader) fields(e *element, kind Kind, n ref, known ...ref) SecurityScheme {
	m := r.members(e, n, schemeSchema)
	s := SecurityScheme{Kind: kind}
	switch kind {
	case KindAPIKey:
		r.apiKey(e, &s, &m)
	case KindHTTP:
		s.Scheme = strings.ToLower(r.need(Error, e, &m, hScheme))
		s.BearerFormat = r.str(Gap, e, m.at[hBearerFormat])
	case KindOAuth2:
		r.oauth2(e, &s, &m)
	case KindOpenIDConnect:
		s.OpenIDConnectURL = r.need(Error, e, &m, hOpenIDURL)
	}
	for i, c := range m.at {
		if c != 0 && i != hType && i != hDescription && !slices.Contains(kindMembers[kind], i) {
			m.unknown = append(m.unknown, c)
		}
	}
	for _, c := range m.unknown {
		if !slices.Contains(known, c) {
			keep(&s.Unknown, r.nodes[c].name, r.canonical(c))
		}
	}
	return s
}

// apiKey takes the place from "location" (1.0) or "in" (0.x).
func (r *reader) apiKey(e *element, s *SecurityScheme, m *members) {
	place, other := m.at[hLocation], m.at[hIn]
	if place == 0 {
		place = other
	}
	s.Location = r.str(Error, e, place)
	s.Name = r.need(Error, e, m, hName)
	switch s.Location {
	case "header", "query", "cookie":
		if o := r.nodes[other]; other != 0 && (o.kind != '"' || o.str != s.Location) {
			r.err(e, "forms-differ", other, "in and location differ")
		}
	case "":
		if e.disabled == "" {
			r.missing(Error, e, m, hLocation)
		}
	default:
		r.err(e, "bad-location", place, "%s: %s is none of header, query and cookie", r.label(place), quote(s.Location))
	}
}

// isAnonymous reports the words by which 0.1 cards say that nothing is needed.
func isAnonymous(word string) bool {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "none", "public", "anonymous":
		return true
	}
	return false
}

func isHTTPScheme(word string) bool {
	word = strings.ToLower(word)
	return word == "bearer" || word == "basic"
}

func keep(m *map[string]jsontext.Value, name string, v jsontext.Value) {
	if *m == nil {
		*m = map[string]jsontext.Value{}
	}
	(*m)[name] = v
}
