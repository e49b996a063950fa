// Package nearest finds the name that somebody may have meant.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// longest is how much of a name counts: names are a stranger's, and may be long.
const longest = 64

// Sort returns names with the nearest to name first, equal ones by name. names
// is not changed.
func Sort(names []string, name string) []string {
	distances := make(map[string]int, len(names))
	for _, n := range names {
		distances[n] = Distance(n, name)
	}
	return slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(distances[a], distances[b]), cmp.Compare(a, b))
	})
}

// Distance is Levenshtein's, without case, over the first 64 characters: how
// many have to be put in, taken out or replaced to make one the other.
func Distance(a, b string) int {
	x, y := fold(a), fold(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			cost := diagonal
			if r != s {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}

func fold(s string) []rune {
	r := []rune(strings.ToLower(s[:min(len(s), 4*longest)]))
	return r[:min(longest, len(r))]
}
