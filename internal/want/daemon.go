package want

import (
	"encoding/base64"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Listen wants the host and port of an own address; port 0 is any that is free.
func Listen(s string) error {
	host, port, err := net.SplitHostPort(s)
	if err != nil || host != "" && Host(host) != nil {
		return errors.New("want host:port, such as 127.0.0.1:8437")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return errors.New("want a port from 0 to 65535 after the host")
	}
	return nil
}

// IsLoopback reports whether what listens at s, which [Listen] accepts, is
// reached from this machine alone. A name other than localhost may mean
// anything, and no host at all is every address.
func IsLoopback(s string) bool {
	host, _, _ := net.SplitHostPort(s)
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}

// Label wants a word that can stand in a key, a metric and a command line.
func Label(s string) error {
	bad := func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	if s == "" || len(s) > 64 || s[0] == '-' || strings.ContainsFunc(s, bad) {
		return errors.New("want a name of letters, digits, - and _")
	}
	return nil
}

// Pattern wants a text to compare with, in which * stands for any text.
func Pattern(s string) error {
	if Name(s) != nil {
		return errors.New("want a text, in which * stands for any")
	}
	return nil
}

// Word wants one word: what, in the error.
func Word(what string) func(string) error {
	return func(s string) error {
		if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return errors.New("want " + what)
		}
		return nil
	}
}

// Secret wants a secret as Standard Webhooks has it. Its libraries decode what
// follows the prefix, so a plain text would never verify.
func Secret(s string) error {
	text, ok := strings.CutPrefix(s, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	// DecodeString passes over line ends.
	if !ok || err != nil || len(key) < 24 || len(key) > 64 || strings.ContainsAny(text, "\r\n") {
		return errors.New("want whsec_ and the base64 of 24 to 64 random bytes")
	}
	return nil
}
