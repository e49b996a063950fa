package security

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/compile"
)

// Held returns what the lock records for calls of a skill, by the names that
// the schemes have on the card now: the scopes of each, and the schemes that
// would send secrets elsewhere. Nil scopes mean that it records too little to
// say.
func (r *Record) Held(id string, schemes map[string]compile.Scheme) (scopes map[string][]string, moved []string) {
	i := slices.IndexFunc(r.skills, func(s Skill) bool { return s.ID == id })
	switch {
	case i < 0 || r.skills[i].Gone:
		return nil, nil
	case !r.skills[i].Recorded:
		return heldByWord(r.skills[i]), nil
	case unreadable(ways(r.skills[i].Was)[r.pinned(r.skills[i])]):
		return nil, nil
	}
	return r.heldByRecord(schemes)
}

// heldByRecord finds the schemes that the lock records in the card, and those
// of them that would send secrets elsewhere.
func (r *Record) heldByRecord(schemes map[string]compile.Scheme) (scopes map[string][]string, moved []string) {
	scopes = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		now := schemes[name]
		h := r.nearest(now)
		if h == nil {
			continue
		}
		scopes[name] = []string{}
		for _, other := range r.held {
			if alike(other.scheme, now) {
				scopes[name] = append(scopes[name], other.scopes...)
			}
		}
		l := look{r: r}
		l.endpoints(pair{h.name, name, compile.SchemeUse{Scheme: h.scheme}, compile.SchemeUse{Scheme: now}})
		if slices.ContainsFunc(l.out, func(c Change) bool { return c.Rule == "scheme-endpoint-origin-changed" }) {
			moved = append(moved, name)
		}
	}
	return scopes, moved
}

// heldByWord is for a lock that records no definitions: what it says of schemes
// and scopes is all there is. It is nil where it says too little.
func heldByWord(s Skill) map[string][]string {
	switch {
	case s.Schemes != nil && len(s.Schemes) == 0:
		return map[string][]string{}
	case s.Scopes == nil:
		return nil
	}
	// Where the lock names the way, the others do not count.
	named := func(a compile.Alternative) bool { return namesOf(a, s.Schemes) }
	list := s.Now
	if len(s.Schemes) > 0 && slices.ContainsFunc(list, named) {
		list = slices.DeleteFunc(slices.Clone(list), func(a compile.Alternative) bool { return !named(a) })
	}
	held := map[string][]string{}
	for _, a := range list {
		for name := range a.Schemes {
			held[name] = s.Scopes
		}
	}
	return held
}
