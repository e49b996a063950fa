package shape

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
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
	// Repeated names are faults with a place, found later, and not the end. Of
	// a buffer the decoder makes no copy.
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	r := reader{dec: d, text: string(data), depth: depth}
	n, err := r.read()
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

// A reader makes nodes. Their texts are parts of one copy of the document, and
// nodes and lists are allocated many at a time: a lock has hundreds of them.
type reader struct {
	dec   *jsontext.Decoder
	text  string
	depth int
	spare []Node
	// What the open objects and arrays hold so far, the innermost last.
	members []Member
	items   []*Node
}

func (r *reader) read() (*Node, error) {
	n := r.node()
	n.Kind = r.dec.PeekKind()
	if n.Kind == '"' || n.Kind == '0' {
		var err error
		n.Text, err = r.scalar()
		return n, err
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, err
	}
	if n.Kind != '{' && n.Kind != '[' {
		return n, nil
	}
	if r.dec.StackDepth() > r.depth {
		return nil, fmt.Errorf("nested deeper than %d levels", r.depth)
	}
	members, items := len(r.members), len(r.items)
	for end := n.Kind + 2; r.dec.PeekKind() != end; { // '{'+2 is '}', '['+2 is ']'
		var name string
		if n.Kind == '{' {
			var err error
			if name, err = r.scalar(); err != nil {
				return nil, err
			}
		}
		v, err := r.read()
		if err != nil {
			return nil, err
		}
		if n.Kind == '{' {
			r.members = append(r.members, Member{name, v})
		} else {
			r.items = append(r.items, v)
		}
	}
	n.Members = append(n.Members, r.members[members:]...)
	n.Items = append(n.Items, r.items[items:]...)
	r.members, r.items = r.members[:members], r.items[:items]
	_, err := r.dec.ReadToken()
	return n, err
}

// node returns an empty node.
func (r *reader) node() *Node {
	if len(r.spare) == 0 {
		r.spare = make([]Node, 64)
	}
	n := &r.spare[0]
	r.spare = r.spare[1:]
	return n
}

// scalar reads a string, which is returned without its quotes and escapes, or a
// number.
func (r *reader) scalar() (string, error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return "", err
	}
	end := int(r.dec.InputOffset())
	text := r.text[end-len(raw) : end]
	switch {
	case text[0] != '"':
		return text, nil
	case strings.IndexByte(text, '\\') < 0:
		return text[1 : len(text)-1], nil
	}
	b, err := jsontext.AppendUnquote(nil, text)
	return string(b), err
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

// sortByName sorts ms; the first of equal names stays first.
func sortByName(ms []Member) {
	slices.SortStableFunc(ms, func(a, b Member) int { return compareNames(a.Name, b.Name) })
}
