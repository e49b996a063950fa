package netguard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"

	"github.com/a2alock/a2alock/internal/proxies"
)

// DialContext connects to addr, a host:port, for protocols that are not HTTP/1
// over [Guard.Transport], gRPC say. It judges the addresses that the host
// resolves to as the transport does, and refuses with a [*Refused]. Where
// [Guard.Proxy] has a proxy for https, that is asked for a tunnel. Whether the
// connection may go without TLS is not its question: [Guard.Check] answers that
// for an http URL with the same host.
func (g *Guard) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	u := &url.URL{Scheme: "https", Host: addr}
	// The handshake that comes next could only say that it trusts nobody.
	if _, err := g.own[Origin(u)].read(); err != nil {
		return nil, err
	}
	proxy, err := g.route(ctx, u)
	if err != nil {
		return nil, err
	}
	if proxy == nil {
		return g.dial(ctx, network, addr)
	}
	t, err := targetOf(u)
	if err != nil {
		return nil, err
	}
	making, cancel := context.WithTimeout(ctx, headerTimeout)
	defer cancel()
	conn, err := proxies.Tunnel(making, g.dialProxy, proxy, t.hostPort())
	if err != nil {
		return nil, fmt.Errorf("through the proxy %s: %w", proxy.Host, err)
	}
	return conn, nil
}

// TLSFor is the configuration for TLS with addr, a host:port, in a copy that
// the caller may change: [Guard.TLSConfig] of its https origin, for that host.
// Where that is an error, it is one that trusts no server.
func (g *Guard) TLSFor(addr string) *tls.Config {
	conf, err := g.TLSConfig(Origin(&url.URL{Scheme: "https", Host: addr}))
	if err != nil {
		conf = g.baseTLS()
		conf.RootCAs = x509.NewCertPool()
	}
	if host, _, err := net.SplitHostPort(addr); err == nil && conf.ServerName == "" {
		conf.ServerName = host
	}
	return conf
}
