package report

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of a [Report].
func Schema() []byte { return []byte(schema) }

// JSON writes the report as indented JSON with a final newline. Equal reports
// give equal bytes.
func (r *Report) JSON(w io.Writer) error { return WriteJSON(w, r) }

// WriteJSON writes v as indented JSON with a final newline, in which every
// character is seen: what [Line] would show as <U+200B> is escaped as \u200b.
// Bytes that are no UTF-8 become U+FFFD. Equal values give equal bytes.
func WriteJSON(w io.Writer, v any) error {
	data, err := json.Marshal(v,
		json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true), // was and now are data, not ours to judge
		jsontext.EscapeForHTML(false),
		jsontext.WithIndent("  "),
	)
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	_, err = w.Write(append(escapeUnseen(data), '\n'))
	return err
}

// escapeUnseen escapes what nobody sees, and the second "#" of what a CI
// system would take for a command ("##vso[…]", which it finds anywhere in a
// line), in valid JSON. Both can only stand inside strings. A "::" at the start
// of a line cannot come up: there is always a quote before it.
func escapeUnseen(data []byte) []byte {
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
		case r < ' ' || !isUnseen(r): // indentation; JSON has escaped the rest
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
