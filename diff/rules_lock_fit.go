package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

// lockFitRules hold a lock against what it is pinned to.
var lockFitRules = []Rule{
	{
		ID:      "lock-weakened-to-fit",
		Class:   Breaking,
		Title:   "a requirement was dropped exactly where the new card fails it",
		Why:     "The check turns green, and the workflow that still needs it fails in production.",
		Do:      "Take the requirement back and ask the agent's owner. Where the workflow does without it now, waive this finding.",
		Section: Dropped,
		Design:  "Changes of a lock",
		Example: Example{
			Was:    `{"capabilities":{"streaming":true}}`,
			Lock:   `{"requires":{"streaming":true}}`,
			Change: `{"requires":{"streaming":false}}`,
			Also:   []string{"streaming-lost"},
		},
		Review: weakenedToFit,
	},
	{
		ID:      "lock-unsatisfied",
		Class:   Breaking,
		Title:   "the lock's own pinned profile does not meet its requirements",
		Why:     "The next check is breaking, or the profile is not the one that was pinned.",
		Do:      "Pin again: a2alock pin LOCK says what the agent does not offer.",
		Section: Asked,
		Design:  "Changes of a lock",
		Example: Example{
			Change: `{"requires":{"push":true}}`,
		},
		Review: unsatisfied,
	},
}

// A failure is what a dropped requirement would meet, and in which profile.
type failure struct {
	Finding
	in *compile.Profile
}

// A spot is where a rule speaks.
type spot struct{ rule, path string }

func spotOf(f Finding) spot { return spot{f.Rule, f.Path} }

func weakenedToFit(r *Revision) []Finding {
	var out []Finding
	for _, q := range r.facts.dropped {
		if x, fails := r.fails(q); fails {
			out = append(out, q.found(wasOf(r.facts.was, q), nil, "%s is no longer required, exactly where the new card fails it: %s (%s)",
				q.text(), x.Message, x.Rule))
		} else if why := r.unknown(q); why != "" {
			out = append(out, q.found(wasOf(r.facts.was, q), nil, "%s is no longer required, and %s", q.text(), why))
		}
	}
	for _, q := range r.facts.taken {
		if x, fails := r.fails(q); fails {
			was := r.facts.gone[len(r.facts.gone)-1]
			out = append(out, q.found(wasOf(was, q), nil, "%s, which goes with this change, requires %s, and the new card fails it: %s (%s)",
				say.Quote(was.Path), q.text(), x.Message, x.Rule))
		}
	}
	return out
}

// trial makes two locks of was: one that requires what was dropped and nothing
// else, and one that requires nothing of it. What a profile fails of the first
// alone, it fails of what was dropped.
func trial(was *lockfile.Lock, f *amended, list []requirement) (with, without *lockfile.Lock) {
	a, b := *was, *was
	a.Requires, b.Requires = lockfile.Requires{Skills: map[string]lockfile.Need{}}, lockfile.Requires{Skills: map[string]lockfile.Need{}}
	var unrecorded []string
	for _, q := range list {
		if f.vague[q.skill] {
			continue
		}
		need := was.Requires.Skills[q.skill]
		if kept, ok := f.now.Requires.Skills[q.skill]; ok {
			if _, started := b.Requires.Skills[q.skill]; !started {
				rest := lockfile.Need{Schemes: kept.Schemes, Scopes: kept.Scopes}
				b.Requires.Skills[q.skill], a.Requires.Skills[q.skill] = rest, rest
			}
			part := a.Requires.Skills[q.skill]
			switch q.kind {
			case "input":
				part.Input = append(part.Input, q.value)
			case "output":
				part.Output = need.Output // one that is left makes the others a matter of taste
			case "credentials":
				part.Schemes, part.Scopes = need.Schemes, need.Scopes
				unrecorded = append(unrecorded, q.skill)
			}
			a.Requires.Skills[q.skill] = part
			continue
		}
		switch q.kind {
		case "streaming":
			a.Requires.Streaming = true
		case "push":
			a.Requires.Push = true
		case "extension":
			a.Requires.Extensions = append(a.Requires.Extensions, q.value)
		case "skill":
			a.Requires.Skills[q.skill] = need
		}
	}
	for _, id := range unrecorded { // whatever its security asks for now is of what was recorded
		delete(b.Requires.Skills, id)
	}
	return &a, &b
}

