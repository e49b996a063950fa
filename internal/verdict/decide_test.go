package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/findings"
)

// The table of docs/states.md, Delegation.
func TestDecide(t *testing.T) {
	unnamed := judged("unnamed", find(diff.Breaking, "interface-none-usable", "x"))
	named := judged("named", find(diff.Review, "output-narrowed", "x", "quote"), find(diff.Review, "agent-renamed", "y"))
	mixed := judged("mixed", find(diff.Breaking, "skill-removed", "q", "quote"), find(diff.Review, "agent-renamed", "y"))
	waived := find(diff.Breaking, "skill-removed", "q", "quote")
	waived.Waived = &diff.Waived{Reason: "r", Owner: "o", Until: "2026-12-31"}
	tests := []struct {
		name   string
		on     Observation
		then   func(*life) // nil: nothing more
		p      func(*Params)
		skill  string
		want   bool
		degr   bool
		class  Verdict
		finds  int
		freshn Freshness
	}{
		{name: "compatible", on: good, want: true, class: Compatible, freshn: Fresh},
		{name: "review", on: renamed, want: true, class: Review, finds: 1, freshn: Fresh},
		{name: "breaking names the skill", on: noQuote, skill: "quote", class: Breaking, finds: 1, freshn: Fresh},
		{name: "breaking names another", on: noQuote, skill: "price", want: true, class: Compatible, freshn: Fresh},
		{name: "breaking names another, and more is found", on: mixed, skill: "price", want: true, class: Review, finds: 1, freshn: Fresh},
		{name: "breaking without a skill", on: noQuote, class: Breaking, finds: 1, freshn: Fresh},
		{name: "breaking names none", on: unnamed, skill: "price", class: Breaking, finds: 1, freshn: Fresh},
		{
			name: "breaking without a reason", on: Observation{Cause: Decided, Class: diff.Breaking, CardDigest: "b"},
			skill: "price", class: Breaking, freshn: Fresh,
		},
		{
			name:  "breaking without a reason, and something else is found",
			on:    Observation{Cause: Decided, Class: diff.Breaking, CardDigest: "b", Findings: named.Findings},
			skill: "price", class: Breaking, finds: 1, freshn: Fresh,
		},
		{name: "waived", on: judged("w", waived), skill: "quote", want: true, class: Compatible, finds: 1, freshn: Fresh},
		{name: "deny-named, named", on: named, p: denyNamed, skill: "quote", class: Review, finds: 2, freshn: Fresh},
		{name: "deny-named, not named", on: named, p: denyNamed, skill: "price", want: true, class: Review, finds: 1, freshn: Fresh},
		{name: "deny-named, any", on: named, p: denyNamed, class: Review, finds: 2, freshn: Fresh},
		{name: "deny-named, none is named", on: renamed, p: denyNamed, skill: "quote", want: true, class: Review, finds: 1, freshn: Fresh},
		{name: "ageing", on: good, then: wait(40 * hour), want: true, class: Compatible, freshn: Ageing},
		{name: "expired", on: good, then: wait(48 * hour), want: true, degr: true, class: Compatible, freshn: Expired},
		{name: "expired, on_unknown deny", on: good, then: wait(48 * hour), p: denyUnknown, degr: true, class: Compatible, freshn: Expired},
		{name: "expired and breaking", on: noQuote, then: wait(50 * hour), degr: true, class: Breaking, finds: 1, freshn: Expired},
		{
			name: "expired and breaking for another", on: noQuote, then: wait(50 * hour), skill: "price",
			want: true, degr: true, class: Compatible, freshn: Expired,
		},
		{name: "expired and deny-named", on: named, then: wait(50 * hour), p: denyNamed, skill: "quote", want: true, degr: true, class: Review, finds: 2, freshn: Expired},
		{name: "no verdict", on: tick, want: true, degr: true, class: None, freshn: Ageing},
		{name: "no verdict, on_unknown deny", on: tick, p: denyUnknown, degr: true, class: None, freshn: Ageing},
		{name: "unreachable", on: good, then: gone(down), want: true, degr: true, class: Compatible, freshn: Unreachable},
		{name: "unreachable, breaking", on: noQuote, then: gone(down), skill: "quote", degr: true, class: Breaking, finds: 1, freshn: Unreachable},
		{name: "invalid", on: good, then: gone(html), want: true, degr: true, class: Compatible, freshn: Invalid},
		{name: "marked-stale", on: renamed, then: also(noStream), want: true, degr: true, class: Review, finds: 1, freshn: MarkedStale},
		{name: "pending, with a floor", on: good, then: also(stolen), class: Breaking, finds: 1, freshn: Fresh},
		{name: "pending, without a floor", on: good, then: also(noQuote), skill: "quote", want: true, class: Compatible, freshn: Fresh},
		{name: "pending, before any verdict", on: stolen, class: Breaking, finds: 1, freshn: Fresh},
		{name: "pending without a floor, before any verdict", on: noQuote, want: true, degr: true, class: None, freshn: Fresh},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLife(t)
			l.step(tt.on)
			if tt.on.Cause == Decided && tt.class != None && l.state.Pending != nil && tt.name != "pending, before any verdict" {
				l.after(30 * second).step(confirmed(tt.on))
			}
			if tt.then != nil {
				tt.then(l)
			}
			if tt.p != nil {
				tt.p(l.p)
			}
			d := Decide(&l.state, l.now, l.p, tt.skill)
			if d.Delegate != tt.want || d.Degraded != tt.degr || d.Class != tt.class || len(d.Findings) != tt.finds || d.Freshness != tt.freshn {
				t.Errorf("Decide = %+v, want delegate %v, degraded %v, class %s, %d findings, %s",
					d, tt.want, tt.degr, tt.class, tt.finds, tt.freshn)
			}
			if d.AsOf.After(l.state.ValidatedAt) || d.AsOf.IsZero() != (l.state.Verdict.rank() < 0) {
				t.Errorf("as of %s, validated at %s", d.AsOf, l.state.ValidatedAt)
			}
		})
	}
}

