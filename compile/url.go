package compile

import (
	"strings"

	"github.com/a2alock/a2alock/internal/address"
)

// NormalizeURL returns u in the form in which two addresses are compared:
// scheme and host in lower case, without the scheme's default port, and a GRPC
// host:port as the https URL it stands for. Path, query and all else stay as
// they are. What is no absolute URL is returned as it is.
func NormalizeURL(binding, u string) string { return address.Normalize(binding, u) }

// Origin returns the normalised scheme://host:port of u, the port only where
// it is not the scheme's default; "" when u is not absolute.
func Origin(binding, u string) string { return address.Origin(binding, u) }

// Host returns the host of u in lower case without port and brackets, ready
// for [IsPrivateHost]; "" when u is not absolute.
func Host(binding, u string) string { return address.Host(binding, u) }

// IsPrivateHost reports whether host names this machine or a network that
// outsiders cannot reach. It resolves nothing, and an empty host is not private.
func IsPrivateHost(host string) bool { return address.IsPrivate(host) }

// lowerASCII leaves other letters alone, as two ids that differ in them are two.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}
