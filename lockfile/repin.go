package lockfile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/media"
	"github.com/a2alock/a2alock/internal/security"
	"github.com/a2alock/a2alock/internal/set"
)

// keptNeed returns what stays required of a skill that Old requires. With add,
// the media types asked for come in.
func (pin *pinning) keptNeed(id string, n Need, add bool) Need {
	s, there := pin.profile.Skills[id]
	switch {
	case !there && add && slices.Contains(pin.opts.Skills, id) && len(pin.input)+len(pin.output) > 0:
		pin.skill(id) // fails: types for what is not there
		return n
	case !there:
		reason := pin.absence(id)
		if reason == "" {
			reason = "the agent no longer has it"
		}
		pin.note("the lock still requires skill %s: %s", quote(id), reason)
		return n
	}
	n.Input = set.Of(n.Input)
	if add {
		n = pin.addModes(id, n, s)
	}
	pin.noteModes(id, n, s)
	schemes, scopes := pin.security(id, s, n)
	if n.Schemes != nil && !slices.Equal(set.Of(n.Schemes), schemes) ||
		n.Scopes != nil && !slices.Equal(set.Of(n.Scopes), scopes) {
		pin.note("skill %s: now pinned to %s, before to %s", quote(id),
			credentials(schemes, scopes), credentials(n.Schemes, n.Scopes))
	}
	n.Schemes, n.Scopes = schemes, scopes
	return n
}

// addModes adds the media types asked for to those already required.
func (pin *pinning) addModes(id string, n Need, s compile.Skill) Need {
	if len(pin.input) > 0 {
		more := set.Without(pin.modes(id, "input", pin.input, s.Input, nil), n.Input)
		pin.noteKept(id, "input", more, pin.input, n.Input)
		n.Input = set.Of(slices.Concat(n.Input, more))
		n.Assumed = n.Assumed || s.Input == nil
	}
	if len(pin.output) > 0 {
		more := set.Without(pin.modes(id, "output", pin.output, s.Output, nil), n.Output)
		pin.noteKept(id, "output", more, pin.output, n.Output)
		n.Output = slices.Concat(n.Output, more)
		n.Assumed = n.Assumed || s.Output == nil
	}
	return n
}

// noteKept tells whoever named fewer media types than the lock requires that
// naming them takes none out.
func (pin *pinning) noteKept(id, direction string, more, asked, kept []string) {
	rest := set.Without(kept, asked)
	if len(more) > 0 || len(rest) == 0 {
		return
	}
	pin.note("skill %s: the lock already requires %s %s, and %s too: pin takes nothing out; edit requires in the lock for that",
		quote(id), direction, list(asked), list(rest))
}

// noteModes tells which required media types the skill no longer has.
func (pin *pinning) noteModes(id string, n Need, s compile.Skill) {
	for _, d := range []struct {
		name         string
		need, theirs []string
		lacks        func(need, theirs []string) []string
	}{{"input", n.Input, s.Input, media.Refused}, {"output", n.Output, s.Output, set.Without}} {
		gone := d.lacks(normalised(d.need, pin.client.Aliases), d.theirs)
		switch {
		case d.theirs == nil && !n.Assumed:
			pin.note("the lock still requires %s %s of skill %s, for which the card no longer declares media types",
				d.name, list(d.need), quote(id))
		case d.theirs != nil && len(gone) > 0:
			pin.note("the lock still requires %s %s of skill %s, which has %s", d.name, list(gone), quote(id), list(d.theirs))
		}
	}
}

