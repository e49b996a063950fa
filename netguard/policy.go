package netguard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/a2alock/a2alock/internal/address"
	"github.com/a2alock/a2alock/internal/hostname"
)

// A policy is what the entries of a [Guard] say.
type policy struct {
	prefixes []prefixEntry
	hosts    []target // port 0: any
	http     []target
	named    []string // hosts
}

type prefixEntry struct {
	prefix netip.Prefix
	port   uint16 // 0: any
}

func newPolicy(allow, plain, named []string) (policy, error) {
	p := policy{named: named}
	var errs []error
	for _, s := range allow {
		if pre, err := netip.ParsePrefix(s); err == nil {
			p.prefixes = append(p.prefixes, prefixEntry{prefix: unmapPrefix(pre)})
			continue
		}
		t, err := parseEntry(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("allow: %q: want a CIDR, a host or host:port: %w", s, err))
			continue
		}
		if a, err := netip.ParseAddr(t.host); err == nil {
			p.prefixes = append(p.prefixes, prefixEntry{netip.PrefixFrom(a, a.BitLen()), t.port})
			continue
		}
		p.hosts = append(p.hosts, t)
	}
	for _, s := range plain {
		t, err := parseEntry(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("http: %q: want a host or host:port: %w", s, err))
			continue
		}
		p.http = append(p.http, t)
	}
	return p, errors.Join(errs...)
}

// parseEntry reads "host", "host:port", an address, or either in brackets.
func parseEntry(s string) (target, error) {
	host, port := s, ""
	if a, err := netip.ParseAddr(s); err == nil {
		host = a.String()
	} else if h, p, err := net.SplitHostPort(s); err == nil {
		host, port = h, p
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	}
	host, err := NormalizeHost(host)
	if err != nil {
		return target{}, err
	}
	if port == "" {
		if strings.HasSuffix(s, ":") && !strings.Contains(host, ":") {
			return target{}, errors.New("no port after the colon")
		}
		return target{host: host}, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return target{}, fmt.Errorf("port %q is not between 1 and 65535", port)
	}
	return target{host, uint16(n)}, nil
}

// unmapPrefix turns ::ffff:10.0.0.0/104 into 10.0.0.0/8, as the addresses that
// are compared with it are unmapped.
func unmapPrefix(p netip.Prefix) netip.Prefix {
	if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
	}
	return p.Masked()
}

// plain is whether t may be spoken to without TLS.
func (p *policy) plain(t target) bool {
	return slices.Contains(p.named, t.host) || contains(p.http, t)
}

// judge is nil when t may be reached at address a, else why not.
func (p *policy) judge(t target, a netip.Addr) *Refused {
	bare := a.Unmap().WithZone("")
	refuse := func(what string) *Refused {
		reason := fmt.Sprintf("%s is %s", bare, what)
		if t.host != bare.String() {
			reason = fmt.Sprintf("%s leads to %s, %s", t.host, bare, what)
		}
		return &Refused{Kind: KindAddress, Host: t.host, Port: t.port, Addr: bare, Reason: reason}
	}
	if hostname.IsLocalhost(t.host) && !bare.IsLoopback() {
		return refuse("which is no loopback address")
	}
	c := address.Special(bare)
	switch {
	case c == "",
		bare.IsLoopback() && slices.Contains(p.named, t.host),
		byName(c) && contains(p.hosts, t),
		slices.ContainsFunc(p.prefixes, func(e prefixEntry) bool {
			return e.prefix.Contains(bare) && (e.port == 0 || e.port == t.port)
		}):
		return nil
	}
	return refuse(string(c))
}

func contains(list []target, t target) bool {
	return slices.ContainsFunc(list, func(e target) bool {
		return e.host == t.host && (e.port == 0 || e.port == t.port)
	})
}

// byName is whether listing a host's name opens addresses of class c.
func byName(c address.Class) bool {
	switch c {
	case address.Metadata, address.Unspecified, address.LinkLocal, address.Multicast, address.NAT64:
		return false
	}
	return true
}
