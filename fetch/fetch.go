// Package fetch gets Agent Cards over HTTP, and names every failure as a
// state.
//
// [Client.Get] asks for one exact URL, as the public or as an identity.
// [Client.Discover] finds the card of an agent whose base URL a person has (A2A
// 8.2). [Client.All] gets many at once, politely. [Client.Refresh] asks again for a
// card that is known, conditionally (RFC 9110 13, RFC 9111 4.3), at the pace that
// [Client.Gates] allows. What comes back is bytes: whether they are a card is
// package card's to say. An error is always an [*Error], whose state is none of
// drift: the last good card stays whatever came instead of it.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/internal/dateline"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/netguard"
)

// The defaults of a [Client].
const (
	DefaultBytes   = 1 << 20
	DefaultTimeout = 10 * time.Second
)

// A Client gets cards. The zero value is ready to use; a Client is safe for
// concurrent use once its fields are set.
type Client struct {
	// Guard decides what may be reached; nil is a zero one. A loopback host in
	// a URL given to the client is allowed, as a person wrote it
	// ([netguard.Guard.Named]).
	Guard *netguard.Guard
	// Wallet has the credentials that identities name; nil has none.
	Wallet *credential.Wallet
	// Extend asks an agent for the extended card of an identity, when its public
	// card has come; nil leaves it at that card. It gives a copy of public with
	// another Body, more Notes, and Extended, and goes by [Response.Send] for each
	// of its requests. An error that is an [*Error] is the client's as it is, but
	// for Public.
	Extend func(ctx context.Context, identity string, public *Response) (*Response, error)
	// Bytes is the greatest body, decoded; 0 is [DefaultBytes].
	Bytes int64
	// Timeout is for one card from the beginning of its GET to the last byte,
	// redirects and the call for an extended card included, waiting at Gates not; 0
	// is [DefaultTimeout].
	Timeout time.Duration
	// Progress is told by [Client.All] how many of its URLs have ended, first
	// that none has, one call at a time; nil for nobody.
	Progress func(done, total int)
	// UserAgent is sent as it is: "a2alock/1.2.3"; "" is "a2alock".
	UserAgent string
	// Gates are what the requests of [Client.Refresh] pass, redirects included;
	// nil for none.
	Gates *gate.Gates
	// Asked is told of each request of [Client.Refresh] that went out, redirects
	// and second tries included: the status of its answer, 0 where none came or it
	// led astray, and whether it was conditional. It may be called by many at once;
	// nil for nobody.
	Asked func(code int, conditional bool)

	once  sync.Once
	guard *netguard.Guard

	dates dateline.Reader

	mu      sync.Mutex
	flights map[flightKey]*flight
}

// An Ask is one card, as one identity sees it.
type Ask struct {
	URL string // byte for byte
	// Identity names the credential that the card is read with; "" is public.
	Identity string
}

// A Response is a 200 with a body within the limits. URLs are as they were
// requested, secrets in a query included: redact.URL is for printing.
type Response struct {
	URL   string // as asked, byte for byte
	Final string // what answered: URL, or where redirects led
	// Offsite is whether a redirect left the origin of URL, even when a later
	// one came back.
	Offsite bool
	Body    []byte // decoded
	Header  http.Header
	// Notes are for a person: redirects, a content type that is not JSON, a
	// legacy name. Foreign text in them is quoted.
	Notes []string
	// Extended is what came of asking for the extended card; nil where nobody
	// asked.
	Extended *Extended

	send func(ctx context.Context, url string) (func(code int), error) // for Extend; nil: at once
}

// timedOut is the cause of a context that ended for [Client.Timeout].
type timedOut time.Duration

func (t timedOut) Error() string {
	return fmt.Sprintf("no whole answer within %s", time.Duration(t))
}

// Get asks for exactly ask.URL, byte for byte, and follows redirects
// ([netguard.Guard.Do]). The credential of an identity goes to those of its own
// origins alone that are asked. The error is an [*Error].
func (c *Client) Get(ctx context.Context, ask Ask) (*Response, error) { return c.get(ctx, ask, false) }

// get is Get; at home, it asks for nothing more on the word of another origin.
func (c *Client) get(ctx context.Context, ask Ask, home bool) (*Response, error) {
	x, err := c.exchange(ask)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(c.Timeout, DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timedOut(limit))
	defer cancel()
	if err := x.get(ctx); err != nil {
		return nil, x.failed(ctx, err)
	}
	if home && x.Offsite {
		return &x.Response, nil
	}
	if err := x.extend(ctx); err != nil {
		return nil, x.failed(ctx, err)
	}
	return &x.Response, nil
}

// get fills the Response. Its error is an [*Error] without URLs, or any other
// where the state is [Unreachable].
func (x *exchange) get(ctx context.Context) error {
	res, err := x.ask(ctx, nil)
	if x.isRefused(res, err) {
		res.Body.Close()
		res, err = x.ask(ctx, nil)
	}
	if err == nil && res.StatusCode == http.StatusNotModified {
		// A cache on the way took us for someone else: ask past it, once.
		x.drop(res)
		res, err = x.ask(ctx, http.Header{"Cache-Control": {"no-cache"}})
		x.Notes = append(x.Notes, "answered 304 although nothing was asked conditionally, and was asked once more")
	}
	if err != nil {
		return err
	}
	return x.take(ctx, res)
}

func (c *Client) netguard() *netguard.Guard {
	c.once.Do(func() {
		c.guard = c.Guard
		if c.guard == nil {
			c.guard = new(netguard.Guard)
		}
	})
	return c.guard
}

// parse reads a URL that a person wrote. What kind of host it names is
// netguard's to judge; what is no URL at all is refused in its words.
func parse(rawURL string) (*url.URL, error) {
	no := func(reason string) (*url.URL, error) {
		return nil, &netguard.Refused{Kind: netguard.KindURL, URL: rawURL, Reason: reason}
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		// url.Error repeats the URL, with what secrets are in it.
		if inner, ok := errors.AsType[*url.Error](err); ok {
			err = inner.Err
		}
		return no("no URL: " + err.Error())
	}
	switch {
	case u.Scheme == "":
		return no("no URL: it does not begin with https://")
	case strings.Contains(rawURL, "#"):
		return no("a fragment (#…) is not sent to a server: leave it out")
	case strings.ContainsAny(rawURL, " \t"):
		return no("no URL: it holds a space")
	}
	return u, nil
}
