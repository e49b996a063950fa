package say

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Enumerate lists the first few of s as they are.
func Enumerate(s []string) string {
	const most = 5
	if len(s) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(s[:most], ", "), len(s)-most)
	}
	return strings.Join(s, ", ")
}

// Show puts a card's text into a sentence: as it is where it is a plain word
// or URL, else quoted, and cut.
func Show(s string) string {
	const longest = 200
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	odd := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' }
	if s == "" || strings.ContainsFunc(s, odd) {
		return strconv.Quote(s)
	}
	return s
}

// Listed puts a list into a sentence, each entry as [Show] does; "none" is for an
// empty one.
func Listed(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Show(s)
	}
	return cmp.Or(Enumerate(out), "none")
}
