package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/say"
)

// The states that are the transport's (docs/design.md, States). None is drift.
const (
	// NeverChecked: nothing was asked yet.
	NeverChecked card.State = "never-checked"
	// Unreachable: no usable answer came, or we refused to ask for one.
	Unreachable card.State = "unreachable"
	// AuthRequired: 401 or 403.
	AuthRequired card.State = "auth-required"
	// NotFound: 404 or 410.
	NotFound card.State = "not-found"
)

// Error is why no body came. Its text is printable: whatever a server put into
// it is escaped, and secrets in URLs are redacted.
type Error struct {
	URL     string // as asked; unredacted
	Final   string // where redirects had led by then; URL without any
	Offsite bool   // a redirect had left the origin of URL
	State   card.State
	Code    int   // the status, where one answered
	Err     error // nil where Code says it all
	// RetryAfter is how long the server asks us to stay away, from when it
	// answered 429 or 503, or how long a [gate.PausedError] has still to wait; at most
	// 24 hours, 0 where nobody asks. Callers add to it, so that not all come back
	// at once.
	RetryAfter time.Duration
	// Protocol is whether the answer was a fault of the protocol (a 304 unasked, a
	// 204, a 206, an empty 200): the next request had better be unconditional.
	Protocol bool
	// Ours is whether nothing was asked of the agent, since its identity or the
	// credential of that cannot be had; Public, whether the public card came, and
	// the extended one did not: URL is then that of the interface.
	Ours, Public bool
	// Tried are the answers that made [Client.Discover] give up, in order.
	Tried []*Error
}

// Error is "URL answered 404 Not Found", or "URL: cause"; after a redirect it
// names where that led. What Tried holds follows, one a line.
func (e *Error) Error() string {
	s := redact.URL(e.URL)
	if e.Final != "" && e.Final != e.URL {
		s += " (redirected to " + redact.URL(e.Final) + ")"
	}
	if e.Code != 0 {
		s += fmt.Sprintf(" answered %d", e.Code)
		if text := http.StatusText(e.Code); text != "" {
			s += " " + text
		}
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	s = say.Printable(s)
	for _, t := range e.Tried {
		s += "\n  " + t.Error()
	}
	return s
}

// IsSilent is whether nothing at all came of asking the agent.
func (e *Error) IsSilent() bool {
	return e.State == Unreachable && e.Code == 0 && !e.Ours && !e.Public
}

// Unwrap is Err, so that callers can ask for a [*netguard.Refused].
func (e *Error) Unwrap() error { return e.Err }

// statusError is nil for a 200. A 304 that says something was taken care of
// before, so it is a fault of the protocol, and no other 2xx has a card in it.
func statusError(res *http.Response) error {
	e := &Error{State: Unreachable, Code: res.StatusCode, RetryAfter: retryAfter(res.StatusCode, res.Header)}
	switch res.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		e.State = AuthRequired
	case http.StatusNotFound, http.StatusGone:
		e.State = NotFound
	case http.StatusNotModified:
		e.Protocol = true
		e.Err = errors.New("nothing was asked conditionally")
	case http.StatusNoContent, http.StatusPartialContent:
		e.Protocol = true
		e.Err = errors.New("a card is answered with 200")
	}
	return e
}
