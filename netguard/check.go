package netguard

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/a2alock/a2alock/internal/hostname"
)

// Check says whether a request for u would be let out, as far as that is known
// without a resolver: nil, or why not, where g refuses it as a *[Refused].
func (g *Guard) Check(u *url.URL) error {
	_, err := g.check(u)
	return err
}

// check judges a URL before anything is sent, and gives it back with its host
// in the spelling that was judged. Addresses and localhost names are judged
// here as well as at the dial: a connection that is already open is not dialled.
func (g *Guard) check(u *url.URL) (*url.URL, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	refuse := func(kind Kind, format string, args ...any) *Refused {
		return &Refused{Kind: kind, URL: u.String(), Reason: fmt.Sprintf(format, args...)}
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return nil, refuse(KindURL, "scheme %q is not https", u.Scheme)
	}
	if u.User != nil {
		return nil, refuse(KindURL, "a URL carries no user name or password")
	}
	if u.Opaque != "" {
		return nil, refuse(KindURL, "no host")
	}
	t, err := targetOf(u)
	if err != nil {
		return nil, refuse(KindURL, "%v", err)
	}
	if u.Scheme == "http" && !g.policy.plain(t) {
		r := refuse(KindPlain, "plain http to %s is not allowed", t.host)
		r.Host, r.Port = t.host, t.port
		return nil, r
	}
	if r := g.judgeLiteral(t); r != nil {
		r.URL = u.String()
		return nil, r
	}
	clean := *u
	clean.Host = t.host
	if a, err := netip.ParseAddr(t.host); err == nil && a.Is6() {
		clean.Host = "[" + t.host + "]"
	}
	if u.Port() != "" {
		clean.Host = net.JoinHostPort(t.host, strconv.Itoa(int(t.port)))
	}
	return &clean, nil
}

// judgeLiteral judges a host whose addresses are known without a resolver.
func (g *Guard) judgeLiteral(t target) *Refused {
	known := localhost
	if a, err := netip.ParseAddr(t.host); err == nil {
		known = []netip.Addr{a}
	} else if !hostname.IsLocalhost(t.host) {
		return nil
	}
	var first *Refused
	for _, a := range known {
		r := g.policy.judge(t, a)
		if r == nil {
			return nil
		}
		if first == nil {
			first = r
		}
	}
	return first
}
