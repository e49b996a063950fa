package shape

import (
	"cmp"
	"fmt"
	"slices"
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
	c.check(n, s)
	return c.faults
}

// A checker collects the faults of a tree.
type checker struct {
	faults []Fault
	path   []string // the names and indexes that lead to the value at hand
}

func (c *checker) fault(msg string) {
	var at jsontext.Pointer
	for _, token := range c.path {
		at = at.AppendToken(token)
	}
	c.faults = append(c.faults, Fault{Pointer: string(at), Msg: msg})
}

// below runs f for the value that token leads to.
func (c *checker) below(token string, f func()) {
	c.path = append(c.path, token)
	f()
	c.path = c.path[:len(c.path)-1]
}

// check holds n against its shape.
func (c *checker) check(n *Node, s *Shape) {
	kind := n.Kind
	if kind == 'f' {
		kind = 't'
	}
	switch {
	case kind == '"' && s.Object != nil:
		c.value(n, s)
		return
	case kind == 'n' && s.null:
		return
	case s.Kind != 0 && kind != s.Kind:
		want := kindName(s.Kind)
		if s.Object != nil {
			want = "string or object"
		}
		c.fault(fmt.Sprintf("want %s, got %s", want, kindName(kind)))
		return
	}
	switch kind {
	case '{':
		c.object(n, s)
	case '[':
		for i, item := range n.Items {
			c.below(strconv.Itoa(i), func() { c.check(item, cmp.Or(s.Elem, anything)) })
		}
	default:
		c.value(n, s)
	}
	if s.Filled != "" && len(n.Members)+len(n.Items) == 0 {
		c.fault("empty: want at least one " + s.Filled)
	}
}

func (c *checker) value(n *Node, s *Shape) {
	if s.Check == nil {
		return
	}
	if msg := s.Check(n.Text); msg != "" {
		c.fault(msg)
	}
}

func (c *checker) object(n *Node, s *Shape) {
	repeated := repetitions(n.Members)
	for i, m := range n.Members {
		c.below(m.Name, func() {
			if repeated(i) {
				c.fault("repeated member")
			}
			inner, known := s.Known(m.Name)
			switch {
			case s.IsMap():
				inner = s.Elem
			case !known && s.Kind != 0 && !s.open:
				c.fault("unknown member, and no place to keep it")
				return
			case !known:
				inner = anything
			}
			c.check(m.Value, inner)
		})
	}
	for _, name := range s.Required {
		if n.Get(name) == nil {
			c.below(name, func() { c.fault("missing") })
		}
	}
}

// repetitions returns whether the name of member i stands before it, to be
// asked of each i in order. Few names are walked, many are kept in a map.
func repetitions(ms []Member) func(i int) bool {
	if len(ms) <= 16 {
		return func(i int) bool {
			return slices.ContainsFunc(ms[:i], func(m Member) bool { return m.Name == ms[i].Name })
		}
	}
	seen := make(map[string]bool, len(ms))
	return func(i int) bool {
		repeated := seen[ms[i].Name]
		seen[ms[i].Name] = true
		return repeated
	}
}
