// Package fetch gets Agent Cards over HTTP, and names every failure as a
// state.
//
// [Client.Get] asks for one exact URL. [Client.Discover] finds the card of an
// agent whose base URL a person has (A2A 8.2). [Client.All] gets many at once,
// politely. What comes back is bytes: whether they are a card is package
// card's to say. An error is always an [*Error], whose state is none of drift:
// the last good card stays whatever came instead of it.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/a2alock/a2alock/internal/redact"
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
	// Bytes is the greatest body, decoded; 0 is [DefaultBytes].
	Bytes int64
	// Timeout is for one GET from its beginning to the last byte, redirects
	// included; 0 is [DefaultTimeout].
	Timeout time.Duration
	// Progress is told by [Client.All] how many of its URLs have ended, first
	// that none has, one call at a time; nil for nobody.
	Progress func(done, total int)
	// UserAgent is sent as it is: "a2alock/1.2.3"; "" is "a2alock".
	UserAgent string

	once  sync.Once
	guard *netguard.Guard
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
}

// timedOut is the cause of a context that ended for [Client.Timeout].
type timedOut time.Duration

func (t timedOut) Error() string {
	return fmt.Sprintf("no whole answer within %s", time.Duration(t))
}

// Get asks for exactly rawURL, byte for byte, and follows redirects
// ([netguard.Guard.Do]). The error is an [*Error].
func (c *Client) Get(ctx context.Context, rawURL string) (*Response, error) {
	u, err := parse(rawURL)
	if err != nil {
		return nil, &Error{URL: rawURL, State: Unreachable, Err: err}
	}
	limit := cmp.Or(c.Timeout, DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timedOut(limit))
	defer cancel()
	r := &Response{URL: rawURL, Final: rawURL}
	err = c.get(ctx, u, r)
	if err == nil {
		return r, nil
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		if cause, ok := errors.AsType[timedOut](context.Cause(ctx)); ok {
			err = cause // the transport's word for it is "context deadline exceeded"
		}
		e = &Error{State: Unreachable, Err: err}
	}
	e.URL, e.Final, e.Offsite = rawURL, r.Final, r.Offsite
	return nil, e
}

// get fills r. Its error is an [*Error] without URLs, or any other where the
// state is [Unreachable].
func (c *Client) get(ctx context.Context, u *url.URL, r *Response) error {
	res, err := c.ask(ctx, u, r, nil)
	if err == nil && res.StatusCode == http.StatusNotModified {
		// A cache on the way took us for someone else: ask past it, once.
		res.Body.Close()
		res, err = c.ask(ctx, u, r, http.Header{"Cache-Control": {"no-cache"}})
		r.Notes = append(r.Notes, "answered 304 although nothing was asked conditionally, and was asked once more")
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := statusError(res.StatusCode); err != nil {
		return err
	}
	r.Header = res.Header
	if r.Body, err = readBody(res, cmp.Or(c.Bytes, DefaultBytes)); err != nil {
		return err
	}
	if ctx.Err() != nil {
		// While its connection closes, a server may still end its body neatly.
		return context.Cause(ctx)
	}
	if len(r.Body) == 0 {
		return &Error{State: Unreachable, Code: http.StatusOK, Err: errors.New("the body is empty")}
	}
	if note := typeNote(res.Header.Get("Content-Type")); note != "" {
		r.Notes = append(r.Notes, note)
	}
	return nil
}

// ask sends one GET, with extra headers, and notes in r where it led.
func (c *Client) ask(ctx context.Context, u *url.URL, r *Response, extra http.Header) (*http.Response, error) {
	header := http.Header{
		"Accept": {"application/json"},
		// Constant, so that the variant and its validators stay the same.
		"Accept-Encoding": {"gzip"},
		"A2a-Version":     {"1.0"},
		"User-Agent":      {cmp.Or(c.UserAgent, "a2alock")},
	}
	maps.Copy(header, extra)
	guard := c.netguard().Named(r.URL)
	res, hops, err := guard.Do(ctx, &http.Request{Method: http.MethodGet, URL: u, Header: header})
	r.Final, r.Offsite, r.Notes = r.URL, false, nil
	for _, hop := range hops {
		r.Final, r.Offsite = hop.To, hop.Offsite
		r.Notes = append(r.Notes, fmt.Sprintf("%s answered %d and led to %s", redact.URL(hop.From), hop.Status, redact.URL(hop.To)))
	}
	if err == nil && (res.StatusCode == http.StatusNotModified || res.StatusCode == http.StatusNoContent) {
		// Servers that give these wrongly may send a body after all, and the
		// next request on that connection would take it for its own answer.
		guard.CloseIdle()
	}
	return res, err
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

// typeNote says when a content type is not JSON's. Many servers of static
// files get it wrong, so the body decides.
func typeNote(header string) string {
	if header == "" {
		return "the answer names no content type"
	}
	media, _, err := mime.ParseMediaType(header)
	if err == nil && (media == "application/json" || strings.HasSuffix(media, "+json")) {
		return ""
	}
	return fmt.Sprintf("the content type is %q, not application/json", header)
}
