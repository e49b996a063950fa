package scheme

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/jsondoc"
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
var schemeSchema = jsondoc.NewSchema("type", "description", "in", "location", "name", "scheme",
	"bearerFormat", "flows", "oauth2MetadataUrl", "openIdConnectUrl")

// kinds are the kinds that can be read. A kind's own word is the type of the
// flat form, and the inner object that a2a-go puts beside it.
var kinds = [...]struct {
	kind    Kind
	wrapper string // the one-key form of 1.0 (A2A 4.5.1)
	snake   string // its snake_case spelling
	members []int
}{
	{APIKey, "apiKeySecurityScheme", "api_key_security_scheme", []int{hIn, hLocation, hName}},
	{HTTP, "httpAuthSecurityScheme", "http_auth_security_scheme", []int{hScheme, hBearerFormat}},
	{OAuth2, "oauth2SecurityScheme", "oauth2_security_scheme", []int{hFlows, hMetadataURL}},
	{OpenIDConnect, "openIdConnectSecurityScheme", "open_id_connect_security_scheme", []int{hOpenIDURL}},
	{MutualTLS, "mtlsSecurityScheme", "mtls_security_scheme", nil},
}

// wrapped is the kind of a wrapper; ok is false for another name.
func wrapped(name string) (k Kind, ok bool) {
	for _, known := range kinds {
		if known.wrapper == name {
			return known.kind, true
		}
	}
	return "", false
}

// kindOf is the kind that a type, or an inner object, names; ok is false for
// another word.
func kindOf(word string) (k Kind, ok bool) {
	for _, known := range kinds {
		if string(known.kind) == word {
			return known.kind, true
		}
	}
	return "", false
}

// meant is the kind that a type leaves no doubt about, though its word is not
// the specification's.
func meant(word string) (k Kind, ok bool) {
	switch word {
	case "httpAuth":
		return HTTP, true
	case "mtls", "mTLS":
		return MutualTLS, true
	}
	return "", false
}

// membersOf are the members of a kind.
func membersOf(k Kind) []int {
	for _, known := range kinds {
		if known.kind == k {
			return known.members
		}
	}
	return nil
}

