package laws_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/lockfile"
)

// The small worlds that cards are drawn from. Small, so that two cards meet.
var (
	someURLs = []string{
		"https://agent.example/a2a", "https://agent.example/a2a/", "https://agent.example/rest?v=1", "https://Agent.example:443/a2a",
		"https://agent.example:8443/a2a", "https://other.example/a2a", "http://agent.example/a2a", "https://10.0.0.4/a2a",
	}
	someBindings   = []string{"JSONRPC", "HTTP+JSON", "GRPC", "https://bindings.example/ws/v1"}
	someVersions   = []string{"1.0", "1.0", "1.0", "1.0.1", "1.1", "0.3", "2.0"}
	someModes      = []string{"application/json", "text/plain", "text", "json", "Text/Plain", "text/plain; charset=utf-8", "text/plain;Charset=\"utf-8\"", "application/pdf", "image/png", "text/*", "*/*", "application/*"}
	someScopes     = []string{"read", "write", "admin"}
	someNames      = []string{"key", "oauth", "token", "login"}
	someExtensions = []string{"https://ext.example/citations/v1", "https://ext.example/citations/v2", "https://ext.example/billing/v1", "urn:example:trace"}
	someSkills     = []string{"quote", "book", "cancel", "a/b~c", "quöte"}
	someSecrets    = []string{"https://auth.example/token", "https://auth.example/v2/token", "https://AUTH.example:443/token", "https://login.example/token"}
	someGrants     = []string{"clientCredentials", "authorizationCode", "deviceCode", "password"}
)

// below draws a number below n, each as often: rapid's own choice leans to
// the small ones so much that the end of a list is hardly ever drawn. Zero is
// still what it shrinks to.
func below(t *rapid.T, label string, n int) int {
	return int(rapid.Uint64().Draw(t, label) * 0x9E3779B97F4A7C15 >> 32 % uint64(n))
}

func pick[T any](t *rapid.T, label string, from []T) T { return from[below(t, label, len(from))] }

// chance is true once in n times.
func chance(t *rapid.T, label string, n int) bool { return below(t, label, n) == n-1 }

// some draws up to n distinct values in any order; nil for none.
func some[T comparable](t *rapid.T, label string, from []T, n int) []T {
	return choose(t, label, from, below(t, label, n+1))
}

// few is some with at least one.
func few[T comparable](t *rapid.T, label string, from []T, n int) []T {
	return choose(t, label, from, 1+below(t, label, n))
}

