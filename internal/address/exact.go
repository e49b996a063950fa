package address

import (
	"cmp"
	"net"
	"net/url"

	"github.com/a2alock/a2alock/internal/hostname"
)

// Exact returns the origin of u in the one spelling by which it is decided where
// something may be sent, that of netguard.Origin ("https://agent.example:443"): host
// normalised, and the port in any case. It is "" for what is no http or https URL,
// and for a host that nothing is sent to.
func Exact(binding, u string) string {
	p, err := url.Parse(Origin(binding, u))
	if err != nil || p.Scheme != "https" && p.Scheme != "http" {
		return ""
	}
	host, err := hostname.Normalize(p.Hostname())
	if err != nil {
		return ""
	}
	port := "443"
	if p.Scheme == "http" {
		port = "80"
	}
	return p.Scheme + "://" + net.JoinHostPort(host, cmp.Or(p.Port(), port))
}
