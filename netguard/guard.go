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
// What is refused comes back as a [*Refused], and nothing was sent.
package netguard

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
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
	// IdlePerHost is how many connections to one host are kept for reuse, each
	// for ten seconds at most; 0 is 2. In all there are 64 at most, and as many
	// for each host that [Guard.Named] was given.
	IdlePerHost int

	named []string // the loopback hosts that a person named

	once      sync.Once
	policy    policy
	err       error // of Allow and HTTP
	transport *http.Transport
	fresh     *http.Transport // the same, without reuse

	mu       sync.Mutex
	children map[string]*Guard
}

// Validate is nil, or names every entry of Allow and HTTP that cannot be read.
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
	g.mu.Lock()
	defer g.mu.Unlock()
	child, ok := g.children[t.host]
	if !ok {
		// A transport of its own: a connection opened by leave of this name
		// is never reused by a request that has no such leave.
		child = &Guard{
			Allow: g.Allow, HTTP: g.HTTP, Resolver: g.Resolver, Dial: g.Dial, TLS: g.TLS,
			IdlePerHost: g.IdlePerHost, named: append(slices.Clone(g.named), t.host),
		}
		if g.children == nil {
			g.children = map[string]*Guard{}
		}
		g.children[t.host] = child
	}
	return child
}

// CloseIdle closes the connections that are kept for reuse and not in use.
func (g *Guard) CloseIdle() {
	g.Transport().CloseIdleConnections()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, child := range g.children {
		child.CloseIdle()
	}
}

func (g *Guard) init() {
	g.once.Do(func() {
		g.policy, g.err = newPolicy(g.Allow, g.HTTP, g.named)
		g.transport = g.newTransport()
		g.fresh = g.newTransport()
		g.fresh.DisableKeepAlives = true
	})
}
