package security

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

// A look is one required skill's security, then and now. Its changes belong
// to several rules; where one is more specific than another, only that one is
// made (scope-required, scheme-changed, scheme-endpoint-* and
// security-unreadable instead of security-unsatisfiable).
type look struct {
	r    *Record
	s    Skill
	was  []compile.Alternative // never empty; nil when not recorded
	now  []compile.Alternative // never empty
	pin  int                   // the alternative in was that the client meant to use
	path string
	out  []Change
}

// Changes returns what is different now, skill by skill.
func (r *Record) Changes() []Change {
	var out []Change
	for _, s := range r.skills {
		if s.Gone {
			continue
		}
		l := look{r: r, s: s, now: ways(s.Now), path: say.Pointer("skills", s.ID, "security")}
		if s.Recorded {
			l.was, l.pin = ways(s.Was), r.pinned(s)
			l.compare()
		} else {
			l.withoutRecord()
		}
		out = append(out, l.out...)
	}
	return out
}

// say adds a change of the skill's security as a whole.
func (l *look) say(rule Rule, format string, args ...any) *Change {
	var was any
	switch {
	case l.s.Recorded:
		was = l.s.Was
	case l.s.Schemes != nil:
		was = l.s.Schemes
	}
	return l.add(rule, change(l.path, was, l.s.Now, format, args...))
}

func (l *look) add(rule Rule, c Change) *Change {
	c.Rule, c.Skill = rule, l.s.ID
	l.out = append(l.out, c)
	return &l.out[len(l.out)-1]
}

func (l *look) compare() {
	pinned := l.was[l.pin]
	if unreadable(pinned) {
		l.fromUnknown(pinned)
		return
	}
	if slices.EqualFunc(l.was, l.now, sameAlternative) {
		l.scopes(same(pinned))
		return
	}
	m := match(l.was, l.now, l.pin, l.records)
	if pairs := m.pairs[l.pin]; m.to[l.pin] >= 0 && (l.stays(pairs) || !slices.ContainsFunc(l.now, l.canUse)) {
		l.definitions(pairs)
		l.scopes(pairs)
		l.others(m, pairs)
	} else {
		l.gone(m)
	}
	l.weakened()
}

// stays reports whether what is recorded still meets the pinned alternative.
func (l *look) stays(pairs []pair) bool {
	return !slices.ContainsFunc(pairs, func(p pair) bool {
		return !alike(p.was.Scheme, p.now.Scheme) || !l.records(p.nowName, p.now)
	})
}

// fromUnknown judges security that nobody could read when it was pinned. Of
// that, a way that can be read now is worth a word, and another one that
// cannot: only the very same unknown asks for nothing new.
func (l *look) fromUnknown(pinned compile.Alternative) {
	recorded := func(a compile.Alternative) bool {
		return slices.ContainsFunc(l.was, func(b compile.Alternative) bool { return sameAlternative(a, b) })
	}
	stays := slices.ContainsFunc(l.now, func(a compile.Alternative) bool { return sameUnknown(pinned, a) })
	for _, a := range l.now {
		if !unreadable(a) && (!stays || !recorded(a)) {
			l.say(AlternativeSwitched, "what it asks for could not be read when pinned, and can be now")
			return
		}
	}
	if !stays {
		l.say(Unreadable, "what it asks for could not be read when pinned, and is something else now that cannot be read: %s",
			unreadableBecause(l.now[0]))
	}
}

// sameUnknown reports whether b asks for the schemes of a and for no scope
// more. All that an unknown scheme has is its name.
func sameUnknown(a, b compile.Alternative) bool {
	return maps.EqualFunc(a.Schemes, b.Schemes, func(was, now compile.SchemeUse) bool {
		return sameScheme(was.Scheme, now.Scheme) && len(set.Without(now.Scopes, was.Scopes)) == 0
	})
}

// definitions compares the schemes of the pinned alternative.
func (l *look) definitions(pairs []pair) {
	for _, p := range pairs {
		if !alike(p.was.Scheme, p.now.Scheme) {
			l.add(SchemeChanged, change(say.Pointer("schemes", p.nowName), p.was.Scheme, p.now.Scheme,
				"the scheme %s is another one: %s", say.Quote(p.nowName), difference(p.was.Scheme, p.now.Scheme)))
			continue
		}
		l.renamed(p)
		if lost := grants(p.was.Scheme, p.now.Scheme); len(lost) > 0 {
			l.say(AlternativeSwitched, "the scheme %s no longer has the grant %s; another one is left",
				say.Quote(p.nowName), say.List(lost))
		}
	}
}

// renamed compares what an equal scheme has beside its identity.
func (l *look) renamed(p pair) {
	if l.endpoints(p) == 0 && p.wasName != p.nowName {
		l.add(SchemeRenamed, change(say.Pointer("schemes", p.wasName), p.wasName, p.nowName,
			"the scheme %s is called %s now", say.Quote(p.wasName), say.Quote(p.nowName)))
	}
}

// scopes compares what the pinned alternative asks for.
func (l *look) scopes(pairs []pair) {
	var was, now, lacking, freed []string
	for _, p := range pairs {
		if !alike(p.was.Scheme, p.now.Scheme) {
			continue // scheme-changed says it all
		}
		was, now = append(was, p.was.Scopes...), append(now, p.now.Scopes...)
		freed = append(freed, set.Without(p.was.Scopes, p.now.Scopes)...)
		lacking = append(lacking, l.r.lacks(l.s.ID, p.now)...)
	}
	if len(lacking) > 0 {
		recorded := l.s.Scopes
		if recorded == nil {
			recorded = was
		}
		l.add(ScopeRequired, change(l.path, set.Of(recorded), set.Of(now),
			"%s %s asked for, which the lock does not record", say.List(set.Of(lacking)), say.Verb(len(set.Of(lacking)), "is", "are")))
	}
	if len(freed) > 0 {
		l.add(ScopeNoLongerRequired, change(l.path, set.Of(was), set.Of(now),
			"%s %s no longer asked for", say.List(set.Of(freed)), say.Verb(len(set.Of(freed)), "is", "are")))
	}
}

