package netguard

import (
	"fmt"
	"net"
	"strconv"

	"github.com/a2alock/a2alock/internal/address"
)

// Lines is the line of a2alock.yaml that would let the request out; "" for what
// no configuration allows, and for what a server's redirect led to. Plain http
// is judged first, so that a private host wants both keys.
func (r *Refused) Lines() string {
	if r.Redirected || r.Host == "" {
		return ""
	}
	allow := fmt.Sprintf("allow: [%q]", net.JoinHostPort(r.Host, strconv.Itoa(int(r.Port))))
	plain := fmt.Sprintf("http: [%q]", r.Host)
	lines := ""
	switch {
	case r.Kind == KindAddress:
		lines = allow
	case r.Kind == KindPlain && address.IsPrivate(r.Host):
		lines = allow + ", " + plain
	case r.Kind == KindPlain:
		lines = plain
	default:
		return ""
	}
	return "network: {" + lines + "}"
}
