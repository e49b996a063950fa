package card

import (
	"net/url"
	"strings"

	"github.com/a2alock/a2alock/internal/address"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/lookalike"
)

// hosts warns of hosts that are written to be taken for others (UTS 39), once
// each: in the addresses that clients call, and in those that people and token
// requests follow. No call depends on it.
func (r *reader) hosts(m *jsondoc.Members) {
	for _, i := range []int{cProvider, cIconURL, cDocumentationURL, cInterfaces, cURL, cAdditional, cSchemes} {
		r.hostsIn(m.At[i])
	}
}

// hostsIn looks at every address in n: the texts of members like url, iconUrl
// and token_url.
func (r *reader) hostsIn(n jsondoc.Ref) {
	v := r.At(n)
	if v.Kind == '"' && strings.HasSuffix(strings.ToLower(v.Name), "url") {
		if host := foreignHost(v.Str); host != "" {
			if odd := lookalike.Host(host); odd != "" && r.First("look-alike-host "+host) {
				r.Warn("look-alike-host", n, "%s: in the host, %s", r.Label(n), odd)
			}
		}
	}
	for c := range r.Children(n) {
		r.hostsIn(c)
	}
}

// foreignHost is the host of an address, where it may hold other letters than
// those of ASCII; else "", at the price of a look.
func foreignHost(u string) string {
	plain := strings.IndexFunc(u, func(r rune) bool { return r >= 0x80 || r == '%' }) < 0
	if plain && !strings.Contains(strings.ToLower(u), "xn--") {
		return ""
	}
	if address.IsHostPort(u) {
		u = "https://" + u
	}
	parsed, err := url.Parse(u)
	if err != nil {
		return ""
	}
	return strings.ToLower(parsed.Hostname())
}
