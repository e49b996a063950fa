package security

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/set"
)

// A held is a scheme that the lock records for one of its skills: what the
// workflow has a credential for.
type held struct {
	skill  string
	name   string
	scheme compile.Scheme
	scopes []string
}

// recorded gathers the schemes of every pinned alternative that can be read; of
// every alternative for a client that holds all.
func (r *Record) recorded(all bool) []held {
	var out []held
	for _, s := range r.skills {
		if !s.Recorded {
			continue
		}
		list, pinned := ways(s.Was), r.pinned(s)
		for i, a := range list {
			if i != pinned && !all || unreadable(a) {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(a.Schemes)) {
				use := a.Schemes[name]
				scopes := use.Scopes
				if i == pinned && s.Scopes != nil {
					scopes = s.own(a, use)
				}
				out = append(out, held{s.ID, name, use.Scheme, scopes})
			}
		}
	}
	return out
}

// own returns the scopes that the lock's words leave for one scheme of the
// pinned alternative: all, where no other scheme of it asks for any; else they
// do not say which scheme they are for, and add none to its own.
func (s Skill) own(a compile.Alternative, use compile.SchemeUse) []string {
	asking := 0
	for _, u := range a.Schemes {
		if len(u.Scopes) > 0 {
			asking++
		}
	}
	if len(a.Schemes) == 1 || asking == 1 && len(use.Scopes) > 0 {
		return s.Scopes
	}
	return set.Without(use.Scopes, set.Without(use.Scopes, s.Scopes))
}

// pinned is the index, among the recorded alternatives of a skill, of the
// one that the client meant to use.
func (r *Record) pinned(s Skill) int {
	i, _ := Meant(ways(s.Was), s.Schemes, s.Scopes, r.holder.Client.HeldFor(r.holder.Was))
	return i
}

// clientHolds reports whether the client names a credential for one scheme that
// may go where calls go now.
func (r *Record) clientHolds(name string, use compile.SchemeUse) bool {
	held := r.holder.Client.HeldFor(r.holder.Now)
	return len(held) > 0 && compile.Meets(compile.Alternative{Schemes: map[string]compile.SchemeUse{name: use}}, held)
}

// clientNames reports whether the client names credentials, for whatever origin.
func (r *Record) clientNames() bool {
	return r.holder.Client != nil && len(r.holder.Client.Credentials) > 0
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

// canUse is canMeet, save for alternatives of the pinned schemes: for those the
// client may present what the lock records alone, whatever else it holds.
func (l *look) canUse(a compile.Alternative) bool {
	if l.was != nil && own(l.was[l.pin], a) {
		return all(a, l.records)
	}
	return l.canMeet(a)
}

// own reports whether a is of the pinned schemes, by what they are or by what
// they are called: a scheme that became another one under its name is what the
// pinned alternative asks for now.
func own(pinned, a compile.Alternative) bool {
	_, byDefinition := related(pinned, a, sameIdentity)
	_, byName := related(pinned, a, sameName)
	return byDefinition || byName
}

func (l *look) held(name string, use compile.SchemeUse) bool {
	return l.records(name, use) || l.r.clientHolds(name, use) || l.r.byWord(l.s, name, use)
}

func (l *look) records(_ string, use compile.SchemeUse) bool {
	return l.r.nearest(use.Scheme) != nil && len(l.r.lacks(l.s.ID, use)) == 0
}

// nearest returns the recorded scheme that s is by definition, one with the
// same addresses first; nil when there is none.
func (r *Record) nearest(s compile.Scheme) *held {
	var best *held
	for i := range r.held {
		h := &r.held[i]
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

// knows reports whether the lock records a scheme, addresses and all, for any way
// of any of its skills.
func (r *Record) knows(s compile.Scheme) bool {
	for _, skill := range r.skills {
		for _, a := range skill.Was {
			for _, use := range a.Schemes {
				if alike(use.Scheme, s) && sameAddresses(use.Scheme, s) {
					return true
				}
			}
		}
	}
	return false
}

// lacks returns the scopes in use that are not recorded for the scheme.
func (r *Record) lacks(id string, use compile.SchemeUse) []string {
	return set.Without(use.Scopes, r.scopes(id, use.Scheme))
}

// scopes are those recorded for a scheme, addresses and all; where it is
// nowhere recorded as it is now, those that the skill itself had for its like,
// else those of the nearest, to whose addresses it is then compared.
func (r *Record) scopes(id string, s compile.Scheme) []string {
	var exact, like []string
	found, own := false, false
	for _, h := range r.held {
		switch {
		case !alike(h.scheme, s):
		case sameAddresses(h.scheme, s):
			exact, found = append(exact, h.scopes...), true
		case h.skill == id:
			like, own = append(like, h.scopes...), true
		}
	}
	h := r.nearest(s)
	switch {
	case found:
		return exact
	case own:
		return like
	case h != nil:
		return h.scopes
	}
	return nil
}

// sameAddresses compares what schemes that are alike have beside that: the case
// of a header's name makes no other scheme.
func sameAddresses(a, b compile.Scheme) bool {
	a.Name = b.Name
	return sameScheme(a, b)
}
