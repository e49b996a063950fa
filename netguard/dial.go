package netguard

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a2alock/a2alock/internal/hostname"
)

const (
	connectTimeout = 5 * time.Second // for all addresses of one host together
	// maxAddresses bounds how many addresses of one name are tried.
	maxAddresses = 4
)

// dial resolves, judges each address, and connects to the first judged good
// that answers.
func (g *Guard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
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
	if hostname.IsLocalhost(host) {
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
