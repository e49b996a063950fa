package schedule

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// Phase is where in [0, window) the runs of the agent id lie: the same for the
// same id, salt and window, and even over many ids. It is 0 when window is not
// positive.
func Phase(id string, salt []byte, window time.Duration) time.Duration {
	if window <= 0 {
		return 0
	}
	h := sha256.New()
	h.Write([]byte(id))
	h.Write(salt)
	return time.Duration(binary.BigEndian.Uint64(h.Sum(nil)) % uint64(window))
}

// A Slot is one run of one agent.
type Slot struct {
	// At is the instant that the schedule names, the same for all agents that
	// have it. It is the run's identity; compare it with Equal.
	At time.Time
	// Due is when the run is to start: At and the agent's phase.
	Due time.Time
}

// IsZero reports whether s is no slot.
func (s Slot) IsZero() bool { return s.At.IsZero() }

// Jittered is a schedule as one agent runs it.
type Jittered struct {
	Spec  *Spec
	Phase time.Duration
}

// Jittered is s with all runs later by phase.
func (s *Spec) Jittered(phase time.Duration) Jittered { return Jittered{s, phase} }

func (j Jittered) slot(at time.Time) Slot {
	if at.IsZero() {
		return Slot{}
	}
	return Slot{at, at.Add(j.Phase)}
}

// Next is the first slot that is due after t.
func (j Jittered) Next(t time.Time) Slot { return j.slot(j.Spec.Next(t.Add(-j.Phase))) }

// After is the first slot that is due after now and lies after the slot last,
// so that a clock which was set back runs no slot twice. A last that
// [Jittered.IsAhead] counts as none.
func (j Jittered) After(last, now time.Time) Slot {
	next := j.Next(now)
	if next.At.After(last) || j.IsAhead(last, now) {
		return next
	}
	return j.slot(j.Spec.Next(last))
}

// IsAhead is whether the slot last is ahead of now by more than two periods, and
// two days. That is a clock's mistake: the agent would rest until then.
func (j Jittered) IsAhead(last, now time.Time) bool {
	ahead := last.Sub(now)
	return ahead > 48*time.Hour && ahead > 2*j.Spec.Period(now)
}

// Latest is the last slot that lies after the slot last and is due at or before
// now; a zero Slot when there is none. It is the one run that makes up for a
// pause. A last that [Jittered.IsAhead] counts as none.
func (j Jittered) Latest(last, now time.Time) Slot {
	if j.IsAhead(last, now) {
		last = time.Time{}
	}
	return j.slot(j.Spec.Latest(last, now.Add(-j.Phase)))
}

// Count is how many slots lie after the slot last and are due at or before now,
// as [Spec.Count] counts.
func (j Jittered) Count(last, now time.Time) int { return j.Spec.Count(last, now.Add(-j.Phase)) }
