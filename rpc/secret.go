package rpc

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// secrets are the values that a credential put on a request, in the forms in which
// texts have them. Who knows one can write it in others, too: they are against
// echoes, not against an enemy, who has the value anyway.
type secrets []string

const (
	// shortest is the length from which values are taken out of messages.
	shortest = 6
	// telling is the length from which a value in a whole answer is no chance: a
	// card may well have the word that is somebody's password.
	telling = 16
)

// added are the values in after that before has not.
func added(before, after *http.Request) secrets {
	var list secrets
	add := func(values ...string) {
		for _, v := range values {
			for _, form := range []string{v, url.QueryEscape(v), url.PathEscape(v), strings.ReplaceAll(v, "/", `\/`)} {
				if len(v) >= shortest && !slices.Contains(list, form) {
					list = append(list, form)
				}
			}
		}
	}
	for name, values := range after.Header {
		for _, value := range values {
			if slices.Contains(before.Header[name], value) {
				continue
			}
			add(value)
			if scheme, rest, ok := strings.Cut(value, " "); ok {
				add(rest)
				add(basic(scheme, rest)...)
			}
		}
	}
	for _, cookie := range after.Cookies() {
		add(cookie.Value)
	}
	if after.URL.RawQuery != before.URL.RawQuery {
		old := before.URL.Query()
		for name, values := range after.URL.Query() {
			for _, value := range values {
				if !slices.Contains(old[name], value) {
					add(value)
				}
			}
		}
	}
	// The longest first, so that none hides a part of another.
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
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

// clean is text without them.
func (s secrets) clean(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "REDACTED")
	}
	return text
}

// in reports whether one of them that has at least so many bytes is in data.
func (s secrets) in(data []byte, least int) bool {
	return slices.ContainsFunc(s, func(secret string) bool { return len(secret) >= least && bytes.Contains(data, []byte(secret)) })
}

// without is err whose text has none of them.
func (s secrets) without(err error) error {
	if err == nil {
		return nil
	}
	if text := s.clean(err.Error()); text != err.Error() {
		return &cleaned{text, err}
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
