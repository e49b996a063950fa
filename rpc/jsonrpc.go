package rpc

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/envelope"
	"github.com/a2alock/a2alock/internal/reason"
)

// jsonRPC makes the call over JSON-RPC 2.0 (A2A 9).
func (x *exchange) jsonRPC(ctx context.Context) (*Answer, error) {
	u, err := x.base()
	if err != nil {
		return nil, err
	}
	params, err := x.tenanted()
	if err != nil {
		return nil, err
	}
	id := rand.Text() // one that no cache has an answer to
	// Params are there even where an operation has none: not every server does
	// without (A2A 9.4.8).
	body := envelope.Object{"jsonrpc": text("2.0"), "id": text(id), "method": text(x.wire.method), "params": params}
	accept := "application/json"
	if x.wire.streams() {
		accept = "text/event-stream, application/json"
	}
	y, err := x.ask(ctx, request{verb: http.MethodPost, url: u.String(), accept: accept, body: body.Encode()})
	if err != nil {
		return nil, err
	}
	if y.status/100 != 2 || y.status == http.StatusPartialContent {
		return nil, x.httpError(y)
	}
	return x.response(y, id)
}

// response reads the answer to the request with the id.
func (x *exchange) response(y *reply, id string) (*Answer, error) {
	undecodable := func(why string) error { return x.undecodable(y.status, errors.New(why)) }
	o, err := envelope.Parse(y.body)
	if err != nil {
		return nil, x.undecodable(y.status, unread(y.body, err))
	}
	isError := o.Has("error")
	switch {
	case isError && o.Has("result"):
		return nil, undecodable("the answer has both result and error")
	case isError && o["error"].Kind() != '{':
		return nil, undecodable("the answer's error is no object")
	case !isError && !o.Has("result") && !x.wire.isVoid(): // Go's leaves out what is nothing
		return nil, undecodable("the answer has neither result nor error")
	// Who could not read the request does not know its id.
	case isError && !o.Has("id"):
		x.note("the error carries no id")
	case o["id"].Kind() != '"' || o.Text("id") != id:
		return nil, undecodable("the answer has another id than the request")
	}
	if o.Text("jsonrpc") != "2.0" {
		x.note("the answer does not say that it is JSON-RPC 2.0")
	}
	switch {
	case !isError && x.wire.isVoid():
		return y.answer(nil), nil
	case !isError:
		return y.answer(o["result"]), nil
	}
	inner, err := envelope.Parse(o["error"])
	if err != nil {
		return nil, undecodable("the answer's error: " + err.Error())
	}
	return nil, x.refused(y, reason.OfRPC(inner))
}

// tenanted is params with the tenant in them.
func (x *exchange) tenanted() (jsontext.Value, error) {
	o, err := envelope.Parse(x.params)
	if err != nil {
		return nil, &NotSpokenError{x.place, "params: " + err.Error()}
	}
	if x.target.Tenant == "" || x.legacy() {
		return x.params, nil
	}
	if _, ok := o["tenant"]; ok {
		return nil, &NotSpokenError{x.place, "params: the tenant is the target's to name"}
	}
	o["tenant"] = text(x.target.Tenant)
	return o.Encode(), nil
}

// text is s as a JSON string.
func text(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD")) // so that there is no error
	return b
}
