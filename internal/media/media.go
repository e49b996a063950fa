// Package media holds the form in which two media types are compared.
package media

import (
	"fmt"
	"mime"
	"strings"
)

// Normalize returns the form in which two media types are compared: type
// and subtype in lower case, parameters sorted by name with their names in
// lower case and their values kept, quoted only where they must be (RFC 9110
// 8.3.1), that of charset in lower case, no space around. What is no media type is only trimmed and put into
// lower case.
//
// A mode that is a key of aliases, whatever its case, is replaced first; then
// aliased is true. A nil map rewrites nothing.
func Normalize(mode string, aliases map[string]string) (norm string, aliased bool) {
	mode = trim(mode)
	if to, ok := alias(mode, aliases); ok {
		return mediaType(to), true
	}
	return mediaType(mode), false
}

func alias(mode string, aliases map[string]string) (string, bool) {
	if to, ok := aliases[mode]; ok {
		return to, true
	}
	lower := lowerASCII(mode)
	// Two keys that differ in case only are one alias; the first in order wins.
	var found string
	for key := range aliases {
		if lowerASCII(trim(key)) == lower && (found == "" || key < found) {
			found = key
		}
	}
	to, ok := aliases[found]
	return to, ok && found != ""
}

func mediaType(s string) string {
	s = trim(s)
	if isPlain(s) {
		return s
	}
	t, params, err := mime.ParseMediaType(s)
	if err != nil || strings.Count(t, "/") != 1 || isForeign(s) {
		return lowerASCII(s)
	}
	if charset, ok := params["charset"]; ok {
		params["charset"] = lowerASCII(charset)
	}
	formatted := mime.FormatMediaType(t, params)
	if formatted == "" {
		return lowerASCII(s)
	}
	return formatted
}

// isPlain reports a type in normal form that nearly all are, such as
// application/vnd.api+json: a look is faster than taking it apart.
func isPlain(s string) bool {
	slash := strings.IndexByte(s, '/')
	if slash <= 0 || slash == len(s)-1 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if i != slash && !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '+' || c == '-') {
			return false
		}
	}
	return true
}

// lowerASCII leaves other letters alone: Unicode's lower case of U+212A (the
// Kelvin sign) is k.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

func trim(s string) string { return strings.Trim(s, " \t\r\n") }

// isForeign reports letters or spaces outside ASCII that no quotes hold:
// package mime folds and trims them as Unicode has it.
func isForeign(s string) bool {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case !quoted && (c >= 0x80 || c == '\v' || c == '\f'):
			return true
		}
	}
	return false
}

// Is reports whether s is one media type: type/subtype, with or without
// parameters. A range such as text/* is none, since it would match nothing.
func Is(s string) bool {
	t, _, err := mime.ParseMediaType(s)
	return err == nil && strings.Count(t, "/") == 1 && !strings.Contains(t, "*") && strings.TrimSpace(s) == s && !isForeign(s)
}

// NotJSON says of a Content-Type that it is not JSON's; "" where it is.
func NotJSON(header string) string {
	if header == "" {
		return "the answer names no content type"
	}
	media, _, err := mime.ParseMediaType(header)
	if err == nil && (media == "application/json" || strings.HasSuffix(media, "+json")) {
		return ""
	}
	return fmt.Sprintf("the content type is %q, not application/json", header)
}
