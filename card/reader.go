package card

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A reader turns a tree into a card and keeps what it finds on the way.
type reader struct {
	*tree
	data   []byte
	strict bool
	muted  bool // a second look at something: nothing is reported
	pure   bool // the card is 1.0 alone
	limit  int  // of skills
	over   *DocumentError
	found  []located
	warned map[string]bool // what is said once for the whole card

	told []bool // which of tree.big have been reported

	// Security schemes that need nothing ("none"), and whether the map of
	// schemes could be read, so that a name can be missing from it.
	anonymous map[string]bool
	schemeMap bool
}

// A located finding remembers its place, for document order.
type located struct {
	Finding
	at int32
}

// An element is a part of the card that an error of its own disables.
type element struct {
	scope    Scope
	disabled string // the first error's message
}

// report notes a finding about the value at n, or about a member of it that
// is not there (suffix, a pointer relative to n).
func (r *reader) report(sev Severity, e *element, code string, n ref, suffix, msg string) {
	if sev == Gap && r.strict {
		sev = Error
	}
	f := Finding{Code: code, Severity: sev, Message: msg}
	if sev == Error {
		f.Scope = e.scope
		if e.disabled == "" {
			e.disabled = msg
		}
	}
	if r.muted {
		return
	}
	f.Path = r.pointer(n) + suffix
	r.found = append(r.found, located{f, r.nodes[n].start})
}

func (r *reader) err(e *element, code string, n ref, format string, args ...any) {
	r.report(Error, e, code, n, "", fmt.Sprintf(format, args...))
}

func (r *reader) gap(e *element, code string, n ref, format string, args ...any) {
	r.report(Gap, e, code, n, "", fmt.Sprintf(format, args...))
}

func (r *reader) warn(code string, n ref, format string, args ...any) {
	r.report(Warning, nil, code, n, "", fmt.Sprintf(format, args...))
}

// warnOnce warns of a habit of the whole card at the first place it shows.
func (r *reader) warnOnce(code string, n ref, format string, args ...any) {
	if r.muted || r.warned[code] {
		return
	}
	if r.warned == nil {
		r.warned = map[string]bool{}
	}
	r.warned[code] = true
	r.warn(code, n, format, args...)
}

// findings returns what was found in document order.
func (r *reader) findings() []Finding {
	slices.SortStableFunc(r.found, func(a, b located) int { return int(a.at) - int(b.at) })
	fs := make([]Finding, len(r.found))
	for i, f := range r.found {
		fs[i] = f.Finding
	}
	return fs
}

// is reports whether n is of the kind, and reports another kind as sev.
func (r *reader) is(kind jsontext.Kind, sev Severity, e *element, n ref) bool {
	if r.nodes[n].kind == kind {
		return true
	}
	r.report(sev, e, "wrong-type", n, "", fmt.Sprintf("%s: want %s, got %s", r.label(n), kindName(kind), kindName(r.nodes[n].kind)))
	return false
}

// str returns the string at n; "" when n is absent or something else, which
// is reported as sev.
func (r *reader) str(sev Severity, e *element, n ref) string {
	if n == 0 || !r.is('"', sev, e, n) {
		return ""
	}
	return r.nodes[n].str
}

// need is str for member i that must be there and not empty.
func (r *reader) need(sev Severity, e *element, m *members, i int) string {
	n := m.at[i]
	if n == 0 {
		r.missing(sev, e, m, i)
		return ""
	}
	s := r.str(sev, e, n)
	if s == "" && r.nodes[n].kind == '"' {
		r.report(sev, e, "empty", n, "", r.label(n)+": empty")
	}
	return s
}

// flag reads a boolean; only a literal true is true.
func (r *reader) flag(sev Severity, e *element, n ref) bool {
	if n == 0 || r.nodes[n].kind == 'f' || !r.is('t', sev, e, n) {
		return false
	}
	return true
}

