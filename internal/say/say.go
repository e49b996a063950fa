// Package say puts foreign text into messages, and names into RFC 6901 pointers.
package say

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// Pointer makes an RFC 6901 pointer of unescaped tokens.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(jsondoc.Escape(t))
	}
	return b.String()
}

// Inside takes the name and what follows it out of a pointer like
// /skills/NAME/rest; ok is false when p lies elsewhere.
func Inside(p, collection string) (name, rest string, ok bool) {
	p, ok = strings.CutPrefix(p, collection)
	if !ok {
		return "", "", false
	}
	name, rest, _ = strings.Cut(p, "/")
	return jsondoc.Unescape(name), rest, true
}

// Lengths at which messages are cut; values beside a message keep all.
const (
	longestText = 120
	longestList = 5
)

// Quote shows foreign text in a message.
func Quote(s string) string {
	if len(s) > longestText {
		cut := longestText
		for cut > 0 && s[cut]&0xC0 == 0x80 { // not in the middle of a rune
			cut--
		}
		s = s[:cut] + "…"
	}
	return fmt.Sprintf("%q", s)
}

// List shows several foreign texts in a message.
func List(s []string) string {
	var b strings.Builder
	for i, item := range s {
		if i == longestList {
			fmt.Fprintf(&b, " and %d more", len(s)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Quote(item))
	}
	return b.String()
}

// Verb picks the word for one or for many.
func Verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// OneLine is text without line breaks and runs of space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Printable is s with every rune that is not plainly visible escaped.
// Certificates and network errors carry text from the other side.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// blanks are letters and symbols that show nothing.
const blanks = "\u115f\u1160\u2800\u3164\uffa0"

// Visible is s without space around it; "" where a reader would see nothing.
func Visible(s string) string {
	shows := func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune(blanks, r)
	}
	if !strings.ContainsFunc(s, shows) {
		return ""
	}
	return strings.TrimSpace(s)
}
