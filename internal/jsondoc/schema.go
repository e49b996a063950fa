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
	exact    map[string]int
	snake    map[string]int // the snake_case spellings that differ
	folded   map[string]int // without case, "_" and "-"
}

// maxMembers is the size of the largest schema.
const maxMembers = 24

// NewSchema makes a schema of camelCase names; "!" behind a name marks one
// whose absence the caller reports.
func NewSchema(names ...string) *Schema {
	if len(names) > maxMembers {
		panic("jsondoc: raise maxMembers")
	}
	s := &Schema{exact: map[string]int{}, snake: map[string]int{}, folded: map[string]int{}}
	for i, name := range names {
		name, required := strings.CutSuffix(name, "!")
		if required {
			s.required |= 1 << i
		}
		s.names = append(s.names, name)
		s.exact[name] = i
		if sn := snakeCase(name); sn != name {
			s.snake[sn] = i
		}
		s.folded[Fold(name)] = i
	}
	return s
}

// Name is the name of member i.
func (s *Schema) Name(i int) string { return s.names[i] }

// Index is the place of the member called name; ok is false for another name.
func (s *Schema) Index(name string) (i int, ok bool) {
	i, ok = s.exact[name]
	return i, ok
}

// snakeCase is the name as protobuf has it: "iconUrl" is "icon_url".
func snakeCase(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if 'A' <= c && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Fold is name in lower case without "_" and "-", so that spellings of one
// name are equal.
func Fold(name string) string { return string(fold(nil, name)) }

// fold appends the folded name.
func fold(dst []byte, name string) []byte {
	for _, c := range []byte(name) {
		switch {
		case c == '_' || c == '-':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
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
	var buf [40]byte
	for c := range r.Children(n) {
		v := r.At(c)
		if v.Kind == 'n' {
			continue
		}
		if i, ok := s.exact[v.Name]; ok {
			m.At[i] = c
		} else if i, ok := s.snake[v.Name]; ok {
			snake[i] = c
		} else if i, ok := s.folded[string(fold(buf[:0], v.Name))]; ok && len(v.Name) < len(buf) {
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
		if i := s.folded[string(fold(buf[:0], r.At(c).Name))]; s.required&(1<<i) != 0 && m.At[i] != 0 {
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
