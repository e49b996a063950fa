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
// what the lock does not record limits nothing. A difference that a security
// rule calls breaking, as the catalogue has it, ends calls of the skill.
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
	l.Held, l.Moved = f.security.Held(id, c.Now.Schemes)
	l.Own = f.security.Own(id)
	for _, change := range f.changes {
		if rule := byID()[string(change.Rule)]; change.Skill == id && !change.Mild && rule.Class == Breaking {
			l.Breaking = change.Message
			break
		}
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
