package shape

import (
	"bytes"
	"cmp"
	"slices"
)

// Graft adds to now the members of was that s does not know, where it has room
// for them, and reports whether any came. Items of arrays have no names: one is
// another where it says the same and perhaps more.
func (s *Shape) Graft(now, was *Node) bool {
	if s == nil || now.Kind != was.Kind {
		return false
	}
	came := false
	for _, m := range was.Members {
		inner, known := s.Known(m.Name)
		if s.IsMap() {
			inner, known = s.Elem, true
		}
		switch mine := now.Get(m.Name); {
		case !known && s.open && mine == nil:
			now.Members = append(now.Members, m)
			came = true
		case known && mine != nil:
			came = inner.Graft(mine, m.Value) || came
		}
	}
	for _, item := range now.Items {
		i := slices.IndexFunc(was.Items, func(w *Node) bool { return s.Elem.covers(w, item) })
		if i >= 0 {
			came = s.Elem.Graft(item, was.Items[i]) || came
		}
	}
	return came
}

// covers reports whether w says what n says, and perhaps more that this
// version does not know, at any depth.
func (s *Shape) covers(w, n *Node) bool {
	s = cmp.Or(s, anything)
	switch {
	case w.Kind != n.Kind:
		return false
	case n.Kind == '[':
		return slices.EqualFunc(w.Items, n.Items, func(w, n *Node) bool { return s.Elem.covers(w, n) })
	case n.Kind != '{' || s.Kind == 0:
		return bytes.Equal(s.Compact(w), s.Compact(n))
	}
	for _, m := range w.Members {
		if _, known := s.Known(m.Name); (known || s.IsMap()) && n.Get(m.Name) == nil {
			return false
		}
	}
	return !slices.ContainsFunc(n.Members, func(m Member) bool {
		inner, _ := s.Known(m.Name)
		if s.IsMap() {
			inner = s.Elem
		}
		other := w.Get(m.Name)
		return other == nil || !inner.covers(other, m.Value)
	})
}
