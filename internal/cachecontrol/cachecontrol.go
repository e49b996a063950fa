// Package cachecontrol reads what a Cache-Control says (RFC 9111 5.2).
package cachecontrol

import (
	"strconv"
	"strings"
	"time"
)

// Longest is the greatest time that is read: more is no end.
const Longest = 10 * 365 * 24 * time.Hour

// Delta reads RFC 9111's delta-seconds, at most [Longest].
func Delta(s string) (time.Duration, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > int64(Longest/time.Second) {
		return Longest, true
	}
	return time.Duration(n) * time.Second, true
}

// Directives are those of value by their names in lower case, each with its
// argument. Of two with one name the first counts (RFC 9111 4.2.1).
func Directives(value string) map[string]string {
	out := map[string]string{}
	for value != "" {
		var part string
		part, value = cut(value)
		name, arg, _ := strings.Cut(part, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, ok := out[name]; !ok {
			out[name] = strings.Trim(strings.TrimSpace(arg), `"`)
		}
	}
	return out
}

// NoStore is whether value forbids to keep the answer.
func NoStore(value string) bool {
	_, ok := Directives(value)["no-store"]
	return ok
}

// cut cuts at the first comma outside quotes.
func cut(s string) (part, rest string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '\\' && quoted:
			i++
		case s[i] == ',' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