// definition reads a scheme in any of its forms: a 1.0 wrapper, the flat form
// with a type, both side by side, a flat one with an inner object, and the
// in-memory form of a2a-js ($case).
func (r *Reader) definition(e *jsondoc.Element, n jsondoc.Ref) (s Scheme, none bool) {
	var wrapper, inner, typed, scheme jsondoc.Ref
	var kind Kind
	for c := range r.Children(n) {
		v := r.At(c)
		k, isWrapper := r.wrapper(v.Name, c)
		_, isInner := kindOf(v.Name)
		switch {
		case v.Kind == 'n':
		case isWrapper && wrapper != 0:
			r.Err(e, "several-kinds", n, "%s and %s are both there, and a scheme has one kind", r.Label(wrapper), r.Label(c))
			return s, false
		case isWrapper:
			wrapper, kind = c, k
		case v.Name == "type":
			typed = c
		case v.Name == "scheme" && v.Kind == '{':
			scheme = c
		case isInner && v.Kind == '{':
			inner = c
		}
	}
	switch {
	case scheme != 0 && wrapper != 0:
		r.Err(e, "several-kinds", n, "%s and %s are both there, and a scheme has one kind", r.Label(wrapper), r.Label(scheme))
		return s, false
	case scheme != 0:
		if s = r.caseScheme(e, scheme); e.Disabled == "" {
			r.beside(e, &s, n, scheme, typed)
		}
		return s, false
	case wrapper != 0:
		if r.Is('{', jsondoc.Error, e, wrapper) {
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
func (r *Reader) wrapper(name string, n jsondoc.Ref) (Kind, bool) {
	if k, ok := wrapped(name); ok {
		return k, true
	}
	for _, known := range kinds {
		if known.snake == name {
			r.Warn("snake-case", n, "%s is not spelled in camelCase (A2A 5.5)", name)
			return known.kind, true
		}
	}
	return "", false
}

// noKind says what is wrong with a scheme that has neither wrapper nor type.
func (r *Reader) noKind(e *jsondoc.Element, n jsondoc.Ref) {
	for c := range r.Children(n) {
		name := r.At(c).Name
		switch folded := jsondoc.Fold(name); {
		case !strings.HasSuffix(folded, "securityscheme"):
		case strings.Contains(folded, "tls"):
			r.Err(e, "unknown-wrapper", c, "%s is no kind of scheme; mtlsSecurityScheme is", jsondoc.Plain(name))
			return
		default:
			r.Err(e, "unknown-wrapper", c, "%s is no kind of scheme (A2A 4.5.1 lists them)", jsondoc.Plain(name))
			return
		}
	}
	r.Err(e, "unknown-scheme", n, "the scheme %s has neither a kind (A2A 4.5.1) nor a type", r.Label(n))
}

// caseScheme reads what a2a-js sends when it serves its own objects.
func (r *Reader) caseScheme(e *jsondoc.Element, n jsondoc.Ref) (s Scheme) {
	var more map[string]jsontext.Value
	name, value := r.caseOf(n, "scheme/", &more)
	kind, ok := wrapped(name)
	if !ok || value == 0 {
		r.Err(e, "unknown-scheme", n, "scheme: no kind of scheme in $case")
		return s
	}
	r.WarnOnce("sdk-form", n, "the $case form of a2a-js's own objects, not the form of the specification")
	s = r.fields(e, kind, value)
	for at, v := range more {
		keep(&s.Unknown, at, v)
		if _, another := wrapped(strings.TrimPrefix(at, "scheme/")); another && e.Disabled == "" {
			r.Err(e, "several-kinds", n, "$case and another kind are both there, and a scheme has one kind")
		}
	}
	return s
}

// caseOf takes {"$case": word, "value": {…}} apart, and keeps other members
// under at.
func (r *Reader) caseOf(n jsondoc.Ref, at string, unknown *map[string]jsontext.Value) (name string, value jsondoc.Ref) {
	for c := range r.Children(n) {
		switch v := r.At(c); {
		case v.Name == "$case" && v.Kind == '"':
			name = v.Str
		case v.Name == "value" && v.Kind == '{':
			value = c
		case v.Kind != 'n':
			keep(unknown, at+v.Name, r.Canonical(c))
		}
	}
	return name, value
}

// flat reads the form of 0.x, where a type names the kind.
func (r *Reader) flat(e *jsondoc.Element, n, typed, inner jsondoc.Ref) (s Scheme, none bool) {
	if !r.Is('"', jsondoc.Error, e, typed) {
		return s, false
	}
	word := r.At(typed).Str
	if isAnonymous(word) {
		return s, true
	}
	kind, ok := kindOf(word)
	if !ok {
		if kind, ok = meant(word); ok {
			r.Warn("type-word", typed, "type: %s is spelled %s", jsondoc.Quote(word), kind)
		}
	}
	if !ok && isHTTPScheme(word) {
		r.Warn("type-word", typed, "type: %s is an HTTP scheme, and the type is http", jsondoc.Quote(word))
		s = r.fields(e, "", n)
		s.Kind, s.Scheme = HTTP, jsondoc.Lower(word)
		return s, false
	}
	if !ok {
		r.Err(e, "unknown-scheme", typed, "type: %s is no kind of scheme", jsondoc.Quote(word))
		return s, false
	}
	if r.Pure && inner == 0 {
		r.WarnOnce("scheme-form", n, "the flat form of 0.x, with a type, in a 1.0 card")
	}
	s = r.fields(e, kind, n, inner)
	if inner != 0 && e.Disabled == "" {
		r.WarnOnce("sdk-form", n, "a flat scheme with an inner object, as a2a-go sends both")
		if again := r.quietly(func(e *jsondoc.Element) Scheme { return r.fields(e, kind, inner) }); !same(s, again) {
			r.Err(e, "forms-differ", inner, "%s differs from the flat members beside it", r.Label(inner))
		}
	}
	return s, false
}

// beside compares the flat members next to a wrapper with it, and keeps what
// belongs to neither.
func (r *Reader) beside(e *jsondoc.Element, s *Scheme, n, wrapper, typed jsondoc.Ref) {
	if typed != 0 && r.Is('"', jsondoc.Error, e, typed) {
		again := r.quietly(func(e *jsondoc.Element) Scheme {
			t, _ := r.flat(e, n, typed, 0)
			return t
		})
		if !same(*s, again) {
			r.Err(e, "forms-differ", n, "%s and the flat members beside it differ", r.Label(wrapper))
		}
	}
	for c := range r.Children(n) {
		v := r.At(c)
		_, known := schemeSchema.Index(v.Name)
		if c == wrapper || v.Kind == 'n' || v.Name == "description" || known && typed != 0 {
			continue
		}
		keep(&s.Unknown, v.Name, r.Canonical(c))
	}
}

// quietly reads something a second time for comparison.
func (r *Reader) quietly(read func(*jsondoc.Element) Scheme) (s Scheme) {
	e := &jsondoc.Element{Scope: schemeScope}
	r.Quietly(func() { s = read(e) })
	if e.Disabled != "" {
		s.Kind = Unknown
	}
	return s
}

// same reports whether two readings define one scheme.
func same(a, b Scheme) bool {
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
func (r *Reader) fields(e *jsondoc.Element, kind Kind, n jsondoc.Ref, known ...jsondoc.Ref) Scheme {
	m := r.Members(e, n, schemeSchema)
	s := Scheme{Kind: kind}
	r.Str(jsondoc.Error, e, m.At[hType])
	switch kind {
	case APIKey:
		r.apiKey(e, &s, &m)
	case HTTP:
		s.Scheme = jsondoc.Lower(r.Need(jsondoc.Error, e, &m, hScheme))
		s.BearerFormat = r.Str(jsondoc.Gap, e, m.At[hBearerFormat])
	case OAuth2:
		r.oauth2(e, &s, &m)
	case OpenIDConnect:
		s.OpenIDConnectURL = r.Need(jsondoc.Error, e, &m, hOpenIDURL)
	}
	members := membersOf(kind)
	for i, c := range m.At {
		if c != 0 && i != hType && i != hDescription && !slices.Contains(members, i) {
			m.Unknown = append(m.Unknown, c)
		}
	}
	for _, c := range m.Unknown {
		if !slices.Contains(known, c) {
			keep(&s.Unknown, r.At(c).Name, r.Canonical(c))
		}
	}
	return s
}

// apiKey takes the place from "location" (1.0) or "in" (0.x).
func (r *Reader) apiKey(e *jsondoc.Element, s *Scheme, m *jsondoc.Members) {
	place, other := m.At[hLocation], m.At[hIn]
	if place == 0 {
		place = other
	}
	s.Location = r.Str(jsondoc.Error, e, place)
	s.Name = r.Need(jsondoc.Error, e, m, hName)
	switch s.Location {
	case "header", "query", "cookie":
		if o := r.At(other); other != 0 && (o.Kind != '"' || o.Str != s.Location) {
			r.Err(e, "forms-differ", other, "in and location differ")
		}
	case "":
		if e.Disabled == "" {
			r.Missing(jsondoc.Error, e, m, hLocation)
		}
	default:
		r.Err(e, "bad-location", place, "%s: %s is none of header, query and cookie", r.Label(place), jsondoc.Quote(s.Location))
	}
}
