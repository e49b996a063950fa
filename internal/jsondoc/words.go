package jsondoc

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Label names a value in a message without an index, since the message may
// outlive the order of a list.
func (t *Tree) Label(n Ref) string {
	v := t.At(n)
	switch {
	case v.Parent == 0:
		return "the document"
	case t.At(v.Parent).Kind == '[':
		return "an entry of " + t.Label(v.Parent)
	}
	return Plain(v.Name)
}

// Plain is a member's name in a message: quoted unless it is plain.
func Plain(name string) string {
	if len(name) == 0 || len(name) > 40 {
		return Quote(name)
	}
	for _, c := range []byte(name) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '$') {
			return Quote(name)
		}
	}
	return name
}

// Lower is s with the letters of ASCII in lower case. Unicode would fold others
// into ASCII, such as U+212A, and make words of what is none.
func Lower(s string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + ('a' - 'A')
		}
		return c
	}, s)
}

// Quote is foreign text in a message: one line, and not too much of it.
func Quote(s string) string { return strconv.Quote(cut(s)) }

func cut(s string) string {
	const limit = 80
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s { // at a rune boundary
		if i > limit {
			break
		}
		n = i
	}
	return s[:n] + "…"
}

// KindName is a kind of value in a message: "an object", "null".
func KindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}
