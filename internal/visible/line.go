// Package visible shows text that nobody vouches for, so that all of it is seen
// and no terminal, log or CI system acts on it.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line that is safe to print anywhere: controls, bidi
// marks, odd spaces and other characters that cannot be seen appear as
// <U+200B>, bytes that are no UTF-8 as <0xFF>, a line break as ⏎. Joiners and
// variation selectors stay where scripts and emoji need them: behind a
// character that is not ASCII.
//
// What a CI system would take for a command is broken up: "::" at the start
// (GitHub Actions, which skips spaces before it) and "##[", "##vso[" and their
// like anywhere (older forms, Azure Pipelines, TeamCity). Line(Line(s)) is
// Line(s).
func Line(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	prev := ' ' // the rune before, as far as selectors and joiners are concerned
	atStart := true
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		rest := s[i+size:]
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<0x%02X>", s[i])
			r = ' '
		case r == '\r' && strings.HasPrefix(rest, "\n"):
			// the line break that follows shows
		case r == '\n':
			b.WriteRune('⏎')
		case r == ':' && atStart && strings.HasPrefix(rest, ":"), startsCommand(s[:i], s[i:]):
			fmt.Fprintf(&b, "<U+%04X>", r)
		case isJoiner(r) && joins(prev, r):
			b.WriteRune(r)
		case IsUnseen(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
			r = ' '
		default:
			b.WriteRune(r)
		}
		atStart = atStart && r == ' ' && size == 1
		prev = r
		i += size
	}
	return b.String()
}

// startsCommand reports whether after opens the second "#" of "##[", "##vso["
// or the like.
func startsCommand(before, after string) bool {
	if !strings.HasSuffix(before, "#") || !strings.HasPrefix(after, "#") {
		return false
	}
	word := strings.TrimLeftFunc(after[1:], func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' })
	return strings.HasPrefix(word, "[")
}

// IsUnseen reports whether r leaves no mark of its own on a screen, or changes
// how others are shown. It covers card.IsHidden, and, since a screen is no
// place for honest doubts, the marks of right-to-left text and odd spaces too.
func IsUnseen(r rune) bool {
	return !unicode.IsPrint(r) || isJoiner(r) || unicode.Is(unseenLetters, r)
}

// unseenLetters are printable by category only: fillers, blanks and joiners of
// single scripts.
var unseenLetters = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian selectors
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // blank Braille pattern
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // halfwidth Hangul filler
	},
}

// isJoiner reports whether r is a joiner or a variation selector.
func isJoiner(r rune) bool {
	return r == 0x200c || r == 0x200d || isSelector(r) || 0xe0100 <= r && r <= 0xe01ef
}

func isSelector(r rune) bool { return 0xfe00 <= r && r <= 0xfe0f }

// joins reports whether joiner r has a use behind prev. A chain of them has
// none: it would carry text that nobody sees.
func joins(prev, r rune) bool {
	if isJoiner(prev) {
		return isSelector(prev) && r == 0x200d // an emoji's, as in ❤️‍🔥
	}
	return prev >= utf8.RuneSelf && prev != '⏎' && !IsUnseen(prev)
}

// Cut shortens s, which is a [Line], to n characters and says how many it
// left out. It never cuts a <U+200B> or an emoji in two.
func Cut(s string, n int) string {
	length := utf8.RuneCountInString(s)
	if length <= n+n/10 { // a few more cost less than saying so
		return s
	}
	runes := []rune(s)
	for n > 0 && isJoiner(runes[n]) {
		n--
	}
	for i := n - 1; i >= max(0, n-len("<U+10FFF")) && runes[i] != '>'; i-- {
		if runes[i] == '<' {
			n = i
		}
	}
	return string(runes[:n]) + fmt.Sprintf(" … %d more", length-n)
}
