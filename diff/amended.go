package diff

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/amend"
	"github.com/a2alock/a2alock/internal/secret"
	"github.com/a2alock/a2alock/lockfile"
)

// amended is what several checks need of one revision, worked out once.
type amended struct {
	rules    map[string]*Rule // the catalogue, for its own checks
	was, now *lockfile.Lock   // nil where there is none that can be read
	changes  []amend.Change   // nil without both
	policies [2]Policy        // of either side
	faults   []Finding        // of the new side's policy
	leaked   []secret.Hit     // credentials in the text before
	leaks    []secret.Hit     // those in the new one
	veil     *secret.Veil     // over both

	profile *compile.Profile // what now is pinned to, as far as anybody knows; nil for nothing
	vague   map[string]bool  // skills that were required, of which it has a digest and nobody the rest

	dropped []requirement
	taken   []taking // those of gone that the lock does not have, and its card fails
	failing map[spot]failure
	met     *failures // those, once somebody asked
	drift   []Finding // was held against profile
	alone   []Finding // breaking ones of now held against its own profile

	twins []*lockfile.Lock // of the same work, without those that stood beside it before
	gone  []*lockfile.Lock // removed beside this one, which came, of the same agent
	left  int              // those of gone that it was not held against, as there were too many
	fresh *Result          // now held against the agent's answer; nil where there is none
	lost  bool             // that is of another card than the lock is about ([Comparison.IsLost])
	said  []Finding

	changed *amend.Card // what drift tells, once somebody asked
	moved   *amend.Told // where changes are, once somebody asked
}

func amendedOf(r *Revision) *amended {
	f := &amended{rules: byID(), policies: [2]Policy{r.Policy, r.Policy}, vague: map[string]bool{}, failing: map[spot]failure{}}
	r.facts = f
	if r.Was != nil {
		f.leaked = secret.Find(r.Was.Text)
	}
	if r.Now != nil {
		f.leaks = secret.Find(r.Now.Text)
	}
	f.veil = secret.Over(slices.Concat(f.leaked, f.leaks))
	if r.Was != nil && r.Was.Err == nil {
		f.was = r.Was.Lock
		if p, err := r.Policy.With(f.was.Policy); err == nil {
			f.policies[0] = p
		}
	}
	if r.Now != nil && r.Now.Err == nil {
		f.now = r.Now.Lock
		f.faults = f.readPolicy(r)
		if live := r.live(); live != nil {
			c := Comparison{Lock: f.now, Now: live, Client: r.Client, Policy: f.policies[1], At: r.At, Seen: r.Seen}
			c.Seen.CardDigest = r.Live.Digest
			f.fresh, f.lost = Compare(c), c.IsLost()
		}
		f.profile, f.vague = r.pinned(f.was)
		if own := f.now.Profile; own != nil {
			f.alone = r.shortcomings(f.now, own)
		}
	}
	if f.was == nil || f.now == nil {
		return f
	}
	changes, err := amend.Changes(f.was, f.now)
	if err != nil { // what was read can be written
		panic("diff: a bug in a2alock: " + err.Error())
	}
	f.changes = changes
	f.dropped = dropped(f.was, f.now, r.Client)
	if f.profile == nil {
		return f
	}
	for _, p := range []*compile.Profile{f.profile, r.live()} {
		if p != nil {
			r.fail(f.was, f.dropped, p)
		}
	}
	l := *f.was
	l.Requires.Skills = maps.Clone(l.Requires.Skills)
	maps.DeleteFunc(l.Requires.Skills, func(id string, _ lockfile.Need) bool {
		_, disabled := f.profile.Disabled[id] // of which other rules speak
		return disabled || f.vague[id]
	})
	f.drift = slices.DeleteFunc(r.hold(&l, f.profile), func(x Finding) bool { return byID()[x.Rule].Subject == lockStateSubject })
	f.accept()
	return f
}

// live is the profile of what the agent answered; nil where nobody knows, or that
// is the public card of a lock that is about the extended one.
func (r *Revision) live() *compile.Profile {
	if r.Live == nil || r.Live.Err != nil || r.facts.lost {
		return nil
	}
	return r.Live.Profile
}
