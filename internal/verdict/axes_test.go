package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/replicas"
)

// disputed is a life with a second disagreement within an hour.
func disputed(t testing.TB) *life {
	t.Helper()
	l := newLife(t).on(good)
	for range 2 {
		l.after(minute).want(noQuote, "").after(30*second).want(confirmed(good), "(flap)")
	}
	return l.is(Compatible, Disputed)
}

// withReplicas is what the engine makes of o once replicas disagree.
func withReplicas(o Observation) Observation {
	o.Findings = append(slices.Clone(o.Findings), find(diff.Review, "replicas-disagree", "good noQuote"))
	o.Class = max(o.Class, diff.Review)
	return o
}

func TestDispute(t *testing.T) {
	t.Run("replicas disagree", func(t *testing.T) {
		l := disputed(t)
		// Both go on answering, and none of it is told.
		for range 14 {
			l.after(minute).want(noQuote, "").is(Compatible, Disputed).after(minute).want(good, "")
		}
		if d := Decide(&l.state, l.now, l.p, ""); d.Delegate || !d.Degraded || d.Class != Breaking {
			t.Errorf("in dispute: %+v", d)
		}
		if l.state.Replicas() != nil {
			t.Error("replicas before the grace is over")
		}
		l.now = l.state.Dispute.First.Add(l.p.RolloutGrace)
		l.want(tick, "").is(Compatible, Fresh)
		if d := Decide(&l.state, l.now, l.p, ""); d.Delegate {
			t.Errorf("after the grace, before it was judged: %+v", d)
		}
		wants := Wants(&l.state, l.p)
		if !slices.Contains(wants, Want{By: Judged, CardDigest: "noQuote"}) {
			t.Errorf("wants %+v", wants)
		}
		if r := l.state.Replicas(); len(r) != 2 {
			t.Errorf("replicas %+v", r)
		}
		l.want(by(Judged, withReplicas(noQuote)), "opened").is(Breaking, Fresh)
		if l.state.Judge {
			t.Error("it is still to be judged")
		}
		for range 60 {
			l.after(minute).want(withReplicas(good), "").after(minute).want(withReplicas(noQuote), "").is(Breaking, Fresh)
		}
		// A third, that is no worse, and one that is another kind of breaking.
		l.after(minute).want(withReplicas(renamed), "").after(minute).want(withReplicas(noPrice), "")
		// They come to agree.
		for range 30 {
			l.after(minute).want(withReplicas(good), "")
		}
		l.after(minute).want(withReplicas(good), "improved").is(Review, Fresh)
		if !l.state.Judge {
			t.Error("what was judged as one of several is not judged again")
		}
		l.want(by(Judged, good), "resolved").is(Compatible, Fresh)
	})
	t.Run("a rollout that ends", func(t *testing.T) {
		l := disputed(t)
		l.after(minute).want(noQuote, "")
		for range 9 {
			l.after(minute).want(noQuote, "").is(Compatible, Disputed)
		}
		l.after(minute).want(noQuote, "opened").is(Breaking, Fresh)
	})
	t.Run("a rollback", func(t *testing.T) {
		l := disputed(t)
		for range 9 {
			l.after(minute).want(good, "").is(Compatible, Disputed)
		}
		l.after(minute).want(good, "").is(Compatible, Fresh)
		if l.state.Dispute != nil {
			t.Error("the dispute goes on")
		}
	})
	t.Run("a dispute that gets worse once it is raised", func(t *testing.T) {
		l := newLife(t).on(good)
		for range 2 {
			l.after(minute).want(renamed, "").after(30*second).want(confirmed(good), "(flap)")
		}
		l.after(30*minute).want(tick, "").want(by(Judged, withReplicas(renamed)), "opened").is(Review, Fresh)
		l.after(minute).want(withReplicas(noQuote), "worsened").is(Breaking, Fresh)
	})
	t.Run("unreachable in dispute", func(t *testing.T) {
		l := disputed(t)
		for range 2 {
			l.after(4*minute).want(down, "")
		}
		l.after(4*minute).want(down, "unreachable").is(Compatible, Disputed)
		// It is not told to be over before they agree.
		l.after(minute).want(good, "reachable")
		l.after(2*minute).want(good, "")
		l.after(2*minute).want(good, "resolved").is(Compatible, Fresh)
	})
	t.Run("the answers that are kept are few, and the worst among them", func(t *testing.T) {
		l := disputed(t)
		for d := range strings.SplitSeq("abcdefgh", "") {
			l.after(second).want(judged(d), "")
		}
		if n := len(l.state.Dispute.Answers); n != replicas.Most || l.state.Dispute.Worst().Class != diff.Breaking {
			t.Errorf("%d answers, the worst %s", n, l.state.Dispute.Worst().Class)
		}
	})
	t.Run("the lock changes in dispute", func(t *testing.T) {
		l := disputed(t)
		o := by(Local, good)
		o.CardDigest = "noQuote" // it needs no quote any more
		l.want(o, "").is(Compatible, Disputed)
		if d := Decide(&l.state, l.now, l.p, ""); !d.Delegate || d.Class != Compatible {
			t.Errorf("decision %+v", d)
		}
	})
}

