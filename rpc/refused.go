package rpc

import (
	"cmp"

	"github.com/a2alock/a2alock/internal/challenge"
	"github.com/a2alock/a2alock/internal/reason"
)

// Reasons of A2A that callers decide on; [Error] has others, too.
const (
	TaskNotFound                   = reason.TaskNotFound
	TaskNotCancelable              = reason.TaskNotCancelable
	PushNotificationNotSupported   = reason.PushNotificationNotSupported
	UnsupportedOperation           = reason.UnsupportedOperation
	ContentTypeNotSupported        = reason.ContentTypeNotSupported
	InvalidAgentResponse           = reason.InvalidAgentResponse
	ExtendedAgentCardNotConfigured = reason.ExtendedAgentCardNotConfigured
	ExtensionSupportRequired       = reason.ExtensionSupportRequired
	VersionNotSupported            = reason.VersionNotSupported
	MethodNotFound                 = reason.MethodNotFound
)

// maxDetails of an error are kept.
const maxDetails = 8 << 10

// httpError is the error of a reply that is none of success.
func (x *exchange) httpError(y *reply) error {
	r, _ := reason.OfBody(y.body, y.status, x.wire.about())
	return x.refused(y, r)
}

// refused is r as an error of the kind that it is.
func (x *exchange) refused(y *reply, r reason.Refusal) error {
	message := x.secrets.Clean(r.Message)
	if wants, denied := r.Challenge(y.status); wants {
		e := &AuthError{Place: x.place, HTTPStatus: y.status, Denied: denied, Message: message}
		for _, c := range challenge.Parse(y.header.Values("WWW-Authenticate")) {
			e.Challenges = append(e.Challenges, x.cleaned(c))
		}
		return e
	}
	if !r.IsAgents() {
		return x.failed(y.status, y.header, message)
	}
	e := &Error{
		Place: x.place, Reason: x.secrets.Clean(r.Reason), Code: cmp.Or(reason.Code(r.Reason), r.Code), Basis: r.Basis, SentCode: r.Code,
		Message: message, HTTPStatus: y.status, Status: r.Status,
	}
	if len(r.Details) <= maxDetails && !x.secrets.In(string(r.Details)) {
		e.Details = r.Details.Clone()
	}
	return e
}

func (x *exchange) cleaned(c challenge.Challenge) challenge.Challenge {
	c.Scheme, c.Error = x.secrets.Clean(c.Scheme), x.secrets.Clean(c.Error)
	for i := range c.Scopes {
		c.Scopes[i] = x.secrets.Clean(c.Scopes[i])
	}
	return c
}
