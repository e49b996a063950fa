package visible

import (
	"strings"
	"unicode/utf8"
)

// Pad fills s up to width characters.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// Widest is the width of the longest of texts, at most limit.
func Widest(limit int, texts ...string) int {
	w := 0
	for _, s := range texts {
		w = max(w, utf8.RuneCountInString(s))
	}
	return min(limit, w)
}
