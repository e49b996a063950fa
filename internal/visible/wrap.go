package visible

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text between words into lines of at most width characters; a
// longer word stays whole, so that it can be copied.
func Wrap(text string, width int) []string {
	var lines []string
	line, length := "", 0
	for word := range strings.SplitSeq(text, " ") {
		n := utf8.RuneCountInString(word)
		if length > 0 && length+1+n > width {
			lines = append(lines, line)
			line, length = word, n
			continue
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	return append(lines, line)
}
