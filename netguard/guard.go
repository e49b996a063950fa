// Package netguard is the one way out to the network: it decides which
// addresses may be reached, and follows redirects on its own terms.
//
// A [Guard] judges twice. [Guard.Do] judges the URL before anything is sent:
// https only (http where [Guard.HTTP] lists the host), no user name or
// password, a host in one of the forms that everyone reads alike. The dialer
// of [Guard.Transport] then judges each address that the host resolves to,
// and connects to the very address it judged: there is no second resolution
// that could answer otherwise. Loopback, private, link-local, multicast,
// metadata and other special addresses are refused unless [Guard.Allow] lists
// them. Each hop of a redirect goes through both again.
//
// Everything that a2alock sends goes this way: cards, tokens, calls, messages.
// What opens its own connections, like gRPC, does so by [Guard.DialContext] and
// [Guard.TLSConfig]. [Guard.As] keeps the connections of identities apart.
//
// What is refused comes back as a [*Refused], and nothing was sent.
package netguard

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"sync"

	"golang.org/x/net/http/httpproxy"

	"github.com/a2alock/a2alock/internal/proxies"
)

// A Resolver turns a host name into addresses; [*net.Resolver] is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// A Guard says what may be reached. The zero Guard refuses every special
// address and all plain http. Its fields are not changed after the first use;
// it is safe for concurrent use.
type Guard struct {
	// Allow lists what may be reached although its address is special: a CIDR
	// or an address ("10.0.0.0/8", "10.0.0.4", "10.0.0.4:8080"), or a host
	// ("cards.corp.example", with a port: at that port alone). A host does not
	// open link-local, metadata, multicast or unspecified addresses: whoever
	// answers for a name could point it there, so those are listed as
	// addresses.
	Allow []string
	// HTTP lists hosts (or host:port) that may be spoken to without TLS.
	HTTP []string
	// Resolver looks host names up; nil is [net.DefaultResolver].
	Resolver Resolver
	// Dial connects to an address that was judged; nil is a [net.Dialer].
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS is the client's configuration, cloned; nil means the system's roots.
	// The least version is TLS 1.2 whatever it says.
	TLS *tls.Config
	// CAFiles names the PEM file whose certificates are the roots for one origin
	// ("https://agent.corp.example"), in place of those of TLS. A file is read
	// when it is needed, and again when it has changed.
	CAFiles map[string]string
	// Proxy is through which proxies requests go, in the form of the environment
	// ([httpproxy.FromEnvironment]); nil is none. Loopback hosts are reached
	// directly in any case. The proxy itself is the operator's word: its address
	// is not judged. That of the target is, before the proxy is asked: the name is
	// resolved, and one special address among its addresses refuses it. The proxy is
	// then asked for the name, as its own rules go by names, and resolves it once
	// more. What it finds there cannot be judged from here: a name that leads
	// elsewhere for the proxy, or from one moment to the next, is the proxy's to
	// refuse.
	Proxy *httpproxy.Config
	// IdlePerHost is how many connections to one host are kept for reuse, each
	// for ten seconds at most; 0 is 2. In all there are 64 at most, and as many
	// for each host that [Guard.Named] was given, each identity of [Guard.As], and
	// each origin with roots or a certificate of its own.
	IdlePerHost int

	named    []string // the loopback hosts that a person named
	identity Identity

	once    sync.Once
	policy  policy
	proxies proxies.Proxies
	own     map[string]ownTLS // by origin
	err     error             // of the fields above

	mu       sync.Mutex
	lanes    map[laneKey]*lane
	children map[string]*Guard
}

// Validate is nil, or names everything in the fields of g that cannot be read.
func (g *Guard) Validate() error {
	g.init()
	return g.err
}

// Named is a Guard that also allows the loopback host which rawURL, given by a
// person, names (localhost, *.localhost, 127.0.0.0/8, ::1), at any port, and
// http to it. For every other URL it is g itself. Calls with the same host
// share one Guard and so its connections.
func (g *Guard) Named(rawURL string) *Guard {
	u, err := url.Parse(rawURL)
	if err != nil {
		return g
	}
	t, err := targetOf(u)
	if err != nil || !t.isLoopback() || slices.Contains(g.named, t.host) {
		return g
	}
	return g.child("named "+t.host, func(c *Guard) { c.named = append(slices.Clone(g.named), t.host) })
}

// child is the Guard that differs from g by what key names. It has connections
// of its own: one that was opened by leave of a name, or as somebody, is never
// reused by a request without that.
func (g *Guard) child(key string, differ func(*Guard)) *Guard {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c, ok := g.children[key]; ok {
		return c
	}
	c := &Guard{
		Allow: g.Allow, HTTP: g.HTTP, Resolver: g.Resolver, Dial: g.Dial, TLS: g.TLS, CAFiles: g.CAFiles,
		Proxy: g.Proxy, IdlePerHost: g.IdlePerHost, named: g.named, identity: g.identity,
	}
	differ(c)
	if g.children == nil {
		g.children = map[string]*Guard{}
	}
	g.children[key] = c
	return c
}

// CloseIdle closes the connections that are kept for reuse and not in use.
func (g *Guard) CloseIdle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range g.lanes {
		l.transport.CloseIdleConnections()
	}
	for _, c := range g.children {
		c.CloseIdle()
	}
}

func (g *Guard) init() {
	g.once.Do(func() {
		var policyErr, proxyErr, tlsErr error
		g.policy, policyErr = newPolicy(g.Allow, g.HTTP, g.named)
		g.proxies, proxyErr = proxies.New(g.Proxy)
		g.own, tlsErr = newOwnTLS(g.CAFiles, g.identity)
		g.err = errors.Join(policyErr, proxyErr, tlsErr)
	})
}
