// Package set treats lists of strings as sets.
package set

import "slices"

// Of returns the distinct values of list, sorted; it is a new slice, and never nil.
func Of(list []string) []string {
	out := append(make([]string, 0, len(list)), list...)
	slices.Sort(out)
	return slices.Compact(out)
}

// Without returns what is in a and not in b, in the order of a; it is a new
// slice, and nil where nothing is left.
func Without(a, b []string) []string {
	in := func(v string) bool { return slices.Contains(b, v) }
	if len(a) > 8 && len(b) > 8 { // long lists may come from hostile cards
		known := make(map[string]bool, len(b))
		for _, v := range b {
			known[v] = true
		}
		in = func(v string) bool { return known[v] }
	}
	var out []string
	for _, v := range a {
		if !in(v) {
			out = append(out, v)
		}
	}
	return out
}
