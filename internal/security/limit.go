package security

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/set"
)

// Held returns what the lock records for calls of a skill, by the names that
// the schemes have on the card now: the scopes of each, and the schemes that
// would send secrets elsewhere. Nil scopes mean that it records too little to
// say.
func (r *Record) Held(id string, schemes map[string]compile.Scheme) (scopes map[string][]string, moved []string) {
	s, ok := r.skill(id)
	switch {
	case !ok:
		return nil, nil
	case s.Recorded && unreadable(ways(s.Was)[r.pinned(s)]):
		return nil, nil
	case s.Recorded:
		return r.heldByRecord(id, schemes)
	}
	word := r.heldByWord(s)
	if word == nil {
		return nil, nil
	}
	// What other skills record counts too.
	scopes, moved = r.heldByRecord(id, schemes)
	for name, list := range word {
		scopes[name] = append(slices.Clone(list), scopes[name]...)
	}
	return scopes, set.Without(moved, slices.Collect(maps.Keys(word)))
}

// Own returns which alternatives of a skill now, by index, are of the schemes
// that the lock meant to use: for those the client may present what the lock
// records alone.
func (r *Record) Own(id string) []int {
	s, ok := r.skill(id)
	if !ok || !s.Recorded {
		return nil
	}
	was := ways(s.Was)
	pinned := was[r.pinned(s)]
	if unreadable(pinned) {
		return nil
	}
	var list []int
	for i, a := range s.Now {
		if own(pinned, a) {
			list = append(list, i)
		}
	}
	return list
}

// skill returns a skill that is there.
func (r *Record) skill(id string) (Skill, bool) {
	i := slices.IndexFunc(r.skills, func(s Skill) bool { return s.ID == id && !s.Gone })
	if i < 0 {
		return Skill{}, false
	}
	return r.skills[i], true
}

// heldByRecord finds the schemes that the lock records in the card, and those
// of them that would send secrets elsewhere than each record of them.
func (r *Record) heldByRecord(id string, schemes map[string]compile.Scheme) (scopes map[string][]string, moved []string) {
	scopes = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		now := schemes[name]
		if r.nearest(now) == nil {
			continue
		}
		scopes[name] = append([]string{}, r.scopes(id, now)...)
		stays := false
		for _, h := range r.held {
			if !alike(h.scheme, now) {
				continue
			}
			l := look{r: r}
			l.endpoints(pair{h.name, name, compile.SchemeUse{Scheme: h.scheme}, compile.SchemeUse{Scheme: now}})
			stays = stays || !slices.ContainsFunc(l.out, func(c Change) bool { return c.Rule == EndpointOriginChanged })
		}
		if !stays {
			moved = append(moved, name)
		}
	}
	return scopes, moved
}
