package rpc

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/challenge"
	"github.com/a2alock/a2alock/internal/reason"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/say"
)

// A Place is what was called, and where.
type Place struct {
	Operation string
	URL       string // the target's; unredacted
}

// String is "URL: operation", the URL redacted.
func (p Place) String() string { return say.Printable(redact.URL(p.URL)) + ": " + p.Operation }

// A Basis is what an [Error] has its name from.
type Basis = reason.Basis

// Error is the agent's refusal.
type Error struct {
	Place
	// Reason is what it is called, whatever the status; "" where the agent used no
	// name of A2A's, and another word where it used one of its own.
	Reason string
	// Code is JSON-RPC's code of Reason; where that has none, as it was sent.
	Code  int
	Basis Basis // "" without a Reason
	// SentCode is the code that JSON-RPC carried: right is what the reason has.
	SentCode int
	// Message and Details are the agent's own, foreign text without what the call
	// carried in secrets. Details are those of gRPC and HTTP, or JSON-RPC's data;
	// nil above 8 KiB.
	Message string
	Details jsontext.Value
	// HTTPStatus is 0 over gRPC; Status is gRPC's ("FAILED_PRECONDITION"), where one
	// was sent.
	HTTPStatus int
	Status     string
}

// Error is "URL: operation: REASON (code): message".
func (e *Error) Error() string {
	s := e.Place.String() + ": " + cmp.Or(e.Reason, "an error without a name of A2A's")
	if e.Code != 0 {
		s += fmt.Sprintf(" (%d)", e.Code)
	}
	return s + said(e.Message)
}

// AuthError is the agent's demand for a credential, or for another one.
type AuthError struct {
	Place
	HTTPStatus int // 401, 403, or that of an answer which asks in its body; 0 over gRPC
	// Denied is whether the agent knows who called, and says no (403,
	// PERMISSION_DENIED).
	Denied     bool
	Challenges []challenge.Challenge // as WWW-Authenticate has them; foreign text
	Message    string                // foreign text
}

// Error names the schemes and scopes that are asked for.
func (e *AuthError) Error() string {
	s := e.Place.String() + ": wants a credential"
	if e.Denied {
		s = e.Place.String() + ": denied"
	}
	if e.HTTPStatus != 0 {
		s += " (" + statusText(e.HTTPStatus) + ")"
	}
	asked := make([]string, len(e.Challenges))
	for i, c := range e.Challenges {
		asked[i] = c.String()
	}
	if len(asked) > 0 {
		s += ": " + strings.Join(asked, "; ")
	}
	return s + said(e.Message)
}

// TransportError is why no answer of the agent's came.
type TransportError struct {
	Place
	HTTPStatus int // of what answered in its stead; 0 where nothing did
	// Redirect is where a redirect would have led; unredacted.
	Redirect   string
	RetryAfter time.Duration // how long the server asks to be left alone
	Err        error         // nil where the status says it all
}

// Error is "URL: operation: cause".
func (e *TransportError) Error() string {
	s := e.Place.String() + ": "
	switch {
	case e.Redirect != "" && e.HTTPStatus != 0:
		s += statusText(e.HTTPStatus) + " leads to " + redact.URL(e.Redirect) + ", and calls follow no redirect"
	case e.HTTPStatus != 0:
		s += "answered " + statusText(e.HTTPStatus)
	}
	if e.Err != nil {
		if e.HTTPStatus != 0 {
			s += ": "
		}
		s += e.Err.Error()
	}
	return say.Printable(s)
}

// Unwrap is Err, so that callers can ask for a [*netguard.Refused].
func (e *TransportError) Unwrap() error { return e.Err }

// UndecodableError is why an answer cannot be read.
type UndecodableError struct {
	Place
	HTTPStatus int // 0 over gRPC
	Err        error
}

// Error is "URL: operation: cause". It shows none of the answer but names.
func (e *UndecodableError) Error() string {
	return say.Printable(e.Place.String() + ": " + e.Err.Error())
}

// Unwrap is Err.
func (e *UndecodableError) Unwrap() error { return e.Err }

// NotSpokenError is why a call cannot be made at all.
type NotSpokenError struct {
	Place
	Reason string
}

// Error is "URL: operation: reason".
func (e *NotSpokenError) Error() string { return e.Place.String() + ": " + e.Reason }

func (x *exchange) transport(err error) *TransportError {
	return &TransportError{Place: x.place, Err: x.secrets.Without(err)}
}

func (x *exchange) undecodable(status int, err error) *UndecodableError {
	return &UndecodableError{Place: x.place, HTTPStatus: status, Err: x.secrets.Without(err)}
}

func statusText(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// said is foreign text at the end of a message.
func said(message string) string {
	if message == "" {
		return ""
	}
	return ": " + quote(message)
}

// quote shows a little of foreign text.
func quote(s string) string { return say.Quote(redact.Text(s)) }
