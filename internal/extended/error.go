package extended

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/bounded"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/rpc"
)

// failed is why no extended card came, as a state of the agent's.
func failed(t rpc.Target, err error) *fetch.Error {
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		return e
	}
	at := compile.NormalizeURL(t.Binding, t.URL)
	e := &fetch.Error{URL: at, Final: at, State: fetch.Unreachable, Public: true, Err: err}
	if status := statusOf(err); status >= http.StatusMultipleChoices {
		e.Code = status
	}
	switch cause := err.(type) {
	case *rpc.AuthError:
		e.State = fetch.AuthRequired
	case *rpc.TransportError:
		e.RetryAfter = cause.RetryAfter
	case *rpc.UndecodableError:
		e.State = card.NotJSON
		if _, ok := errors.AsType[*bounded.TooLargeError](err); ok {
			e.State = card.TooLarge
		}
	case *rpc.Error, *rpc.NotSpokenError:
	default: // of the credential, which is all that [rpc.Client.Call] has beside these
		e.State, e.Ours = fetch.StateOf(err), true
		return e
	}
	text := strings.TrimPrefix(err.Error(), (rpc.Place{URL: t.URL}).String())
	if e.Code != 0 { // which is said before it
		status := fmt.Sprintf("%d %s", e.Code, http.StatusText(e.Code))
		text = strings.Replace(text, " ("+status+")", "", 1)
		text = strings.Replace(text, ": answered "+status, "", 1)
		text = strings.Replace(text, ": "+status+" leads to ", ": leads to ", 1)
	}
	e.Err = &callError{err, text}
	return e
}

// A callError is the error of a call without the URL, which stands before it.
type callError struct {
	err  error
	text string
}

func (e *callError) Error() string { return e.text }

// Unwrap hides what the network's policy refused: the card named that address, and
// a hint to allow it would be the agent's wish.
func (e *callError) Unwrap() error {
	if _, ok := errors.AsType[*netguard.Refused](e.err); ok {
		return nil
	}
	return e.err
}
