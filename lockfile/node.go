package lockfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A node is one JSON value with its members in the order they were written,
// repeated ones among them, so that the reader can point at every fault and
// the writer can put any value in order.
type node struct {
	kind    jsontext.Kind
	text    string // a string's value; a number as written
	members []member
	items   []*node
}

type member struct {
	name  string
	value *node
}

// get returns the first member called name, or nil.
func (n *node) get(name string) *node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

var errTooDeep = fmt.Errorf("nested deeper than %d levels", MaxDepth)

// readTree reads data, which holds one value and nothing after it.
func readTree(data []byte) (*node, error) {
	// Repeated names are faults with a place, found later, and not the end.
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	n, err := readNode(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err == nil {
		return nil, errors.New("more data after the end of the lock")
	} else if err != io.EOF {
		return nil, err
	}
	return n, nil
}

func readNode(d *jsontext.Decoder) (*node, error) {
	tok, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{kind: tok.Kind()}
	switch n.kind {
	case '"', '0':
		n.text = tok.String()
		return n, nil
	case '{', '[':
		if d.StackDepth() > MaxDepth {
			return nil, errTooDeep
		}
	default:
		return n, nil
	}
	for end := n.kind + 2; d.PeekKind() != end; { // '{'+2 is '}', '['+2 is ']'
		var name string
		if n.kind == '{' {
			tok, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			name = tok.String()
		}
		v, err := readNode(d)
		if err != nil {
			return nil, err
		}
		if n.kind == '{' {
			n.members = append(n.members, member{name, v})
		} else {
			n.items = append(n.items, v)
		}
	}
	_, err = d.ReadToken()
	return n, err
}

// kindName is what a fault calls a kind of value.
func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 'n':
		return "null"
	}
	return "boolean"
}

// compareNames orders member names by UTF-16 code unit, as RFC 8785 does.
func compareNames(a, b string) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			return cmp.Or(cmp.Compare(unit(x), unit(y)), cmp.Compare(x, y))
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

// unit is the first UTF-16 code unit of r.
func unit(r rune) rune {
	if r > 0xFFFF {
		r, _ = utf16.EncodeRune(r)
	}
	return r
}

// sorted returns ms by name; the first of equal names stays first.
func sorted(ms []member) []member {
	return slices.SortedStableFunc(slices.Values(ms), func(a, b member) int { return compareNames(a.name, b.name) })
}
