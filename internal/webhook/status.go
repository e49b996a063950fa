package webhook

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// maxReason bounds how much of a refusing answer is read.
const maxReason = 200

// maxRetryAfter bounds what a receiver can ask for.
const maxRetryAfter = 24 * time.Hour

// A StatusError is an answer that takes nothing: any but 2xx, a redirect too.
type StatusError struct {
	Code   int
	Reason string // the first bytes of the answer: foreign text, unescaped
	// RetryAfter is how long the receiver asked to be left alone; 0: it did not.
	RetryAfter time.Duration
}

// Error reads "answered 503 Service Unavailable: reason".
func (e *StatusError) Error() string {
	s := fmt.Sprintf("answered %d %s", e.Code, http.StatusText(e.Code))
	if e.Reason != "" {
		s += fmt.Sprintf(": %.100q", e.Reason)
	}
	return s
}

// RetryAfter is what h asks for, at most a day: seconds, or a date, which is
// read against the answer's own Date, so that clocks need not agree. What
// cannot be read, or lies in the past, is 0.
func RetryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	from, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		from = time.Now()
	}
	return min(max(at.Sub(from), 0), maxRetryAfter)
}
