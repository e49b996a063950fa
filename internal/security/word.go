package security

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

// withoutRecord judges a skill of which the lock records no security: what it
// can say rests on its own words, and on what the client is known to hold. What
// cannot be read is never taken for none.
func (l *look) withoutRecord() {
	list, named := l.r.meant(l.s)
	if named && slices.ContainsFunc(list, l.canMeet) {
		return
	}
	if asked := l.asked(list); len(asked) > 0 {
		l.add(ScopeRequired, change(l.path, l.s.Scopes, l.s.Now,
			"every way to authenticate asks for scopes that the lock does not record: %s", say.List(asked)))
		return
	}
	l.gone(matching{taken: make([]bool, len(l.now))})
}

// meant returns the ways that a lock without a record speaks of: those of the
// schemes that it names, and all where it names none. Named is false where it
// names some and no such way is there that can be read; then all are left.
func (r *Record) meant(s Skill) (list []compile.Alternative, named bool) {
	now := ways(s.Now)
	if s.Schemes == nil {
		return now, true
	}
	for _, a := range now {
		if namesOf(a, s.Schemes) && !unreadable(a) {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		return now, false
	}
	return list, true
}

// asked returns the scopes that are all that is missing to meet the ways of
// list.
func (l *look) asked(list []compile.Alternative) []string {
	if l.s.Scopes == nil {
		return nil
	}
	missing := map[string]bool{}
	for _, a := range list {
		if len(missing) > most { // it is for a message
			break
		}
		var over []string
		if all(a, func(name string, use compile.SchemeUse) bool {
			if l.held(name, use) {
				return true
			}
			over = append(over, set.Without(use.Scopes, l.s.Scopes)...)
			return l.r.byWord(l.s, name, compile.SchemeUse{Scheme: use.Scheme})
		}) {
			for _, scope := range over {
				missing[scope] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(missing))
}

// byWord reports whether a lock that does not record what the skill asked for
// says by its schemes and scopes that the workflow can meet use. Where it names
// no schemes, all are taken to be held by a client that names no credentials,
// and else those of a kind that the client names: to its scopes the lock's are
// added.
func (r *Record) byWord(s Skill, name string, use compile.SchemeUse) bool {
	if s.Recorded || use.Kind == card.KindUnknown {
		return false
	}
	over := use.Scopes
	if s.Scopes != nil {
		over = set.Without(use.Scopes, s.Scopes)
	}
	switch {
	case s.Schemes != nil:
		return slices.Contains(s.Schemes, name) && (s.Scopes == nil || len(over) == 0)
	case !r.clientNames():
		return s.Scopes == nil || len(over) == 0
	}
	return r.clientHolds(name, compile.SchemeUse{Scheme: use.Scheme, Scopes: over})
}

// heldByWord is what byWord says, by the names that the schemes have now; nil
// where the lock and the client say too little to limit anything.
func (r *Record) heldByWord(s Skill) map[string][]string {
	if s.Schemes == nil && s.Scopes == nil {
		return nil
	}
	list, _ := r.meant(s)
	held := map[string][]string{}
	for _, a := range list {
		for name, use := range a.Schemes {
			if !r.byWord(s, name, compile.SchemeUse{Scheme: use.Scheme}) {
				continue
			}
			scopes := s.Scopes
			if scopes == nil {
				scopes = append(held[name], use.Scopes...)
			}
			held[name] = append([]string{}, scopes...)
			if s.Schemes != nil {
				continue
			}
			for _, c := range r.holder.Client.HeldFor(r.holder.Now) {
				if compile.Meets(compile.Alternative{Schemes: map[string]compile.SchemeUse{name: {Scheme: use.Scheme}}}, []compile.Credential{c}) {
					held[name] = append(held[name], c.Scopes...)
				}
			}
		}
	}
	return held
}
