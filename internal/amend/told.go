package amend

import "strings"

// Told are members of which something was said, by pointer. Make it with [Tell].
type Told struct{ at, around map[string]bool }

// Tell makes the set of some pointers; an empty one tells of nothing.
func Tell(pointers []string) *Told {
	t := &Told{map[string]bool{}, map[string]bool{}}
	for _, p := range pointers {
		if p == "" || t.at[p] {
			continue
		}
		t.at[p] = true
		for up := parent(p); up != "" && !t.around[up]; up = parent(up) {
			t.around[up] = true
		}
	}
	return t
}

// Of reports whether something was said of the member at a pointer, of one around
// it or of one in it.
func (t *Told) Of(at string) bool { return t.around[at] || t.At(at) }

// In reports whether something was said of the member at a pointer or of one in it.
func (t *Told) In(at string) bool { return t.around[at] || t.at[at] }

// At reports whether something was said of the member at a pointer or of one
// around it.
func (t *Told) At(at string) bool {
	for up := at; up != ""; up = parent(up) {
		if t.at[up] {
			return true
		}
	}
	return false
}

func parent(p string) string { return p[:max(0, strings.LastIndexByte(p, '/'))] }
