package laws_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// version is a lock as one side of a change.
func version(t *rapid.T, l *lockfile.Lock) *diff.Side {
	data, err := lockfile.Format(l)
	if err != nil {
		t.Fatal(err)
	}
	l, err = lockfile.Parse(data, "")
	return &diff.Side{Text: data, Lock: l, Err: err}
}

func reviewed(t *rapid.T, was, now *lockfile.Lock, cl *compile.Client) *diff.Result {
	return diff.Locks([]diff.Revision{{Was: version(t, was), Now: version(t, now), Client: cl, At: at.AddDate(0, 0, 1)}}, nil)[0]
}

// pinAgain renews a lock against a card; nil where that is refused.
func pinAgain(s *sketch, cl *compile.Client, old *lockfile.Lock) *lockfile.Lock {
	r := compile.Read(s.render().bytes(spelling{}), cl, card.Options{})
	if r.Err != nil {
		return nil
	}
	l, _, err := lockfile.Pin(r.Profile, cl, lockfile.PinOptions{Old: old, CardDigest: r.Digest, At: at.AddDate(0, 0, 1)})
	if err != nil {
		return nil
	}
	return l
}

// takeAway makes a card fail one thing that a lock requires, and a lock that
// does without it; nil where there is none of the kind that was drawn.
func takeAway(t *rapid.T, s *sketch, l *lockfile.Lock) (now *sketch, less *lockfile.Lock, what string) {
	now = s.clone()
	c := *l
	c.Requires.Skills = maps.Clone(l.Requires.Skills)
	id := pick(t, "skill", l.RequiredSkills())
	n := c.Requires.Skills[id]
	i := slices.IndexFunc(now.skills, func(k skill) bool { return k.id == id })
	switch what = pick(t, "what", []string{"streaming", "push", "extension", "skill", "input", "output"}); {
	case what == "streaming" && l.Requires.Streaming:
		now.streaming, c.Requires.Streaming = "false", false
	case what == "push" && l.Requires.Push:
		now.push, c.Requires.Push = "", false
	case what == "extension" && len(l.Requires.Extensions) > 0:
		uri := pick(t, "uri", l.Requires.Extensions)
		now.extensions = slices.DeleteFunc(now.extensions, func(e extension) bool { return e.uri == uri })
		c.Requires.Extensions = slices.DeleteFunc(slices.Clone(l.Requires.Extensions), func(e string) bool { return e == uri })
	case what == "skill" && len(l.Requires.Skills) > 1:
		now.skills = slices.Delete(now.skills, i, i+1)
		delete(c.Requires.Skills, id)
	case what == "input":
		now.skills[i].input = []string{"application/x-other"}
		n.Input = now.skills[i].input
		c.Requires.Skills[id] = n
	case what == "output":
		now.skills[i].output = []string{"application/x-other"}
		n.Output = now.skills[i].output
		c.Requires.Skills[id] = n
	default:
		return nil, nil, ""
	}
	return now, &c, what
}

// A requirement that goes in the change that pins a card which fails it is
// breaking, whatever else changes.
func TestDroppingWhatFailsIsBreaking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		now, less, what := takeAway(t, s, l)
		if now == nil {
			return
		}
		now, done := mutate(t, now, below(t, "mutations", 3))
		body := now.render().bytes(spelling{})
		pinned := pinAgain(now, cl, less)
		if pinned == nil || worst(judge(t, l, body, cl)) != diff.Breaking || worst(judge(t, less, body, cl)) == diff.Breaking {
			return // nothing to pin, or what was mutated takes it back or fails the rest
		}
		got := reviewed(t, l, pinned, cl)
		weakened := slices.ContainsFunc(got.Findings, func(f diff.Finding) bool { return f.Rule == "lock-weakened-to-fit" })
		if got.Class != diff.Breaking || !weakened {
			t.Fatalf("%v; without %s: %s %q\n%s\nnow %s", done, what, got.Class, clips(got), describeWorld(s, cl, l), body)
		}
	})
}

// Pinning again without taking anything out is breaking for what no pin accepts
// alone: floors, and what the lock still requires and the card fails.
func TestPinningAgainIsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, cl, l := drawPinned(t)
		now, done := mutate(t, s, 1+below(t, "mutations", 4))
		pinned := pinAgain(now, cl, l)
		if pinned == nil {
			return
		}
		got := reviewed(t, l, pinned, cl)
		fails := slices.ContainsFunc(got.Findings, func(f diff.Finding) bool { return f.Rule == "lock-unsatisfied" })
		for _, f := range got.Findings {
			if rule, _ := diff.Lookup(f.Rule); f.Class == diff.Breaking && !rule.Floor && !fails {
				t.Fatalf("%v: %s is breaking: %s\n%s\nnow %s", done, f.Rule, clip(f), describeWorld(s, cl, l), now.render().bytes(spelling{}))
			}
		}
		alone := judge(t, pinned, now.render().bytes(spelling{}), cl)
		if fails != (worst(alone) == diff.Breaking) && alone.Decided {
			t.Fatalf("%v: lock-unsatisfied %v, and a check is %s: %q\n%s\nnow %s", done, fails, worst(alone), clips(got), describeWorld(s, cl, pinned), now.render().bytes(spelling{}))
		}
	})
}

// The same lock is no change, and the same lock written otherwise changes
// nothing.
func TestTheSameLockIsNoChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, cl, l := drawPinned(t)
		if got := reviewed(t, l, reread(t, l), cl); len(got.Findings) > 0 || got.Class != diff.Compatible || !got.Decided {
			t.Fatalf("%q", clips(got))
		}
	})
}
