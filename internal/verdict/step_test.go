package verdict

import (
	"testing"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
)

const (
	second = time.Second
	minute = time.Minute
	hour   = time.Hour
)

// Each test is a story of one lock.
func TestStep(t *testing.T) {
	tests := map[string]func(l *life){
		"the first answer is compatible": func(l *life) {
			l.is(None, Ageing).want(good, "").is(Compatible, Fresh)
		},
		"compatible findings are told to those who want them": func(l *life) {
			l.want(extended, "changed").want(extended, "").is(Compatible, Fresh)
			if l.state.Episode != nil {
				l.t.Error("an episode is open")
			}
		},
		"the first answer is worse, and is confirmed": func(l *life) {
			l.want(noQuote, "").is(None, Fresh).after(30*second).want(confirmed(noQuote), "opened").is(Breaking, Fresh)
		},
		"the first answer is worse, and is not confirmed": func(l *life) {
			l.want(noQuote, "").after(30*second).want(confirmed(good), "(flap)").is(Compatible, Fresh)
		},
		"unchanged": func(l *life) {
			l.on(good)
			was := l.state
			l.after(hour).want(good, "").after(hour).want(notModified(good), "")
			if Moved(was, l.state) {
				l.t.Errorf("unchanged refreshes moved %+v to %+v", was, l.state)
			}
			if !l.state.ValidatedAt.Equal(l.now) {
				l.t.Errorf("validated at %s, want %s", l.state.ValidatedAt, l.now)
			}
		},
		"worse is confirmed": func(l *life) {
			l.on(good).after(hour).want(noQuote, "").is(Compatible, Fresh)
			l.after(30*second).want(confirmed(noQuote), "opened").is(Breaking, Fresh)
			l.after(hour).want(noQuote, "")
		},
		"worse within an episode": func(l *life) {
			l.on(renamed).after(hour).want(noQuote, "").after(30*second).want(confirmed(noQuote), "worsened")
		},
		"a conditional fetch confirms nothing": func(l *life) {
			l.on(good).after(hour).want(noQuote, "").after(30*second).want(notModified(noQuote), "").want(by(Confirm, noQuote), "").is(Compatible, Fresh)
		},
		"an unconditional fetch of another kind confirms once it is late enough": func(l *life) {
			o := rechecked(noQuote)
			l.on(good).after(hour).want(noQuote, "").after(29*second).want(o, "").after(second).want(o, "opened")
		},
		"a flight that began before the answer does not confirm it": func(l *life) {
			l.on(good).after(hour).want(noQuote, "")
			o := confirmed(noQuote)
			o.Began = l.now.Add(-second)
			l.after(30*second).want(o, "").is(Compatible, Fresh)
		},
		"the confirmation has another card that comes to the same": func(l *life) {
			o := confirmed(noQuote)
			o.CardDigest = "the same with another date"
			l.on(good).after(hour).want(noQuote, "").after(30*second).want(o, "opened")
		},
		"the confirmation fails": func(l *life) {
			l.on(good).after(hour).want(noQuote, "")
			l.after(30*second).want(by(Confirm, down), "")
			l.after(2*minute).want(by(Confirm, down), "")
			l.after(5*minute).want(by(Confirm, down), "unreachable").is(Compatible, Unreachable)
			if l.state.Pending == nil {
				l.t.Fatal("the pending answer is gone")
			}
			l.after(minute).want(confirmed(noQuote), "reachable worsened").is(Breaking, Fresh)
		},
		"confirmations fail, and what is scheduled says the same": func(l *life) {
			l.on(good).after(hour).want(noQuote, "").after(30*second).want(by(Confirm, down), "")
			for range 2 {
				l.after(2*minute).want(noQuote, "").want(noQuote, "").is(Compatible, Fresh)
				l.after(30*second).want(by(Confirm, html), "")
			}
			if d := Decide(&l.state, l.now, l.p, ""); !d.Delegate || !d.Degraded {
				l.t.Errorf("after three failed confirmations: %+v", d)
			}
			if wants := Wants(&l.state, l.p); len(wants) != 0 {
				l.t.Errorf("in trouble after three failed confirmations: wants %+v", wants)
			}
			l.after(minute).want(noQuote, "opened").is(Breaking, Fresh)
		},
		"no confirmation failed, and what is scheduled says the same": func(l *life) {
			l.on(good).after(hour).want(noQuote, "")
			for range 9 {
				l.after(2*minute).want(noQuote, "").is(Compatible, Fresh)
			}
			if d := Decide(&l.state, l.now, l.p, ""); !d.Degraded {
				l.t.Errorf("pending for long: %+v", d)
			}
		},
		"the confirmation has the old card": func(l *life) {
			l.on(good).after(hour).want(noQuote, "").after(30*second).want(confirmed(good), "(flap)").is(Compatible, Fresh)
			if l.state.Pending != nil || l.state.Flaps != 1 {
				l.t.Errorf("pending %v, %d flaps", l.state.Pending, l.state.Flaps)
			}
		},
		"again within an hour": func(l *life) {
			l.on(good).after(hour).want(noQuote, "").after(30*second).want(confirmed(good), "(flap)")
			l.after(59*minute).want(noQuote, "").after(30*second).want(confirmed(good), "(flap)").is(Compatible, Disputed)
		},
		"again on the next day, as an agent is asked once a day": func(l *life) {
			l.on(good).after(hour).want(noQuote, "").after(30*second).want(confirmed(good), "(flap)")
			l.after(24*hour).want(noQuote, "").after(30*second).want(confirmed(good), "(flap)").is(Compatible, Disputed)
		},
		"again after an hour, as an agent is asked every half": func(l *life) {
			l.p.Interval = hour / 2
			l.on(good).after(hour).want(noQuote, "").after(30*second).want(confirmed(good), "(flap)")
			l.after(hour+second).want(noQuote, "").after(30*second).want(confirmed(good), "(flap)").is(Compatible, Fresh)
		},
		"the confirmation is worse in another way": func(l *life) {
			l.on(good).after(hour).want(noQuote, "").after(30*second).want(confirmed(renamed), "(flap)").is(Compatible, Fresh)
			if p := l.state.Pending; p == nil || p.Class != diff.Review {
				l.t.Fatalf("pending %+v, want review", p)
			}
			l.after(30*second).want(confirmed(renamed), "opened").is(Review, Fresh)
		},
		"three different answers in a row": func(l *life) {
			l.on(good).after(hour).want(noQuote, "").after(30*second).want(confirmed(renamed), "(flap)")
			l.after(30*second).want(confirmed(moved), "(flap)").is(Compatible, Disputed)
		},
		"better twice, ten minutes apart": func(l *life) {
			l.on(noQuote).after(hour).want(good, "").is(Breaking, Fresh).after(10*minute).want(rechecked(good), "resolved").is(Compatible, Fresh)
			if l.state.Episode != nil {
				l.t.Error("the episode is open")
			}
		},
		"better often, too soon": func(l *life) {
			l.on(noQuote).after(hour).want(good, "")
			for range 9 {
				l.after(minute).want(good, "").is(Breaking, Fresh)
			}
			l.after(minute).want(good, "resolved")
		},
		"better, and still not good": func(l *life) {
			l.on(noQuote).after(hour).want(renamed, "").after(10*minute).want(rechecked(renamed), "improved").is(Review, Fresh)
		},
		"better in two ways comes to the worse of them": func(l *life) {
			l.on(noQuote).after(hour).want(good, "").after(10*minute).want(rechecked(renamed), "improved").is(Review, Fresh)
			l.after(10*minute).want(good, "").after(10*minute).want(good, "resolved")
		},
		"better, and then better still": func(l *life) {
			l.on(noQuote).after(hour).want(renamed, "").after(10*minute).want(rechecked(good), "improved").is(Review, Fresh)
			l.after(10*minute).want(rechecked(good), "resolved")
		},
		"better, then as before": func(l *life) {
			l.on(noQuote).after(hour).want(good, "").after(minute).want(noQuote, "(flap)").is(Breaking, Fresh)
			if l.state.Better != nil {
				l.t.Error("the run of better answers goes on")
			}
		},
		"other findings of one class": func(l *life) {
			l.on(renamed).after(hour).want(moved, "changed").is(Review, Fresh)
			// Told already: history alone.
			l.after(hour).want(renamed, "(changed)").after(hour).want(both, "(changed)")
		},
		"a compatible finding is no news": func(l *life) {
			o := renamed
			o.Findings = append(o.Findings[:1:1], find(diff.Compatible, "skill-gained", "x", "x"))
			l.on(renamed).after(hour).want(o, "(changed)")
		},
		"a finding that spreads to a skill is news": func(l *life) {
			o := noQuote
			o.Findings = []diff.Finding{find(diff.Breaking, "skill-removed", "quote", "quote", "zone")}
			l.on(noQuote).after(hour).want(o, "changed")
		},
		"the card is the same, and a waiver has ended": func(l *life) {
			waived := renamed.Findings[0]
			waived.Waived = &diff.Waived{Reason: "r", Owner: "o", Until: "2026-03-02"}
			o := judged("renamed", waived)
			l.on(o).is(Compatible, Fresh)
			// Nothing of the agent moved: no confirmation.
			l.after(24*hour).want(notModified(renamed), "opened").is(Review, Fresh)
			l.after(24*hour).want(notModified(o), "resolved")
		},
		"the same card by a redirect is another answer": func(l *life) {
			o := good
			o.Via, o.Findings, o.Class = "https://elsewhere.example/card", []diff.Finding{find(diff.Breaking, "card-moved-offsite", "x")}, diff.Breaking
			l.on(good).after(hour).want(o, "").is(Compatible, Fresh).after(30*second).want(confirmed(o), "opened")
		},
		"a 304 for a card that was never read": func(l *life) {
			l.on(noQuote).after(hour).want(notModified(good), "").after(hour).want(notModified(good), "").is(Breaking, Fresh)
			if l.state.Better != nil || l.state.Trouble == nil {
				l.t.Errorf("better %v, trouble %v", l.state.Better, l.state.Trouble)
			}
		},
		"failures spread over five minutes": func(l *life) {
			l.on(good).after(hour).want(down, "").after(minute).want(down, "").after(minute).want(down, "").after(3*minute-second).want(down, "")
			l.is(Compatible, Fresh).after(second).want(down, "unreachable").is(Compatible, Unreachable).after(hour).want(down, "")
			l.after(hour).want(good, "(reachable) resolved").is(Compatible, Fresh)
		},
		"two failures are none": func(l *life) {
			l.on(good).after(hour).want(down, "").after(hour).want(down, "").after(hour).want(good, "")
			l.after(hour).want(down, "").is(Compatible, Fresh)
		},
		"unreachable, and worse when it is back": func(l *life) {
			l.on(good)
			for range 2 {
				l.after(hour).want(down, "")
			}
			// The episode goes on: nobody is told that it is over in between.
			l.after(hour).want(down, "unreachable").after(hour).want(noQuote, "reachable").after(30*second).want(confirmed(noQuote), "worsened")
		},
		"undecodable twice": func(l *life) {
			l.on(good).after(hour).want(html, "").is(Compatible, Fresh).after(hour).want(html, "invalid").is(Compatible, Invalid)
			l.after(hour).want(html, "").after(hour).want(good, "(reachable) resolved").is(Compatible, Fresh)
		},
		"undecodable, then decodable": func(l *life) {
			l.on(good).after(hour).want(html, "").after(hour).want(good, "").after(hour).want(html, "").is(Compatible, Fresh)
		},
		"an alternation of two troubles is both": func(l *life) {
			l.on(good)
			l.after(minute).want(down, "").after(minute).want(html, "").after(minute).want(down, "").after(minute).want(html, "invalid")
			l.after(minute).want(down, "").after(minute).want(down, "unreachable").is(Compatible, Invalid)
			l.after(minute).want(good, "(reachable) resolved")
		},
		"an agent that was never there": func(l *life) {
			l.want(down, "").after(hour).want(down, "").after(hour).want(down, "unreachable").is(None, Unreachable)
			l.after(100*hour).want(tick, "").after(hour).want(good, "(reachable) resolved").is(Compatible, Fresh)
		},
		"gone while breaking": func(l *life) {
			l.on(noQuote).after(hour).want(html, "").after(hour).want(html, "invalid").is(Breaking, Invalid).after(hour).want(noQuote, "reachable")
		},
		"ageing and expired": func(l *life) {
			l.on(good).after(36*hour-second).is(Compatible, Fresh).after(second).is(Compatible, Ageing).want(tick, "")
			l.after(12*hour-second).want(tick, "").after(second).is(Compatible, Expired).want(tick, "expired").want(tick, "")
			l.after(hour).want(good, "(reachable) resolved").is(Compatible, Fresh)
		},
		"a long time without the daemon is no trouble of the agent": func(l *life) {
			l.on(good).after(1000*hour).want(good, "").is(Compatible, Fresh)
		},
		"the lock changed": func(l *life) {
			o := by(Local, noQuote)
			o.CardDigest = good.CardDigest
			l.on(good).after(hour).want(o, "opened").is(Breaking, Fresh)
			l.after(hour).want(by(Local, good), "resolved").is(Compatible, Fresh)
			if l.state.ValidatedAt.Equal(l.now) {
				l.t.Error("a change of the lock validated the card")
			}
		},
		"the lock is pinned to the card that is pending": func(l *life) {
			o := by(Local, good)
			o.CardDigest = noQuote.CardDigest
			l.on(good).after(hour).want(noQuote, "").want(o, "").is(Compatible, Fresh)
			if l.state.Pending != nil {
				l.t.Error("the pending answer stays")
			}
		},
		"the lock changes, and what is pending stays worse": func(l *life) {
			o := by(Local, noPrice)
			o.CardDigest = noQuote.CardDigest
			l.on(good).after(hour).want(noQuote, "").want(o, "").is(Compatible, Fresh)
			o.By, o.Fresh = Confirm, true
			l.after(30*second).want(o, "opened")
		},
		"a new lock for a card that is there": func(l *life) {
			l.want(by(Local, noQuote), "opened").is(Breaking, Ageing)
		},
		"removed": func(l *life) {
			l.on(noQuote).after(hour).want(Observation{Cause: Removed}, "closed").want(Observation{Cause: Removed}, "")
			l.after(hour).want(good, "").want(down, "").want(tick, "")
		},
		"the clock goes back": func(l *life) {
			l.on(noQuote).after(hour).want(good, "").after(-1000*hour).want(good, "").is(Breaking, Fresh)
			l.after(10*minute).want(good, "resolved")
		},
		"the clock was ten years ahead": func(l *life) {
			l.after(90000 * hour).on(good).after(-90000 * hour)
			l.want(down, "").after(hour).want(down, "").after(hour).want(down, "unreachable").is(Compatible, Unreachable)
			l.after(47*hour).want(tick, "expired")
		},
		"expired stays expired when the clock goes back": func(l *life) {
			l.on(good).after(48*hour).want(tick, "expired").after(-40*hour).is(Compatible, Expired).want(tick, "")
			l.after(80*hour).want(tick, "").is(Compatible, Expired)
		},
	}
	for name, tell := range tests {
		t.Run(name, func(t *testing.T) { tell(newLife(t)) })
	}
}

