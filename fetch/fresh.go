package fetch

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/retryafter"
)

const longestFresh = 10 * 365 * 24 * time.Hour

// retryAfter is how long a 429 or a 503 asks us to stay away, 0 where it says
// nothing that can be read.
func retryAfter(code int, header http.Header) time.Duration {
	if code != http.StatusTooManyRequests && code != http.StatusServiceUnavailable {
		return 0
	}
	return retryafter.Of(header)
}

// delta reads RFC 9111's delta-seconds, at most [longestFresh].
func delta(s string) (time.Duration, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > int64(longestFresh/time.Second) {
		return longestFresh, true
	}
	return time.Duration(n) * time.Second, true
}

// parseTime reads a date of HTTP; the zero time is none.
func parseTime(f Field) time.Time {
	if f == "" {
		return time.Time{} // an error costs more than a date
	}
	t, err := http.ParseTime(string(f))
	if err != nil {
		return time.Time{}
	}
	return t
}

// clock is what a server's clock said when a cache, or else the server, answered.
func clock(header http.Header) time.Time {
	date := parseTime(Field(header.Get("Date")))
	if date.IsZero() {
		return date
	}
	age, _ := delta(header.Get("Age"))
	return date.Add(age)
}

// maxAge is how much longer the answer that e is of calls itself fresh, age
// being what its Age said.
func (e *Entry) maxAge(age string) time.Duration {
	d := directives(string(e.CacheControl))
	_, stale := d["no-cache"]
	lifetime, ok := delta(d["max-age"])
	switch {
	case stale:
		return 0
	case ok:
	case d["max-age"] != "":
		return 0 // unreadable is stale (RFC 9111 4.2.1)
	default:
		expires, date := parseTime(e.Expires), parseTime(e.Date)
		if expires.IsZero() || date.IsZero() {
			return 0
		}
		lifetime = min(expires.Sub(date), longestFresh)
	}
	spent, _ := delta(age)
	return max(lifetime-spent, 0)
}

// noStore is whether a Cache-Control forbids to keep the answer.
func noStore(cacheControl string) bool {
	_, ok := directives(cacheControl)["no-store"]
	return ok
}

// directives are those of a Cache-Control, each with its argument. Of two with
// one name the first counts (RFC 9111 4.2.1).
func directives(value string) map[string]string {
	out := map[string]string{}
	for value != "" {
		var part string
		part, value = cutDirective(value)
		name, arg, _ := strings.Cut(part, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, ok := out[name]; !ok {
			out[name] = strings.Trim(strings.TrimSpace(arg), `"`)
		}
	}
	return out
}

// cutDirective cuts at the first comma outside quotes.
func cutDirective(s string) (part, rest string) {
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
