package a2alock_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// A plan under a lock and the verdict on the lock are two views of one thing:
// while nothing breaks, every required skill can be planned. A client whose own
// credentials, or extensions, are not what the lock was pinned with is the one
// exception: it cannot call, whatever the agent offers.
func TestWhatIsNotBreakingIsPlanned(t *testing.T) {
	planned := 0
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		if chance(t, "stripped", 3) {
			l = drawStripped(t, l)
		}
		now, did := mutate(t, s, rapid.IntRange(0, 3).Draw(t, "mutations"))
		body := now.render().bytes(spelling{})
		r := judge(t, l, body, cl)
		if !r.Decided || r.Class == diff.Breaking {
			return
		}
		p := compile.Read(body, cl, card.Options{}).Profile
		for _, id := range l.RequiredSkills() {
			route, refusal := compile.Plan(p, compile.Call{
				Client: cl, Skill: id, Lock: diff.Limit(diff.Comparison{Lock: l, Now: p, Client: cl}, id),
			})
			if refusal != nil && !ownFault(refusal, p, cl, l, id) {
				t.Fatalf("%v is %v, and %s is refused at %s: %s\nfindings %q\nwas %s\nnow %s",
					did, r.Class, id, refusal.Step, refusal.Reason, clips(r), describeWorld(s, cl, l), now.render())
			}
			if route != nil {
				planned++
			}
		}
	})
	if planned == 0 {
		t.Error("nothing was planned")
	}
}

// ownFault is whether a refusal is about what our side lacks.
func ownFault(r *compile.Refusal, p *compile.Profile, cl *compile.Client, l *lockfile.Lock, id string) bool {
	switch r.Step {
	case "extensions":
		return slices.ContainsFunc(l.Requires.Extensions, func(uri string) bool { return !slices.Contains(cl.Extensions, uri) })
	case "credentials":
		// What it could meet only with a secret that the lock keeps for another
		// origin, it cannot meet.
		moved := diff.Limit(diff.Comparison{Lock: l, Now: p, Client: cl}, id).Moved
		return len(cl.Credentials) > 0 && !slices.ContainsFunc(p.Skills[id].Security, func(a compile.Alternative) bool {
			return compile.Meets(a, cl.Credentials) && !slices.ContainsFunc(moved, func(name string) bool { _, ok := a.Schemes[name]; return ok })
		})
	}
	return false
}
