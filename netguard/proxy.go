package netguard

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
)

// route is the proxy for u, once its target is judged; nil for none.
func (g *Guard) route(ctx context.Context, u *url.URL) (*url.URL, error) {
	t, err := targetOf(u)
	if err != nil {
		return nil, err
	}
	proxy, err := g.proxyFor(u)
	if err != nil || proxy == nil {
		return nil, err
	}
	return proxy, g.judgeAll(ctx, t)
}

// proxyFor is the proxy for u; nil for none. NO_PROXY compares one spelling.
func (g *Guard) proxyFor(u *url.URL) (*url.URL, error) {
	t, err := targetOf(u)
	if err != nil {
		return nil, err
	}
	return g.proxies.For(&url.URL{Scheme: u.Scheme, Host: t.hostPort()})
}

// judgeAll judges a target that a proxy will connect to, by what its name leads
// to here: all of it, since nobody knows which address the proxy takes.
func (g *Guard) judgeAll(ctx context.Context, t target) error {
	all, err := g.resolve(ctx, t.host)
	if err != nil {
		return fmt.Errorf("judging %s before the proxy is asked for it: %w", t.host, err)
	}
	for _, a := range all {
		if r := g.policy.judge(t, a); r != nil {
			return r
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("%s has no address", t.host)
	}
	return nil
}

// dialProxy connects to a proxy of the configuration, wherever that is.
func (g *Guard) dialProxy(ctx context.Context, network, addr string) (net.Conn, error) {
	overTLS, known := g.proxies.Knows(addr)
	t, err := targetOf(&url.URL{Host: addr})
	if err != nil || !known {
		return nil, cmp.Or(err, fmt.Errorf("%s is no proxy", addr))
	}
	all, err := g.resolve(ctx, t.host)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no address", t.host)
	}
	conn, err := g.connect(ctx, network, all[:min(len(all), maxAddresses)], t.port)
	if err != nil || !overTLS {
		return conn, err
	}
	conf := g.baseTLS()
	conf.ServerName = t.host
	secure := tls.Client(conn, conf)
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, nil
}