func choose[T comparable](t *rapid.T, label string, from []T, n int) []T {
	var out []T
	for range n {
		if v := pick(t, label, from); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func drawFlag(t *rapid.T, label string) tristate {
	return pick(t, label, []tristate{"true", "true", "false", ""})
}

// drawExtra is a member that no version of the specification has.
func drawExtra(t *rapid.T) []jsonMember {
	if !chance(t, "extra", 6) {
		return nil
	}
	return []jsonMember{{"x-rate", list(number(pick(t, "rate", []string{"1", "20"})), text("per\u200bhour"), boolean(true))}}
}

// drawSketch draws a card that is right in every way that a call depends on,
// in any shape.
func drawSketch(t *rapid.T) *sketch {
	s := &sketch{
		shape: pick(t, "shape", []card.Shape{card.Shape10, card.Shape10, card.Shape03, card.ShapeHybrid}),
		name:  pick(t, "name", []string{"Pricing", "pricing"}), description: "Prices \"journeys\" — süß\n.",
		version:   pick(t, "version", []string{"1.0.0", "3.10.0", "2", ""}),
		streaming: drawFlag(t, "streaming"), push: drawFlag(t, "push"), more: drawFlag(t, "extended card"),
		input: drawModes(t, "default input", 8), output: drawModes(t, "default output", 8),
		extra: drawExtra(t), capabilityExtra: drawExtra(t),
	}
	s.form = sketchForm{
		flat: chance(t, "flat", 6), both: chance(t, "both", 6), bare: chance(t, "bare", 4),
		empty: chance(t, "empty", 3), legacy: chance(t, "legacy requirements", 6), nulls: chance(t, "nulls", 5),
	}
	if chance(t, "provider", 3) {
		s.organization, s.site = "Partner", "https://partner.example"
	}
	s.endpoints = drawEndpoints(t, s.shape != card.Shape03)
	switch s.shape {
	case card.Shape03:
		s.cardVersion = pick(t, "card version", []string{"0.3.0", "0.3", ""})
	case card.ShapeHybrid:
		s.legacy = drawEndpoints(t, false)
		s.cardVersion = pick(t, "card version", []string{"0.3.0", "1.0", ""})
	}
	for _, uri := range some(t, "extensions", someExtensions, 3) {
		s.extensions = append(s.extensions, drawExtension(t, uri))
	}
	for _, name := range few(t, "schemes", someNames[:3+below(t, "names", 2)], 3) {
		s.schemes = append(s.schemes, drawScheme(t, name))
	}
	s.security = s.drawSecurity(t, "card security")
	for _, id := range few(t, "skills", someSkills, 3) {
		s.skills = append(s.skills, s.drawSkill(t, id))
	}
	return s
}

// drawModes draws a list of media types; none once in n times.
func drawModes(t *rapid.T, label string, n int) []string {
	if chance(t, label+" absent", n) {
		return nil
	}
	return few(t, label, someModes, 3)
}

func drawEndpoints(t *rapid.T, modern bool) []endpoint {
	var all []endpoint
	for range 1 + below(t, "endpoints", 3) {
		e := drawEndpoint(t)
		if !modern {
			e.version, e.tenant = "", ""
		}
		all = append(all, e)
	}
	return all
}

func drawEndpoint(t *rapid.T) endpoint {
	e := endpoint{
		url: pick(t, "url", someURLs), binding: pick(t, "binding", someBindings),
		version: pick(t, "version", someVersions), tenant: pick(t, "tenant", []string{"", "", "acme"}), extra: drawExtra(t),
	}
	if e.binding == "GRPC" && chance(t, "host:port", 2) {
		e.url = "agent.example:443"
	}
	return e
}

func drawExtension(t *rapid.T, uri string) extension {
	x := extension{uri: uri, required: pick(t, "required", []tristate{"", "", "false", "true"}), extra: drawExtra(t)}
	if chance(t, "described", 3) {
		x.description = "Says where it is from."
	}
	if chance(t, "params", 2) {
		x.params = object(jsonMember{"style", text(pick(t, "style", []string{"short", "long"}))}, jsonMember{"depth", number(pick(t, "depth", []string{"1", "2"}))})
	}
	return x
}

func drawScheme(t *rapid.T, name string) scheme {
	d := scheme{name: name, extra: drawExtra(t)}
	d.kind = pick(t, "kind", []card.Kind{card.KindAPIKey, card.KindHTTP, card.KindOAuth2, card.KindOAuth2, card.KindOpenIDConnect, card.KindMutualTLS})
	switch d.kind {
	case card.KindAPIKey:
		d.place, d.param = pick(t, "place", []string{"header", "query", "cookie"}), pick(t, "parameter", []string{"X-Key", "x-key", "token"})
	case card.KindHTTP:
		d.http = pick(t, "http", []string{"bearer", "Bearer", "basic", "digest"})
	case card.KindOAuth2:
		for _, grant := range few(t, "grants", someGrants, 2) {
			d.flows = append(d.flows, drawFlow(t, grant))
		}
	case card.KindOpenIDConnect:
		d.oidc = pick(t, "oidc", someSecrets)
	}
	if chance(t, "unreadable", 15) {
		d = scheme{name: name, kind: card.KindUnknown}
	}
	return d
}

func drawFlow(t *rapid.T, grant string) flow {
	f := flow{grant: grant, token: pick(t, "token", someSecrets), scopes: someScopes}
	switch grant {
	case "authorizationCode":
		f.authorize, f.pkce = "https://auth.example/authorize", chance(t, "pkce", 3)
	case "deviceCode":
		f.code = "https://auth.example/device"
	}
	if chance(t, "refresh", 4) {
		f.renew = pick(t, "refresh", someSecrets)
	}
	return f
}

// drawSecurity draws a list of requirements over the declared schemes; nil is
// one that is not there.
func (s *sketch) drawSecurity(t *rapid.T, label string) *[]alternative {
	if chance(t, label+" absent", 4) {
		return nil
	}
	all := []alternative{}
	for range below(t, label, 4) {
		all = append(all, s.drawAlternative(t))
	}
	return &all
}

func (s *sketch) drawAlternative(t *rapid.T) alternative {
	a := alternative{extra: drawExtra(t)}
	var names []string
	for _, d := range s.schemes {
		names = append(names, d.name)
	}
	if len(names) == 0 || chance(t, "undeclared", 20) {
		names = someNames
	}
	for _, name := range some(t, "asks", names, 2) {
		a.asks = append(a.asks, ask{name, some(t, "scopes", someScopes, 2)})
	}
	if len(a.asks) == 0 && !chance(t, "anonymous", 3) {
		a.asks = []ask{{names[0], some(t, "scopes", someScopes, 2)}}
	}
	return a
}

func (s *sketch) drawSkill(t *rapid.T, id string) skill {
	k := skill{
		id: id, name: "Quotes", description: "Quotes a price.",
		tags: few(t, "tags", []string{"price", "travel", "süß"}, 3), examples: some(t, "examples", []string{"Berlin to Rome", "back?"}, 2),
		input: drawModes(t, "input", 2), output: drawModes(t, "output", 2),
	}
	if chance(t, "own security", 2) {
		k.security = s.drawSecurity(t, "skill security")
	}
	return k
}

// drawClient draws a client that mostly can use the card.
func drawClient(t *rapid.T, s *sketch) *compile.Client {
	cl := &compile.Client{
		Select:     pick(t, "select", []string{"", compile.CardOrder, compile.ClientOrder}),
		Extensions: some(t, "implemented", someExtensions, 2),
		Streaming:  true, PushEndpoint: "https://us.example/push",
		Aliases: compile.DefaultAliases(),
	}
	if chance(t, "no aliases", 6) {
		cl.Aliases = nil
	}
	for _, e := range slices.Concat(s.endpoints, s.legacy) {
		version := majorMinor(e.version)
		if version == "" {
			version = "0.3"
		}
		known := compile.Transport{Binding: e.binding, Version: version}
		if !slices.Contains(cl.Interfaces, known) && (len(cl.Interfaces) == 0 || chance(t, "speaks", 2)) {
			cl.Interfaces = append(cl.Interfaces, known)
		}
	}
	if chance(t, "speaks more", 3) {
		cl.Interfaces = append(cl.Interfaces, compile.Transport{Binding: "HTTP+JSON", Version: "1.0"})
	}
	cl.Interfaces = rapid.Permutation(cl.Interfaces).Draw(t, "order")
	for _, x := range s.extensions {
		if x.required == "true" && !slices.Contains(cl.Extensions, x.uri) {
			cl.Extensions = append(cl.Extensions, x.uri)
		}
	}
	// Most of what there is, so that the two have something in common.
	cl.Sends, cl.Accepts = config.Default().Client.Sends, config.Default().Client.Accepts
	for _, k := range append([]skill{{input: s.input, output: s.output}}, s.skills...) {
		cl.Sends = slices.Concat(cl.Sends, k.input[:min(len(k.input), 2)])
		cl.Accepts = slices.Concat(cl.Accepts, k.output[:min(len(k.output), 2)])
	}
	if chance(t, "credentials", 2) {
		for range 1 + below(t, "credentials", 2) {
			cl.Credentials = append(cl.Credentials, drawCredential(t))
		}
	}
	return cl
}

func drawCredential(t *rapid.T) compile.Credential {
	kinds := []compile.Strength{compile.Basic, compile.APIKey, compile.Bearer, compile.OAuth2, compile.MutualTLS}
	return compile.Credential{Name: "ours", Kind: pick(t, "credential", kinds), Scopes: some(t, "held scopes", someScopes, 3)}
}

// at is when everything in these tests happens.
var at = time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)

const agentURL = "https://agent.example/.well-known/agent-card.json"

// drawLock pins what can be pinned of a card, as far as chance wants it; nil
// when nothing can.
func drawLock(t *rapid.T, body []byte, cl *compile.Client) *lockfile.Lock {
	r := compile.Read(body, cl, card.Options{})
	if r.Err != nil {
		t.Fatalf("a drawn card does not parse: %v\n%s", r.Err, body)
	}
	p := r.Profile
	if !p.Usable {
		return nil
	}
	var lock *lockfile.Lock
	for _, id := range slices.Sorted(maps.Keys(p.Skills)) {
		if lock != nil && !chance(t, "require "+id, 2) {
			continue
		}
		o := lockfile.PinOptions{Old: lock, Skills: []string{id}, Agent: agentURL, CardDigest: r.Digest, At: at}
		if p.Skills[id].Input == nil {
			o.Input = []string{"text/plain"}
		}
		if p.Skills[id].Output == nil {
			o.Output = []string{"text/plain"}
		}
		if lock == nil {
			o.Streaming, o.Push = p.Streaming && chance(t, "stream", 2), p.Push && chance(t, "push", 2)
			o.Extensions = some(t, "required extensions", append(slices.Sorted(maps.Keys(p.DeclaredExtensions)), ""), 2)
			o.Extensions = slices.DeleteFunc(o.Extensions, func(uri string) bool { return uri == "" })
		}
		if l, _, err := lockfile.Pin(p, cl, o); err == nil {
			lock = l
		}
	}
	if lock != nil {
		editLock(t, lock)
	}
	return lock
}

// editLock makes the choices in a lock that are a person's: fewer types than
// both sides have, another way to authenticate, more scopes than are needed.
func editLock(t *rapid.T, l *lockfile.Lock) {
	for _, id := range l.RequiredSkills() {
		n := l.Requires.Skills[id]
		if len(n.Input) > 1 && chance(t, "less input", 2) {
			n.Input = n.Input[:1]
		}
		if len(n.Output) > 1 && chance(t, "less output", 2) {
			n.Output = n.Output[:1+below(t, "output", len(n.Output))]
		}
		ways := l.Profile.Skills[id].Security
		if len(ways) > 1 && n.Schemes != nil && chance(t, "another way", 3) {
			if w := pick(t, "way", ways); !isUnknown(w) {
				n.Schemes, n.Scopes = slices.AppendSeq([]string{}, maps.Keys(w.Schemes)), []string{}
				for _, use := range w.Schemes {
					n.Scopes = append(n.Scopes, use.Scopes...)
				}
				n.Schemes, n.Scopes = sortedOnce(n.Schemes), sortedOnce(n.Scopes)
			}
		}
		if n.Scopes != nil && len(n.Schemes) > 0 && chance(t, "more scopes", 6) {
			n.Scopes = sortedOnce(append(slices.Clone(n.Scopes), "admin"))
		}
		l.Requires.Skills[id] = n
	}
}

// sortedOnce is a set as a lock has it: sorted, and [] where it is empty.
func sortedOnce(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

func isUnknown(a compile.Alternative) bool {
	for _, use := range a.Schemes {
		if use.Kind == card.KindUnknown {
			return true
		}
	}
	return false
}

// drawRand draws what a spelling decides by.
func drawRand(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
}

// drawPinned draws a card, a client and a lock that the client pinned of it.
func drawPinned(t *rapid.T) (*sketch, *compile.Client, *lockfile.Lock) {
	s := drawSketch(t)
	cl := drawClient(t, s)
	l := drawLock(t, s.render().bytes(spelling{}), cl)
	if l == nil {
		t.Skip("nothing can be pinned")
	}
	return s, cl, l
}

func describeWorld(s *sketch, cl *compile.Client, l *lockfile.Lock) string {
	data, err := lockfile.Format(l)
	return fmt.Sprintf("card %s\nclient %+v\nlock %s %v", s.render(), *cl, data, err)
}
