package diff

import (
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/address"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

var interfaceRules = []Rule{
	{
		ID:    "interface-none-usable",
		Class: Breaking,
		Title: "the agent offers no interface that the client speaks",
		Why:   "No call can be made at all.",
		Do:    "Upgrade the client to a binding and version that the card offers, and name it in a2alock.yaml.",
		Spec:  "8.3.2",
		Example: Example{
			Now: `{"supportedInterfaces":[{"url":"https://agent.example/v2","protocolBinding":"JSONRPC","protocolVersion":"2.0"}]}`,
		},
		Check: interfaceNoneUsable,
	},
	{
		ID:    "interface-changed",
		Class: Review,
		Title: "another interface is chosen now, and the pinned one is still offered",
		Why:   "The client switches its binding or version, and two implementations of one agent rarely behave alike.",
		Do:    "Try the new interface, then pin again, or have the client keep its own order (select: client-order).",
		Spec:  "8.3.2",
		Example: Example{
			Was: `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://agent.example/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`,
			Now: `{"supportedInterfaces":[{"url":"https://agent.example/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
		},
		Check: interfaceChanged,
	},
	{
		ID:    "interface-dropped",
		Class: Review,
		Title: "the pinned binding and version are gone, and the client can use another",
		Why:   "The client is forced onto an interface that it was not tried with.",
		Do:    "Try the new interface, then pin again.",
		Spec:  "8.3.2",
		Example: Example{
			Now: `{"supportedInterfaces":[{"url":"https://agent.example/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`,
		},
		Check: interfaceDropped,
	},
	{
		ID:    "interface-url-changed",
		Class: Review,
		Title: "the interface has another path or query on the same origin, or moved from http to https",
		Why:   "Calls go to another place on the same server. A trailing slash counts: routers tell the two apart.",
		Do:    "Make sure that the new address answers, then pin again.",
		Spec:  "4.4.6",
		Example: Example{
			Now: `{"supportedInterfaces":[{"url":"https://agent.example/a2a/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
		},
		Check: interfaceURLChanged,
	},
	{
		ID:    "interface-origin-changed",
		Class: Breaking,
		Floor: true,
		Title: "the interface moved to another scheme, host or port",
		Why:   "Requests and credentials would go to a server that nobody agreed on.",
		Do:    "Ask the agent's owner. Pin the new address, or list its origin in the lock's trust.allowed_origins.",
		Spec:  "4.4.6",
		Example: Example{
			Now: `{"supportedInterfaces":[{"url":"https://other.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
		},
		Check: interfaceOriginChanged,
	},
	{
		ID:    "interface-insecure",
		Class: Breaking,
		Floor: true,
		Title: "the interface lost TLS",
		Why:   "Requests, answers and credentials would travel in the clear.",
		Do:    "Ask the agent's owner to bring https back.",
		Spec:  "7.1",
		Example: Example{
			Now: `{"supportedInterfaces":[{"url":"http://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
		},
		Check: interfaceInsecure,
	},
	{
		ID:    "interface-address-private",
		Class: Breaking,
		Floor: true,
		Title: "the interface points to a loopback, wildcard, private or link-local host",
		Why:   "Calls would reach a machine of the caller's own network, or none: a slip of a deployment, or an attack.",
		Do:    "Tell the agent's owner that the card shows an internal address.",
		Spec:  "4.4.6",
		Example: Example{
			Now: `{"supportedInterfaces":[{"url":"https://10.0.0.4/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
		},
		Check: interfaceAddressPrivate,
	},
	{
		ID:    "interface-tenant-changed",
		Class: Review,
		Title: "the chosen interface asks for another tenant",
		Why:   "Calls that name the old tenant are refused or reach another customer's data.",
		Do:    "Ask which tenant is yours, then pin again.",
		Spec:  "4.4.6",
		Example: Example{
			Now: `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"acme"}]}`,
		},
		Check: interfaceTenantChanged,
	},
	{
		ID:    "fallback-lost",
		Class: Compatible,
		Title: "another interface that the client could have used is gone",
		Why:   "The pinned one is still there; there is one way less around it.",
		Do:    "Nothing.",
		Spec:  "4.4.6",
		Example: Example{
			Was: `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://agent.example/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`,
		},
		Check: fallbackLost,
	},
	{
		ID:    "interface-gained",
		Class: Compatible,
		Title: "there is a new interface that the client could use",
		Why:   "The one that is chosen stays.",
		Do:    "Nothing.",
		Spec:  "4.4.6",
		Example: Example{
			Now: `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://agent.example/rest","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`,
		},
		Check: interfaceGained,
	},
}

func interfaceNoneUsable(c *Comparison) []Finding {
	if c.Now.Interface != nil {
		return nil
	}
	var offers []string
	for _, t := range c.Now.Offered() {
		offers = append(offers, t.Binding+" "+t.Version)
	}
	if len(offers) == 0 {
		return []Finding{found("/interface", c.known().pin.value(), nil, "the card offers no interface that can be called")}
	}
	return []Finding{found("/interface", c.known().pin.value(), nil,
		"the client speaks none of the interfaces that the card offers: %s", say.List(offers))}
}

func interfaceChanged(c *Comparison) []Finding {
	p, now := c.known().pin, c.Now.Interface
	if p == nil || now == nil || p.keeps(now) || !stillOffered(c, p) {
		return nil
	}
	return []Finding{found("/interface", p.value(), *now,
		"%s is chosen now, and the pinned %s is still offered", transport(now), transport(&p.Interface))}
}

func interfaceDropped(c *Comparison) []Finding {
	p, now := c.known().pin, c.Now.Interface
	if p == nil || now == nil || p.keeps(now) || stillOffered(c, p) {
		return nil
	}
	return []Finding{found("/interface", p.value(), *now,
		"the pinned %s is no longer offered, and the client would use %s", transport(&p.Interface), transport(now))}
}

func transport(i *compile.Interface) string { return say.Quote(i.Binding + " " + i.Version) }

func stillOffered(c *Comparison, p *pin) bool {
	for i := range c.Now.Interfaces {
		if p.keeps(&c.Now.Interfaces[i]) {
			return true
		}
	}
	return false
}

// A move is the pinned address beside the one that is chosen now.
type move struct {
	was, now             string // as written
	same                 bool   // when normalised
	wasOrigin, nowOrigin string // "" for what is no absolute URL
	wasHost, nowHost     string
	keeps                bool // binding and version stay
}

// moveOf compares the pinned URL with whatever URL is chosen now, also when
// the binding or version is another one: credentials follow the address. It is
// false when one side is not known.
func moveOf(c *Comparison) (move, bool) {
	p, now := c.known().pin, c.Now.Interface
	if p == nil || !p.hasURL || now == nil {
		return move{}, false
	}
	m := move{was: p.URL, now: now.URL, keeps: p.keeps(now)}
	if m.keeps && m.was == m.now {
		return move{}, false
	}
	m.same = compile.NormalizeURL(p.Binding, p.URL) == compile.NormalizeURL(now.Binding, now.URL)
	m.wasOrigin, m.nowOrigin = compile.Origin(p.Binding, p.URL), compile.Origin(now.Binding, now.URL)
	m.wasHost, m.nowHost = address.Host(p.Binding, p.URL), address.Host(now.Binding, now.URL)
	return m, true
}

// sameOrigin is false for what has no origin, so that an address nobody can
// read counts as foreign.
func (m move) sameOrigin() bool { return m.wasOrigin == m.nowOrigin && m.wasOrigin != "" }

// upgraded reports whether http became https on one host, both on the default
// port: an origin carries its port only where it is another one.
func (m move) upgraded() bool {
	was, ok := strings.CutPrefix(m.wasOrigin, "http://")
	now, ok2 := strings.CutPrefix(m.nowOrigin, "https://")
	return ok && ok2 && was == now && strings.Trim(was, "[]") == m.wasHost
}

func (m move) insecure() bool {
	return strings.HasPrefix(m.wasOrigin, "https://") && strings.HasPrefix(m.nowOrigin, "http://")
}

func (m move) private() bool {
	return address.IsPrivate(m.nowHost) && !address.IsPrivate(m.wasHost)
}

const interfaceURL = "/interface/url"

func interfaceURLChanged(c *Comparison) []Finding {
	m, ok := moveOf(c)
	switch {
	case !ok || !m.keeps || m.same:
		return nil
	case m.upgraded():
		return []Finding{found(interfaceURL, m.was, m.now, "the interface moved from http to https: %s is now %s", say.Quote(m.was), say.Quote(m.now))}
	case !m.sameOrigin():
		return nil
	}
	what := "the interface has another address on the same origin"
	if strings.TrimSuffix(m.was, "/") == strings.TrimSuffix(m.now, "/") {
		what = "the interface's address differs in its trailing slash"
	}
	return []Finding{found(interfaceURL, m.was, m.now, "%s: %s is now %s", what, say.Quote(m.was), say.Quote(m.now))}
}

func interfaceOriginChanged(c *Comparison) []Finding {
	m, ok := moveOf(c)
	if !ok || m.same || m.sameOrigin() || m.upgraded() {
		return nil
	}
	// The more specific rules speak of the same move.
	if m.insecure() && m.wasHost == m.nowHost || m.private() {
		return nil
	}
	f := found(interfaceURL, m.was, m.now, "calls and credentials would go to another origin: %s is now %s",
		say.Quote(m.was), say.Quote(m.now))
	if c.allows(m.nowOrigin) {
		f.Class = Review
	}
	return []Finding{f}
}

func interfaceInsecure(c *Comparison) []Finding {
	m, ok := moveOf(c)
	if !ok || !m.insecure() {
		return nil
	}
	return []Finding{found(interfaceURL, m.was, m.now, "calls would no longer be encrypted: %s is now %s", say.Quote(m.was), say.Quote(m.now))}
}

func interfaceAddressPrivate(c *Comparison) []Finding {
	m, ok := moveOf(c)
	if !ok || !m.private() {
		return nil
	}
	return []Finding{found(interfaceURL, m.was, m.now, "calls would go to the private or local host %s: %s is now %s",
		say.Quote(m.nowHost), say.Quote(m.was), say.Quote(m.now))}
}

func interfaceTenantChanged(c *Comparison) []Finding {
	p, now := c.known().pin, c.Now.Interface
	if p == nil || !p.hasTenant || now == nil || !p.keeps(now) || p.Tenant == now.Tenant {
		return nil
	}
	return []Finding{found("/interface/tenant", p.Tenant, now.Tenant, "the interface's tenant was %s and is %s",
		say.Quote(p.Tenant), say.Quote(now.Tenant))}
}

func fallbackLost(c *Comparison) []Finding {
	was, now := c.Lock.Profile, c.Now
	// Without any interface left, one finding says it all.
	if was == nil || now.Interface == nil {
		return nil
	}
	offered := identities(now.Interfaces)
	var out []Finding
	for _, i := range was.Interfaces {
		if c.speaks(&i) && !isPinned(c, &i) && !offered[identityOf(&i)] {
			out = append(out, found(interfacePath(&i), i, nil, "%s at %s is no longer offered; the lock does not use it", transport(&i), say.Quote(i.URL)))
		}
	}
	return out
}

func interfaceGained(c *Comparison) []Finding {
	was, now := c.Lock.Profile, c.Now
	if was == nil || now.Interface == nil {
		return nil
	}
	known := identities(was.Interfaces)
	var out []Finding
	for _, i := range now.Interfaces {
		// Of the chosen one the rules above speak.
		if c.speaks(&i) && !equal(&i, now.Interface) && !isPinned(c, &i) && !known[identityOf(&i)] {
			out = append(out, found(interfacePath(&i), nil, i, "%s at %s is offered too", transport(&i), say.Quote(i.URL)))
		}
	}
	return out
}

func interfacePath(i *compile.Interface) string {
	return say.Pointer("interfaces", i.Binding+"+"+i.Version)
}

func isPinned(c *Comparison, i *compile.Interface) bool {
	p := c.known().pin
	return p != nil && p.hasURL && equal(i, &p.Interface)
}

// value is the pin for a finding.
func (p *pin) value() any {
	if p == nil {
		return nil
	}
	if p.hasURL {
		return p.Interface
	}
	return lockfile.Interface{Binding: p.Binding, Version: p.Version, Tenant: p.Tenant}
}

// speaks reports whether the client implements i.
func (c *Comparison) speaks(i *compile.Interface) bool {
	return c.Client != nil && i.Version != "" &&
		slices.Contains(c.Client.Interfaces, compile.Transport{Binding: i.Binding, Version: i.Version})
}

// An identity is what identifies an interface: binding, version and normalised
// URL.
type identity struct{ binding, version, url string }

func identityOf(i *compile.Interface) identity {
	return identity{i.Binding, i.Version, compile.NormalizeURL(i.Binding, i.URL)}
}

// identities is a set, since a card may list thousands.
func identities(all []compile.Interface) map[identity]bool {
	ids := make(map[identity]bool, len(all))
	for n := range all {
		ids[identityOf(&all[n])] = true
	}
	return ids
}

func equal(a, b *compile.Interface) bool { return identityOf(a) == identityOf(b) }