// security returns the schemes and scopes to record for a skill: those that
// were recorded, as long as an alternative that they fit is offered, else those
// of the one that a lock without any would mean ([security.Meant]). Nil schemes
// mean that none can be named.
func (pin *pinning) security(id string, s compile.Skill, old Need) (schemes, scopes []string) {
	if len(s.Security) == 0 {
		return []string{}, []string{}
	}
	held := pin.client.HeldFor(pin.profile.Interface)
	i, kept := security.Meant(s.Security, old.Schemes, old.Scopes, held)
	if !kept {
		i, _ = security.Meant(s.Security, nil, nil, held)
	}
	way := s.Security[i]
	schemes, scopes = record(way)
	if kept {
		if old.Scopes != nil {
			scopes = set.Of(old.Scopes)
		}
		return schemes, scopes
	}
	if len(pin.client.Credentials) > 0 && !compile.Meets(way, held) {
		pin.note("skill %s: no alternative of its security can be met with the client's credentials", quote(id))
	}
	switch {
	case slices.Contains(schemes, ""): // a requirement that cannot be read as a whole
		pin.note("skill %s: its security cannot be read, so no scheme is recorded", quote(id))
		return nil, []string{}
	case !readable(way):
		pin.note("skill %s: its security cannot be read (%s): nobody can tell what calls need", quote(id), list(schemes))
	}
	return schemes, scopes
}

// readable reports whether each scheme of a is one that a client could present.
func readable(a compile.Alternative) bool {
	for _, use := range a.Schemes {
		if use.Kind == card.KindUnknown {
			return false
		}
	}
	return true
}

// record returns the names of an alternative and all scopes it asks for.
func record(a compile.Alternative) (schemes, scopes []string) {
	for _, use := range a.Schemes {
		scopes = append(scopes, use.Scopes...)
	}
	return set.Of(slices.Collect(maps.Keys(a.Schemes))), set.Of(scopes)
}

// credentials shows an alternative in a note.
func credentials(schemes, scopes []string) string {
	text := "no scheme"
	if schemes == nil {
		text = "an unrecorded scheme"
	} else if len(schemes) > 0 {
		text = list(schemes)
	}
	if len(scopes) > 0 {
		text += " with " + list(scopes)
	}
	return text
}

// renew settles in l what depends on the lock before: its evidence, what only
// a newer version knows of its profile, and its time.
func (pin *pinning) renew(l *Lock) error {
	pin.dropEvidence(l)
	if err := graftProfile(l, pin.old); err != nil {
		return err
	}
	if pin.opts.Refresh {
		return nil
	}
	at := l.PinnedAt
	l.PinnedAt = pin.old.PinnedAt
	same, err := sameBytes(l, pin.old)
	if err != nil {
		return err
	}
	if !same || l.PinnedAt == "" {
		l.PinnedAt = at
	}
	return nil
}

// dropEvidence drops what was seen of another profile. A short text names no
// profile, and belongs to that of the lock it stood in.
func (pin *pinning) dropEvidence(l *Lock) {
	was := pin.old.ProfileDigest
	if was == "" && pin.old.CardDigest != "" && pin.old.CardDigest == l.CardDigest {
		was = l.ProfileDigest // the same card has the same profile
	}
	var dropped []string
	for _, claim := range slices.Sorted(maps.Keys(l.Verified)) {
		made := was
		if d := l.Verified[claim].ProfileDigest; d != "" {
			made = d
		}
		if made != l.ProfileDigest {
			delete(l.Verified, claim)
			dropped = append(dropped, claim)
		}
	}
	if len(dropped) == 0 {
		return
	}
	if len(l.Verified) == 0 {
		l.Verified = nil
	}
	pin.note("dropped the evidence for %s: it was made for another profile, or does not say for which", list(dropped))
}

// graftProfile carries members that this version does not know from the old
// profile to where the new one has the same place.
func graftProfile(l, old *Lock) error {
	if old.Profile == nil {
		return nil
	}
	was, err := tree(old.Profile)
	if err != nil {
		return err
	}
	now, err := tree(l.Profile)
	if err != nil {
		return err
	}
	s, _ := lockShape().Known("profile")
	if !s.Graft(now, was) {
		return nil
	}
	p := new(compile.Profile)
	if err := json.Unmarshal(s.Compact(now), p); err != nil {
		return fmt.Errorf("renewing the profile: %w", err)
	}
	l.Profile = p
	return nil
}
