// Package address holds how A2A addresses are taken apart and compared: as text,
// since clients send a path byte for byte.
//
// Each function takes the binding that the address belongs to, since a GRPC one
// may be host:port (A2A 4.4.6).
package address

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// grpcBinding is the one binding whose address may be host:port.
const grpcBinding = "GRPC"

// Normalize returns u in the form in which two addresses are compared:
// scheme and host in lower case, without the scheme's default port, and a GRPC
// host:port as the https URL it stands for. Path, query and all else stay as
// they are: clients send them byte for byte, and servers may care. What is no
// absolute URL is returned as it is. The binding matters for GRPC alone.
func Normalize(binding, u string) string {
	a, ok := split(binding, u)
	if !ok {
		return u
	}
	return a.scheme + "://" + a.user + a.hostPort() + a.rest
}

// Origin returns the normalised scheme://host:port of u, the port only where
// it is not the scheme's default; "" when u is not absolute.
func Origin(binding, u string) string {
	a, ok := split(binding, u)
	if !ok {
		return ""
	}
	return a.scheme + "://" + a.hostPort()
}

// Host returns the host of u in lower case without port and brackets, ready
// for [IsPrivate]; "" when u is not absolute.
func Host(binding, u string) string {
	a, ok := split(binding, u)
	if !ok {
		return ""
	}
	return strings.Trim(a.host, "[]")
}

// IsPrivate reports whether host (without port; IPv6 with or without
// brackets) names this machine or a network that outsiders cannot reach:
// loopback, wildcard, private, link-local, shared (CGNAT), multicast and cloud
// metadata addresses (see [ClassOf]), in the spellings that C libraries read as addresses too
// ("127.1", "0x7f000001"), and names under localhost, .local, .internal and
// .svc. It resolves nothing. An empty host is not private.
func IsPrivate(host string) bool {
	h := strings.TrimSuffix(lowerASCII(strings.Trim(host, "[]")), ".")
	if addr, err := netip.ParseAddr(h); err == nil {
		return isPrivateAddr(addr)
	}
	if addr, ok := parseClassic(h); ok {
		return isPrivateAddr(addr)
	}
	name := "." + h
	for _, suffix := range privateSuffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// RFC 6761 (localhost), RFC 6762 (local), ICANN's reserved internal, and the
// names of Kubernetes services.
var privateSuffixes = []string{".localhost", ".local", ".internal", ".svc"}

// parseClassic reads the IPv4 spellings of inet_aton: one to four parts,
// decimal, octal or hexadecimal, the last one filling what is left.
func parseClassic(h string) (netip.Addr, bool) {
	parts := strings.Split(h, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var v uint64
	for i, p := range parts {
		// ParseUint with base 0 would take "1_0" and "0b1" as well.
		if strings.ContainsAny(p, "_bo") && !strings.HasPrefix(p, "0x") || strings.Contains(p, "_") {
			return netip.Addr{}, false
		}
		n, err := strconv.ParseUint(p, 0, 32)
		if err != nil {
			return netip.Addr{}, false
		}
		left := 4 - len(parts) + 1 // bytes that the last part fills
		if i < len(parts)-1 {
			left = 1
		}
		if n >= 1<<(8*left) {
			return netip.Addr{}, false
		}
		v = v<<(8*left) | n
	}
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), true
}

// An address is an absolute URL taken apart without decoding anything.
type address struct {
	scheme, user, host, port, rest string // user with its "@"; host with brackets
}

func (a address) hostPort() string {
	if a.port == "" || a.scheme == "https" && a.port == "443" || a.scheme == "http" && a.port == "80" {
		return a.host
	}
	return a.host + ":" + a.port
}

// split works on the text, since a round trip through [url.URL] could change
// how a path is escaped. It refuses what [url.Parse] refuses.
func split(binding, u string) (address, bool) {
	if binding == grpcBinding && IsHostPort(u) {
		u = "https://" + u
	}
	scheme, rest, ok := strings.Cut(u, "://")
	if p, err := url.Parse(u); !ok || err != nil || p.Scheme == "" || p.Host == "" {
		return address{}, false
	}
	a := address{scheme: lowerASCII(scheme)}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, a.rest = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		a.user, authority = authority[:i+1], authority[i+1:]
	}
	a.host = lowerASCII(authority)
	// A colon inside brackets belongs to an IPv6 address.
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		a.host, a.port = a.host[:i], authority[i+1:]
	}
	return a, a.host != ""
}

// IsHostPort reports whether u is host:port and no URL, as GRPC addresses are.
func IsHostPort(u string) bool {
	host, port, err := net.SplitHostPort(u)
	return err == nil && host != "" && IsPort(port) && !strings.ContainsAny(host, "/?#@{}<>\\ ")
}

// IsPort reports whether s is a port that can be called.
func IsPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// lowerASCII leaves other letters alone: Unicode's lower case of U+212A (the
// Kelvin sign) is k, and would make two hosts one.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}
