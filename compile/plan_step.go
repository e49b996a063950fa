package compile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/media"
	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

func (k *planning) noInterface() string {
	i := k.profile.Interface
	if i == nil {
		return cmp.Or(k.profile.Reason, "the profile has no interface")
	}
	if len(k.lock.Origins) > 0 && !slices.Contains(k.lock.Origins, Origin(i.Binding, i.URL)) {
		return fmt.Sprintf("calls and credentials would go to %s, and the lock allows %s alone", say.Show(i.URL), say.Listed(k.lock.Origins))
	}
	return ""
}

func (k *planning) noExtension() string {
	if !k.profile.Usable {
		return cmp.Or(k.profile.Reason, "the profile is not usable")
	}
	if lost := set.Without(k.lock.Extensions, k.profile.Extensions); len(lost) > 0 {
		return fmt.Sprintf("the lock requires %s, which the card does not declare, or the client does not implement", say.Listed(lost))
	}
	return ""
}

func (k *planning) noSkill() string {
	p, id := k.profile, k.call.Skill
	if k.call.Lock != nil && !slices.Contains(k.lock.Skills, id) {
		return fmt.Sprintf("the lock does not require the skill %s, but %s", say.Show(id), say.Listed(nearest.Sort(k.lock.Skills, id)))
	}
	if slices.Contains(p.Ambiguous, id) {
		return fmt.Sprintf("the card has the skill %s more than once, and nobody can tell which of them answers", say.Show(id))
	}
	if why, ok := p.Disabled[id]; ok {
		return fmt.Sprintf("an error in the card disables the skill %s: %s", say.Show(id), why)
	}
	var ok bool
	if k.skill, ok = p.Skills[id]; !ok {
		ids := slices.Collect(maps.Keys(p.Skills))
		return fmt.Sprintf("the card has no skill %s, but %s", say.Show(id), say.Listed(nearest.Sort(ids, id)))
	}
	return ""
}

func (k *planning) noCredential() string {
	list := k.skill.Security
	if !k.names() && len(list) > 0 && !slices.ContainsFunc(list, func(a Alternative) bool { return len(a.Schemes) == 0 }) {
		k.notes = append(k.notes, "the client names no credentials, so it is taken to hold what the skill asks for: "+asked(list))
	}
	if len(list) == 0 || k.lock.Held == nil && !k.names() {
		return k.lock.Breaking
	}
	met := false
	for i, a := range list {
		if !k.meets(i, a) {
			continue
		}
		met = true
		if !slices.ContainsFunc(k.lock.Moved, func(name string) bool { _, ok := a.Schemes[name]; return ok }) {
			k.credential = credentials(a, k.held)
			k.noteStays(a)
			return k.lock.Breaking
		}
	}
	if met {
		return "secrets would go to another origin than the lock records: the skill asks for " + asked(list)
	}
	return fmt.Sprintf("the skill asks for more than %s: %s", k.allowed(), asked(list))
}

// meets reports whether alternative a of the skill, number i, can be met: each
// scheme is one that the lock records, with recorded scopes, or one that the
// client holds (docs/adr/0011).
func (k *planning) meets(i int, a Alternative) bool {
	for name, use := range a.Schemes {
		scopes, recorded := k.lock.Held[name]
		recorded = recorded && use.Kind != card.KindUnknown && len(set.Without(use.Scopes, scopes)) == 0
		if !recorded && (slices.Contains(k.lock.Own, i) || !slices.ContainsFunc(k.held, meets(use))) {
			return false
		}
	}
	return true
}

// meets is [Credential.meets] for use.
func meets(use SchemeUse) func(Credential) bool {
	return func(c Credential) bool { return c.meets(use) }
}

// names reports whether the client names credentials, wherever they may go.
func (k *planning) names() bool { return len(k.client.Credentials) > 0 }

// allowed is what a skill may ask for, in words.
func (k *planning) allowed() string {
	switch {
	case !k.names():
		return "what the lock records"
	case k.lock.Held == nil:
		return k.holds()
	case !k.binds():
		return "the lock allows"
	}
	return "the lock allows, and " + k.holds()
}

// binds reports whether the client binds a credential to an origin.
func (k *planning) binds() bool { return slices.ContainsFunc(k.client.Credentials, isBound) }

// holds says what the client has for calls of the interface. Where it binds none
// of its credentials to an origin, that is what it holds.
func (k *planning) holds() string {
	const all = "what the client holds"
	if !k.binds() {
		return all
	}
	held := make([]string, len(k.held))
	for i, c := range k.held {
		held[i] = fmt.Sprintf("%s (%s)", say.Show(c.Name), c.Kind)
		if len(c.Scopes) > 0 {
			held[i] = fmt.Sprintf("%s (%s with %s)", say.Show(c.Name), c.Kind, say.Listed(c.Scopes))
		}
	}
	i := k.profile.Interface
	return fmt.Sprintf("%s for %s, %s", all, say.Show(Origin(i.Binding, i.URL)), cmp.Or(say.Enumerate(held), "which is nothing"))
}

