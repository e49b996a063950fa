package laws_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A jsonTree is a JSON value whose members keep their order, so that a test
// can write one document in many ways.
type jsonTree struct {
	kind    byte // '{', '[', '"', '0', 't', 'f', 'n'
	text    string
	members []jsonMember
	items   []*jsonTree
	isSet   bool // the order of items has no meaning
}

type jsonMember struct {
	name  string
	value *jsonTree
}

func object(members ...jsonMember) *jsonTree { return &jsonTree{kind: '{', members: members} }
func text(s string) *jsonTree                { return &jsonTree{kind: '"', text: s} }
func number(s string) *jsonTree              { return &jsonTree{kind: '0', text: s} }
func list(items ...*jsonTree) *jsonTree      { return &jsonTree{kind: '[', items: items} }

func boolean(v bool) *jsonTree {
	if v {
		return &jsonTree{kind: 't'}
	}
	return &jsonTree{kind: 'f'}
}

// texts is a set of strings.
func texts(values []string) *jsonTree {
	n := &jsonTree{kind: '[', isSet: true}
	for _, v := range values {
		n.items = append(n.items, text(v))
	}
	return n
}

func (n *jsonTree) add(name string, value *jsonTree) {
	n.members = append(n.members, jsonMember{name, value})
}

// addText adds a member unless it is empty.
func (n *jsonTree) addText(name, s string) {
	if s != "" {
		n.add(name, text(s))
	}
}

// each calls f for n and everything in it.
func (n *jsonTree) each(f func(*jsonTree)) {
	f(n)
	for _, m := range n.members {
		m.value.each(f)
	}
	for _, item := range n.items {
		item.each(f)
	}
}

func (n *jsonTree) clone() *jsonTree {
	c := *n
	c.members, c.items = nil, nil
	for _, m := range n.members {
		c.members = append(c.members, jsonMember{m.name, m.value.clone()})
	}
	for _, item := range n.items {
		c.items = append(c.items, item.clone())
	}
	return &c
}

// A spelling is a way to write a tree that means the same. The zero value is
// the plain one.
type spelling struct {
	rng     *rand.Rand // needed for all else
	members bool       // in another order
	sets    bool       // in another order
	space   bool
	escapes bool
	numbers bool // 1, 1.0, 10e-1
}

func (n *jsonTree) String() string { return string(n.bytes(spelling{})) }

func (n *jsonTree) bytes(s spelling) []byte {
	var b strings.Builder
	s.write(&b, n)
	return []byte(b.String())
}

func (s spelling) write(b *strings.Builder, n *jsonTree) {
	s.gap(b)
	switch n.kind {
	case '{':
		members := n.members
		if s.members {
			members = shuffled(s.rng, members)
		}
		b.WriteByte('{')
		for i, m := range members {
			if i > 0 {
				b.WriteByte(',')
			}
			s.gap(b)
			s.text(b, m.name)
			s.gap(b)
			b.WriteByte(':')
			s.write(b, m.value)
		}
		b.WriteByte('}')
	case '[':
		items := n.items
		if s.sets && n.isSet {
			items = shuffled(s.rng, items)
		}
		b.WriteByte('[')
		for i, item := range items {
			if i > 0 {
				b.WriteByte(',')
			}
			s.write(b, item)
		}
		b.WriteByte(']')
	case '"':
		s.text(b, n.text)
	case '0':
		b.WriteString(s.number(n.text))
	default:
		b.WriteString(map[byte]string{'t': "true", 'f': "false", 'n': "null"}[n.kind])
	}
	s.gap(b)
}

func (s spelling) gap(b *strings.Builder) {
	if s.space && s.rng.IntN(3) == 0 {
		b.WriteString([]string{" ", "\n", "\t", "\r\n  "}[s.rng.IntN(4)])
	}
}

func (s spelling) text(b *strings.Builder, v string) {
	b.WriteByte('"')
	for _, r := range v {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case s.escapes && r == '/' && s.rng.IntN(2) == 0:
			b.WriteString(`\/`)
		case r < 0x20 || s.escapes && r <= 0xFFFF && s.rng.IntN(3) == 0:
			fmt.Fprintf(b, []string{`\u%04x`, `\u%04X`}[r%2], r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// number writes a small integer in one of its forms.
func (s spelling) number(v string) string {
	if !s.numbers {
		return v
	}
	return []string{v, v + ".0", v + "e0", v + "0E-1", v + ".00e+00"}[s.rng.IntN(5)]
}

func shuffled[T any](rng *rand.Rand, s []T) []T {
	s = append([]T(nil), s...)
	rng.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}
