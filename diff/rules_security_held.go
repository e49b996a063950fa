package diff

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/compile"
)

// A held is a scheme that the lock records for one of its skills: what the
// workflow has a credential for.
type held struct {
	name   string
	scheme compile.Scheme
	scopes []string
}

// recorded gathers the schemes of every pinned alternative that can be read; of
// every alternative for a client that holds all.
func recorded(c *Comparison) []held {
	var out []held
	for _, s := range c.facts.skills {
		if s.was == nil {
			continue
		}
		all, pinned := ways(s.was.Security), pinnedWay(c, s)
		for i, a := range all {
			if i != pinned && !c.HoldsAll || unreadable(a) {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(a.Schemes)) {
				use := a.Schemes[name]
				scopes := use.Scopes
				if i == pinned && s.need.Scopes != nil {
					scopes = s.need.Scopes
				}
				out = append(out, held{name, use.Scheme, scopes})
			}
		}
	}
	return out
}

// pinnedWay is the index, among the recorded alternatives of a skill, of the
// one that the client meant to use. A lock that does not name it meant the
// first one that the client, or the recorded scopes, can meet.
func pinnedWay(c *Comparison, s skill) int {
	list := ways(s.was.Security)
	within := func(a compile.Alternative) bool {
		for _, use := range a.Schemes {
			if len(missing(use.Scopes, s.need.Scopes)) > 0 {
				return false
			}
		}
		return true
	}
	if s.need.Schemes != nil {
		first := -1
		for i, a := range list {
			if !namesOf(a, s.need.Schemes) {
				continue
			}
			if first < 0 {
				first = i
			}
			if s.need.Scopes == nil || within(a) {
				return i
			}
		}
		if first >= 0 {
			return first
		}
	}
	if i := slices.IndexFunc(list, func(a compile.Alternative) bool { return clientMeets(c, a) }); i >= 0 {
		return i
	}
	readable := func(a compile.Alternative) bool { return !unreadable(a) }
	if s.need.Scopes != nil {
		if i := slices.IndexFunc(list, func(a compile.Alternative) bool { return readable(a) && within(a) }); i >= 0 {
			return i
		}
	}
	return max(0, slices.IndexFunc(list, readable))
}

func clientMeets(c *Comparison, a compile.Alternative) bool {
	return c.Client != nil && compile.Meets(a, c.Client.Credentials)
}

// clientHolds reports whether the client names a credential for one scheme.
func clientHolds(c *Comparison, name string, use compile.SchemeUse) bool {
	if c.Client == nil || len(c.Client.Credentials) == 0 {
		return false
	}
	return compile.Meets(compile.Alternative{Schemes: map[string]compile.SchemeUse{name: use}}, c.Client.Credentials)
}

// canMeet reports whether each scheme of a is one that a skill of this lock
// records, with recorded scopes, or one that the client is known to hold.
func (l *look) canMeet(a compile.Alternative) bool {
	for name, use := range a.Schemes {
		if !l.held(name, use) {
			return false
		}
	}
	return true
}

func (l *look) held(name string, use compile.SchemeUse) bool {
	f := l.c.facts
	return f.nearest(use.Scheme) != nil && len(f.lacks(use)) == 0 || clientHolds(l.c, name, use)
}

// nearest returns the recorded scheme that s is by definition, one with the
// same addresses first; nil when there is none.
func (f *facts) nearest(s compile.Scheme) *held {
	var best *held
	for i := range f.held {
		h := &f.held[i]
		if !alike(h.scheme, s) {
			continue
		}
		if sameScheme(h.scheme, s) {
			return h
		}
		if best == nil {
			best = h
		}
	}
	return best
}

// lacks returns the scopes in use that no skill records for the scheme.
func (f *facts) lacks(use compile.SchemeUse) []string {
	var lacking []string
	for _, scope := range use.Scopes {
		if !slices.ContainsFunc(f.held, func(h held) bool {
			return slices.Contains(h.scopes, scope) && alike(h.scheme, use.Scheme)
		}) {
			lacking = append(lacking, scope)
		}
	}
	return lacking
}
