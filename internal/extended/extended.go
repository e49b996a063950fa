// Package extended reads the card that an agent shows to one identity beside its
// public one (A2A 3.1.11).
//
// [Reader.Extend] is what [fetch.Client.Extend] wants. Only an agent whose public
// card promises an extended one, and came from its own origin, is asked further,
// over the interface that the client would call, with the credential of the identity
// where that may go there. No redirect is followed, and nothing else that the card
// names is asked.
package extended

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/rpc"
)

const httpJSON = "HTTP+JSON"

// A Reader asks for extended cards. It is safe for concurrent use; its fields are
// not changed after the first.
type Reader struct {
	Client  *compile.Client // chooses the interface; nil speaks none
	Options card.Options    // of the public card
	// Calls makes the calls; its Guard is that of the public cards.
	Calls  rpc.Client
	Wallet *credential.Wallet // nil has no credentials
}

// Extend asks for the extended card of an agent whose public one came; identity
// "" asks without a credential. What it gives is public with the extended body,
// or with its own and [fetch.Extended.Lost]. A public card that cannot be read is
// given back as it is: its reader will say what is wrong with it. The error is an
// [*fetch.Error], or where the call was not let out that of [fetch.Response.Send].
func (r *Reader) Extend(ctx context.Context, identity string, public *fetch.Response) (*fetch.Response, error) {
	out := *public
	profile, whole := r.read(public.Body)
	if !whole && (profile == nil || !profile.ExtendedCard || profile.Interface == nil) {
		return &out, nil
	}
	out.Extended = &fetch.Extended{Public: public.Body}
	if !profile.ExtendedCard {
		out.Extended.Lost = "the public card does not promise an extended card"
		return &out, nil
	}
	if why := unaskable(profile, public); why != "" {
		out.Extended.Unasked, out.Extended.Lost = true, "the extended card cannot be asked for: "+why
		return &out, nil
	}
	target := targetOf(profile)
	out.Extended.URL, out.Extended.Binding = target.URL, target.Binding
	answer, err := r.ask(ctx, asking{identity: identity, public: public, target: target})
	if e, ok := errors.AsType[unsent](err); ok {
		return nil, e.error
	}
	if e, ok := errors.AsType[*rpc.Error](err); ok && e.Code == notConfigured {
		out.Extended.NotConfigured = true
		out.Extended.Lost = fmt.Sprintf("the agent has no extended card configured (%d)", notConfigured)
		return &out, nil
	}
	if err != nil {
		return nil, failed(target, err)
	}
	out.Body, out.Extended.NoStore, out.Extended.Same = answer.Body, answer.NoStore, same(answer.Body, public.Body)
	for _, note := range answer.Notes {
		out.Notes = append(out.Notes[:len(out.Notes):len(out.Notes)], "the extended card: "+note)
	}
	return &out, nil
}

// read is the public card for the client, nil where it is none, and whether it can
// stand for itself: one without skills may still say where to ask for more.
func (r *Reader) read(body []byte) (p *compile.Profile, whole bool) {
	read := compile.Read(body, r.Client, r.Options)
	if read.Err == nil {
		return read.Profile, true
	}
	if read.Card != nil {
		p, _ = compile.Compile(read.Card, r.Client)
	}
	return p, false
}

// notConfigured is JSON-RPC's code of [rpc.ExtendedAgentCardNotConfigured].
const notConfigured = -32007

// unaskable is why nobody is asked on the word of a public card, "" where it can be
// gone by. What came by way of another origin says where to call, and with what:
// that is not for a stranger to choose, and a lock that trusts the origin is not
// known here.
func unaskable(p *compile.Profile, public *fetch.Response) string {
	switch {
	case public.Offsite:
		return "the public card came by way of another origin"
	case p.Interface == nil:
		return cmp.Or(p.Reason, "no interface is usable")
	}
	return ""
}

// same is whether two bodies are one card.
func same(a, b []byte) bool {
	digest, err := card.Digest(a)
	if err != nil {
		return false
	}
	other, err := card.Digest(b)
	return err == nil && digest == other
}

// targetOf is the interface that the client would call.
func targetOf(p *compile.Profile) rpc.Target {
	i := p.Interface
	t := rpc.Target{URL: i.URL, Binding: i.Binding, Version: i.Version, Tenant: i.Tenant, Header: p.Headers()}
	if i.Binding == httpJSON {
		// One cache may stand before many identities, and know nothing of them.
		t.Header["Cache-Control"] = []string{"no-cache"}
	}
	return t
}

// asking is one question.
type asking struct {
	identity string
	public   *fetch.Response
	target   rpc.Target
}

// unsent is why a request did not go out; it is not the agent's doing.
type unsent struct{ error }

// ask calls, once more where another token takes the place of a refused one.
func (r *Reader) ask(ctx context.Context, q asking) (*rpc.Answer, error) {
	calls, target := r.Calls, q.target
	calls.Guard = cmp.Or(calls.Guard, new(netguard.Guard)).Named(q.public.URL)
	refused := func() bool { return false }
	if q.identity != "" {
		if r.Wallet == nil {
			return nil, &fetch.IdentityError{Name: q.identity}
		}
		id, err := r.Wallet.Identity(q.identity)
		if err != nil {
			return nil, &fetch.IdentityError{Name: q.identity}
		}
		use := r.Wallet.Use(q.identity)
		calls.Guard = calls.Guard.As(id)
		refused, target.Credential = use.Refused, use.Apply
	}
	for {
		done, err := q.public.Send(ctx, compile.NormalizeURL(target.Binding, target.URL))
		if err != nil {
			return nil, unsent{err}
		}
		answer, err := calls.Call(ctx, target, rpc.Call{Operation: rpc.GetExtendedAgentCard})
		done(statusOf(err))
		if e, ok := errors.AsType[*rpc.AuthError](err); ok && !e.Denied && refused() {
			continue
		}
		return answer, err
	}
}

// statusOf is the status of the answer that err is about, 0 where none came. gRPC
// has no other than 200.
func statusOf(err error) int {
	var status int
	if e, ok := errors.AsType[*rpc.AuthError](err); ok {
		status = e.HTTPStatus
	} else if e, ok := errors.AsType[*rpc.Error](err); ok {
		status = e.HTTPStatus
	} else if e, ok := errors.AsType[*rpc.UndecodableError](err); ok {
		status = e.HTTPStatus
	} else if e, ok := errors.AsType[*rpc.TransportError](err); ok {
		return e.HTTPStatus
	} else if err != nil {
		return 0
	}
	return cmp.Or(status, http.StatusOK)
}
