// Package scheme reads the security of an Agent Card: the schemes that it
// declares and the requirements that name them, in every spelling seen.
//
// A scheme comes in the one-key form of 1.0 (A2A 4.5.1), in the flat form of
// 0.x with a type, in both side by side, and in the forms that SDKs make of
// them; requirements come in as many, and 0.1 had an authentication object. All
// are read into one [Scheme] and one [Security]. What cannot be read is unknown
// and stays: it must never look like none.
package scheme

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// What the errors found here disable.
const (
	schemeScope   jsondoc.Scope = "scheme"
	securityScope jsondoc.Scope = "security"
)

// Kind is the kind of a scheme, in the words of A2A 4.5.
type Kind string

// The kinds.
const (
	APIKey        Kind = "apiKey"
	HTTP          Kind = "http"
	OAuth2        Kind = "oauth2"
	OpenIDConnect Kind = "openIdConnect"
	MutualTLS     Kind = "mutualTLS"
	Unknown       Kind = "unknown" // there, and cannot be read
)

// A Scheme is one definition, whatever form it was written in.
type Scheme struct {
	Kind       Kind
	Unreadable string // why it is [Unknown]

	Location string // of an API key
	Name     string // of an API key

	Scheme       string // HTTP, lower case
	BearerFormat string

	Flows             map[string]Flow // OAuth 2, by grant
	OAuth2MetadataURL string
	OpenIDConnectURL  string

	Unknown map[string]jsontext.Value // canonical
}

// A Flow is one OAuth 2 grant of a scheme.
type Flow struct {
	AuthorizationURL       string
	TokenURL               string
	RefreshURL             string
	DeviceAuthorizationURL string
	Scopes                 []string // declared, sorted
	PKCERequired           bool
}

// Security is a list of alternatives, in order.
type Security struct {
	Declared     bool // a list that is not empty was there
	Alternatives []Alternative
}

// An Alternative names the schemes that must be met together: none of them
// means anonymous.
type Alternative struct {
	Schemes    map[string][]string // scopes by scheme name, sorted; never nil
	Unreadable string              // why nobody can meet it; "" when it was read
	Unknown    map[string]jsontext.Value
}

// A Reader reads the security of one card: [Reader.Schemes] first, then what
// names them.
type Reader struct {
	*jsondoc.Reader
	// Pure is set for a card of 1.0 alone, where older forms are worth a word.
	Pure bool
	// Declared are the schemes by name; those that an authentication object
	// defines come in when it is read.
	Declared map[string]Scheme

	anonymous map[string]bool // declared as needing nothing ("none")
	unknown   bool            // the map could not be read, so no name is missing from it
}

// Schemes reads the object of declarations at n; 0 is none.
func (r *Reader) Schemes(n jsondoc.Ref) {
	r.Declared, r.anonymous = map[string]Scheme{}, map[string]bool{}
	if r.IsEmpty(n) {
		return
	}
	e := &jsondoc.Element{Scope: schemeScope}
	if !r.Is('{', jsondoc.Error, e, n) {
		r.unknown = true
		return
	}
	for _, d := range r.Entries(n, jsondoc.MaxEntries) {
		v := r.At(d)
		if v.Kind == 'n' {
			continue
		}
		s, none := r.scheme(d)
		if none {
			r.anonymous[v.Name] = true
			continue
		}
		r.Declared[v.Name] = s
	}
}

func (r *Reader) isDeclared(name string) bool {
	_, ok := r.Declared[name]
	return ok || r.anonymous[name]
}

// scheme reads one definition; none is true for a type such as "none".
func (r *Reader) scheme(n jsondoc.Ref) (s Scheme, none bool) {
	e := &jsondoc.Element{Scope: schemeScope}
	if r.Is('{', jsondoc.Error, e, n) {
		s, none = r.definition(e, n)
	}
	r.BigNumbers(e, n)
	if e.Disabled != "" {
		s.Kind, s.Unreadable = Unknown, e.Disabled
	}
	return s, none
}

// isAnonymous reports the words by which 0.1 cards say that nothing is needed.
func isAnonymous(word string) bool {
	switch jsondoc.Lower(strings.Trim(word, " \t\r\n")) {
	case "none", "public", "anonymous":
		return true
	}
	return false
}

func isHTTPScheme(word string) bool {
	word = jsondoc.Lower(word)
	return word == "bearer" || word == "basic"
}

func keep(m *map[string]jsontext.Value, name string, v jsontext.Value) {
	if *m == nil {
		*m = map[string]jsontext.Value{}
	}
	(*m)[name] = v
}
