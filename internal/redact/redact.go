// Package redact takes secrets out of text that people and logs read.
package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// redacted stands where a value stood.
const redacted = "REDACTED"

// URL is u with the values of query (and fragment) parameters whose names
// sound like secrets replaced, and the password before an @ as well; every
// other byte is as it was. It is for text that people and logs read, and takes
// any string.
func URL(u string) string {
	rest, fragment, hasFragment := strings.Cut(u, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	u = redactUser(rest)
	if hasQuery {
		u += "?" + redactPairs(query)
	}
	if hasFragment {
		u += "#" + redactPairs(fragment)
	}
	return u
}

// inText finds the absolute URLs in a sentence, or in JSON.
var inText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>\\\x60]+`)
})

// Text is s with each absolute URL in it as [URL] has it.
func Text(s string) string { return inText().ReplaceAllStringFunc(s, URL) }

func redactUser(s string) string {
	scheme, rest, ok := strings.Cut(s, "//")
	if !ok {
		return s
	}
	authority, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	i := strings.LastIndexByte(authority, '@')
	if i < 0 {
		return s
	}
	return scheme + "//" + redacted + authority[i:] + path
}

func redactPairs(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if ok && value != "" && isSecret(name) {
			pairs[i] = name + "=" + redacted
		}
	}
	return strings.Join(pairs, "&")
}

// secretWords are looked for anywhere in a name, secretNames must be all of it.
var (
	secretWords = []string{
		"token", "secret", "passw", "passphrase", "signature", "credential",
		"apikey", "accesskey", "authorization", "session", "bearer", "jwt",
	}
	secretNames = []string{"key", "sig", "code", "auth", "pass", "pwd", "pin", "hmac", "sas", "assertion"}
)

// isSecret errs on the side of silence: a word too much costs a reader little.
func isSecret(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	name = strings.NewReplacer("_", "", "-", "", ".", "", " ", "", "[]", "").Replace(strings.ToLower(name))
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	if slices.Contains(secretNames, name) {
		return true
	}
	return strings.HasSuffix(name, "key")
}
