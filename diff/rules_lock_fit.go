package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

// beforehand is how a waiver comes to count ([Rule.IsWaivedBefore]).
const beforehand = "in a change before this one: on a branch of the target, `a2alock waive LOCK ID --head BRANCH`, with this branch as BRANCH"

// lockFitRules hold a lock against what it is pinned to.
var lockFitRules = []Rule{
	{
		ID:    "lock-weakened-to-fit",
		Class: Breaking,
		Title: "a requirement was dropped exactly where the new card fails it",
		Why:   "The check turns green, and the workflow that still needs it fails in production.",
		Do: "Take the requirement back and ask the agent's owner. Where the workflow does without it now, waive this finding " +
			beforehand + ".",
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
		out = append(out, q.found(wasOf(q.was, q.requirement), nil, "%s, which goes with this change, requires %s, and the new card fails it: %s (%s)",
			say.Quote(q.was.Path), q.text(), q.fails.Message, q.fails.Rule))
	}
	if n := r.facts.left; n > 0 {
		out = append(out, found("/requires", nil, nil, "%d more %s of the same agent %s with this change, too many to hold against this one: "+
			"nobody can tell whether the new card fails what was required there; make several changes of it",
			n, say.Verb(n, "lock", "locks"), say.Verb(n, "goes", "go")))
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

// Failures are found by where they are and by the skills that they hurt: a lock
// may drop thousands of requirements, and a card fail them all.
type failures struct{ at, of map[string][]failure }

func indexed(list []failure) *failures {
	slices.SortFunc(list, func(a, b failure) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule)) })
	x := &failures{map[string][]failure{}, map[string][]failure{}}
	for _, f := range list {
		x.at[f.Path] = append(x.at[f.Path], f)
		for _, id := range f.Skills {
			x.of[id] = append(x.of[id], f)
		}
	}
	return x
}

// near are those among which q meets its own.
func (x *failures) near(q requirement) []failure {
	if at := q.meets(); at != "" {
		return x.at[at]
	}
	return x.of[q.skill]
}

// worst returns the worst of what q meets.
func (x *failures) worst(r *Revision, q requirement) (Finding, bool) {
	var worst failure
	for _, f := range x.near(q) {
		if r.isOf(f, q) && (worst.Rule == "" || f.Class > worst.Class) {
			worst = f
		}
	}
	return worst.Finding, worst.Rule != ""
}

// fails returns what the new card says to a dropped requirement, if it is no.
func (r *Revision) fails(q requirement) (Finding, bool) {
	return r.facts.failures().worst(r, q)
}

func (f *amended) failures() *failures {
	if f.met == nil {
		f.met = indexed(slices.Collect(maps.Values(f.failing)))
	}
	return f.met
}

// meets is where a finding about the requirement is; "" where its skill tells.
func (q requirement) meets() string {
	switch q.kind {
	case "streaming", "push":
		return "/" + q.kind
	case "extension":
		return extensionPath(q.value)
	case "input", "output":
		return say.Pointer("skills", q.skill, q.kind)
	}
	return ""
}

// isOf reports whether x, which is where q would meet it, is about q.
func (r *Revision) isOf(x failure, q requirement) bool {
	c := &Comparison{Client: r.Client}
	switch q.kind {
	case "input":
		return len(refused(c, []string{q.value}, x.in.Skills[q.skill].Input)) > 0
	case "output":
		return len(missing(c, []string{q.value}, x.in.Skills[q.skill].Output)) > 0
	case "credentials":
		return r.facts.rules[x.Rule].Subject == "Security"
	}
	return true
}

// unknown says why nobody can tell whether the new card fails a dropped
// requirement that it may well fail; "" where somebody can.
func (r *Revision) unknown(q requirement) string {
	f := r.facts
	what := "the agent still offers it"
	if q.kind == "credentials" {
		what = "the agent asks for more than it said"
	}
	switch {
	case q.kind == "skill" && f.vague[q.skill] && f.was != nil && f.was.Profile.SkillDigest(q.skill) != "":
		return "the agent changed it meanwhile, and the lock has only its digest: nobody can tell whether it still offers what was required"
	case f.profile == nil && f.was != nil && f.was.Profile != nil:
		return "the lock no longer records a profile: nobody can tell whether " + what
	case f.profile == nil && f.was != nil && f.was.CardDigest != f.now.CardDigest:
		return "the lock is pinned to another card, and records no profile: nobody can tell whether " + what
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
	r.excuse(own)
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
	from := []*compile.Profile{was.Profile, r.live()}
	filled := map[string]*compile.Profile{}
	for _, id := range was.RequiredSkills() {
		digest, ok := own.OtherSkills[id]
		if _, whole := own.Skills[id]; whole || !ok {
			continue
		}
		if filled[id] = holder(id, digest, from); filled[id] == nil {
			vague[id] = true
			continue
		}
		out.Skills[id] = filled[id].Skills[id]
	}
	for _, p := range from {
		if p == nil || len(filled) == 0 {
			continue
		}
		for at, text := range p.Texts {
			if id, _, ok := say.Inside(at, "/skills/"); ok && filled[id] == p {
				out.Texts[at] = text
			}
		}
	}
	return &out, vague
}

// holder is the first of the profiles that has the skill of that digest in full;
// nil where none has.
func holder(id, digest string, from []*compile.Profile) *compile.Profile {
	for _, p := range from {
		if p == nil || p.SkillDigest(id) != digest {
			continue
		}
		if _, ok := p.Skills[id]; ok {
			return p
		}
	}
	return nil
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
	r.facts.met = nil
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
