// Package echo finds, in what a server sends, the credential that it was sent.
package echo

import (
	"bytes"
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Secrets are the values that a credential put on requests, in the forms in which
// texts have them. Who knows one can write it in others, too: they are against
// echoes, not against an enemy, who has the value anyway.
type Secrets []string

// shortest is the length from which values are looked for: shorter ones are
// everywhere, and no secrets.
const shortest = 4

// Of are the forms of values; those shorter than 4 bytes have none. What is sent is
// trimmed on its way, and so is what comes back.
func Of(values ...string) Secrets {
	var list Secrets
	for _, v := range values {
		v = strings.TrimSpace(v)
		for _, form := range forms(v) {
			if len(v) >= shortest && !slices.Contains(list, form) {
				list = append(list, form)
			}
		}
	}
	// The longest first, so that none hides a part of another.
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// forms are how a text, a URL, JSON, HTML and a header of Basic write v.
func forms(v string) []string {
	list := []string{
		v, url.QueryEscape(v), url.PathEscape(v), strings.ReplaceAll(v, "/", `\/`), html.EscapeString(v),
		base64.StdEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)),
	}
	for _, escaped := range list[1:3] { // in lower case, as some write them
		list = append(list, percent.ReplaceAllStringFunc(escaped, strings.ToLower))
	}
	return list
}

var percent = regexp.MustCompile(`%[0-9A-F]{2}`)

// Added are the values in after that before has not.
func Added(before, after *http.Request) Secrets {
	var values []string
	for name, list := range after.Header {
		for _, value := range list {
			if slices.Contains(before.Header[name], value) {
				continue
			}
			values = append(values, value)
			if scheme, rest, ok := strings.Cut(value, " "); ok {
				rest = strings.TrimSpace(rest)
				values = append(append(values, rest), basic(scheme, rest)...)
				if word, inner, ok := strings.Cut(rest, " "); ok && strings.EqualFold(word, scheme) {
					values = append(values, inner) // "Bearer Bearer …": the value had the word in it
				}
			}
		}
	}
	for _, cookie := range after.Cookies() {
		values = append(values, cookie.Value)
	}
	if after.URL.RawQuery != before.URL.RawQuery {
		old := before.URL.Query()
		for name, list := range after.URL.Query() {
			for _, value := range list {
				if !slices.Contains(old[name], value) {
					values = append(values, value)
				}
			}
		}
	}
	slices.Sort(values) // maps have no order
	return Of(values...)
}

// basic is the password of Basic, alone and with its user.
func basic(scheme, rest string) []string {
	if !strings.EqualFold(scheme, "Basic") {
		return nil
	}
	pair, err := base64.StdEncoding.DecodeString(rest)
	if err != nil {
		return nil
	}
	_, password, _ := strings.Cut(string(pair), ":")
	return []string{string(pair), password}
}

// Clean is text without them.
func (s Secrets) Clean(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "REDACTED")
	}
	return text
}

// In reports whether one of them is in text.
func (s Secrets) In(text string) bool {
	return slices.ContainsFunc(s, func(secret string) bool { return strings.Contains(text, secret) })
}

// Told reports whether a whole answer has one of them that is there by no chance: a
// card may well have the word that is somebody's password.
func (s Secrets) Told(answer []byte) bool {
	if len(s) == 0 {
		return false
	}
	text := unescaped(answer)
	return slices.ContainsFunc(s, func(secret string) bool {
		return isTelling(secret) && (bytes.Contains(answer, []byte(secret)) || bytes.Contains(text, []byte(secret)))
	})
}

// escape is one of JSON's for a character, of two halves above the basic plane.
var escape = regexp.MustCompile(`\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\["\\/]`)

// unescaped is JSON with its characters as such.
func unescaped(text []byte) []byte {
	return escape.ReplaceAllFunc(text, func(e []byte) []byte {
		if e[1] != 'u' {
			return e[1:]
		}
		r := half(e[2:6])
		if len(e) == 12 {
			r = utf16.DecodeRune(r, half(e[8:]))
		}
		return utf8.AppendRune(nil, r)
	})
}

func half(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits), 16, 16)
	return rune(n)
}

// words are what a text may have without anybody's doing: words with a number
// behind them, and numbers.
var words = regexp.MustCompile(`^([A-Za-z]+[ ._-]?)*[0-9]*$|^[^A-Za-z]*$`)

// isTelling is whether a value is long enough to be in a text by no chance, or at
// least mixes letters with digits as no word does.
func isTelling(v string) bool {
	return len(v) >= 16 || len(v) >= 8 && strings.ContainsAny(v, "0123456789") && !words.MatchString(v)
}

// StripHeader takes out of h every field that repeats one of them.
func (s Secrets) StripHeader(h http.Header) {
	for name, values := range h {
		if slices.ContainsFunc(values, s.In) {
			delete(h, name)
		}
	}
}

// Without is err whose text has none of them. It wraps err.
func (s Secrets) Without(err error) error {
	if err == nil {
		return nil
	}
	if text := s.Clean(err.Error()); text != err.Error() {
		return &cleaned{text: text, err: err}
	}
	return err
}

// A cleaned error says another text than what it wraps.
type cleaned struct {
	text string
	err  error
}

func (e *cleaned) Error() string { return e.text }

// Unwrap is the error as it was.
func (e *cleaned) Unwrap() error { return e.err }
