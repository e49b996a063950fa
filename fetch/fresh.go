package fetch

import (
	"net/http"
	"time"

	"github.com/a2alock/a2alock/internal/cachecontrol"
	"github.com/a2alock/a2alock/internal/retryafter"
)

// retryAfter is how long a 429 or a 503 asks us to stay away, 0 where it says
// nothing that can be read.
func retryAfter(code int, header http.Header) time.Duration {
	if code != http.StatusTooManyRequests && code != http.StatusServiceUnavailable {
		return 0
	}
	return retryafter.Of(header)
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

// maxAge is how much longer the answer that e is of calls itself fresh, age
// being what its Age said.
func (e *Entry) maxAge(age string) time.Duration {
	d := cachecontrol.Directives(string(e.CacheControl))
	_, stale := d["no-cache"]
	lifetime, ok := cachecontrol.Delta(d["max-age"])
	switch {
	case stale:
		return 0
	case ok:
	case d["max-age"] != "":
		return 0 // unreadable is stale (RFC 9111 4.2.1)
	default:
		if e.Expires == "" || e.Date == "" {
			return 0
		}
		expires, date := parseTime(e.Expires), parseTime(e.Date)
		if expires.IsZero() || date.IsZero() {
			return 0
		}
		lifetime = min(expires.Sub(date), cachecontrol.Longest)
	}
	spent, _ := cachecontrol.Delta(age)
	return max(lifetime-spent, 0)
}
