package jsondoc

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// checkText names what is not JSON by how it begins, without repeating any of
// it.
func checkText(text []byte) *Refusal {
	refuse := func(msg string) *Refusal { return &Refusal{Reason: NotJSON, Msg: msg} }
	for _, e := range []struct{ prefix, name string }{
		{"\xFF\xFE\x00\x00", "UTF-32"},
		{"\x00\x00\xFE\xFF", "UTF-32"},
		{"\xFF\xFE", "UTF-16"},
		{"\xFE\xFF", "UTF-16"},
	} {
		if bytes.HasPrefix(text, []byte(e.prefix)) {
			return refuse("the encoding is " + e.name + ", want UTF-8 (RFC 8259 8.1)")
		}
	}
	if len(text) > 1 && (text[0] == 0) != (text[1] == 0) {
		return refuse("the encoding is UTF-16, want UTF-8 (RFC 8259 8.1)")
	}
	if bytes.HasPrefix(text, []byte("\x1F\x8B")) {
		return refuse("gzip data, which the answer did not declare")
	}
	head := bytes.TrimLeft(text, " \t\r\n")
	if len(head) == 0 {
		return refuse("empty")
	}
	if head[0] == '<' {
		if isHTML(head) {
			return refuse("an HTML page")
		}
		return refuse("markup (HTML or XML)")
	}
	if !utf8.Valid(text) {
		return refuse(fmt.Sprintf("the encoding is not UTF-8: byte %d", firstInvalid(text)))
	}
	return nil
}

func isHTML(head []byte) bool {
	head = bytes.ToLower(head[:min(len(head), 1024)])
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.Contains(head, []byte("<html"))
}

func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(text)
}
