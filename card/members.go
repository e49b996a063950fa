package card

import (
	"fmt"
	"slices"
	"strings"
)

// A schema is the member names that an object of the specification has. A
// member is known by its place in the list.
type schema struct {
	names    []string
	required uint32 // bit set: its absence is reported
	exact    map[string]int
	snake    map[string]int // the snake_case spellings that differ
	folded   map[string]int // without case, "_" and "-"
}

// maxMembers is the size of the largest schema.
const maxMembers = 24

// newSchema makes a schema of camelCase names; "!" behind a name marks one
// whose absence the reader reports.
func newSchema(names ...string) *schema {
	if len(names) > maxMembers {
		panic("card: raise maxMembers")
	}
	s := &schema{exact: map[string]int{}, snake: map[string]int{}, folded: map[string]int{}}
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
		s.folded[string(fold(nil, name))] = i
	}
	return s
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

// fold appends name in lower case without "_" and "-".
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
type members struct {
	schema  *schema
	self    ref
	at      [maxMembers]ref
	unknown []ref
	variant []ref // spelled like a known name and not read
}

// members sorts the members of object n. It reports what is spelled another
// way: snake_case is read, another case is not, since some readers match it
// and others do not.
func (r *reader) members(e *element, n ref, s *schema) members {
	m := members{schema: s, self: n}
	var snake [maxMembers]ref
	var buf [40]byte
	for c := r.nodes[n].first; c != 0; c = r.nodes[c].next {
		v := &r.nodes[c]
		if v.kind == 'n' {
			continue
		}
		if i, ok := s.exact[v.name]; ok {
			m.at[i] = c
		} else if i, ok := s.snake[v.name]; ok {
			snake[i] = c
		} else if i, ok := s.folded[string(fold(buf[:0], v.name))]; ok && len(v.name) < len(buf) {
			m.variant = append(m.variant, c)
			if s.required&(1<<i) == 0 {
				r.caseVariant(e, c, i, s)
			}
		} else {
			m.unknown = append(m.unknown, c)
		}
	}
	for i := range s.names {
		r.spelling(e, &m, i, snake[i])
	}
	for _, c := range m.variant {
		// One that a required member lacks is named by that finding.
		if i := s.folded[string(fold(buf[:0], r.nodes[c].name))]; s.required&(1<<i) != 0 && m.at[i] != 0 {
			r.caseVariant(e, c, i, s)
		}
	}
	return m
}

// spelling takes member i from its snake_case spelling c, if that is there.
func (r *reader) spelling(e *element, m *members, i int, c ref) {
	if c == 0 {
		return
	}
	name := m.schema.names[i]
	switch {
	case m.at[i] == 0:
		m.at[i] = c
		r.warn("snake-case", c, "%s is spelled %s in JSON (A2A 5.5)", r.nodes[c].name, name)
	case string(r.canonical(m.at[i])) == string(r.canonical(c)):
		r.warn("snake-case", c, "%s repeats %s", r.nodes[c].name, name)
	default:
		r.err(e, "spellings-differ", c, "%s and %s are both there and differ", r.nodes[c].name, name)
	}
}

func (r *reader) caseVariant(e *element, c ref, i int, s *schema) {
	r.gap(e, "case-variant", c, "%s is not read: names match exactly, and it is spelled %s", quote(r.nodes[c].name), s.names[i])
}

// missing reports that member i is absent, and the case variant that may
// have been meant.
func (r *reader) missing(sev Severity, e *element, m *members, i int) {
	name := m.schema.names[i]
	msg := name + ": missing"
	meant := slices.IndexFunc(m.variant, func(c ref) bool {
		return string(fold(nil, r.nodes[c].name)) == string(fold(nil, name))
	})
	if meant >= 0 {
		msg += fmt.Sprintf(" (%s is not read: names match exactly)", quote(r.nodes[m.variant[meant]].name))
	}
	r.report(sev, e, "missing", m.self, "/"+name, msg)
}