func denyNamed(p *Params)   { p.Review = "deny-named" }
func denyUnknown(p *Params) { p.OnUnknown = "deny" }

func wait(d time.Duration) func(*life) { return func(l *life) { l.after(d) } }
func also(o Observation) func(*life)   { return func(l *life) { l.after(minute).step(o) } }

func gone(o Observation) func(*life) {
	return func(l *life) {
		for range 3 {
			l.after(hour).step(o)
		}
	}
}

func TestWants(t *testing.T) {
	wants := func(l *life, want ...Want) {
		t.Helper()
		if got := Wants(&l.state, l.p); !slices.Equal(got, want) {
			t.Errorf("in %s: Wants = %+v, want %+v", shape(&l.state), got, want)
		}
	}
	confirm := func(at time.Time) Want { return Want{By: Confirm, At: at, Fresh: true, Elsewhere: true} }
	recheck := func(at time.Time) Want { return Want{By: Recheck, At: at, Fresh: true} }
	elsewhere := func(at time.Time) Want { return Want{By: Recheck, At: at, Fresh: true, Elsewhere: true} }

	l := newLife(t).on(good)
	wants(l)
	l.after(hour).step(noQuote)
	wants(l, confirm(l.now.Add(30*second)))
	l.after(30 * second).step(by(Confirm, down))
	wants(l, confirm(l.now.Add(30*second)))
	l.after(10 * minute).step(by(Scheduled, down))
	wants(l, confirm(l.now.Add(30*second)))
	l.after(minute).step(confirmed(good))
	wants(l, elsewhere(l.now.Add(10*minute)))
	first := *l
	first.after(minute).step(noQuote)
	wants(&first, confirm(first.now.Add(30*second)))
	l.after(10 * minute).step(rechecked(good))
	wants(l)

	l = newLife(t).on(noQuote)
	l.after(hour).step(good)
	once := l.now
	wants(l, recheck(once.Add(10*minute)))
	l.after(minute).step(good)
	wants(l, recheck(once.Add(10*minute)))

	l = disputed(t)
	wants(l, elsewhere(l.now.Add(2*minute)))
	l.now = l.state.Dispute.Raises(l.p.RolloutGrace, l.p.MinStable)
	l.step(tick)
	wants(l, elsewhere(l.state.Dispute.Seen.Add(15*minute)), Want{By: Judged, CardDigest: "noQuote"})

	l = newLife(t).on(good)
	l.after(hour).step(noStream)
	now := Want{By: OnReport, At: l.now, Fresh: true}
	wants(l, now, Want{By: Judged})
	l.step(by(Judged, good))
	wants(l, now)
	l.after(second).step(by(OnReport, down))
	now.At = l.now.Add(minute)
	wants(l, now)
	l.after(2 * second).step(noStream)
	wants(l, now)
	l.after(minute).step(by(OnReport, confirmed(good)))
	wants(l)
	l.step(Observation{Cause: Removed})
	wants(l)
}

func TestNextTick(t *testing.T) {
	next := func(l *life, want time.Time) {
		t.Helper()
		if got := NextTick(&l.state, l.now, l.p); !got.Equal(want) {
			t.Errorf("in %s: NextTick = %s, want %s", shape(&l.state), got, want)
		}
	}
	l := newLife(t)
	next(l, time.Time{})
	l.on(good)
	next(l, start.Add(36*hour))
	l.after(36 * hour)
	next(l, start.Add(48*hour))
	l.after(13 * hour)
	next(l, start.Add(48*hour)) // overdue
	l.step(tick)
	next(l, time.Time{})

	l = newLife(t).on(good)
	l.after(hour).step(noStream)
	at := l.now
	l.after(minute).step(by(OnReport, confirmed(good)))
	next(l, at.Add(10*minute))
	l.after(10 * minute).step(tick)
	next(l, at.Add(24*hour))

	l = disputed(t)
	next(l, l.state.Dispute.First.Add(30*minute))
	l = newLife(t).on(good)
	l.after(minute).step(noQuote)
	l.after(minute).step(confirmed(good))
	l.p.Interval = 0 // which is not known: nothing ages
	next(l, l.now.Add(hour+1))
	l.step(Observation{Cause: Removed})
	next(l, time.Time{})
}

