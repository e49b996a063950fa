package address

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// The classes of what [ClassOf] has no name for.
const (
	NAT64    Class = "a NAT64 form of a special IPv4 address"
	Reserved Class = "a reserved address"
)

// Special judges one address; "" is a public one. What people do not meet, and
// ssrf's lists (from IANA's registries) deny, is [Reserved].
func Special(a netip.Addr) Class {
	a = a.Unmap().WithZone("")
	if v4, ok := Translated(a); ok {
		if Special(v4) != "" {
			return NAT64
		}
		return ""
	}
	if c := ClassOf(a); c != "" {
		return c
	}
	if isReserved(a) {
		return Reserved
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
