package set

import (
	"maps"
	"slices"
)

// Keys returns the sorted keys of m for which keep holds; nil when there are
// none.
func Keys[V any](m map[string]V, keep func(string, V) bool) []string {
	var out []string
	for k, v := range m {
		if keep(k, v) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// Either returns the sorted keys of two maps.
func Either[A, B any](a map[string]A, b map[string]B) []string {
	all := slices.AppendSeq(make([]string, 0, len(a)+len(b)), maps.Keys(a))
	all = slices.AppendSeq(all, maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}
