package netguard

import (
	"net/netip"

	"code.dny.dev/ssrf"

	"github.com/a2alock/a2alock/internal/address"
)

// The classes that package address has no name for.
const (
	classNAT64    address.Class = "a NAT64 form of a special IPv4 address"
	classReserved address.Class = "a reserved address"
)

// classOf judges one address; "" is a public one. What people do not meet, and
// ssrf's lists (from IANA's registries) deny, is reserved.
func classOf(a netip.Addr) address.Class {
	a = a.Unmap().WithZone("")
	if v4, ok := address.Translated(a); ok {
		if classOf(v4) != "" {
			return classNAT64
		}
		return ""
	}
	if c := address.ClassOf(a); c != "" {
		return c
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

// byName is whether listing a host's name opens addresses of class c.
func byName(c address.Class) bool {
	switch c {
	case address.Metadata, address.Unspecified, address.LinkLocal, address.Multicast, classNAT64:
		return false
	}
	return true
}
