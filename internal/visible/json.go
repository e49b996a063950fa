package visible

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON escapes what nobody sees, and the second "#" of what a CI
// system would take for a command ("##vso[…]", which it finds anywhere in a
// line), in valid JSON. Both can only stand inside strings. A "::" at the start
// of a line cannot come up: there is always a quote before it.
func JSON(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/16)
	for i := 0; i < len(data); {
		if plain := plainLen(data[i:]); plain > 0 {
			out = append(out, data[i:i+plain]...)
			i += plain
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == '#' && i > 0 && data[i-1] == '#' && startsCommand("#", string(data[i:min(i+64, len(data))])):
			out = appendEscaped(out, r)
		case r < ' ' || !IsUnseen(r): // indentation; JSON has escaped the rest
			out = append(out, data[i:i+size]...)
		default:
			out = appendEscaped(out, r)
		}
		i += size
	}
	return out
}

// plainLen is how many bytes at the start of data are ASCII that stays as it
// is: nearly all of a report.
func plainLen(data []byte) int {
	for i, c := range data {
		if c == '#' || c >= 0x7F {
			return i
		}
	}
	return len(data)
}

func appendEscaped(out []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return appendEscaped(appendEscaped(out, high), low)
	}
	hex := strconv.FormatInt(int64(r), 16)
	return append(append(append(out, `\u`...), "0000"[len(hex):]...), hex...)
}