// noteStays says that the lock records what a asks for, and the credential that
// the client has for it goes elsewhere alone.
func (k *planning) noteStays(a Alternative) {
	for _, name := range slices.Sorted(maps.Keys(a.Schemes)) {
		use := a.Schemes[name]
		if slices.ContainsFunc(k.held, meets(use)) {
			continue
		}
		if n := slices.IndexFunc(k.client.Credentials, meets(use)); n >= 0 {
			i := k.profile.Interface
			k.notes = append(k.notes, fmt.Sprintf("the credential %s does not go to %s: its origins are %s",
				say.Show(k.client.Credentials[n].Name), say.Show(Origin(i.Binding, i.URL)), say.Listed(k.client.Credentials[n].Origins)))
		}
	}
}

// credentials names those of held that meet a.
func credentials(a Alternative, held []Credential) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a.Schemes)) {
		n := slices.IndexFunc(held, meets(a.Schemes[name]))
		if n >= 0 && !slices.Contains(out, held[n].Name) {
			out = append(out, held[n].Name)
		}
	}
	return strings.Join(out, "+")
}

// asked says what a list of alternatives asks for.
func asked(list []Alternative) string {
	ways := make([]string, len(list))
	for i, a := range list {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(a.Schemes)) {
			part := say.Show(name)
			if scopes := a.Schemes[name].Scopes; len(scopes) > 0 {
				part += " with " + say.Listed(scopes)
			}
			parts = append(parts, part)
		}
		ways[i] = cmp.Or(strings.Join(parts, " and "), "nothing")
	}
	return strings.Join(ways[:min(5, len(ways))], "; or ")
}

func (k *planning) noInput() string {
	locked, sent := k.modes(k.lock.Input), k.modes(k.call.Input)
	if beyond := set.Without(sent, locked); len(locked) > 0 && len(beyond) > 0 {
		return fmt.Sprintf("the lock does not require %s to be accepted, but %s", say.Listed(beyond), say.Listed(locked))
	}
	theirs := k.skill.Input
	if theirs == nil {
		k.notes = append(k.notes, "the card does not say which media types the skill accepts: what is sent is taken for accepted")
	}
	if lost := k.skill.refuses(locked); len(lost) > 0 {
		return fmt.Sprintf("the lock requires %s to be accepted, and %s", say.Listed(lost), accepts(k.skill))
	}
	ours := k.modes(sent, locked, k.client.Sends)
	known := theirs != nil || len(k.skill.Refused) > 0
	if known && len(k.skill.refuses(ours)) == len(ours) {
		return fmt.Sprintf("%s, and what would be sent is %s", accepts(k.skill), say.Listed(ours))
	}
	return ""
}

// refuses returns those of modes that the skill does not take, as far as anybody
// knows.
func (s Skill) refuses(modes []string) []string {
	taken := set.Without(modes, s.Refused)
	if s.Input != nil {
		taken = set.Without(taken, media.Refused(taken, s.Input))
	}
	return set.Without(modes, taken)
}

// accepts says what a skill takes.
func accepts(s Skill) string {
	what := "the skill accepts " + say.Listed(s.Input)
	if s.Input == nil {
		what = "the card does not say what the skill accepts"
	}
	if len(s.Refused) > 0 {
		what += " (callers were refused " + say.Listed(s.Refused) + ")"
	}
	return what
}

func (k *planning) noOutput() string {
	ours := k.modes(k.call.Accepts, k.lock.Output, k.client.Accepts)
	theirs := k.skill.Output
	if k.output = ours; theirs == nil {
		k.notes = append(k.notes, "the card does not say which media types the skill answers in: it is asked for all that can be used")
		return ""
	}
	if k.output = set.Without(ours, set.Without(ours, theirs)); len(k.output) == 0 {
		return fmt.Sprintf("the skill answers in %s, and what can be used is %s", say.Listed(theirs), say.Listed(ours))
	}
	return ""
}

// modes normalises the first list that is not empty: each mode once, in order.
func (k *planning) modes(lists ...[]string) []string {
	out := []string{}
	if i := slices.IndexFunc(lists, func(l []string) bool { return len(l) > 0 }); i >= 0 {
		for _, m := range lists[i] {
			if m, _ = NormalizeMode(m, k.client.Aliases); !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out
}
