package compile

import (
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/address"
)

// HeldFor returns those of the client's credentials that count for calls of i:
// the ones that may be sent to its origin. Without an interface nobody can tell,
// and all count. A nil client has none. The slice may be the client's own.
func (c *Client) HeldFor(i *Interface) []Credential {
	if c == nil {
		return nil
	}
	if i == nil || !slices.ContainsFunc(c.Credentials, isBound) {
		return c.Credentials
	}
	origin := address.Exact(i.Binding, i.URL)
	plain := origin
	if i.Binding == "GRPC" && address.IsHostPort(i.URL) {
		// It does not say whether it speaks TLS. What may go out without is bound to
		// a loopback host.
		plain = strings.Replace(origin, "https:", "http:", 1)
	}
	held := []Credential{}
	for _, h := range c.Credentials {
		if !isBound(h) || origin != "" && (slices.Contains(h.Origins, origin) || slices.Contains(h.Origins, plain)) {
			held = append(held, h)
		}
	}
	return held
}

func isBound(c Credential) bool { return c.Origins != nil }
