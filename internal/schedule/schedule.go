// Package schedule says when an agent is refreshed: cron specs and @every in a
// time zone, jitter, the queue of what is due, and what to do after a pause.
//
// A [Spec] is read by [Parse] and gives slots. A slot is the instant that the
// spec names, without jitter; it is the identity of a run, so that a slot which
// was run is never run again, whatever restarts in between. [Jittered] shifts
// the runs of one agent by a fixed phase, within a window that the whole fleet
// spreads over: a [Slot] is due its phase after its instant.
//
//	spec, err := schedule.Parse("@daily", "Europe/Berlin")
//	phase := schedule.Phase(agent, salt, spec.Window(0))
//	slot := spec.Jittered(phase).Next(now) // slot.At is kept, slot.Due waited for
//
// The package has no clock: every moment is a parameter. Calendar specs are
// computed on the local time of their zone and mapped to instants:
//
//   - A local time that a change of the clocks leaves out runs at the first
//     instant after the gap, once, however many slots the gap swallowed.
//   - A local time that occurs twice runs the first time.
//   - Where the hour field is a wildcard or has a step, or lists all hours, the
//     spacing in real time counts instead: what occurs twice runs twice, and
//     what falls into a gap runs as much later as the clocks were moved, where it
//     mostly meets a slot that is there anyhow.
//
// @every counts from the Unix epoch, so that its slots are the same after a
// restart, and on every machine.
package schedule

import (
	"cmp"
	"time"
)

// A Spec is a parsed schedule in a time zone. It is made by [Parse], never
// changes and is safe for concurrent use.
type Spec struct {
	text     string
	zone     *time.Location
	every    int64 // seconds between two slots; 0: by calendar
	calendar calendar
	shortest time.Duration // between two slots
}

// horizon bounds every search, in seconds. Eight years pass between the leap
// days around 2100; nothing that Parse accepts is rarer.
const horizon = 9 * 366 * day

// String is the schedule as it was written, without the zone.
func (s *Spec) String() string { return s.text }

// Zone is the time zone that the schedule is computed in.
func (s *Spec) Zone() *time.Location { return s.zone }

// Next is the first slot after t, in the zone of s.
func (s *Spec) Next(t time.Time) time.Time {
	from := t.Unix() + 1
	if s.every > 0 {
		return s.moment((floorDiv(from-1, s.every) + 1) * s.every)
	}
	for at := from; at < from+horizon; {
		p := s.periodAt(at)
		if slot, ok := s.calendar.firstIn(p, at, from+horizon); ok {
			return s.moment(slot)
		}
		at = p.end
	}
	return time.Time{}
}

// Prev is the last slot at or before t, in the zone of s.
func (s *Spec) Prev(t time.Time) time.Time {
	until := t.Unix()
	if s.every > 0 {
		return s.moment(floorDiv(until, s.every) * s.every)
	}
	for at := until; at > until-horizon; {
		p := s.periodAt(at)
		if slot, ok := s.calendar.lastIn(p, until-horizon, at); ok {
			return s.moment(slot)
		}
		at = p.start - 1
	}
	return time.Time{}
}

// Latest is the last slot in (after, until], the zero time when there is none.
// A long pause costs no more than a short one.
func (s *Spec) Latest(after, until time.Time) time.Time {
	if slot := s.Prev(until); slot.After(after) {
		return slot
	}
	return time.Time{}
}

// Count is how many slots lie in (after, until]. Of calendar specs it looks at
// the last nine years at most, at the cost of a step for each day.
func (s *Spec) Count(after, until time.Time) int {
	from, to := after.Unix()+1, until.Unix()+1
	if s.every > 0 {
		return int(max(0, floorDiv(to-1, s.every)-floorDiv(from-1, s.every)))
	}
	n := 0
	for at := max(from, to-horizon); at < to; {
		p := s.periodAt(at)
		n += s.calendar.countIn(p, at, min(to, p.end))
		at = p.end
	}
	return n
}

// Period is how long a validation may be expected to last around the moment at:
// the longer of the times between the last slot and the slots beside it. On a
// Monday after a weekend without slots it is still the weekend's.
func (s *Spec) Period(at time.Time) time.Duration {
	if s.every > 0 {
		return s.shortest
	}
	last := s.Prev(at)
	before := s.Prev(last.Add(-time.Second))
	return max(last.Sub(before), s.Next(at).Sub(last))
}

// Window is what the runs of many agents are spread over: the whole period for
// @every; for a calendar spec spread, or when spread is 0 a tenth of the
// shortest time between two slots and at most an hour. It is never longer than
// that shortest time, and the same at all times, so that phases stay.
func (s *Spec) Window(spread time.Duration) time.Duration {
	if s.every > 0 {
		return s.shortest
	}
	return min(cmp.Or(max(spread, 0), min(s.shortest/10, time.Hour)), s.shortest)
}

func (s *Spec) moment(unix int64) time.Time { return time.Unix(unix, 0).In(s.zone) }

// A period is a stretch of time, from start until before end in Unix seconds,
// in which the clocks of a zone were not moved.
type period struct {
	start, end     int64
	offset, before int64 // seconds east of UTC: in it, and just before it
}

// far stands for the ends of time; sums with it do not overflow.
const far = 1 << 60

func (s *Spec) periodAt(unix int64) period {
	t := s.moment(unix)
	_, offset := t.Zone()
	p := period{start: -far, end: far, offset: int64(offset), before: int64(offset)}
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		_, before := start.Add(-time.Second).Zone()
		p.start, p.before = start.Unix(), int64(before)
	}
	if !end.IsZero() {
		p.end = end.Unix()
	}
	if p.end <= unix {
		// Where a zone goes on by rule (past 2037), ZoneBounds takes every year
		// for 365 days, and ends before the last day of a leap year begins.
		p.end = (floorDiv(unix, day) + 1) * day
	}
	return p
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
