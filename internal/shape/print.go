package shape

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/a2alock/a2alock/card"
)

// Format returns n in its canonical form: two spaces, members in the order of
// s and unknown ones after them sorted, sets sorted, one item a line, a final
// newline, invisible characters escaped.
func (s *Shape) Format(n *Node) []byte {
	p := printer{lines: true}
	p.node(n, s)
	p.WriteByte('\n')
	return p.Bytes()
}

// Compact returns n in one line in the same order. Values that s does not know
// come out as RFC 8785 has them, but for their numbers, which stay as written.
func (s *Shape) Compact(n *Node) []byte {
	var p printer
	p.node(n, s)
	return p.Bytes()
}

// A printer writes nodes in order: canonically in lines, or compactly.
type printer struct {
	bytes.Buffer
	lines bool
	depth int
}

func (p *printer) node(n *Node, s *Shape) {
	switch n.Kind {
	case '{':
		p.object(n, s)
	case '[':
		p.array(n, s)
	case '"':
		p.string(n.Text)
	case '0':
		p.WriteString(n.Text)
	case 't':
		p.WriteString("true")
	case 'f':
		p.WriteString("false")
	default:
		p.WriteString("null")
	}
}

func (p *printer) object(n *Node, s *Shape) {
	var rest []Member
	first := true
	put := func(m Member, s *Shape) {
		p.item(&first)
		p.string(m.Name)
		p.WriteByte(':')
		if p.lines {
			p.WriteByte(' ')
		}
		p.node(m.Value, s)
	}
	p.open('{')
	for _, m := range n.Members {
		if _, known := s.Known(m.Name); !known {
			rest = append(rest, m)
		}
	}
	for _, f := range s.Fields {
		if v := n.Get(f.Name); v != nil {
			put(Member{f.Name, v}, f.Shape)
		}
	}
	sortByName(rest)
	for _, m := range rest {
		put(m, cmp.Or(s.Elem, anything))
	}
	p.close('}', first)
}

func (p *printer) array(n *Node, s *Shape) {
	elem := cmp.Or(s.Elem, anything)
	items := n.Items
	if s.Kind == '[' {
		items = arrange(items, s)
	}
	first := true
	p.open('[')
	for _, item := range items {
		p.item(&first)
		p.node(item, elem)
	}
	p.close(']', first)
}

func (p *printer) open(b byte) {
	p.WriteByte(b)
	p.depth++
}

func (p *printer) close(b byte, empty bool) {
	p.depth--
	if !empty {
		p.newline()
	}
	p.WriteByte(b)
}

func (p *printer) item(first *bool) {
	if !*first {
		p.WriteByte(',')
	}
	*first = false
	p.newline()
}

func (p *printer) newline() {
	if p.lines {
		p.WriteByte('\n')
		for range p.depth {
			p.WriteString("  ")
		}
	}
}

// string escapes as RFC 8785 does, and in lines also what nobody would see: a
// reviewer must be able to read every character.
func (p *printer) string(s string) {
	p.WriteByte('"')
	if isPlain(s) {
		p.WriteString(s)
	} else {
		p.escaped(s)
	}
	p.WriteByte('"')
}

func (p *printer) escaped(s string) {
	for _, r := range s {
		switch i := strings.IndexRune("\"\\\b\f\n\r\t", r); {
		case i >= 0:
			p.WriteByte('\\')
			p.WriteByte("\"\\bfnrt"[i])
		case r > 0xFFFF && p.lines && card.IsHidden(r):
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(p, `\u%04x\u%04x`, hi, lo)
		case r < 0x20 || p.lines && card.IsHidden(r):
			fmt.Fprintf(p, `\u%04x`, r)
		default:
			p.WriteRune(r)
		}
	}
}

// isPlain is whether s is ASCII in which nothing wants an escape.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if c < 0x20 || c > 0x7E || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// arrange puts a known array in its written order: lists keep theirs, all else
// is a sorted set.
func arrange(items []*Node, s *Shape) []*Node {
	if s.List || len(items) < 2 {
		return items
	}
	if !slices.ContainsFunc(items, func(n *Node) bool { return n.Kind != '"' }) {
		texts := slices.Clone(items)
		slices.SortFunc(texts, func(a, b *Node) int { return cmp.Compare(a.Text, b.Text) })
		return slices.CompactFunc(texts, func(a, b *Node) bool { return a.Text == b.Text })
	}
	type keyed struct {
		key  string
		node *Node
	}
	var out []keyed
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		key := string(s.Elem.Compact(item))
		if seen[key] {
			continue
		}
		seen[key] = true
		if item.Kind == '"' {
			key = item.Text // sorted by what it says, not by its escapes
		}
		out = append(out, keyed{key, item})
	}
	slices.SortFunc(out, func(a, b keyed) int {
		for _, name := range s.By {
			if c := cmp.Compare(a.node.textOf(name), b.node.textOf(name)); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.key, b.key)
	})
	nodes := make([]*Node, len(out))
	for i, k := range out {
		nodes[i] = k.node
	}
	return nodes
}

// textOf is the text of a member; "" where there is none.
func (n *Node) textOf(name string) string {
	if m := n.Get(name); m != nil {
		return m.Text
	}
	return ""
}