// strs reads a list of strings; nil when it is absent, empty or unreadable.
// The first wrong entry is reported as sev. After an error nothing of the list
// is read, after a gap what is readable.
func (r *reader) strs(sev Severity, e *element, n ref) []string {
	if n == 0 || !r.is('[', sev, e, n) {
		return nil
	}
	count, bad := 0, ref(0)
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		count++
		if r.nodes[c].kind != '"' && bad == 0 {
			bad = c
		}
	}
	if bad != 0 {
		r.is('"', sev, e, bad)
		if sev == Error {
			return nil
		}
	}
	if count == 0 {
		return nil
	}
	list := make([]string, 0, count)
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		if r.nodes[c].kind == '"' {
			list = append(list, r.nodes[c].str)
		}
	}
	return list
}

// maxEntries bounds the lists and maps that have no limit of their own.
const maxEntries = 10_000

// entries returns the children of n. More of them than limit refuse the card.
func (r *reader) entries(n ref, limit int) []ref {
	count := 0
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		count++
	}
	if count > limit {
		if r.over == nil {
			r.over = &DocumentError{State: TooLarge, Path: r.pointer(n), Msg: fmt.Sprintf("%d entries, the limit is %d", count, limit)}
		}
		return nil
	}
	list := make([]ref, 0, count)
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		list = append(list, c)
	}
	return list
}

// empty reports whether n is absent, or an empty string or list: then another
// member is asked for the concept.
func (r *reader) empty(n ref) bool {
	return n == 0 || r.nodes[n].kind == '"' && r.nodes[n].str == "" || r.nodes[n].kind == '[' && r.nodes[n].first == 0
}

// canonical is the RFC 8785 form of the value at n.
func (r *reader) canonical(n ref) jsontext.Value {
	v := jsontext.Value(bytes.Clone(r.data[r.nodes[n].start:r.nodes[n].end]))
	if err := v.Canonicalize(); err != nil {
		panic("card: a scanned value is no JSON: " + err.Error())
	}
	return v
}

// unknown collects members outside the schema; nil when there are none.
func (r *reader) unknown(list []ref) map[string]jsontext.Value {
	if len(list) == 0 {
		return nil
	}
	m := make(map[string]jsontext.Value, len(list))
	for _, c := range list {
		m[r.nodes[c].name] = r.canonical(c)
	}
	return m
}

// bigNumbers reports the integers within n that doubles cannot tell apart,
// and which digests therefore merge (RFC 8785), as one finding.
func (r *reader) bigNumbers(e *element, n ref) {
	if len(r.big) == 0 || r.muted {
		return
	}
	before := func(b, n ref) int { return int(b) - int(n) }
	i, _ := slices.BinarySearchFunc(r.big, n, before)
	first, count := ref(0), 0
	for ; i < len(r.big) && r.nodes[r.big[i]].start < r.nodes[n].end; i++ {
		if r.told[i] {
			continue
		}
		r.told[i] = true
		count++
		if first == 0 {
			first = r.big[i]
		}
	}
	if first == 0 {
		return
	}
	msg := fmt.Sprintf("%s: %s is more than a double holds, so that a digest cannot tell it from its neighbours", r.label(first), cut(r.doc[r.nodes[first].start:r.nodes[first].end]))
	if count > 1 {
		msg += fmt.Sprintf(" (and %d more)", count-1)
	}
	r.report(Gap, e, "number-precision", first, "", msg)
}

// label names a value in a message without an index, since the message may
// outlive the order of a list.
func (r *reader) label(n ref) string {
	v := &r.nodes[n]
	switch {
	case v.parent == 0:
		return "the document"
	case r.nodes[v.parent].kind == '[':
		return "an entry of " + r.label(v.parent)
	}
	return plain(v.name)
}

// plain is a member's name in a message: quoted unless it is plain.
func plain(name string) string {
	if len(name) == 0 || len(name) > 40 {
		return quote(name)
	}
	for _, c := range []byte(name) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '$') {
			return quote(name)
		}
	}
	return name
}

// quote is foreign text in a message: one line, and not too much of it.
func quote(s string) string { return strconv.Quote(cut(s)) }

func cut(s string) string {
	const limit = 80
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s { // at a rune boundary
		if i > limit {
			break
		}
		n = i
	}
	return s[:n] + "…"
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}
