package netguard

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

const (
	handshakeTime = 10 * time.Second // TLS
	// headerTimeout is for callers without a deadline; those with one meet
	// theirs first.
	headerTimeout = time.Minute
	idleTimeout   = 10 * time.Second
	headerBytes   = 64 << 10
	connsPerHost  = 16
	idlePerHost   = 2
	maxIdle       = 64
)

// Transport is g as the transport of a client that does not own its redirects,
// like a library's. It judges the addresses it connects to and nothing else of a
// request: callers that do not own the URL use [Guard.Do]. It does not
// decompress. With a field of g that cannot be read it refuses everything.
func (g *Guard) Transport() http.RoundTripper { return transport{g} }

type transport struct{ guard *Guard }

// RoundTrip sends one request.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.guard.Validate(); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	return t.guard.send(req, false)
}

// A laneKey says which requests may share connections.
type laneKey struct {
	origin  string // of roots or a certificate of its own; "" for all others
	proxied bool
	fresh   bool // shared by none
}

// A lane is a transport, and the roots that it was made with.
type lane struct {
	transport *http.Transport
	pem       []byte
}

// send is one exchange over the lane of the request, which g has validated.
func (g *Guard) send(req *http.Request, fresh bool) (*http.Response, error) {
	proxy, err := g.route(req.Context(), req.URL)
	var l *http.Transport
	if err == nil {
		l, err = g.lane(Origin(req.URL), proxy != nil, fresh)
	}
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	res, err := l.RoundTrip(req)
	if proxy == nil {
		return res, err
	}
	if err == nil && res.StatusCode == http.StatusProxyAuthRequired {
		res.Body.Close()
		err = errors.New(res.Status)
	}
	if err != nil {
		return nil, fmt.Errorf("through the proxy %s: %w", proxy.Host, err)
	}
	return res, nil
}

// lane is the transport for requests to origin. One whose roots have changed is
// made anew: what was trusted by the old ones is not reused.
func (g *Guard) lane(origin string, proxied, fresh bool) (*http.Transport, error) {
	own, special := g.own[origin]
	key := laneKey{proxied: proxied, fresh: fresh}
	var pem []byte
	if special {
		key.origin = origin
		var err error
		if pem, err = own.read(); err != nil {
			return nil, err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if old := g.lanes[key]; old != nil && bytes.Equal(old.pem, pem) {
		return old.transport, nil
	}
	conf, err := g.config(own, pem)
	if err != nil {
		return nil, err
	}
	if g.lanes == nil {
		g.lanes = map[laneKey]*lane{}
	}
	l := &lane{transport: g.newTransport(conf, key), pem: pem}
	g.lanes[key] = l
	return l.transport, nil
}

func (g *Guard) newTransport(conf *tls.Config, key laneKey) *http.Transport {
	t := &http.Transport{
		DialContext:            g.dial,
		TLSClientConfig:        conf,
		TLSHandshakeTimeout:    handshakeTime,
		ResponseHeaderTimeout:  headerTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    cmp.Or(g.IdlePerHost, idlePerHost),
		MaxConnsPerHost:        connsPerHost,
		MaxResponseHeaderBytes: headerBytes,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      key.fresh,
	}
	if key.proxied {
		// Two transports, so that the one with the unjudged dialer reaches the
		// proxies and nothing else, whatever a URL says.
		t.DialContext = g.dialProxy
		t.Proxy = func(r *http.Request) (*url.URL, error) { return g.proxyFor(r.URL) }
	}
	return t
}
