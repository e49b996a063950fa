package webhook

import (
	"fmt"
	"net/http"
	"time"
)

// maxReason bounds how much of a refusing answer is read: far more than is shown,
// so that the caller can take secrets out of it while they are whole.
const maxReason = 4096

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
