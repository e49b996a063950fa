package verdict

import (
	"time"

	"github.com/a2alock/a2alock/internal/moment"
	"github.com/a2alock/a2alock/internal/replicas"
)

// Freshness says how far the verdict may be trusted at a moment: of those that
// hold, the first in the order of the constants. A lock that was never
// validated is ageing, unless its agent is known to be gone.
func (s *State) Freshness(now time.Time, p *Params) Freshness {
	age := max(0, now.Sub(s.ValidatedAt))
	never := s.ValidatedAt.IsZero()
	switch {
	case s.Lapsed || !never && p.MaxStaleness > 0 && age >= p.MaxStaleness:
		return Expired
	case s.Dispute.IsOn() && !s.Dispute.Raised:
		return Disputed
	case s.Invalid:
		return Invalid
	case s.Unreachable:
		return Unreachable
	case !s.Stale.Over(now, p.StaleHold):
		return MarkedStale
	case never || p.Interval > 0 && age >= ageing(p):
		return Ageing
	}
	return Fresh
}

func ageing(p *Params) time.Duration { return p.Interval + p.Interval/2 }

// A Want is something that the engine is asked to do for a lock, at a time that
// may have passed. What it comes to is an [Observation] with the same By.
type Want struct {
	By By
	At time.Time // zero: at once
	// Fresh asks for an unconditional fetch with Cache-Control: no-cache on a new
	// connection, Elsewhere for another address than before, if there is one.
	Fresh, Elsewhere bool
	// CardDigest is, for [Judged], the card to compare: that of the worst answer
	// of a dispute; "" is the stored one.
	CardDigest string
}

// ReportGap is the least time between two refreshes because of reports.
const ReportGap = time.Minute

// Wants is what s asks for besides the agent's schedule. It follows from what
// is stored, so a restart asks for the same. After a failed fetch the times
// are a floor: how much later it is, the scheduler's back-off says.
func Wants(s *State, p *Params) []Want {
	if s.Removed {
		return nil
	}
	var list []Want
	fetch := func(by By, at time.Time, elsewhere bool) {
		if s.Trouble != nil {
			at = moment.Later(at, s.Trouble.Last.Add(p.ConfirmAfter))
		}
		list = append(list, Want{By: by, At: at, Fresh: true, Elsewhere: elsewhere})
	}
	// Where confirmations alone fail, other fetches have their turn in between.
	if x := s.Pending; x != nil && (s.Trouble == nil || x.Failed < p.FailureThreshold) {
		fetch(Confirm, moment.Later(x.At, x.Tried).Add(p.ConfirmAfter), true)
	}
	if b := s.Better; b != nil {
		at := b.Since.Add(p.MinStable)
		if !b.Last.Before(at) {
			at = b.Last.Add(p.MinStable)
		}
		fetch(Recheck, at, false)
	}
	switch d := s.Dispute; {
	case d == nil:
	case !d.IsOn():
		// One more look, soon, or a daily schedule would never see it
		// again.
		if at := d.Last.Add(p.MinStable); s.ValidatedAt.Before(at) && s.Pending == nil {
			fetch(Recheck, at, true)
		}
	case d.Raised:
		fetch(Recheck, d.Seen.Add(p.RolloutGrace/2), true)
	default:
		fetch(Recheck, d.Seen.Add(p.MinStable/5), true)
	}
	if x := s.Stale; x != nil && !x.Validated {
		at := x.At
		if !x.Tried.IsZero() {
			at = moment.Later(at, x.Tried.Add(ReportGap))
		}
		fetch(OnReport, at, false)
	}
	if s.Judge {
		w := Want{By: Judged}
		if answers := s.Replicas(); len(answers) > 0 {
			w.CardDigest = s.Dispute.Worst().CardDigest
		}
		list = append(list, w)
	}
	return list
}

// NextTick is when time alone next changes s, as seen from now: a [Tick] is due
// then. A time that has passed is due at once; zero is never.
func NextTick(s *State, now time.Time, p *Params) time.Time {
	if s.Removed {
		return time.Time{}
	}
	var next time.Time
	at := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	if !s.ValidatedAt.IsZero() {
		if t := s.ValidatedAt.Add(ageing(p)); p.Interval > 0 && t.After(now) {
			at(t) // which is seen, and changes nothing that is stored
		}
		if p.MaxStaleness > 0 && !s.Lapsed {
			at(s.ValidatedAt.Add(p.MaxStaleness))
		}
	}
	if s.Ack != nil && !s.Ack.Until.IsZero() {
		at(s.Ack.Until)
	}
	for i := range s.Reports {
		at(s.Reports[i].At.Add(p.RuntimeEvidenceTTL))
	}
	if s.Stale != nil && s.Stale.Validated {
		at(s.Stale.At.Add(p.StaleHold))
	}
	if s.Damping.isOn() {
		at(s.Damping.Ends(s.Damping.Since, &p.Damping))
	}
	switch d := s.Dispute; {
	case d == nil:
	case !d.IsOn():
		at(d.Last.Add(replicas.Memory(p.Interval) + time.Nanosecond))
	case !d.Raised:
		at(d.Raises(p.RolloutGrace, p.MinStable))
	}
	return next
}
