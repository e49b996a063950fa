package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
)

// MaxHops is how many redirects [Guard.Do] follows.
const MaxHops = 3

// A Hop is one redirect that was followed.
type Hop struct {
	Status   int    // 301, 302, 303, 307 or 308
	From, To string // URLs, unredacted; To has no fragment
	// Offsite is whether To has another origin than the first request. From
	// there on requests are bare.
	Offsite bool
}

// bareHeaders are what a request may carry to an origin that a server named.
var bareHeaders = []string{"Accept", "Accept-Encoding", "User-Agent", "A2a-Version"}

// validators belong to one URL and are never carried to another (RFC 9110 13).
var validators = []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"}

// Do sends req, which it does not change, with ctx. GET and HEAD follow up to
// [MaxHops] redirects, each judged like the first URL; https never leads to
// http, and a hop to another origin carries none but Accept, Accept-Encoding,
// User-Agent and A2A-Version. For other methods a redirect is the answer.
//
// The hops that were followed are returned with an error, too. The error is a
// [*Refused], a [*SchemeError] or the transport's own. The caller closes the
// body of the response.
func (g *Guard) Do(ctx context.Context, req *http.Request) (*http.Response, []Hop, error) {
	return g.Send(ctx, req, Way{})
}

// A Way is how [Guard.Send] sends. The zero Way is that of [Guard.Do].
type Way struct {
	// Each is called with each request right before it is sent, the hops'
	// included; offsite is as in [Hop]. Headers that it sets are those of the one
	// request: what belongs to a URL is not carried to another. Its error ends
	// the way, and is returned as it is.
	Each func(req *http.Request, offsite bool) error
	// Credential puts what shows who asks on a request, in headers or at the end of
	// its query; other changes to the URL are ignored. It gets a copy that is sent
	// and that nobody else sees, after Each: what it adds is in no [Hop] and no
	// error, and goes to no other URL, even where a server's Location repeats it.
	// Once a redirect has left the first origin it is not called any more. Its
	// error ends the way, and is returned as it is.
	Credential func(req *http.Request) error
	// Conn is told of each connection that a request goes out on; nil for nobody.
	Conn func(net.Conn)
	// Fresh is whether each request gets a connection of its own, which is
	// closed after it.
	Fresh bool
	// Avoid is an address that is tried last where a connection is opened to a
	// host with several.
	Avoid netip.Addr
}

// Send is [Guard.Do] with a say in the way.
func (g *Guard) Send(ctx context.Context, req *http.Request, way Way) (*http.Response, []Hop, error) {
	u, err := g.check(req.URL)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, nil, err
	}
	if way.Avoid.IsValid() {
		ctx = context.WithValue(ctx, avoidKey{}, way.Avoid.Unmap())
	}
	req = req.WithContext(way.traced(ctx))
	req.URL, req.Host = u, ""
	var hops []Hop
	for {
		out, secrets, err := way.before(req, hops)
		if err != nil {
			return nil, hops, err
		}
		res, err := g.roundTrip(out, way.Fresh)
		if r, ok := errors.AsType[*Refused](err); ok {
			named := *r
			named.URL, named.Redirected = req.URL.String(), len(hops) > 0
			err = &named
		}
		err = secrets.hide(err)
		if err == nil {
			res.Request = req // without the credential
		}
		if err != nil || !isRedirect(req.Method, res.StatusCode) {
			return res, hops, err
		}
		next, err := g.next(req.URL, res, trail{len(hops), secrets})
		// Unread: a body that never ends would take all the time there is.
		res.Body.Close()
		if err != nil {
			return nil, hops, err
		}
		hop := Hop{Status: res.StatusCode, From: req.URL.String(), To: next.String()}
		// Once outside, coming back restores nothing: the other origin chose
		// the way.
		hop.Offsite = Origin(next) != Origin(u) || len(hops) > 0 && hops[len(hops)-1].Offsite
		hops = append(hops, hop)
		req = follow(req, next, hop.Offsite)
	}
}

// before is req as it goes out, and what is secret in it.
func (w *Way) before(req *http.Request, hops []Hop) (*http.Request, *secrets, error) {
	if w.Each == nil && w.Credential == nil {
		return req, nil, nil
	}
	offsite := len(hops) > 0 && hops[len(hops)-1].Offsite
	out := req.WithContext(req.Context())
	out.Header = req.Header.Clone()
	if w.Each != nil {
		if err := w.Each(out, offsite); err != nil {
			return nil, nil, closed(req, err)
		}
	}
	if w.Credential == nil || offsite {
		return out, nil, nil
	}
	sent := out.Clone(out.Context())
	if err := w.Credential(sent); err != nil {
		return nil, nil, closed(req, err)
	}
	query := sent.URL.RawQuery
	sent.URL, sent.Host = new(*out.URL), out.Host
	sent.URL.RawQuery = query
	return sent, secretsOf(out, sent), nil
}

// closed is err once the body of a request that is not sent is closed.
func closed(req *http.Request, err error) error {
	if req.Body != nil {
		req.Body.Close()
	}
	return err
}

func isRedirect(method string, code int) bool {
	switch code {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return method == http.MethodGet || method == http.MethodHead || method == ""
	}
	return false
}

// A trail is what a redirect follows upon: how many, and a request with secrets.
type trail struct {
	hops    int
	secrets *secrets
}

// next judges the redirect in res.
func (g *Guard) next(from *url.URL, res *http.Response, behind trail) (*url.URL, error) {
	to := res.Header.Get("Location")
	refuse := func(format string, args ...any) error {
		return &Refused{Kind: KindRedirect, URL: to, Redirected: true, Reason: fmt.Sprintf(format, args...)}
	}
	if to == "" {
		return nil, refuse("%d without a Location", res.StatusCode)
	}
	u, err := from.Parse(to)
	if err != nil {
		return nil, &Refused{
			Kind: KindRedirect, Redirected: true,
			Reason: fmt.Sprintf("%d with a Location that is no URL", res.StatusCode),
		}
	}
	u.Fragment, u.RawFragment = "", ""
	if !behind.secrets.cut(u) {
		return nil, &Refused{
			Kind: KindRedirect, Redirected: true,
			Reason: fmt.Sprintf("%d with a Location that repeats a credential", res.StatusCode),
		}
	}
	to = u.String()
	if behind.hops == MaxHops {
		return nil, refuse("it is one more than %d", MaxHops)
	}
	if from.Scheme == "https" && u.Scheme == "http" {
		return nil, refuse("it leads from https to http")
	}
	u, err = g.check(u)
	if r, ok := errors.AsType[*Refused](err); ok {
		r.Redirected = true
	}
	return u, err
}

func follow(req *http.Request, to *url.URL, bare bool) *http.Request {
	header := req.Header
	req = req.Clone(req.Context())
	req.URL = to
	if !bare {
		for _, name := range validators {
			req.Header.Del(name)
		}
		return req
	}
	req.Header = http.Header{}
	for _, name := range bareHeaders {
		if v, ok := header[name]; ok {
			req.Header[name] = slices.Clone(v)
		}
	}
	return req
}