// fails returns what the new card says to a dropped requirement, if it is no.
func (r *Revision) fails(q requirement) (Finding, bool) {
	var worst failure
	for _, at := range sortedSpots(r.facts.failing) {
		x := r.facts.failing[at]
		if r.isOf(x, q) && (worst.Rule == "" || x.Class > worst.Class) {
			worst = x
		}
	}
	return worst.Finding, worst.Rule != ""
}

func sortedSpots(m map[spot]failure) []spot {
	out := make([]spot, 0, len(m))
	for at := range m {
		out = append(out, at)
	}
	slices.SortFunc(out, func(a, b spot) int { return strings.Compare(a.path+"\n"+a.rule, b.path+"\n"+b.rule) })
	return out
}

// isOf reports whether x is what q meets.
func (r *Revision) isOf(x failure, q requirement) bool {
	c := &Comparison{Client: r.Client}
	switch q.kind {
	case "streaming", "push":
		return x.Path == "/"+q.kind
	case "extension":
		return x.Path == extensionPath(q.value)
	case "input":
		return x.Path == say.Pointer("skills", q.skill, "input") && len(refused(c, []string{q.value}, x.in.Skills[q.skill].Input)) > 0
	case "output":
		return x.Path == say.Pointer("skills", q.skill, "output") && len(missing(c, []string{q.value}, x.in.Skills[q.skill].Output)) > 0
	case "credentials":
		return slices.Contains(x.Skills, q.skill) && r.facts.rules[x.Rule].Subject == "Security"
	}
	return slices.Contains(x.Skills, q.skill)
}

// unknown says why nobody can tell whether the new card fails a dropped
// requirement that it may well fail; "" where somebody can.
func (r *Revision) unknown(q requirement) string {
	f := r.facts
	switch {
	case q.kind == "skill" && f.vague[q.skill] && f.was != nil && f.was.Profile.SkillDigest(q.skill) != "":
		return "the agent changed it meanwhile, and the lock has only its digest: nobody can tell whether it still offers what was required"
	case f.profile == nil && f.was != nil && f.was.Profile != nil && q.kind != "credentials":
		return "the lock no longer records a profile: nobody can tell whether the agent still offers it"
	case f.profile == nil && f.was != nil && q.kind != "credentials" && f.was.CardDigest != f.now.CardDigest:
		return "the lock is pinned to another card, and records no profile: nobody can tell whether the agent still offers it"
	}
	return ""
}

func unsatisfied(r *Revision) []Finding {
	f := r.facts
	if f.now == nil || f.now.Profile == nil {
		return nil
	}
	var out []Finding
	p := f.now.Profile
	own := slices.Clone(f.alone)
	excuse(f.now.Waivers, own, r.At)
	for _, x := range own {
		if x.Waived != nil {
			continue
		}
		msg := fmt.Sprintf("%s (%s)", x.Message, x.Rule)
		if len(x.Skills) == 1 && p.OtherSkills[x.Skills[0]] != "" {
			msg = "the lock requires it, and its profile has no more of it than a digest"
		}
		out = append(out, Finding{Class: byRule, Path: LockPointer(x), Skills: x.Skills, Message: msg})
	}
	if d := f.now.ProfileDigest; d != "" && !fits(f.now) {
		out = append(out, found("/profile_digest", nil, d, "it is not the digest of the profile in the lock, so that is not what was pinned"))
	}
	return out
}

// fits reports whether the profile of l is the one that its digest names: over
// the required skills, or all that the profile has in full, where requirements
// were taken out since.
func fits(l *lockfile.Lock) bool {
	return l.ProfileDigest == l.Profile.Digest(l.RequiredSkills()) || l.ProfileDigest == l.Profile.Digest(nil)
}

