package shape

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A Fault is one place in a document that is not as its shape says.
type Fault struct {
	Pointer string // RFC 6901
	Msg     string
}

// Faults returns all faults of n in document order.
func (s *Shape) Faults(n *Node) []Fault {
	var c checker
	c.check(n, s, "")
	return c.faults
}

// A checker collects the faults of a tree.
type checker struct{ faults []Fault }

func (c *checker) fault(at jsontext.Pointer, msg string) {
	c.faults = append(c.faults, Fault{Pointer: string(at), Msg: msg})
}

// check holds n, at the pointer at, against its shape.
func (c *checker) check(n *Node, s *Shape, at jsontext.Pointer) {
	kind := n.Kind
	if kind == 'f' {
		kind = 't'
	}
	switch {
	case kind == '"' && s.Object != nil:
		c.value(n, s, at)
		return
	case kind == 'n' && s.null:
		return
	case s.Kind != 0 && kind != s.Kind:
		want := kindName(s.Kind)
		if s.Object != nil {
			want = "string or object"
		}
		c.fault(at, fmt.Sprintf("want %s, got %s", want, kindName(kind)))
		return
	}
	switch kind {
	case '{':
		c.object(n, s, at)
	case '[':
		for i, item := range n.Items {
			c.check(item, cmp.Or(s.Elem, anything), at.AppendToken(strconv.Itoa(i)))
		}
	default:
		c.value(n, s, at)
	}
	if s.Filled != "" && len(n.Members)+len(n.Items) == 0 {
		c.fault(at, "empty: want at least one "+s.Filled)
	}
}

func (c *checker) value(n *Node, s *Shape, at jsontext.Pointer) {
	if s.Check == nil {
		return
	}
	if msg := s.Check(n.Text); msg != "" {
		c.fault(at, msg)
	}
}

func (c *checker) object(n *Node, s *Shape, at jsontext.Pointer) {
	seen := make(map[string]bool, len(n.Members))
	for _, m := range n.Members {
		ptr := at.AppendToken(m.Name)
		if seen[m.Name] {
			c.fault(ptr, "repeated member")
		}
		seen[m.Name] = true
		inner, known := s.Known(m.Name)
		switch {
		case s.IsMap():
			inner = s.Elem
		case !known && s.Kind != 0 && !s.open:
			c.fault(ptr, "unknown member, and no place to keep it")
			continue
		case !known:
			inner = anything
		}
		c.check(m.Value, inner, ptr)
	}
	for _, name := range s.Required {
		if !seen[name] {
			c.fault(at.AppendToken(name), "missing")
		}
	}
}
