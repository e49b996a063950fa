package jsondoc

import (
	"fmt"
	"slices"
	"strings"
)

// A Schema is the member names that an object of a specification has. A member
// is known by its place in the list.
type Schema struct {
	names    []string
	required uint32 // bit set: its absence is reported
}

const (
	// maxMembers is the size of the largest schema.
	maxMembers = 24
	// maxVariant is the length from which on a name is no misspelled one.
	maxVariant = 40
)

// NewSchema makes a schema of camelCase names; "!" behind a name marks one
// whose absence the caller reports. The slice becomes the schema's own.
func NewSchema(names ...string) *Schema {
	if len(names) > maxMembers {
		panic("jsondoc: raise maxMembers")
	}
	s := &Schema{names: names}
	for i, name := range names {
		if bare, required := strings.CutSuffix(name, "!"); required {
			s.names[i] = bare
			s.required |= 1 << i
		}
	}
	return s
}

// Name is the name of member i.
func (s *Schema) Name(i int) string { return s.names[i] }

// Index is the place of the member called name; ok is false for another name.
// Names are so few that walking them is as fast as a map, which every start of
// the program would have to fill.
func (s *Schema) Index(name string) (i int, ok bool) {
	i = slices.Index(s.names, name)
	return i, i >= 0
}

// snake is the place of the member whose snake_case spelling name is; ok is
// false for a name that differs from it, or is spelled like that in camelCase.
func (s *Schema) snake(name string) (i int, ok bool) {
	if strings.IndexByte(name, '_') < 0 {
		return -1, false
	}
	i = slices.IndexFunc(s.names, func(camel string) bool { return isSnakeCase(name, camel) })
	return i, i >= 0
}

// variant is the place of the member that name is but for its case, "_" and
// "-".
func (s *Schema) variant(name string) (i int, ok bool) {
	if len(name) >= maxVariant {
		return -1, false
	}
	i = slices.IndexFunc(s.names, func(known string) bool { return sameFolded(name, known) })
	return i, i >= 0
}

// isSnakeCase is whether name is how protobuf writes the camelCase name:
// "icon_url" for "iconUrl".
func isSnakeCase(name, camel string) bool {
	for _, c := range []byte(camel) {
		if 'A' <= c && c <= 'Z' {
			rest, ok := strings.CutPrefix(name, "_")
			if !ok {
				return false
			}
			name, c = rest, lower(c)
		}
		if name == "" || name[0] != c {
			return false
		}
		name = name[1:]
	}
	return name == ""
}

// sameFolded is whether a and b are equal once folded.
func sameFolded(a, b string) bool {
	for {
		a, b = strings.TrimLeft(a, "_-"), strings.TrimLeft(b, "_-")
		if a == "" || b == "" {
			return a == b
		}
		if lower(a[0]) != lower(b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// lower is the ASCII byte c in lower case.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// Fold is name in lower case without "_" and "-", so that spellings of one
// name are equal.
func Fold(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c != '_' && c != '-' {
			b.WriteByte(lower(c))
		}
	}
	return b.String()
}

// Members are an object's members sorted by a schema. A null is absent.
type Members struct {
	At      [maxMembers]Ref // by place in the schema; 0 is absent
	Unknown []Ref           // of other names, variants among them

	schema  *Schema
	self    Ref
	variant []Ref // spelled like a known name and not read
}

// Members sorts the members of object n. It reports what is spelled another
// way: snake_case is read, another case is not, since some readers match it
// and others do not.
func (r *Reader) Members(e *Element, n Ref, s *Schema) Members {
	m := Members{schema: s, self: n}
	var snake [maxMembers]Ref
	for c := range r.Children(n) {
		v := r.At(c)
		if v.Kind == 'n' {
			continue
		}
		if i, ok := s.Index(v.Name); ok {
			m.At[i] = c
		} else if i, ok := s.snake(v.Name); ok {
			snake[i] = c
		} else if i, ok := s.variant(v.Name); ok {
			m.variant, m.Unknown = append(m.variant, c), append(m.Unknown, c)
			if s.required&(1<<i) == 0 {
				r.caseVariant(e, c, i, s)
			}
		} else {
			m.Unknown = append(m.Unknown, c)
		}
	}
	for i := range s.names {
		r.spelling(e, &m, i, snake[i])
	}
	for _, c := range m.variant {
		// One that a required member lacks is named by that finding.
		if i, _ := s.variant(r.At(c).Name); s.required&(1<<i) != 0 && m.At[i] != 0 {
			r.caseVariant(e, c, i, s)
		}
	}
	return m
}

// Self is the object.
func (m *Members) Self() Ref { return m.self }

// spelling takes member i from its snake_case spelling c, if that is there.
func (r *Reader) spelling(e *Element, m *Members, i int, c Ref) {
	if c == 0 {
		return
	}
	name := m.schema.names[i]
	switch {
	case m.At[i] == 0:
		m.At[i] = c
		r.Warn("snake-case", c, "%s is spelled %s in JSON (A2A 5.5)", r.At(c).Name, name)
	case string(r.Canonical(m.At[i])) == string(r.Canonical(c)):
		r.Warn("snake-case", c, "%s repeats %s", r.At(c).Name, name)
	default:
		r.Err(e, "spellings-differ", c, "%s and %s are both there and differ", r.At(c).Name, name)
	}
}

func (r *Reader) caseVariant(e *Element, c Ref, i int, s *Schema) {
	r.Gap(e, "case-variant", c, "%s is not read: names match exactly, and it is spelled %s", Quote(r.At(c).Name), s.names[i])
}

// Missing reports that member i is absent, and the case variant that may have
// been meant.
func (r *Reader) Missing(sev Severity, e *Element, m *Members, i int) {
	name := m.schema.names[i]
	msg := name + ": missing"
	meant := slices.IndexFunc(m.variant, func(c Ref) bool { return Fold(r.At(c).Name) == Fold(name) })
	if meant >= 0 {
		msg += fmt.Sprintf(" (%s is not read: names match exactly)", Quote(r.At(m.variant[meant]).Name))
	}
	r.report(sev, e, "missing", m.self, "/"+name, msg)
}