// flapping is a life whose third change within an hour suppressed it.
func flapping(t testing.TB) *life {
	t.Helper()
	l := newLife(t).on(good)
	l.after(minute).want(renamed, "").after(30*second).want(confirmed(renamed), "opened")
	l.after(minute).want(good, "").after(10*minute).want(rechecked(good), "resolved")
	l.after(minute).want(renamed, "").after(30*second).want(confirmed(renamed), "opened")
	l.after(minute).want(good, "").after(10*minute).want(rechecked(good), "(improved) flapping")
	return l.is(Compatible, Fresh)
}

func TestDamping(t *testing.T) {
	t.Run("three changes at once", func(t *testing.T) {
		l := newLife(t).on(good)
		l.p.MinStable, l.p.ConfirmAfter = 0, 0
		l.want(renamed, "").want(confirmed(renamed), "opened").want(good, "").want(good, "resolved")
		l.want(renamed, "").want(confirmed(renamed), "(opened) flapping")
		if !l.state.Suppressed() {
			t.Error("not suppressed at 3,000")
		}
	})
	t.Run("three changes with time between", func(t *testing.T) {
		l := newLife(t).on(good)
		l.p.MinStable, l.p.ConfirmAfter = 0, 0
		l.want(renamed, "").want(confirmed(renamed), "opened").want(good, "").want(good, "resolved")
		l.after(second).want(renamed, "").want(confirmed(renamed), "opened")
		if l.state.Suppressed() {
			t.Error("suppressed below 3,000")
		}
	})
	t.Run("told once, and a summary", func(t *testing.T) {
		l := flapping(t)
		if d := Decide(&l.state, l.now, l.p, ""); !d.Delegate || d.Class != Review {
			t.Errorf("decision %+v, want that of the worst of the window", d)
		}
		l.after(minute).want(renamed, "").after(30*second).want(confirmed(renamed), "(worsened)")
		l.after(minute).want(good, "").after(10*minute).want(rechecked(good), "(improved)")
		end := NextTick(&l.state, l.now, l.p)
		if got := end.Sub(l.now); got < 90*minute || got > 3*hour {
			t.Fatalf("the suppression ends in %s", got)
		}
		l.now = end.Add(-2 * second)
		l.want(tick, "")
		l.now = end
		l.want(tick, "(settled) resolved")
		if l.state.Suppressed() {
			t.Error("suppressed after its end")
		}
	})
	t.Run("a summary in trouble", func(t *testing.T) {
		l := flapping(t)
		l.after(minute).want(renamed, "").after(30*second).want(confirmed(renamed), "(worsened)")
		l.after(5*hour).want(renamed, "settled").is(Review, Fresh)
	})
	t.Run("worse than all before breaks through", func(t *testing.T) {
		l := flapping(t)
		l.after(minute).want(noQuote, "").after(30*second).want(confirmed(noQuote), "worsened")
		l.after(minute).want(good, "").after(10*minute).want(rechecked(good), "(improved)")
		l.after(minute).want(noPrice, "").after(30*second).want(confirmed(noPrice), "(worsened)")
		if d := Decide(&l.state, l.now, l.p, ""); d.Delegate || d.Class != Breaking {
			t.Errorf("decision %+v", d)
		}
	})
	t.Run("worse at the moment in which it begins", func(t *testing.T) {
		l := newLife(t).on(good)
		l.p.MinStable, l.p.ConfirmAfter = 0, 0
		l.want(renamed, "").want(confirmed(renamed), "opened").want(good, "").want(good, "resolved")
		l.want(noQuote, "").want(confirmed(noQuote), "opened flapping")
	})
	t.Run("at most six hours", func(t *testing.T) {
		l := flapping(t)
		l.p.MinStable, l.p.ConfirmAfter = 0, 0
		began := l.now
		settled := false
		for l.now.Sub(began) < 6*hour+minute && !settled {
			l.after(minute)
			events := l.step(renamed) + l.step(confirmed(renamed)) + l.step(good) + l.step(good)
			settled = strings.Contains(events, "settled")
		}
		if got := l.now.Sub(began); !settled || got < 6*hour-minute {
			t.Errorf("suppressed for %s, settled %v", got, settled)
		}
		if got := l.state.Damping.Left(l.now, &l.p.Damping); got > 3000 {
			t.Errorf("%g points are left", got)
		}
	})
	t.Run("what moves on our side is no flapping", func(t *testing.T) {
		l := newLife(t).on(good)
		late := by(Scheduled, good)
		late.Class, late.Findings = diff.Review, []diff.Finding{find(diff.Review, "lock-stale", "x")}
		for range 5 {
			l.after(second).want(late, "opened").after(second).want(good, "resolved")
			o := by(Local, late)
			l.after(second).want(o, "opened").after(second).want(by(Local, good), "resolved")
		}
		if l.state.Damping != nil {
			t.Errorf("damping %+v", l.state.Damping)
		}
	})
	t.Run("outages are damped too", func(t *testing.T) {
		l := newLife(t).on(good)
		l.p.FailureMinTime = 0
		var told []string
		for range 6 {
			for range 3 {
				told = append(told, strings.Fields(l.after(minute).step(down))...)
			}
			told = append(told, strings.Fields(l.after(minute).step(good))...)
		}
		want := "unreachable (reachable) resolved unreachable (reachable) resolved unreachable (reachable) resolved " +
			"(unreachable) flapping (reachable) (unreachable) (reachable) (unreachable) (reachable)"
		if got := strings.Join(told, " "); got != want {
			t.Errorf("events %s\nwant   %s", got, want)
		}
	})
	t.Run("findings that change with each look are damped too", func(t *testing.T) {
		l := newLife(t).on(renamed)
		told := 0
		for i := range 60 {
			events := l.after(minute).step(judged("x", find(diff.Review, "agent-version-changed", strings.Repeat("x", i))))
			if strings.Contains(" "+events, " changed") {
				told++
			}
		}
		if told > 10 {
			t.Errorf("%d messages in an hour", told)
		}
	})
	t.Run("the owner pins", func(t *testing.T) {
		l := flapping(t)
		l.after(minute).want(renamed, "").after(30*second).want(confirmed(renamed), "(worsened)")
		o := by(Local, good)
		o.CardDigest = renamed.CardDigest
		l.after(minute).want(o, "(settled) resolved").is(Compatible, Fresh)
		if d := Decide(&l.state, l.now, l.p, ""); d.Class != Compatible {
			t.Errorf("decision %+v: what flapped was judged by another lock", d)
		}
	})
	t.Run("the message", func(t *testing.T) {
		l := newLife(t).on(good)
		l.p.MinStable, l.p.ConfirmAfter = 0, 0
		l.step(renamed)
		l.step(confirmed(renamed))
		l.step(good)
		l.step(good)
		l.step(renamed)
		events := l.raw(confirmed(renamed))
		if got, want := events[1].Detail, "3 changes; last good and renamed; until it settles, at the latest 2026-03-01 09:00 UTC, decisions use the worst seen, review"; got != want {
			t.Errorf("detail %q, want %q", got, want)
		}
	})
}

