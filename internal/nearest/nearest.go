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

// Meant returns the one of ids that somebody who wrote id most likely meant: the
// nearest one where few letters differ, else the first that begins or ends with
// it; "" where there is none.
func Meant(id string, ids []string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	if id == "" || len(id) > 100 || len(ids) == 0 {
		return ""
	}
	if slices.Contains(ids, id) {
		return id
	}
	near := slices.MinFunc(ids, func(a, b string) int { return cmp.Compare(Distance(id, a), Distance(id, b)) })
	if Distance(id, near) <= max(2, len(id)/4) {
		return near
	}
	if len(id) < 4 {
		return ""
	}
	i := slices.IndexFunc(ids, func(other string) bool { return strings.HasPrefix(other, id) || strings.HasSuffix(other, id) })
	if i < 0 {
		return ""
	}
	return ids[i]
}
