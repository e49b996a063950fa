// Package rpc makes A2A calls over JSON-RPC, HTTP+JSON and gRPC, and keeps what
// can come of a call apart.
//
// A [Call] names an operation as 1.0 does and goes to a [Target], which is an
// interface of a card as a plan has it: URL, binding, version, tenant, headers.
// Where the version is 0.x, the wire of 0.3 is spoken. Params are JSON in the
// wire's own form, and the answer comes back as JSON, byte for byte as it was
// received: this package knows envelopes, paths and errors, never a payload.
//
//	answer, err := client.Call(ctx, rpc.Target{URL: r.URL, Binding: r.Binding, Version: r.Version, Header: r.Headers},
//		rpc.Call{Operation: rpc.GetExtendedAgentCard})
//
// An error is one of five:
//
//   - [*Error]: the agent refused, and said so in the words of A2A. It is named by
//     its reason first, whatever the status (A2A 9.5, 10.6, 11.6).
//   - [*AuthError]: it wants a credential, or another one.
//   - [*TransportError]: no answer of the agent's came. A redirect is one, since no
//     call follows where a server leads.
//   - [*UndecodableError]: an answer came, and nobody can read it.
//   - [*NotSpokenError]: this package has no way to make the call; nothing was sent.
//
// No credential that a call carried appears in any of them: whatever of it the
// other side sends back is taken out, and an answer that repeats it is refused.
package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/echo"
	"github.com/a2alock/a2alock/netguard"
)

// What the zero [Client] uses.
const (
	DefaultBytes   = 1 << 20
	DefaultTimeout = 30 * time.Second
)

// The bindings that are spoken.
const (
	jsonRPC  = "JSONRPC"
	httpJSON = "HTTP+JSON"
	overGRPC = "GRPC"
)

// A Client makes calls. The zero Client is ready to use and reaches what the zero
// [netguard.Guard] allows. It is safe for concurrent use.
type Client struct {
	// Guard is the way out: for an identity its own ([netguard.Guard.As]), since
	// connections are shared by all who share it. Over gRPC each call has a
	// connection of its own.
	Guard *netguard.Guard
	// UserAgent is sent as it is; "" is "a2alock".
	UserAgent string
	// Bytes is the limit of a decoded answer; 0 is [DefaultBytes].
	Bytes int64
	// Timeout is for a whole call, beside the deadline of its context; 0 is
	// [DefaultTimeout].
	Timeout time.Duration
}

// A Target is the interface that a call goes to, as a plan has it.
type Target struct {
	// URL is the interface's: for JSON-RPC where calls are posted, for HTTP+JSON
	// the base of the paths, for GRPC host:port or a URL, of which scheme and host
	// count. A host:port is spoken to with TLS, unless the guard lets plain text
	// out to it.
	URL     string
	Binding string // "JSONRPC", "HTTP+JSON" or "GRPC"
	Version string // Major.Minor
	Tenant  string // in params, or in the path of HTTP+JSON; not sent before 1.0
	// Header goes with the call, each value on a line of its own; over gRPC it is
	// metadata. A2A-Version is Version where it is missing.
	Header http.Header
	// Credential puts what authenticates the call on a request that is ready to be
	// sent; nil sends none. It is called for each request, and its error ends the
	// call and is returned as it is. The request's URL is where the call goes,
	// so that it can judge the origin. Over gRPC the headers that it sets become
	// metadata, and the request is never sent.
	Credential func(*http.Request) error
}

// A Call is one operation with its parameters.
type Call struct {
	Operation string // by its name of 1.0
	// Params is a JSON object in the form of the target's binding and version, the
	// tenant left out; nil is {}.
	Params jsontext.Value
}

// An Answer is what an agent gave.
type Answer struct {
	// Body is JSON as it was received: the result of JSON-RPC, the body of
	// HTTP+JSON, over gRPC the message in its JSON form. It may repeat members, as
	// all that is foreign may be odd. Nil where an operation gives nothing.
	Body jsontext.Value
	// Streamed is whether Body is the first event of a stream, of which no more is
	// read.
	Streamed bool
	// Extensions are those that the agent says it activated, foreign text.
	Extensions []string
	// NoStore is whether it may not be kept (RFC 9111 5.2.2.5).
	NoStore bool
	// Notes say, a line each, what was odd, and read nevertheless.
	Notes []string
}

// timedOut is why a context of ours ended.
type timedOut struct{ after time.Duration }

func (e timedOut) Error() string { return fmt.Sprintf("no answer after %s", e.after) }

// Timeout tells callers who ask for a net.Error.
func (timedOut) Timeout() bool { return true }

// Call makes one call, of a stream its opening, and returns when all that it
// started has ended. Its error is one of those that the package comment lists, or
// the credential's own.
func (c *Client) Call(ctx context.Context, t Target, call Call) (*Answer, error) {
	x, err := c.exchange(t, call)
	if err != nil {
		return nil, err
	}
	after := cmp.Or(c.Timeout, DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, after, timedOut{after})
	defer cancel()
	var answer *Answer
	switch t.Binding {
	case jsonRPC:
		answer, err = x.jsonRPC(ctx)
	case httpJSON:
		answer, err = x.httpJSON(ctx)
	default:
		answer, err = x.grpc(ctx)
	}
	if err != nil {
		return nil, err
	}
	if x.secrets.Told(answer.Body) {
		return nil, x.undecodable(0, errors.New("the answer repeats the credential that was sent"))
	}
	for i, uri := range answer.Extensions {
		answer.Extensions[i] = x.secrets.Clean(uri)
	}
	answer.Notes = x.notes
	return answer, nil
}

// An exchange is one call under way.
type exchange struct {
	place   Place
	client  *Client
	guard   *netguard.Guard
	target  Target
	wire    wire
	params  jsontext.Value // an object
	secrets echo.Secrets
	notes   []string
}

func (c *Client) exchange(t Target, call Call) (*exchange, error) {
	x := &exchange{place: Place{call.Operation, t.URL}, client: c, guard: c.Guard, target: t, params: call.Params}
	if x.guard == nil {
		x.guard = &zero
	}
	if x.params == nil {
		x.params = jsontext.Value("{}")
	}
	var why string
	if x.wire, why = wireOf(t, call.Operation); why != "" {
		return nil, &NotSpokenError{x.place, why}
	}
	return x, nil
}

// zero is the guard of clients without one: shared, so that its connections are.
var zero netguard.Guard

// legacy is whether the wire of 0.3 is spoken.
func (x *exchange) legacy() bool { return isLegacy(x.target.Version) }

func (x *exchange) bytes() int64 { return cmp.Or(x.client.Bytes, DefaultBytes) }

func (x *exchange) note(format string, args ...any) {
	x.notes = append(x.notes, x.secrets.Clean(fmt.Sprintf(format, args...)))
}

// header is what goes with every request of the call.
func (x *exchange) header() http.Header {
	h := http.Header{"A2a-Version": {x.target.Version}}
	for name, values := range x.target.Header {
		h[http.CanonicalHeaderKey(name)] = append([]string(nil), values...)
	}
	h.Set("User-Agent", cmp.Or(x.client.UserAgent, "a2alock"))
	return h
}