func ack(a Ack) Observation {
	a.Author, a.Reason = "ann", "known"
	return Observation{Cause: Acked, Ack: a}
}

func TestAck(t *testing.T) {
	acked := func(t *testing.T, o Observation, a Ack) *life {
		t.Helper()
		l := newLife(t).on(o)
		l.after(minute).want(ack(a), "")
		if l.state.Ack == nil || l.state.Ack.Author != "ann" || l.state.Ack.Episode != l.state.Episode.Start {
			t.Fatalf("ack %+v", l.state.Ack)
		}
		return l
	}
	has := func(t *testing.T, l *life, want bool) {
		t.Helper()
		if got := l.state.Ack != nil; got != want {
			t.Errorf("acked %v, want %v", got, want)
		}
	}
	t.Run("worse", func(t *testing.T) {
		l := acked(t, renamed, Ack{}).after(minute).want(noQuote, "")
		has(t, l, true)
		l.after(30*second).want(confirmed(noQuote), "worsened")
		has(t, l, false)
	})
	t.Run("a finding that is not covered", func(t *testing.T) {
		l := acked(t, renamed, Ack{}).after(minute).want(both, "changed")
		has(t, l, false)
	})
	t.Run("the same finding, and worse", func(t *testing.T) {
		o := by(Local, renamed)
		o.Class, o.Findings = diff.Breaking, []diff.Finding{find(diff.Breaking, "agent-renamed", "renamed")}
		l := acked(t, renamed, Ack{}).after(minute).want(o, "worsened")
		has(t, l, false)
	})
	t.Run("fewer findings", func(t *testing.T) {
		l := acked(t, both, Ack{}).after(minute).want(moved, "(changed)")
		has(t, l, true)
	})
	t.Run("resolve", func(t *testing.T) {
		l := acked(t, renamed, Ack{}).after(minute).want(good, "").after(10*minute).want(rechecked(good), "resolved")
		has(t, l, false)
	})
	t.Run("expiry", func(t *testing.T) {
		l := acked(t, renamed, Ack{Until: start.Add(hour)})
		l.now = start.Add(hour - second)
		l.want(tick, "")
		has(t, l, true)
		if got := NextTick(&l.state, l.now, l.p); !got.Equal(start.Add(hour)) {
			t.Errorf("next tick %s", got)
		}
		l.after(second).want(tick, "")
		has(t, l, false)
		l.after(-hour).want(tick, "")
		has(t, l, false)
	})
	t.Run("taken back", func(t *testing.T) {
		l := acked(t, renamed, Ack{}).want(Observation{Cause: Unacked}, "")
		has(t, l, false)
	})
	t.Run("unreachable", func(t *testing.T) {
		l := acked(t, renamed, Ack{})
		for range 3 {
			l.after(hour).step(down)
		}
		has(t, l, true)
	})
	t.Run("nothing is open", func(t *testing.T) {
		l := newLife(t).on(good).want(ack(Ack{}), "")
		has(t, l, false)
	})
	t.Run("over when it comes", func(t *testing.T) {
		l := newLife(t).on(renamed).want(ack(Ack{Until: start}), "")
		has(t, l, false)
	})
}

