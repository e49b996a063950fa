// Package secret finds what looks like a credential in a JSON text: in URLs, by
// the shapes that issuers give their tokens, as private parts of keys, and as
// values without meaning under names that speak of secrets.
//
// It is careful with alarms: digests, fingerprints, public keys, names, and UUIDs
// but those called a token are none. What it returns repeats no credential, but for its first letters.
package secret

import (
	"fmt"
	"unicode/utf8"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// A Hit is one value that looks like a credential.
type Hit struct {
	// Pointer is that of the value, of the object whose name it is, or "" where the
	// text is no JSON; then Line is where it stands, 1-based.
	Pointer string
	Line    int
	What    string // "a GitHub token"
	Shown   string // what may be shown of it: "ghp_… (40 characters)"

	raw string
}

func hit(pointer string, line int, x found) Hit {
	return Hit{Pointer: pointer, Line: line, What: x.what, Shown: shown(x.raw), raw: x.raw}
}

// maxDepth is deeper than any document that is read otherwise.
const maxDepth = 512

// Find returns what looks like a credential in text, in order; each once at
// one place. A text that is no JSON is looked through by lines.
func Find(text []byte) []Hit {
	tree, refused := jsondoc.Parse(trimBOM(text), maxDepth)
	if refused != nil {
		return findLines(string(text))
	}
	f := finder{tree: tree}
	f.identify(jsondoc.Root, "")
	f.value(jsondoc.Root, "")
	return f.hits
}

func trimBOM(text []byte) []byte {
	if len(text) >= 3 && string(text[:3]) == "\ufeff" {
		return text[3:]
	}
	return text
}

// Set is a set of credentials; make it with [Known].
type Set map[string]bool

// Known makes the set of what was found.
func Known(hits []Hit) Set {
	s := make(Set, len(hits))
	for _, h := range hits {
		s[h.raw] = true
	}
	return s
}

// Has reports whether h is the very credential of one in the set.
func (s Set) Has(h Hit) bool { return s[h.raw] }

// A finder walks through one document.
type finder struct {
	tree *jsondoc.Tree
	ids  map[string]bool // what would be a credential elsewhere, and names something here
	hits []Hit
}

// identify notes what stands in ids: in the names of members, and in the values
// of those that hold one.
func (f *finder) identify(n jsondoc.Ref, name string) {
	switch v := f.tree.At(n); v.Kind {
	case '"':
		switch name {
		case "id", "kid", "skill", "skills":
			f.noteID(v.Str)
		}
	case '[':
		for c := range f.tree.Children(n) {
			f.identify(c, name)
		}
	case '{':
		for c := range f.tree.Children(n) {
			m := f.tree.At(c)
			f.noteID(m.Name)
			f.identify(c, m.Name)
		}
	}
}

func (f *finder) noteID(s string) {
	for _, x := range inText(s) {
		if !fitsID(x) {
			continue
		}
		if f.ids == nil {
			f.ids = map[string]bool{}
		}
		f.ids[x.raw] = true
	}
}

// value looks at what n holds; name is the last member on the way to it, for
// the items of a list that of the list.
func (f *finder) value(n jsondoc.Ref, name string) {
	switch v := f.tree.At(n); v.Kind {
	case '"':
		f.add(f.tree.Pointer(n), inValue(name, v.Str))
	case '[':
		for c := range f.tree.Children(n) {
			f.value(c, name)
		}
	case '{':
		private := f.isPrivateKey(n)
		for c := range f.tree.Children(n) {
			m := f.tree.At(c)
			f.add(f.tree.Pointer(n), inText(m.Name))
			if private && isPrivateMember(m.Name) && m.Kind == '"' && m.Str != "" {
				f.add(f.tree.Pointer(c), []found{{"a private key", m.Str}})
				continue
			}
			f.value(c, m.Name)
		}
	}
}

func (f *finder) add(pointer string, list []found) {
	for _, x := range list {
		if f.ids[x.raw] {
			continue
		}
		f.hits = append(f.hits, hit(pointer, 0, x))
	}
}

// isPrivateKey reports whether n is a JWK (RFC 7517): "d" alone may be anything.
func (f *finder) isPrivateKey(n jsondoc.Ref) bool { return f.tree.Member(n, "kty") != 0 }

// isPrivateMember names the private parts of a JWK (RFC 7518 6).
func isPrivateMember(name string) bool {
	switch name {
	case "d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv":
		return true
	}
	return false
}

// short is the length below which nothing of a credential is shown.
const short = 12

// shown tells one credential from another, and is of no use to anybody.
func shown(raw string) string {
	n := utf8.RuneCountInString(raw)
	if n < short {
		return fmt.Sprintf("… (%d characters)", n)
	}
	return fmt.Sprintf("%s… (%d characters)", string([]rune(raw)[:4]), n)
}