// others compares the alternatives beside the pinned one, which stays.
func (l *look) others(m matching, pinned []pair) {
	gained, lost := false, false
	for _, p := range pinned {
		gained = gained || alike(p.was.Scheme, p.now.Scheme) && len(grants(p.now.Scheme, p.was.Scheme)) > 0
	}
	for i, n := range m.to {
		if i == l.pin {
			continue
		}
		if n < 0 {
			lost = true
			continue
		}
		usable := l.canMeet(l.was[i])
		for _, p := range m.pairs[i] {
			if !slices.Equal(p.was.Scopes, p.now.Scopes) {
				gained, lost = true, true // the way as it was is gone
			}
			gained = gained || len(grants(p.now.Scheme, p.was.Scheme)) > 0
			lost = lost || len(grants(p.was.Scheme, p.now.Scheme)) > 0
			switch {
			case !sameAddresses(p.was.Scheme, p.now.Scheme) && l.r.knows(p.now.Scheme):
				gained, lost = true, true // another scheme that was there before
			case usable: // a client that holds no credential for it sends none there
				l.renamed(p)
			}
		}
	}
	gained = gained || slices.Contains(m.taken, false)
	if gained {
		l.say(AlternativeGained, "another way to authenticate came; the pinned one stays")
	}
	if lost {
		l.say(AlternativeLost, "a way to authenticate is gone; the pinned one stays")
	}
}

// gone judges what is left without the pinned alternative, or where that can no
// longer be met and another can.
func (l *look) gone(m matching) {
	noneNeeded := l.was != nil && len(l.was[l.pin].Schemes) == 0 || l.was == nil && l.s.Schemes != nil && len(l.s.Schemes) == 0
	if i := slices.IndexFunc(l.now, l.canUse); i >= 0 {
		if noneNeeded {
			l.say(Required, "no credential was needed and one is now; the client holds what is asked for").Mild = true
		} else {
			l.say(AlternativeSwitched, "the pinned way to authenticate is gone, and another can be met")
		}
		l.trusted(l.now[i])
		l.moved()
		return
	}
	l.moved()
	for i, a := range l.now {
		if unreadable(a) && !m.taken[i] {
			l.say(Unreadable, "no way to authenticate is left that can be read: %s", unreadableBecause(a))
			return
		}
	}
	if noneNeeded {
		l.say(Required, "no credential was needed, and one is now")
		return
	}
	l.say(Unsatisfiable,
		"no way to authenticate can be met with what the lock records and the client is known to hold")
}

// trusted compares the addresses of recorded schemes in a way that is met to
// those that they were recorded with. That the client is known to hold a
// credential of the kind, or one with more scopes, does not tell that it is
// another one.
func (l *look) trusted(a compile.Alternative) {
	for _, name := range slices.Sorted(maps.Keys(a.Schemes)) {
		use := a.Schemes[name]
		if h := l.r.nearest(use.Scheme); h != nil {
			l.endpoints(pair{wasName: h.name, nowName: name, was: compile.SchemeUse{Scheme: h.scheme}, now: use})
		}
	}
}

// moved says which pinned schemes would send secrets to another origin, also
// where their alternative cannot be met, or another is used.
func (l *look) moved() {
	if l.was == nil {
		return
	}
	pinned := l.was[l.pin].Schemes
	for _, name := range slices.Sorted(maps.Keys(pinned)) {
		for _, c := range l.movedScheme(name, pinned[name]) {
			if !slices.ContainsFunc(l.out, func(o Change) bool { return o.Rule == c.Rule && o.Path == c.Path }) {
				l.add(c.Rule, c)
			}
		}
	}
}

// movedScheme finds a pinned scheme again among all that are asked for now. It
// did not move while one of them is where it was.
func (l *look) movedScheme(name string, was compile.SchemeUse) []Change {
	var out []Change
	for _, a := range l.now {
		for _, other := range slices.Sorted(maps.Keys(a.Schemes)) {
			if !alike(was.Scheme, a.Schemes[other].Scheme) {
				continue
			}
			probe := look{r: l.r, s: l.s}
			probe.endpoints(pair{name, other, was, a.Schemes[other]})
			away := slices.DeleteFunc(probe.out, func(c Change) bool { return c.Rule != EndpointOriginChanged })
			if len(away) == 0 {
				return nil
			}
			if out == nil || other == name {
				out = away
			}
		}
	}
	return out
}

// weakened compares the weakest way in. What cannot be read is not known to be
// weak.
func (l *look) weakened() {
	was, ok := weakest(l.was)
	now, ok2 := weakest(l.now)
	if !ok || !ok2 || now >= was {
		return
	}
	if now == compile.Anonymous {
		l.say(Weakened, "anonymous calls are enough now; %s was the least", was)
		return
	}
	l.say(Weakened, "%s is enough now; %s was the least", now, was)
}

func weakest(list []compile.Alternative) (compile.Strength, bool) {
	least, ok := compile.MutualTLS, false
	for _, a := range list {
		if !unreadable(a) {
			least, ok = min(least, a.Strength()), true
		}
	}
	return least, ok
}

func namesOf(a compile.Alternative, schemes []string) bool {
	for _, name := range schemes {
		if _, ok := a.Schemes[name]; !ok {
			return false
		}
	}
	return len(a.Schemes) == len(set.Of(schemes))
}