// A required skill that cannot be read, by a lock that has just changed.
func TestLocalUndecided(t *testing.T) {
	l := newLife(t).on(good)
	o := Observation{Cause: Failed, By: Local, State: card.Invalid, Detail: "the required skill \"x\" cannot be read"}
	l.want(o, "").is(Compatible, Fresh)
	l.after(hour).want(by(Scheduled, o), "invalid").is(Compatible, Invalid)
}

func TestEvents(t *testing.T) {
	l := newLife(t).on(good)
	l.seq = 100
	l.after(hour).step(noQuote)
	events := l.after(30 * second).raw(confirmed(noQuote))
	want := Event{
		Seq: 100, Kind: Opened, At: l.now, Class: diff.Breaking, Was: Compatible,
		CardDigest: "noQuote", FindingSet: l.state.FindingSet, Episode: 100,
	}
	if len(events) != 1 || events[0] != want {
		t.Errorf("events %+v, want %+v", events, want)
	}
	if e := l.state.Episode; e == nil || e.Start != 100 || !e.OpenedAt.Equal(l.now) || len(e.Told) != 1 {
		t.Errorf("episode %+v", e)
	}
	l.after(hour).step(good)
	events = l.after(10 * minute).raw(rechecked(good))
	want = Event{Seq: 101, Kind: Resolved, At: l.now, Class: diff.Compatible, Was: Breaking, CardDigest: "good", Episode: 100}
	if len(events) != 1 || events[0] != want {
		t.Errorf("events %+v, want %+v", events, want)
	}
}

func TestFailureDetail(t *testing.T) {
	l := newLife(t).on(good)
	for range 2 {
		l.after(hour).step(down)
	}
	events := l.after(hour).raw(down)
	if len(events) != 1 || events[0].Detail != "unreachable: connection refused" || l.state.Gone != events[0].Detail {
		t.Errorf("events %+v, gone %q", events, l.state.Gone)
	}
	if got := l.state.Trouble.Since; !got.Equal(start.Add(hour)) {
		t.Errorf("gone since %s, want the first failure", got)
	}
	events = l.after(hour).raw(good)
	if events[0].Detail != "was unreachable: connection refused" || l.state.Gone != "" {
		t.Errorf("events %+v, gone %q", events, l.state.Gone)
	}
	if got := oneLine("a\nb" + string(make([]byte, 600)) + "é"); len(got) > detailMost+len("…") {
		t.Errorf("a detail of %d bytes", len(got))
	}
}
