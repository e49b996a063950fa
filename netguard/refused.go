package netguard

import (
	"fmt"
	"net/netip"

	"github.com/a2alock/a2alock/internal/redact"
)

// Kind says which decision refused, and so what a person could change.
type Kind string

const (
	// KindURL: the URL itself: its scheme, a user name, an odd host or port.
	// No configuration allows it.
	KindURL Kind = "url"
	// KindPlain: http to a host that [Guard.HTTP] does not list.
	KindPlain Kind = "plain-http"
	// KindAddress: a special address that [Guard.Allow] does not list.
	KindAddress Kind = "address"
	// KindRedirect: a redirect that is not followed wherever it leads: one too
	// many, from https to http, without a usable Location.
	KindRedirect Kind = "redirect"
)

// Refused is the error of a request that the [Guard] did not let out.
type Refused struct {
	Kind Kind
	// URL is where the request was to go, unredacted; "" when only a dial was
	// refused (see [Guard.Transport]).
	URL string
	// Host and Port are as the policy reads them; Host is "" when it could
	// not be read.
	Host string
	Port uint16
	// Addr is the refused address, for KindAddress.
	Addr netip.Addr
	// Redirected is whether a server, not a person, named the URL: then a hint
	// to allow it would be that server's wish.
	Redirected bool
	Reason     string
}

// Error says why; it names the URL, redacted, where a redirect led to it.
func (r *Refused) Error() string {
	if r.Redirected && r.URL != "" {
		return fmt.Sprintf("redirect to %s refused: %s", redact.URL(r.URL), r.Reason)
	}
	return "refused: " + r.Reason
}
