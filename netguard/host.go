package netguard

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/a2alock/a2alock/internal/hostname"
)

// NormalizeHost is the one spelling of a host (without port or brackets) that
// policy compares: a name in lower case and IDNA ASCII without its trailing
// dot, or an address as netip prints it, an IPv4-mapped one as IPv4. Notations
// of an IPv4 address that programs read differently ("2130706433", "0x7f.1",
// "0177.0.0.1", "127.1") are errors, as are zones.
func NormalizeHost(host string) (string, error) { return hostname.Normalize(host) }

// A target is the host and port of a URL in the spelling of [NormalizeHost].
type target struct {
	host string
	port uint16
}

// targetOf reads host and port of an http or https URL.
func targetOf(u *url.URL) (target, error) {
	host, err := NormalizeHost(u.Hostname())
	if err != nil {
		return target{}, err
	}
	port := u.Port()
	if port == "" {
		switch u.Scheme {
		case "https":
			return target{host, 443}, nil
		case "http":
			return target{host, 80}, nil
		}
		return target{}, fmt.Errorf("scheme %q is not https", u.Scheme)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return target{}, fmt.Errorf("port %q is not between 1 and 65535", port)
	}
	return target{host, uint16(n)}, nil
}

func (t target) hostPort() string {
	return net.JoinHostPort(t.host, strconv.Itoa(int(t.port)))
}

func (t target) isLoopback() bool { return hostname.IsLoopback(t.host) }

// IsLoopback is whether the host of an http or https URL is this machine by its
// name or address alone: localhost, *.localhost, 127.0.0.0/8, ::1.
func IsLoopback(u *url.URL) bool {
	t, err := targetOf(u)
	return err == nil && t.isLoopback()
}

// Origin is scheme, host and port of an http or https URL in one spelling
// ("https://h.example:443"); "" when u has none. Origins are compared with ==.
func Origin(u *url.URL) string {
	if u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	t, err := targetOf(u)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + t.hostPort()
}

// ParseOrigin reads an origin that a person wrote: scheme, host and perhaps a
// port, and nothing else. It gives the form of [Origin].
func ParseOrigin(s string) (string, error) {
	no := func(why string) (string, error) {
		return "", fmt.Errorf("origin %q: %s: want https://HOST or https://HOST:PORT", s, why)
	}
	u, err := url.Parse(s)
	if err != nil {
		// url.Error repeats the text, with a password where it holds one.
		return "", errors.New("origin: no URL: want https://HOST or https://HOST:PORT")
	}
	switch {
	case u.User != nil:
		return "", errors.New("origin: it has a user name or a password: want https://HOST or https://HOST:PORT")
	case u.Scheme != "https" && u.Scheme != "http":
		return no("no http or https URL")
	case u.Opaque != "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return no("more than scheme, host and port")
	}
	t, err := targetOf(u)
	if err != nil {
		return "", fmt.Errorf("origin %q: %w", s, err)
	}
	return u.Scheme + "://" + t.hostPort(), nil
}