// flood is a dispute of four answers with ten thousand findings each.
func flood(t testing.TB) *life {
	l := newLife(t).on(good)
	d := &Dispute{Count: 2}
	for i := range 4 {
		x := Answer{Class: diff.Breaking, CardDigest: fmt.Sprint(i)}
		for j := range 10_000 {
			class := diff.Class(j % 3)
			x.Findings = append(x.Findings, diff.Finding{Rule: "skill-removed", Class: class, Fingerprint: fmt.Sprint(i, j)})
		}
		d.Answers = append(d.Answers, x)
	}
	l.state.Dispute = d
	return l
}

// What a hostile card makes is read once, and the worst of it is told.
func TestDecideFlood(t *testing.T) {
	l := flood(t)
	d := Decide(&l.state, l.now, l.p, "")
	if d.Delegate || d.Class != Breaking || len(d.Findings) != findings.Most {
		t.Fatalf("Decide = %v, %s with %d findings, want breaking with %d", d.Delegate, d.Class, len(d.Findings), findings.Most)
	}
	for i := range d.Findings {
		if d.Findings[i].Class != diff.Breaking {
			t.Fatalf("finding %d is %s, and breaking ones are left out", i, d.Findings[i].Class)
		}
	}
	if n := testing.AllocsPerRun(3, func() { Decide(&l.state, l.now, l.p, "") }); n > 200 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecideFlood(b *testing.B) {
	l := flood(b)
	for b.Loop() {
		Decide(&l.state, l.now, l.p, "")
	}
}

func BenchmarkDecide(b *testing.B) {
	l := newLife(b).on(noQuote)
	l.after(hour).step(noStream)
	for b.Loop() {
		Decide(&l.state, l.now, l.p, "quote")
	}
}

func BenchmarkStepUnchanged(b *testing.B) {
	l := newLife(b).on(renamed)
	for b.Loop() {
		Step(l.state, notModified(renamed), Moment{Now: l.now, Seq: 1}, l.p)
	}
}

// An answer is as old as the last confirmation of the card that it rests on.
func TestAsOf(t *testing.T) {
	l := newLife(t)
	asOf := func(when string, want time.Time) {
		t.Helper()
		if got := Decide(&l.state, l.now, l.p, "").AsOf; !got.Equal(want) {
			t.Errorf("%s: as of %s, want %s", when, got, want)
		}
	}
	asOf("before anything", time.Time{})
	l.step(good)
	first := l.now
	asOf("decided", first)
	l.after(hour).step(noQuote)
	asOf("another card waits", first)
	l.after(30 * second).step(confirmed(noQuote))
	broke := l.now
	asOf("it is confirmed", broke)
	l.after(hour).step(good)
	asOf("a better one waits", broke)
	better := l.now
	l.after(minute).step(good)
	asOf("it still waits", broke)
	l.after(hour).step(good)
	asOf("it is taken", l.now)
	if l.state.Verdict != Compatible || !better.Before(l.now) {
		t.Fatalf("%s", l.state.Verdict)
	}
	l.after(hour).step(down)
	asOf("nobody answers", l.now.Add(-hour))
}

func TestSuppression(t *testing.T) {
	l := newLife(t)
	if l.state.Suppression(l.p) != nil {
		t.Error("suppressed from the start")
	}
	l.step(good)
	l.p.MinStable, l.p.RecoverThreshold = 0, 1
	var told Event
	for range 3 {
		l.after(minute).step(noQuote)
		l.after(30 * second).step(confirmed(noQuote))
		for _, e := range l.after(minute).raw(good) {
			if e.Kind == Flapping {
				told = e
			}
		}
	}
	x := l.state.Suppression(l.p)
	if x == nil || x.Worst != Breaking || x.Until.Sub(x.Since) < l.p.Damping.Max || x.Until.Sub(x.Since) > l.p.Damping.Max+second {
		t.Fatalf("suppression = %+v", x)
	}
	if want := "until it settles, at the latest " + x.Until.Format("2006-01-02 15:04 UTC") + ", decisions use the worst seen, breaking"; !strings.Contains(told.Detail, want) {
		t.Errorf("told %q, want %q", told.Detail, want)
	}
	if d := Decide(&l.state, l.now, l.p, ""); d.Delegate || !d.Degraded || d.Class != Breaking {
		t.Errorf("decided %+v", d)
	}
}
