// Package pace says when one agent is asked next: by its schedule, for a try
// between slots, or because the state of a lock wants to know.
//
// A [Pace] has no clock; a clock that was set is followed with [Pace.Shift].
package pace

import (
	"math/bits"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/moment"
	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/verdict"
)

// Rules are what the configuration says of one agent.
type Rules struct {
	Plan schedule.Jittered
	// Min is the least time between two requests, confirmations and reports
	// excepted. Max is how long the agent's own word may keep us away; 0 is not
	// at all.
	Min, Max time.Duration
}

// Same reports whether r and o ask at the same times.
func (r Rules) Same(o Rules) bool {
	return r.Plan.Phase == o.Plan.Phase && r.Min == o.Min && r.Max == o.Max && r.Plan.Spec != nil && o.Plan.Spec != nil &&
		r.Plan.Spec.String() == o.Plan.Spec.String() && r.Plan.Spec.Zone().String() == o.Plan.Spec.Zone().String()
}

// Interval is how long a validation is expected to last around now.
func (r Rules) Interval(now time.Time) time.Duration {
	return max(r.Plan.Spec.Period(now), r.Min, r.Max)
}

// A Pace is where one agent stands with its requests. It is not safe for
// concurrent use.
type Pace struct {
	Rules

	Flying  bool             // a request is under way
	Queued  bool             // one is due, and waits until its host has room
	Asked   bool             // a person wants one as soon as that is over
	Last    time.Time        // when the last request began
	Own     time.Time        // while it waits to catch up: when its next slot is due; else zero
	Hold    time.Time        // slots before it are left out, by leave of the server
	Floor   time.Time        // nothing but a person's wish before
	Retry   time.Time        // a try between slots; zero: none
	Backoff schedule.Backoff // of the tries
	// Denied is whether the last answer was 401 or 403: only a slot asks again, and
	// confirms what waits for that.
	Denied bool
	// Plain is whether the last answer was a fault of the protocol, so that the
	// next request had better be unconditional.
	Plain bool

	begun struct { // what [Pace.Begin] took, for [Pace.Unsent]
		asked, plain bool
		last, floor  time.Time
	}
}

// A Request is why and when an agent is asked next.
type Request struct {
	At   time.Time
	Want verdict.Want // what a state asks for; By is "" for nothing
}

// Next is the next request of an agent that last ran the slot last, while the
// states of its locks want want (By "" is nothing).
func (p *Pace) Next(last, now time.Time, want verdict.Want) Request {
	due := p.Slot(last, now)
	r := Request{At: p.spaced(due)}
	if retry := p.spaced(p.Retry); !retry.IsZero() && retry.Before(r.At) {
		r.At = retry
	}
	if want.By != "" && (!p.Denied || want.By == verdict.Confirm) {
		at := want.At
		if want.By != verdict.Confirm && want.By != verdict.OnReport {
			at = p.spaced(at)
		}
		// While an agent is in trouble, what is wanted of it waits for a try.
		if p.Denied || p.Backoff.Failures() > 0 {
			at = moment.Later(at, r.At)
		}
		if !at.After(r.At) {
			r = Request{At: at, Want: want}
		}
	}
	r.At = moment.Later(r.At, p.Floor)
	if p.Asked {
		r.At = now
	}
	return r
}

// Slot is when the next slot is due, or has been due.
func (p *Pace) Slot(last, now time.Time) time.Time {
	due := p.Plan.After(last, now).Due
	if s := p.Plan.Latest(last, now); !last.IsZero() && !s.IsZero() {
		due = s.Due
	}
	if !p.Own.IsZero() {
		due = p.Own
	}
	if due.Before(p.Hold) {
		due = p.Plan.After(last, p.Hold).Due
	}
	return due
}

// spaced is t, and not too soon after the last request; zero stays.
func (p *Pace) spaced(t time.Time) time.Time {
	if t.IsZero() || p.Last.IsZero() {
		return t
	}
	return moment.Later(t, p.Last.Add(p.Min))
}

// Begin notes that a request goes out.
func (p *Pace) Begin(now time.Time) {
	p.begun.asked, p.begun.plain, p.begun.last, p.begun.floor = p.Asked, p.Plain, p.Last, p.Floor
	p.Flying, p.Asked, p.Plain, p.Last = true, false, false, now
	p.Own, p.Retry, p.Floor = time.Time{}, time.Time{}, time.Time{}
}

// Unsent notes that the request which began never went out, and is still to be
// made: at the next that will, it is for what it was for.
func (p *Pace) Unsent(now time.Time) {
	p.Asked, p.Plain = p.Asked || p.begun.asked, p.begun.plain
	p.Last, p.Floor, p.Retry = p.begun.last, p.begun.floor, now
}

// Succeed notes that an answer came which calls itself fresh for so long.
func (p *Pace) Succeed(now time.Time, fresh time.Duration) {
	p.Backoff.Reset()
	p.Denied, p.Hold = false, time.Time{}
	if most := min(fresh, p.Max); most > 0 {
		p.Hold = now.Add(most)
	}
}

// Fail plans a try before the next slot after last; random draws from [0, 1).
func (p *Pace) Fail(last, now time.Time, random func() float64) {
	next := p.Plan.After(last, now).Due
	p.Denied = false
	if p.Retry = p.Backoff.Fail(now, next, random); !p.Retry.Before(next) {
		p.Retry = time.Time{} // the slot comes first
	}
}

// Shift moves what was planned with a clock that was set: how long things take
// is no matter of the clock.
func (p *Pace) Shift(by time.Duration) {
	for _, t := range []*time.Time{&p.Last, &p.Hold, &p.Floor, &p.Retry, &p.begun.last, &p.begun.floor} {
		if !t.IsZero() {
			*t = t.Add(by)
		}
	}
}

// Params are what the state machine goes by for an agent that is asked so often.
func Params(d *config.Daemon, interval time.Duration) *verdict.Params {
	p := verdict.DefaultParams()
	p.FailureThreshold, p.FailureMinTime = d.FailureThreshold, d.FailureMinTime
	p.ConfirmAfter, p.RecoverThreshold, p.MinStable = d.ConfirmAfter, d.RecoverThreshold, d.MinStable
	p.StaleHold, p.RolloutGrace, p.MaxStaleness = d.StaleHold, d.RolloutGrace, d.MaxStaleness
	p.RuntimeEvidenceTTL, p.Review, p.OnUnknown = d.RuntimeEvidenceTTL, d.Review, d.OnUnknown
	p.Interval = interval
	return p
}

// crowd is how many agents of one host are many.
const crowd = 500

// Window is what n agents of one host spread over on s: wider for many, in
// doublings, so that one more moves no phase but at a doubling.
func Window(s *schedule.Spec, spread time.Duration, n int) time.Duration {
	w := s.Window(spread)
	if IsCrowd(n) {
		w = min(w<<bits.Len(uint(n/crowd)), s.Window(1<<62)) // at most all the time there is
	}
	return w
}

// IsCrowd reports whether n agents are many for one host.
func IsCrowd(n int) bool { return n > crowd }
