// Package hostname gives a host one spelling, in which policies compare it.
package hostname

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// lookup maps a name as resolvers and browsers do (UTS 46): case, width, dots.
// It is not strict about ASCII, since names like "r3---a_b" are in use;
// hostChars says which characters remain.
var lookup = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false))

const hostChars = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// Normalize is the one spelling of a host (without port or brackets) that
// policy compares: a name in lower case and IDNA ASCII without its trailing
// dot, or an address as netip prints it, an IPv4-mapped one as IPv4. Notations
// of an IPv4 address that programs read differently ("2130706433", "0x7f.1",
// "0177.0.0.1", "127.1") are errors, as are zones.
func Normalize(host string) (string, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Zone() != "" {
			return "", fmt.Errorf("host %q: an address with a zone means another place on each machine", host)
		}
		return a.Unmap().String(), nil
	}
	// Punycode takes time by the square, and a Location may be long; 253
	// characters have no more bytes than this.
	if len(host) > 1024 {
		return "", fmt.Errorf("host %.20q…: over 253 characters", host)
	}
	name, err := lookup.ToASCII(host)
	if err == nil {
		// What the mapping makes of bytes that are no text is not in the form
		// that the mapping itself demands.
		var again string
		if again, err = lookup.ToASCII(name); err == nil && again != name {
			err = errors.New("unstable")
		}
	}
	if err != nil {
		return "", fmt.Errorf("host %q: no valid host name", host)
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if name == "" {
		return "", errors.New("no host")
	}
	if len(name) > 253 {
		return "", fmt.Errorf("host %.20q…: over 253 characters", host)
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, hostChars) != "" {
			return "", fmt.Errorf("host %q: no valid host name", host)
		}
		last = label
	}
	if !isNumber(last) {
		return name, nil
	}
	// Full-width digits and dots are digits and dots by now.
	if a, err := netip.ParseAddr(name); err == nil {
		return a.String(), nil
	}
	return "", fmt.Errorf("host %q: an IPv4 address is written as four decimal numbers, like 192.0.2.1", host)
}

// isNumber is whether a name that ends in this label is read as an address by
// some programs (the URL Standard's "ends in a number").
func isNumber(label string) bool {
	if strings.Trim(label, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(label, "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}

// IsLocalhost reports whether RFC 6761 6.3 gives the name to loopback.
func IsLocalhost(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// IsLoopback reports whether a host, as [Normalize] gives it, is this machine by
// its name or its address alone.
func IsLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || IsLocalhost(host)
}
