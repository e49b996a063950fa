package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/duration"
	"github.com/a2alock/a2alock/internal/media"
)

// The readers below make the read of a [key]. The checks they are given never
// quote what they were handed, which may have come from a variable.

func text(dst *string, check func(string) error) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			*dst = s
			return check(s)
		})
	}
}

func texts(dst *[]string, check func(string) error) func(*decoder, value) {
	return func(d *decoder, v value) {
		*dst = list(d, v, func(v value, s *string) { text(s, check)(d, v) })
		unique(d, v, *dst)
	}
}

func pairs(dst *map[string]string, isKey, isValue func(string) error) func(*decoder, value) {
	return func(d *decoder, v value) {
		*dst = map[string]string{}
		d.entries(v, func(name string, k, v value) {
			if err := isKey(name); err != nil {
				d.fail(k, "%s: %v", short(name), err)
			}
			d.set(v, func(s string) error {
				(*dst)[name] = s
				return isValue(s)
			})
		})
	}
}

func flag(dst *bool) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			*dst = strings.EqualFold(s, "true")
			if !*dst && !strings.EqualFold(s, "false") {
				return errors.New("want true or false")
			}
			return nil
		})
	}
}

func count(dst *int, most int) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			n, err := strconv.Atoi(s)
			if err != nil || n < 1 || n > most {
				return fmt.Errorf("want a whole number from 1 to %d", most)
			}
			*dst = n
			return nil
		})
	}
}

func size(dst *int64) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			n, err := parseSize(s)
			if err != nil || n < 1 {
				return errors.New("want a size over 0, such as 1MiB, 512KiB or 65536")
			}
			*dst = n
			return nil
		})
	}
}

// span reads a duration over 0. Where it can be off, "off" is 0: a plain 0
// could as well mean that everything is too old.
func span(dst *time.Duration, canBeOff bool) func(*decoder, value) {
	return func(d *decoder, v value) {
		d.set(v, func(s string) error {
			if canBeOff && s == "off" {
				*dst = 0
				return nil
			}
			t, err := duration.Parse(s)
			switch {
			case err == nil && t > 0:
				*dst = t
				return nil
			case canBeOff:
				return errors.New("want a duration over 0, such as 90d, 36h or 10s, or off")
			}
			return errors.New("want a duration over 0, such as 90d, 36h or 10s")
		})
	}
}

func oneOf(words ...string) func(string) error {
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

// isBinding accepts the core bindings, which match exactly, and URIs.
func isBinding(s string) error {
	if slices.Contains([]string{"JSONRPC", "GRPC", "HTTP+JSON"}, s) || isURI(s) == nil {
		return nil
	}
	return errors.New("want JSONRPC, GRPC, HTTP+JSON or an absolute URI")
}

func isVersion(s string) error {
	major, minor, _ := strings.Cut(s, ".")
	for _, part := range []string{major, minor} {
		if n, err := strconv.ParseUint(part, 10, 16); err != nil || strconv.FormatUint(n, 10) != part {
			return errors.New("want Major.Minor, such as 1.0")
		}
	}
	return nil
}

// isMediaType wants what can be compared: a wildcard would match nothing.
func isMediaType(s string) error {
	if !media.Is(s) {
		return errors.New("want a media type such as text/plain, without wildcards")
	}
	return nil
}

// isMode accepts what an agent may write where a media type belongs.
func isMode(s string) error {
	if s == "" || strings.TrimSpace(s) != s || isClean(s) != nil {
		return errors.New("want a mode as agents write it, such as text")
	}
	return nil
}

func isURI(s string) error {
	if u, err := url.Parse(s); err != nil || !u.IsAbs() || isClean(s) != nil || strings.Contains(s, " ") {
		return errors.New("want an absolute URI")
	}
	return nil
}

func isEndpoint(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || isClean(s) != nil {
		return errors.New("want an absolute http or https URL")
	}
	return nil
}

func isName(s string) error {
	if s == "" || strings.TrimSpace(s) != s || isClean(s) != nil {
		return errors.New("want a name")
	}
	return nil
}

// isScope holds to RFC 6749 3.3.
func isScope(s string) error {
	bad := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }
	if s == "" || strings.ContainsFunc(s, bad) {
		return errors.New("want one scope, without spaces")
	}
	return nil
}

func isRule(s string) error {
	for part := range strings.SplitSeq(s, "-") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return r < 'a' || r > 'z' }) {
			return errors.New("want a rule id such as skill-removed")
		}
	}
	return nil
}

func isLockPath(s string) error {
	if s == "" || isClean(s) != nil {
		return errors.New("want the path of a lock or a folder")
	}
	return nil
}

// isClean refuses characters that nobody sees.
func isClean(s string) error {
	if strings.ContainsFunc(s, func(r rune) bool { return r == '\n' || r == '\t' || card.IsHidden(r) }) {
		return errors.New("has invisible characters")
	}
	return nil
}

func isAddress(s string) error {
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
	if isHost(host) != nil {
		return errors.New("want a CIDR, a host or host:port")
	}
	return nil
}

// isHost accepts an IP address, in brackets or not, and a host name in its
// ASCII form.
func isHost(s string) error {
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

// strength reads a credential's kind.
func strength(s string) (compile.Strength, error) {
	k, err := compile.ParseStrength(s)
	if err != nil {
		return 0, errors.New("want mutual-tls, oauth2, bearer, api-key, basic or anonymous")
	}
	return k, nil
}
