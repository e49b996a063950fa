package netguard

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"
)

const (
	connectTimeout = 5 * time.Second  // for all addresses of one host together
	handshakeTime  = 10 * time.Second // TLS
	// headerTimeout is for callers without a deadline; those with one meet
	// theirs first.
	headerTimeout = time.Minute
	idleTimeout   = 10 * time.Second
	headerBytes   = 64 << 10
	connsPerHost  = 16
	idlePerHost   = 2
	maxIdle       = 64
	// maxAddresses bounds how many addresses of one name are tried.
	maxAddresses = 4
)

// Transport is the shared transport of g. It honours no proxy, since the guard
// would see the proxy's address alone, and does not decompress. It judges the
// addresses it dials and nothing else of a request: callers that do not own
// the URL use [Guard.Do]. With an entry of Allow or HTTP that cannot be read
// it refuses every dial.
func (g *Guard) Transport() *http.Transport {
	g.init()
	return g.transport
}

func (g *Guard) newTransport() *http.Transport {
	conf := &tls.Config{}
	if g.TLS != nil {
		conf = g.TLS.Clone()
	}
	conf.MinVersion = max(conf.MinVersion, tls.VersionTLS12)
	return &http.Transport{
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
	}
}

// dial resolves, judges each address, and connects to the first judged good
// that answers.
func (g *Guard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if g.err != nil {
		return nil, g.err
	}
	t, err := targetOf(&url.URL{Host: addr})
	if err != nil {
		return nil, err
	}
	all, err := g.resolve(ctx, t.host)
	if err != nil {
		return nil, err
	}
	var good []netip.Addr
	var refused *Refused
	for _, a := range all {
		if r := g.policy.judge(t, a); r != nil {
			refused = cmp.Or(refused, r)
		} else {
			good = append(good, a.Unmap())
		}
	}
	good = avoiding(ctx, good)
	if len(good) == 0 {
		if refused == nil {
			return nil, fmt.Errorf("%s has no address", t.host)
		}
		return nil, refused
	}
	return g.connect(ctx, network, good[:min(len(good), maxAddresses)], t.port)
}

// avoidKey is of the address that [Way.Avoid] hands to the dialer.
type avoidKey struct{}

// avoiding is addrs with the address to avoid behind all others.
func avoiding(ctx context.Context, addrs []netip.Addr) []netip.Addr {
	avoid, ok := ctx.Value(avoidKey{}).(netip.Addr)
	if !ok {
		return addrs
	}
	is := func(a netip.Addr) bool { return a == avoid }
	last := len(addrs)
	addrs = slices.DeleteFunc(addrs, is)
	if len(addrs) < last {
		addrs = append(addrs, avoid)
	}
	return addrs
}

// resolve never asks about localhost: RFC 6761 6.3 says what the answer is.
func (g *Guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	if isLocalhost(host) {
		return localhost, nil
	}
	var r Resolver = net.DefaultResolver
	if g.Resolver != nil {
		r = g.Resolver
	}
	return r.LookupNetIP(ctx, "ip", host)
}

// localhost is where names under localhost lead.
var localhost = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}

// connect tries the addresses in the resolver's order; the error is that of
// the first, which is the one a person would look at.
func (g *Guard) connect(ctx context.Context, network string, addrs []netip.Addr, port uint16) (net.Conn, error) {
	dial := g.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	var first error
	for _, a := range addrs {
		each, cancel := context.WithTimeout(ctx, connectTimeout/time.Duration(len(addrs)))
		c, err := dial(each, network, net.JoinHostPort(a.String(), strconv.Itoa(int(port))))
		cancel()
		if err == nil {
			return &conn{Conn: c, addr: netip.AddrPortFrom(a, port)}, nil
		}
		first = cmp.Or(first, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}