func TestReports(t *testing.T) {
	outs := func(l *life) string {
		return strings.Join(Decide(&l.state, l.now, l.p, "quote").Out, " ")
	}
	t.Run("marked stale", func(t *testing.T) {
		l := newLife(t).on(good).after(hour).want(noStream, "(stale)").is(Compatible, MarkedStale).want(noStream, "")
		if !l.state.Judge || l.state.Episode != nil {
			t.Errorf("judge %v, episode %v", l.state.Judge, l.state.Episode)
		}
		d := Decide(&l.state, l.now, l.p, "")
		if !d.Delegate || !d.Degraded || outs(l) != "streaming" {
			t.Errorf("decision %+v", d)
		}
		// Neither a condition, nor what began before the report, validates.
		l.after(second).want(notModified(good), "")
		early := by(OnReport, confirmed(good))
		early.Began = l.now.Add(-2 * second)
		l.want(early, "").after(10*minute).is(Compatible, MarkedStale)
		l.want(by(OnReport, confirmed(good)), "").is(Compatible, Fresh)
		// The card says so still, which makes it no truer.
		if got := outs(l); got != "streaming" {
			t.Errorf("out %q", got)
		}
	})
	t.Run("held for ten minutes", func(t *testing.T) {
		l := newLife(t).on(good).after(hour).want(noStream, "(stale)").after(second).want(by(OnReport, confirmed(good)), "")
		l.after(9*minute).is(Compatible, MarkedStale).want(noStream, "").after(9*minute).want(by(OnReport, confirmed(good)), "").is(Compatible, MarkedStale)
		l.after(minute).is(Compatible, Fresh).want(tick, "")
		if l.state.Stale != nil {
			t.Error("the mark stays")
		}
	})
	t.Run("a report after the validation", func(t *testing.T) {
		l := newLife(t).on(good).after(hour).want(noStream, "(stale)").after(second).want(by(OnReport, confirmed(good)), "")
		l.after(minute).want(noStream, "").after(hour).is(Compatible, MarkedStale).want(tick, "").is(Compatible, MarkedStale)
	})
	t.Run("a note", func(t *testing.T) {
		o := report("TaskNotFoundError", "GetTask", "", "")
		l := newLife(t).on(good).after(hour).want(o, "stale").want(o, "").is(Compatible, MarkedStale)
		if outs(l) != "" || l.state.Judge {
			t.Errorf("out %q, judge %v", outs(l), l.state.Judge)
		}
		l.want(noStream, "(stale)")
	})
	t.Run("a day", func(t *testing.T) {
		l := newLife(t).on(good).after(hour).want(noStream, "(stale)")
		refuted := by(Judged, good)
		refuted.Class, refuted.Findings = diff.Review, []diff.Finding{find(diff.Review, "claim-refuted", "streaming")}
		l.want(refuted, "opened")
		l.after(24*hour-second).want(tick, "")
		if outs(l) != "streaming" || l.state.Judge {
			t.Errorf("out %q, judge %v", outs(l), l.state.Judge)
		}
		l.after(second).want(tick, "")
		if outs(l) != "" || !l.state.Judge {
			t.Errorf("a day later: out %q, judge %v", outs(l), l.state.Judge)
		}
		l.want(by(Judged, good), "resolved")
	})
	t.Run("nothing to judge", func(t *testing.T) {
		for _, o := range []Observation{tick, html} {
			l := newLife(t).on(good).after(hour).want(noStream, "(stale)").want(by(Judged, o), "")
			if l.state.Judge {
				t.Errorf("%s: it is asked for again", label(o))
			}
		}
	})
	t.Run("the profile changes", func(t *testing.T) {
		l := newLife(t).on(good).after(hour).want(noStream, "(stale)")
		if n := len(l.state.Evidence(l.now, "p-extended", l.p)); n != 0 {
			t.Errorf("%d reports count against another profile", n)
		}
		if n := len(l.state.Evidence(l.now, "", l.p)); n != 1 {
			t.Errorf("%d reports stand", n)
		}
		l.after(minute).want(extended, "changed")
		if outs(l) != "" {
			t.Errorf("out %q", outs(l))
		}
	})
	t.Run("a worse profile that is not confirmed changes nothing", func(t *testing.T) {
		l := newLife(t).on(good).after(hour).want(noStream, "(stale)").after(minute).want(noQuote, "")
		if outs(l) != "streaming" {
			t.Errorf("out %q", outs(l))
		}
	})
	t.Run("whom it concerns", func(t *testing.T) {
		l := newLife(t).on(good)
		l.step(report("ContentTypeNotSupportedError", "SendMessage", "price", "application/json"))
		l.step(noStream)
		if got := outs(l); got != "streaming" {
			t.Errorf("quote: out %q", got)
		}
		if got := Decide(&l.state, l.now, l.p, "price").Out; !slices.Equal(got, []string{"input:application/json", "streaming"}) {
			t.Errorf("price: out %q", got)
		}
		if got := Decide(&l.state, l.now, l.p, "").Out; len(got) != 2 {
			t.Errorf("any: out %q", got)
		}
	})
	t.Run("many", func(t *testing.T) {
		l := newLife(t).on(good)
		l.step(noStream)
		for i := range 100 {
			l.step(report("SomeError", strings.Repeat("x", i), "", ""))
		}
		if n := len(l.state.Reports); n != reportsMost || outs(l) != "streaming" {
			t.Errorf("%d reports, out %q", n, outs(l))
		}
	})
}