// pinned is the profile that the new lock was pinned to: its own, else that of
// the agent's answer; nil where nobody knows. It is filled up with the skills that
// was requires and that it has as a digest: one that has not changed is the one
// recorded then, or that of the answer. The others are vague.
func (r *Revision) pinned(was *lockfile.Lock) (p *compile.Profile, vague map[string]bool) {
	own := r.facts.now.Profile
	if own == nil {
		return r.live(), nil
	}
	if was == nil {
		return own, nil
	}
	out := *own
	out.Skills, out.Texts, vague = maps.Clone(own.Skills), maps.Clone(own.Texts), map[string]bool{}
	for _, id := range was.RequiredSkills() {
		digest, ok := own.OtherSkills[id]
		if _, whole := own.Skills[id]; !whole && ok && !fill(&out, id, digest, was.Profile, r.live()) {
			vague[id] = true
		}
	}
	return &out, vague
}

// fill takes the skill of that digest from the first of the profiles that has it.
func fill(out *compile.Profile, id, digest string, from ...*compile.Profile) bool {
	for _, p := range from {
		if p == nil || p.SkillDigest(id) != digest {
			continue
		}
		s, ok := p.Skills[id]
		if !ok {
			continue
		}
		out.Skills[id] = s
		for at, text := range p.Texts {
			if strings.HasPrefix(at, say.Pointer("skills", id)+"/") {
				out.Texts[at] = text
			}
		}
		return true
	}
	return false
}

// hold holds a lock against a profile and returns every finding, with its class.
func (r *Revision) hold(l *lockfile.Lock, p *compile.Profile) []Finding {
	c := Comparison{Lock: l, Now: p, Client: r.Client, At: r.At}
	if r.facts.now != nil {
		c.Seen.CardDigest = r.facts.now.CardDigest
	}
	if a, b := r.facts.policies[0], r.facts.policies[1]; a.TextPolicy == "off" && b.TextPolicy == "off" {
		c.Policy.TextPolicy = "off"
	}
	findings := c.gather()
	r.hide(findings)
	r.finish(findings)
	return findings
}

// shortcomings are the breaking ones of those, and the required skills that are
// there and cannot be read.
func (r *Revision) shortcomings(l *lockfile.Lock, p *compile.Profile) []Finding {
	findings := slices.DeleteFunc(r.hold(l, p), func(f Finding) bool { return f.Class != Breaking })
	for _, id := range l.RequiredSkills() {
		if why, ok := p.Disabled[id]; ok {
			f := found(say.Pointer("skills", id), nil, nil, "it cannot be read: %s", say.OneLine(why)).of(id)
			f.Rule = "skill-removed"
			findings = append(findings, f)
		}
	}
	return findings
}

// fail notes what p fails of the dropped requirements of was.
func (r *Revision) fail(was *lockfile.Lock, list []requirement, p *compile.Profile) {
	with, without := trial(was, r.facts, list)
	before := map[spot]bool{}
	for _, x := range r.shortcomings(without, p) {
		before[spotOf(x)] = true
	}
	for _, x := range r.shortcomings(with, p) {
		if !before[spotOf(x)] {
			r.facts.failing[spotOf(x)] = failure{x, p}
		}
	}
}

// accept makes review of what the new pin honestly accepts: breaking findings
// without a floor that the new lock does not have by itself, and that no dropped
// requirement would have.
func (f *amended) accept() {
	own := map[spot]bool{}
	for _, x := range f.alone {
		own[spotOf(x)] = true
	}
	for i := range f.drift {
		x := &f.drift[i]
		if _, fails := f.failing[spotOf(*x)]; x.Class == Breaking && !byID()[x.Rule].Floor && !fails && !own[spotOf(*x)] {
			x.Class = Review
			x.Message += "; accepted by this pin"
		}
	}
}
