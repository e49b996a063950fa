package netguard

import (
	"net/netip"
	"slices"

	"code.dny.dev/ssrf"
)

// A class names the kind of a special address; "" is a public one.
type class string

const (
	classMetadata    class = "a cloud metadata address"
	classUnspecified class = "the unspecified address"
	classLoopback    class = "a loopback address"
	classLinkLocal   class = "a link-local address"
	classMulticast   class = "a multicast address"
	classPrivate     class = "a private address"
	classShared      class = "a carrier-grade NAT address"
	classDocs        class = "a documentation address"
	classBenchmark   class = "a benchmarking address"
	classNAT64       class = "a NAT64 form of a special IPv4 address"
	classTransition  class = "an address of a retired IPv6 transition mechanism"
	classReserved    class = "a reserved address"
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

// classes name the prefixes that people meet; what else ssrf's lists (from
// IANA's registries) deny is reserved.
var classes = []struct {
	prefix netip.Prefix
	class  class
}{
	{netip.MustParsePrefix("0.0.0.0/8"), classUnspecified}, // 0.x.y.z reaches this host on some systems
	{netip.MustParsePrefix("100.64.0.0/10"), classShared},
	{netip.MustParsePrefix("192.0.2.0/24"), classDocs},
	{netip.MustParsePrefix("198.51.100.0/24"), classDocs},
	{netip.MustParsePrefix("203.0.113.0/24"), classDocs},
	{netip.MustParsePrefix("2001:db8::/32"), classDocs},
	{netip.MustParsePrefix("3fff::/20"), classDocs},
	{netip.MustParsePrefix("198.18.0.0/15"), classBenchmark},
	{netip.MustParsePrefix("2001:2::/48"), classBenchmark},
	{netip.MustParsePrefix("2002::/16"), classTransition}, // 6to4
	{netip.MustParsePrefix("2001::/32"), classTransition}, // Teredo
	{netip.MustParsePrefix("fec0::/10"), classPrivate},    // site-local, RFC 3879
	{netip.MustParsePrefix("192.88.99.0/24"), classTransition},
}

// classOf judges one address; an IPv4-mapped one as the IPv4 address in it.
func classOf(a netip.Addr) class {
	a = a.Unmap().WithZone("")
	if slices.Contains(metadata, a) {
		return classMetadata
	}
	switch {
	case a.IsUnspecified():
		return classUnspecified
	case a.IsLoopback():
		return classLoopback
	case a.IsLinkLocalUnicast():
		return classLinkLocal
	case a.IsMulticast():
		return classMulticast
	case a.IsPrivate():
		return classPrivate
	}
	// In a network with IPv6 alone every IPv4 host has an address here
	// (RFC 6052), so it is judged by what it leads to.
	if ssrf.IPv6NAT64Prefix.Contains(a) {
		b := a.As16()
		if classOf(netip.AddrFrom4([4]byte(b[12:]))) != "" {
			return classNAT64
		}
		return ""
	}
	for _, c := range classes {
		if c.prefix.Contains(a) {
			return c.class
		}
	}
	if isReserved(a) {
		return classReserved
	}
	return ""
}

func isReserved(a netip.Addr) bool {
	denied := ssrf.IPv4DeniedPrefixes
	if a.Is6() {
		if !ssrf.IPv6GlobalUnicast.Contains(a) {
			return true
		}
		denied = ssrf.IPv6DeniedPrefixes
	}
	for _, p := range denied {
		if p.Contains(a) {
			return true
		}
	}
	return !a.IsValid()
}

// byName is whether listing a host's name opens addresses of this class.
func (c class) byName() bool {
	switch c {
	case classMetadata, classUnspecified, classLinkLocal, classMulticast, classNAT64:
		return false
	}
	return true
}
