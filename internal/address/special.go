package address

import (
	"net/netip"
	"slices"
)

// A Class names the kind of a special address, as a sentence calls it; "" is one
// of no kind that has a name here.
type Class string

// The classes.
const (
	Metadata    Class = "a cloud metadata address"
	Unspecified Class = "the unspecified address"
	Loopback    Class = "a loopback address"
	LinkLocal   Class = "a link-local address"
	Multicast   Class = "a multicast address"
	Private     Class = "a private address"
	Shared      Class = "a carrier-grade NAT address"
	Docs        Class = "a documentation address"
	Benchmark   Class = "a benchmarking address"
	LocalNAT64  Class = "an address of a local NAT64 translation"
	Transition  Class = "an address of a retired IPv6 transition mechanism"
)

// metadata are the addresses at which clouds hand out a machine's secrets.
// 168.63.129.16 is public by its prefix.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"),
	netip.MustParseAddr("169.254.170.2"),
	netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd20:ce::254"),
}

// special are the prefixes that package netip has no predicate for.
var special = []struct {
	prefix netip.Prefix
	class  Class
}{
	{netip.MustParsePrefix("0.0.0.0/8"), Unspecified}, // 0.x.y.z reaches this host on some systems
	{netip.MustParsePrefix("100.64.0.0/10"), Shared},  // RFC 6598
	{netip.MustParsePrefix("192.0.2.0/24"), Docs},
	{netip.MustParsePrefix("198.51.100.0/24"), Docs},
	{netip.MustParsePrefix("203.0.113.0/24"), Docs},
	{netip.MustParsePrefix("2001:db8::/32"), Docs},
	{netip.MustParsePrefix("3fff::/20"), Docs},
	{netip.MustParsePrefix("198.18.0.0/15"), Benchmark},
	{netip.MustParsePrefix("2001:2::/48"), Benchmark},
	{netip.MustParsePrefix("2002::/16"), Transition}, // 6to4
	{netip.MustParsePrefix("2001::/32"), Transition}, // Teredo
	{netip.MustParsePrefix("192.88.99.0/24"), Transition},
	{netip.MustParsePrefix("fec0::/10"), Private},         // site-local, RFC 3879
	{netip.MustParsePrefix("64:ff9b:1::/48"), LocalNAT64}, // RFC 8215
}

// ClassOf returns the class of one address; an IPv4-mapped one is judged as the
// IPv4 address in it, and a zone does not count.
func ClassOf(a netip.Addr) Class {
	a = a.Unmap().WithZone("")
	switch {
	case slices.Contains(metadata, a):
		return Metadata
	case a.IsUnspecified():
		return Unspecified
	case a.IsLoopback():
		return Loopback
	case a.IsLinkLocalUnicast():
		return LinkLocal
	case a.IsMulticast():
		return Multicast
	case a.IsPrivate():
		return Private
	}
	for _, s := range special {
		if s.prefix.Contains(a) {
			return s.class
		}
	}
	return ""
}

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Translated returns the IPv4 address that a leads to in a network with IPv6
// alone, where every IPv4 host has such an address (RFC 6052); ok is false for
// any other address.
func Translated(a netip.Addr) (v4 netip.Addr, ok bool) {
	a = a.WithZone("")
	if !nat64.Contains(a) {
		return netip.Addr{}, false
	}
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[12:])), true
}

// isPrivateAddr is narrower than being special: documentation, benchmarks and
// retired mechanisms are not a network that only insiders reach.
func isPrivateAddr(a netip.Addr) bool {
	if v4, ok := Translated(a); ok {
		a = v4
	}
	switch ClassOf(a) {
	case "", Docs, Benchmark, Transition:
		return false
	}
	return true
}
