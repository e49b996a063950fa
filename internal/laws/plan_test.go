package laws_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// A plan under a lock and the verdict on the lock are two views of one thing: a
// required skill that no finding breaks can be planned, and one whose security
// breaks is refused there, or before. A client that does not implement what the
// lock requires, or names credentials for nothing of what nobody could read when
// it was pinned, is the exception: it cannot call, whatever the agent offers.
func TestPlanAgreesWithCheck(t *testing.T) {
	planned, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		if chance(t, "stripped", 3) {
			l = drawStripped(t, l)
		}
		now, did := mutate(t, s, rapid.IntRange(0, 3).Draw(t, "mutations"))
		body := now.render().bytes(spelling{})
		r := judge(t, l, body, cl)
		if !r.Decided {
			return
		}
		p := compile.Read(body, cl, card.Options{}).Profile
		for _, id := range l.RequiredSkills() {
			limit := diff.Limit(diff.Comparison{Lock: l, Now: p, Client: cl}, id)
			route, refusal := compile.Plan(p, compile.Call{Client: cl, Skill: id, Lock: limit})
			wrong := func(what string) {
				t.Fatalf("%v is %v, and %s %s: %+v\nlimit %+v\nfindings %q\nwas %s\nnow %s",
					did, r.Class, id, what, refusal, limit, clips(r), describeWorld(s, cl, l), now.render())
			}
			inSecurity, elsewhere := breaks(r, id)
			switch {
			case inSecurity && (refusal == nil || refusal.Step == "input" || refusal.Step == "output"):
				wrong("is not refused for its security")
			case inSecurity:
				if refusal.Step == "credentials" {
					refused++
				}
			case elsewhere:
			case refusal != nil && !ownFault(refusal, p.Skills[id], cl, l, limit):
				wrong("is refused")
			}
			if route != nil {
				planned++
			}
		}
	})
	t.Logf("%d planned and %d refused at credentials", planned, refused)
	if planned == 0 { // few draws refuse: with -rapid.checks=1000 some do
		t.Error("nothing was planned")
	}
}

// breaks reports whether breaking findings speak of the skill: of its security,
// and of all else.
func breaks(r *diff.Result, id string) (inSecurity, elsewhere bool) {
	for _, f := range r.Findings {
		if f.Class != diff.Breaking || len(f.Skills) > 0 && !slices.Contains(f.Skills, id) {
			continue
		}
		if rule, _ := diff.Lookup(f.Rule); rule.Subject == "Security" {
			inSecurity = true
		} else {
			elsewhere = true
		}
	}
	return inSecurity, elsewhere
}

// ownFault is whether a refusal is about what our side lacks.
func ownFault(r *compile.Refusal, skill compile.Skill, cl *compile.Client, l *lockfile.Lock, limit *compile.Limit) bool {
	switch r.Step {
	case "extensions":
		return slices.ContainsFunc(l.Requires.Extensions, func(uri string) bool { return !slices.Contains(cl.Extensions, uri) })
	case "credentials":
		return l.Profile != nil && limit.Held == nil && len(cl.Credentials) > 0 &&
			!slices.ContainsFunc(skill.Security, func(a compile.Alternative) bool { return compile.Meets(a, cl.Credentials) })
	}
	return false
}
