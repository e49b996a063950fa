package diff

import (
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/address"
)

// Limit is how far the lock of c lets a call of the skill go, for
// [compile.Plan]: on the card of c.Now, which is also what the plan is made
// from. It goes by what the rules go by: a scheme is recorded when its
// definition is, whatever its name; trusted origins count as the pinned one;
// what the lock does not record limits nothing.
func Limit(c Comparison, id string) *compile.Limit {
	c.facts = nil // those of the caller are the caller's
	f, need := c.known(), c.Lock.Requires.Skills[id]
	l := &compile.Limit{
		Skills:     f.required,
		Input:      need.Input,
		Output:     need.Output,
		Extensions: c.Lock.Requires.Extensions,
		Origins:    origins(&c),
	}
	i := slices.IndexFunc(f.skills, func(s skill) bool { return s.id == id })
	if i < 0 {
		return l
	}
	if s := f.skills[i]; s.was == nil {
		l.Held = heldByWord(s)
	} else if !unreadable(ways(s.was.Security)[pinnedWay(&c, s)]) {
		l.Held, l.Moved = heldByRecord(&c)
	}
	return l
}

// origins are those to which calls may go; nil when the lock records no
// address.
func origins(c *Comparison) []string {
	p := c.facts.pin
	if p == nil || !p.hasURL {
		return nil
	}
	pinned := compile.Origin(p.Binding, p.URL)
	list := []string{pinned}
	// The same host with TLS is no other place: interface-url-changed.
	if rest, ok := strings.CutPrefix(pinned, "http://"); ok && strings.Trim(rest, "[]") == address.Host(p.Binding, p.URL) {
		list = append(list, "https://"+rest)
	}
	if c.Lock.Trust != nil {
		for _, o := range c.Lock.Trust.AllowedOrigins {
			list = append(list, compile.Origin("", o))
		}
	}
	return slices.DeleteFunc(list, func(o string) bool { return o == "" })
}

// heldByRecord finds the schemes that the lock records in the card, and those
// of them that would send secrets elsewhere.
func heldByRecord(c *Comparison) (scopes map[string][]string, moved []string) {
	f := c.facts
	scopes = map[string][]string{}
	for _, name := range keys(c.Now.Schemes, func(string, compile.Scheme) bool { return true }) {
		now := c.Now.Schemes[name]
		h := f.nearest(now)
		if h == nil {
			continue
		}
		scopes[name] = []string{}
		for _, other := range f.held {
			if alike(other.scheme, now) {
				scopes[name] = append(scopes[name], other.scopes...)
			}
		}
		l := look{c: c}
		l.endpoints(pair{h.name, name, compile.SchemeUse{Scheme: h.scheme}, compile.SchemeUse{Scheme: now}})
		if slices.ContainsFunc(l.out, func(f Finding) bool { return f.Rule == "scheme-endpoint-origin-changed" }) {
			moved = append(moved, name)
		}
	}
	return scopes, moved
}

// heldByWord is for a lock that records no definitions: what it says of schemes
// and scopes is all there is. It is nil where it says too little.
func heldByWord(s skill) map[string][]string {
	switch {
	case s.need.Schemes != nil && len(s.need.Schemes) == 0:
		return map[string][]string{}
	case s.need.Scopes == nil:
		return nil
	}
	// Where the lock names the way, the others do not count.
	named := func(a compile.Alternative) bool { return namesOf(a, s.need.Schemes) }
	list := s.now.Security
	if len(s.need.Schemes) > 0 && slices.ContainsFunc(list, named) {
		list = slices.DeleteFunc(slices.Clone(list), func(a compile.Alternative) bool { return !named(a) })
	}
	held := map[string][]string{}
	for _, a := range list {
		for name := range a.Schemes {
			held[name] = s.need.Scopes
		}
	}
	return held
}
