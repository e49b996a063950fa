// Package retryafter reads how long a server asks to be left alone.
package retryafter

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Longest bounds what a server can ask for.
const Longest = 24 * time.Hour

// Of is what the Retry-After of h asks for, at most [Longest]: seconds, or a
// date, which is read against the answer's own Date, so that clocks need not
// agree (RFC 9110 10.2.3). What cannot be read, or lies in the past, is 0.
func Of(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if value != "" && strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(Longest/time.Second) {
			return Longest // an error is a number out of range
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	from, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		from = time.Now()
	}
	return min(max(at.Sub(from), 0), Longest)
}
