package lockfile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/card"
)

// Format returns the canonical bytes of l (docs/design.md, Lockfile): UTF-8,
// LF, two spaces, members in order and unknown ones after them sorted, sets
// sorted, one item a line, a final newline, no HTML escaping, invisible
// characters escaped. Equal locks give equal bytes on every machine, and a lock
// read back from them formats to the same bytes. It fails where l cannot be
// written as JSON (text that is not UTF-8, an Extra that is no object or repeats
// a known member, too deep a value).
func Format(l *Lock) ([]byte, error) {
	root, err := tree(l)
	if err != nil {
		return nil, fmt.Errorf("writing a lock for %s: %w", quoteURL(l.Agent), err)
	}
	p := printer{lines: true}
	p.node(root, lockShape)
	p.WriteByte('\n')
	return p.Bytes(), nil
}

// tree returns v as it marshals.
func tree(v any) (*node, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return readTree(data)
}

// compact returns n in one line with members in order. Values that this
// version does not know come out as RFC 8785 has them, but for their numbers,
// which stay as written.
func compact(n *node, s *shape) []byte {
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

func (p *printer) node(n *node, s *shape) {
	switch n.kind {
	case '{':
		p.object(n, s)
	case '[':
		p.array(n, s)
	case '"':
		p.string(n.text)
	case '0':
		p.WriteString(n.text)
	default:
		p.WriteString(map[byte]string{'t': "true", 'f': "false", 'n': "null"}[byte(n.kind)])
	}
}

func (p *printer) object(n *node, s *shape) {
	var rest []member
	first := true
	put := func(m member, s *shape) {
		p.item(&first)
		p.string(m.name)
		p.WriteByte(':')
		if p.lines {
			p.WriteByte(' ')
		}
		p.node(m.value, s)
	}
	p.open('{')
	for _, m := range n.members {
		if _, known := s.known(m.name); !known {
			rest = append(rest, m)
		}
	}
	for _, f := range s.fields {
		if v := n.get(f.name); v != nil {
			put(member{f.name, v}, f.shape)
		}
	}
	for _, m := range sorted(rest) {
		put(m, cmp.Or(s.elem, anything))
	}
	p.close('}', first)
}

func (p *printer) array(n *node, s *shape) {
	elem := cmp.Or(s.elem, anything)
	items := n.items
	if s.kind == '[' {
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
		p.WriteString(strings.Repeat("  ", p.depth))
	}
}

// string escapes as RFC 8785 does, and in lines also what nobody would see: a
// reviewer must be able to read every character of a lock.
func (p *printer) string(s string) {
	p.WriteByte('"')
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
	p.WriteByte('"')
}

// arrange puts a known array in its written order: lists keep theirs, waivers
// go by rule and path, all else is a sorted set.
func arrange(items []*node, s *shape) []*node {
	if s.list {
		return items
	}
	type keyed struct {
		key  string
		node *node
	}
	var out []keyed
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		key := string(compact(item, s.elem))
		if seen[key] {
			continue
		}
		seen[key] = true
		if item.kind == '"' {
			key = item.text // sorted by what it says, not by its escapes
		}
		out = append(out, keyed{key, item})
	}
	slices.SortFunc(out, func(a, b keyed) int {
		return cmp.Or(a.node.compareText(b.node, "rule"), a.node.compareText(b.node, "path"), cmp.Compare(a.key, b.key))
	})
	nodes := make([]*node, len(out))
	for i, k := range out {
		nodes[i] = k.node
	}
	return nodes
}

// compareText compares the texts of one member; an absent one is empty.
func (n *node) compareText(o *node, name string) int {
	return cmp.Compare(n.textOf(name), o.textOf(name))
}

func (n *node) textOf(name string) string {
	if m := n.get(name); m != nil {
		return m.text
	}
	return ""
}
