package jsondoc

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Position returns where the member (its name) or the item that pointer
// (RFC 6901) leads to stands in text: the line, and the column in characters,
// both 1-based. Where text lacks it, that is the place of the nearest one
// around it that is there; a text that is broken is read as far as it goes. Of
// repeated members the first counts. ok is false where text does not even begin
// as JSON, and for a pointer that is none.
func Position(text []byte, pointer string) (line, column int, ok bool) {
	if pointer != "" && pointer[0] != '/' {
		return 0, 0, false
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	// Of a buffer the decoder makes no copy.
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() == 0 {
		return 0, 0, false
	}
	at := begin(text, d)
	if pointer != "" {
		for token := range strings.SplitSeq(pointer[1:], "/") {
			next, found := enter(d, text, Unescape(token))
			if !found {
				break
			}
			at = next
		}
	}
	before := text[:at]
	head := before[bytes.LastIndexByte(before, '\n')+1:]
	column = utf8.RuneCount(head) + 1
	line = bytes.Count(before, []byte("\n")) + 1
	return line, column, true
}

// enter reads into the object or list that comes next, up to the value that
// token names, and returns where its name, or the item, begins.
func enter(d *jsontext.Decoder, text []byte, token string) (at int, ok bool) {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		return 0, false
	}
	if _, err := d.ReadToken(); err != nil {
		return 0, false
	}
	for i := 0; ; i++ {
		next := d.PeekKind()
		if next == 0 || next == '}' || next == ']' {
			return 0, false
		}
		at, name := begin(text, d), strconv.Itoa(i)
		if kind == '{' {
			t, err := d.ReadToken()
			if err != nil {
				return 0, false
			}
			name = t.String()
		}
		if name == token {
			return at, true
		}
		if d.SkipValue() != nil {
			return 0, false
		}
	}
}

// begin is the offset of the token that d reads next.
func begin(text []byte, d *jsontext.Decoder) int {
	at := int(d.InputOffset())
	return at + len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t\r\n,:"))
}
