package shape

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

// A Node is one JSON value with its members in the order they were written,
// repeated ones among them, so that a reader can point at every fault and a
// writer can put any value in order.
type Node struct {
	Kind    jsontext.Kind
	Text    string // a string's value; a number as written
	Members []Member
	Items   []*Node
}

// A Member is one member of an object.
type Member struct {
	Name  string
	Value *Node
}

// Get returns the first member called name, or nil.
func (n *Node) Get(name string) *Node {
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// ErrMore is that of data behind the value.
var ErrMore = errors.New("more data after the end of the value")

// Parse reads data, which holds one value and nothing after it ([ErrMore]), and
// is nested no deeper than depth levels. Repeated members are read. Errors of
// syntax are jsontext's own.
func Parse(data []byte, depth int) (*Node, error) {
	// Repeated names are faults with a place, found later, and not the end.
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	n, err := readNode(d, depth)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err == nil {
		return nil, ErrMore
	} else if err != io.EOF {
		return nil, err
	}
	return n, nil
}

func readNode(d *jsontext.Decoder, depth int) (*Node, error) {
	tok, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &Node{Kind: tok.Kind()}
	switch n.Kind {
	case '"', '0':
		n.Text = tok.String()
		return n, nil
	case '{', '[':
		if d.StackDepth() > depth {
			return nil, fmt.Errorf("nested deeper than %d levels", depth)
		}
	default:
		return n, nil
	}
	for end := n.Kind + 2; d.PeekKind() != end; { // '{'+2 is '}', '['+2 is ']'
		var name string
		if n.Kind == '{' {
			tok, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			name = tok.String()
		}
		v, err := readNode(d, depth)
		if err != nil {
			return nil, err
		}
		if n.Kind == '{' {
			n.Members = append(n.Members, Member{name, v})
		} else {
			n.Items = append(n.Items, v)
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
func sorted(ms []Member) []Member {
	return slices.SortedStableFunc(slices.Values(ms), func(a, b Member) int { return compareNames(a.Name, b.Name) })
}
