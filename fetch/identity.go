package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/internal/echo"
)

// IdentityError is the error of an identity that is the name of no credential.
type IdentityError struct{ Name string }

// Error names it.
func (e *IdentityError) Error() string { return fmt.Sprintf("no credential is called %q", e.Name) }

// Extended is what came of asking for the extended card (A2A 3.1.11).
type Extended struct {
	// Public is the public card. The body is the extended one, or this where Lost
	// is not "".
	Public []byte
	// Lost says, for a person, why there is no extended card: the public one does
	// not promise it, the agent has none, or it was not asked.
	Lost string
	// Unasked is whether nobody could ask, whatever the public card promises: the
	// client speaks none of its interfaces, or another origin answered for it.
	Unasked bool
	// Same is whether the extended card is the public one.
	Same bool
	// NotConfigured is whether the agent said so when it was asked (-32007).
	NotConfigured bool
	// URL and Binding are those of the interface that was asked; "" where none was.
	URL, Binding string
	// NoStore is whether the extended card may not be kept.
	NoStore bool
}

// Lost is [Extended.Lost], also where nobody asked.
func (r *Response) Lost() string {
	if r.Extended == nil {
		return ""
	}
	return r.Extended.Lost
}

// IsExtended is whether Body is the extended card.
func (r *Response) IsExtended() bool { return r.Extended != nil && r.Extended.Lost == "" }

// Send is for [Client.Extend]: it waits until a request to url may go out, as the
// client's own requests do. The caller calls done when the answer is there, with
// its status, 0 where none came. The error is one to return as it is.
func (r *Response) Send(ctx context.Context, url string) (done func(code int), err error) {
	if r.send == nil {
		return func(int) {}, nil
	}
	return r.send(ctx, url)
}

// identify makes x be asked as the identity called name.
func (x *exchange) identify(name string) error {
	if name == "" {
		return nil
	}
	w := x.client.Wallet
	if w == nil {
		return &IdentityError{name}
	}
	id, err := w.Identity(name)
	if err != nil {
		return &IdentityError{name}
	}
	x.identity, x.use, x.guard = name, w.Use(name), x.guard.As(id)
	x.way.Credential = func(req *http.Request) error {
		if x.shown = w.Goes(name, req.URL); !x.shown {
			return nil // the public may read it
		}
		before := req.Clone(req.Context())
		if err := x.use.Apply(req); err != nil {
			return &credentialError{err}
		}
		x.secrets = append(x.secrets, echo.Added(before, req)...)
		return nil
	}
	return nil
}

// isRefused is whether an answer refuses a token that another takes the place of.
func (x *exchange) isRefused(res *http.Response, err error) bool {
	return err == nil && res.StatusCode == http.StatusUnauthorized && x.use != nil && x.shown && !x.Offsite && x.use.Refused()
}

// extend puts the extended card in the place of the public one.
func (x *exchange) extend(ctx context.Context) error {
	if x.identity == "" || x.client.Extend == nil {
		return nil
	}
	public := x.Response
	r, err := x.client.Extend(ctx, x.identity, &public)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			e.Public = true
		}
		return err
	}
	x.Body, x.Notes, x.Extended = r.Body, r.Notes, r.Extended
	return nil
}

// A credentialError is why a credential is not on a request.
type credentialError struct{ err error }

func (e *credentialError) Error() string { return e.err.Error() }
func (e *credentialError) Unwrap() error { return e.err }
func (e *credentialError) fault() *Error {
	return &Error{State: StateOf(e.err), Ours: true, Err: e.err}
}

// StateOf is what a credential that could not be had leads to: [AuthRequired]
// where a token server refuses it or it may not go there, else [Unreachable].
func StateOf(err error) card.State {
	_, barred := errors.AsType[*credential.OriginError](err)
	e, ok := errors.AsType[*credential.TokenError](err)
	if barred || ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden) {
		return AuthRequired
	}
	return Unreachable
}

// IsTokenless is whether a token server was asked, and gave no answer.
func (e *Error) IsTokenless() bool {
	t, ok := errors.AsType[*credential.TokenError](e.Err)
	return ok && t.Status == 0 && !strings.HasPrefix(t.Err.Error(), "client_secret: ") // which is ours to have
}
