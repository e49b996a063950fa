package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/internal/echo"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/internal/media"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/netguard"
)

// An exchange is what one call asks for and what came of it.
type exchange struct {
	Response
	client   *Client
	url      *url.URL
	identity string
	use      *credential.Use // of identity
	shown    bool            // whether the last request at the origin carried it
	secrets  echo.Secrets    // what it put on the requests
	guard    *netguard.Guard
	way      netguard.Way
	conn     net.Conn // the last one that was used
	hops     []netguard.Hop
}

// exchange begins one; its error is an [*Error].
func (c *Client) exchange(ask Ask) (*exchange, error) {
	u, err := parse(ask.URL)
	if err != nil {
		return nil, &Error{URL: ask.URL, State: Unreachable, Err: err}
	}
	x := &exchange{
		Response: Response{URL: ask.URL, Final: ask.URL},
		client:   c, url: u, guard: c.netguard().Named(ask.URL),
	}
	x.way.Conn = func(conn net.Conn) { x.conn = conn }
	if err := x.identify(ask.Identity); err != nil {
		return nil, &Error{URL: ask.URL, State: Unreachable, Ours: true, Err: err}
	}
	return x, nil
}

// protocolVersion is the version of A2A that cards are asked for in.
const protocolVersion = "1.0"

// ask sends one GET, with extra headers, and notes where it led.
func (x *exchange) ask(ctx context.Context, extra http.Header) (*http.Response, error) {
	header := http.Header{
		"Accept": {"application/json"},
		// Constant, so that the variant and its validators stay the same.
		"Accept-Encoding": {"gzip"},
		"A2a-Version":     {protocolVersion},
		"User-Agent":      {cmp.Or(x.client.UserAgent, "a2alock")},
	}
	maps.Copy(header, extra)
	x.conn = nil
	res, hops, err := x.guard.Send(ctx, &http.Request{Method: http.MethodGet, URL: x.url, Header: header}, x.way)
	x.Final, x.Offsite, x.Notes, x.hops = x.URL, false, nil, hops
	for _, hop := range hops {
		x.Final, x.Offsite = x.secrets.Clean(hop.To), hop.Offsite
		x.Notes = append(x.Notes, x.secrets.Clean(fmt.Sprintf("%s answered %d and led to %s", redact.URL(hop.From), hop.Status, redact.URL(hop.To))))
	}
	if err == nil {
		x.secrets.StripHeader(res.Header)
	}
	return res, x.secrets.Without(err)
}

// take reads an answer to its end.
func (x *exchange) take(ctx context.Context, res *http.Response) error {
	defer res.Body.Close()
	if err := statusError(res); err != nil {
		if res.StatusCode == http.StatusNotModified || res.StatusCode == http.StatusNoContent {
			x.drop(res)
		}
		return err
	}
	x.Header = res.Header
	var err error
	if x.Body, err = readBody(res, cmp.Or(x.client.Bytes, DefaultBytes)); err != nil {
		return err
	}
	if ctx.Err() != nil {
		// While its connection closes, a server may still end its body neatly.
		return context.Cause(ctx)
	}
	if len(x.Body) == 0 {
		return &Error{State: Unreachable, Code: http.StatusOK, Protocol: true, Err: errors.New("the body is empty")}
	}
	if x.secrets.Told(x.Body) {
		return &Error{State: Unreachable, Code: http.StatusOK, Err: errors.New("the answer repeats the credential that was sent")}
	}
	// Many servers of static files get it wrong, so the body decides.
	if note := media.NotJSON(res.Header.Get("Content-Type")); note != "" {
		x.Notes = append(x.Notes, note)
	}
	return nil
}

// drop gives up the connection of a bodyless answer. Servers that give one
// wrongly may send a body after all, and the next request on that connection
// would take it for its own answer.
func (x *exchange) drop(res *http.Response) {
	res.Body.Close()
	if x.conn != nil && res.ProtoMajor == 1 { // HTTP/2 shares it, and tells its answers apart
		x.conn.Close()
	}
}

// failed is err as the caller gets it.
func (x *exchange) failed(ctx context.Context, err error) *Error {
	e, ok := errors.AsType[*Error](err)
	if c, isOurs := errors.AsType[*credentialError](err); isOurs {
		e, ok = c.fault(), true
	}
	if !ok {
		if cause, ok := errors.AsType[timedOut](context.Cause(ctx)); ok {
			err = cause // the transport's word for it is "context deadline exceeded"
		}
		e = &Error{State: Unreachable, Err: err}
		if p, ok := errors.AsType[*gate.PausedError](err); ok {
			e.RetryAfter = time.Until(p.Until)
		}
	}
	if !e.Public {
		e.URL, e.Final, e.Offsite = x.URL, x.Final, x.Offsite
	}
	return e
}
