// Package want says what a value of a2alock.yaml has to be.
//
// Each check takes a value and says what it wants instead: nil where the value
// will do, else an error that never quotes the value, which may be a secret.
package want

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/media"
)

// OneOf wants one of the words.
func OneOf(words ...string) func(string) error {
	return func(s string) error {
		if slices.Contains(words, s) {
			return nil
		}
		last := len(words) - 1
		if last == 0 {
			return errors.New("want " + words[0])
		}
		return errors.New("want " + strings.Join(words[:last], ", ") + " or " + words[last])
	}
}

// Binding wants the core bindings, which match exactly, and URIs.
func Binding(s string) error {
	if slices.Contains([]string{"JSONRPC", "GRPC", "HTTP+JSON"}, s) || URI(s) == nil {
		return nil
	}
	return errors.New("want JSONRPC, GRPC, HTTP+JSON or an absolute URI")
}

// Version wants Major.Minor, as A2A numbers its protocol.
func Version(s string) error {
	major, minor, _ := strings.Cut(s, ".")
	for _, part := range []string{major, minor} {
		if n, err := strconv.ParseUint(part, 10, 16); err != nil || strconv.FormatUint(n, 10) != part {
			return errors.New("want Major.Minor, such as 1.0")
		}
	}
	return nil
}

// MediaType wants a media type that can be compared: a wildcard would match nothing.
func MediaType(s string) error {
	if !media.Is(s) {
		return errors.New("want a media type such as text/plain, without wildcards")
	}
	return nil
}

// Mode wants what an agent may write where a media type belongs.
func Mode(s string) error {
	if s == "" || strings.TrimSpace(s) != s || clean(s) != nil {
		return errors.New("want a mode as agents write it, such as text")
	}
	return nil
}

// URI wants an absolute one.
func URI(s string) error {
	if u, err := url.Parse(s); err != nil || !u.IsAbs() || clean(s) != nil || strings.Contains(s, " ") {
		return errors.New("want an absolute URI")
	}
	return nil
}

// URL wants an absolute http or https URL as our own requests take it: without
// a fragment, and without a user name or password, which would stand in logs.
func URL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || clean(s) != nil {
		return errors.New("want an absolute http or https URL")
	}
	if u.User != nil || strings.Contains(s, "#") {
		return errors.New("want a URL without a user name, a password or a fragment")
	}
	return nil
}

// Optional wants nothing, or what check wants.
func Optional(check func(string) error) func(string) error {
	return func(s string) error {
		if s == "" {
			return nil
		}
		return check(s)
	}
}

// Path wants the path of what.
func Path(what string) func(string) error {
	return func(s string) error {
		if s == "" || clean(s) != nil {
			return errors.New("want the path of " + what)
		}
		return nil
	}
}

// Endpoint wants "" or an absolute http or https URL of somebody else's.
func Endpoint(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || clean(s) != nil {
		return errors.New("want an absolute http or https URL")
	}
	return nil
}

// Name wants a text that can be seen, without space around it.
func Name(s string) error {
	if s == "" || strings.TrimSpace(s) != s || clean(s) != nil {
		return errors.New("want a name")
	}
	return nil
}

// Scope wants one scope of OAuth 2 (RFC 6749 3.3).
func Scope(s string) error {
	bad := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }
	if s == "" || strings.ContainsFunc(s, bad) {
		return errors.New("want one scope, without spaces")
	}
	return nil
}

// Rule wants the form of a rule id; whether there is one is not known here.
func Rule(s string) error {
	for part := range strings.SplitSeq(s, "-") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return r < 'a' || r > 'z' }) {
			return errors.New("want a rule id such as skill-removed")
		}
	}
	return nil
}

// Address wants a CIDR, a host or host:port.
func Address(s string) error {
	if p, err := netip.ParsePrefix(s); err == nil {
		if p != p.Masked() {
			return errors.New("the address of a CIDR ends in zeros, as in 10.0.0.0/8")
		}
		return nil
	}
	if strings.Contains(s, "/") {
		return errors.New("want a CIDR, a host or host:port")
	}
	host := s
	// Several colons without brackets are an IPv6 address.
	if i := strings.LastIndexByte(s, ':'); i > 0 && (strings.Count(s, ":") == 1 || s[i-1] == ']') {
		if n, err := strconv.ParseUint(s[i+1:], 10, 16); err != nil || n == 0 {
			return errors.New("want a port from 1 to 65535 after the host")
		}
		host = s[:i]
	}
	if Host(host) != nil {
		return errors.New("want a CIDR, a host or host:port")
	}
	return nil
}

// Host wants an IP address, in brackets or not, and a host name in its
// ASCII form.
func Host(s string) error {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		if addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]")); err == nil && addr.Is6() && strings.HasSuffix(s, "]") {
			return nil
		}
	}
	if _, err := netip.ParseAddr(s); err == nil {
		return nil
	}
	bad := func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(s, "."), ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, bad) {
			return errors.New("want a host, without scheme, port or path")
		}
	}
	return nil
}

// clean refuses characters that nobody sees.
func clean(s string) error {
	if strings.ContainsFunc(s, func(r rune) bool { return r == '\n' || r == '\t' || card.IsHidden(r) }) {
		return errors.New("has invisible characters")
	}
	return nil
}
