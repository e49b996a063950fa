package schedule

import (
	"cmp"
	"time"
)

// Candidate is what decides whether, and how soon, an agent is run outside its
// slots.
type Candidate struct {
	ID        string
	Plan      Jittered
	Last      time.Time // the last slot that was run; zero: none
	Validated time.Time // the last validation; zero: never
	Stale     bool      // marked-stale
	Breaking  bool      // its verdict is breaking
}

// CatchUp holds the agents that are due at once: after a start, a suspend or a
// clock that was set forward those with slots behind them, and at all times
// those that were never validated. Each is run once, however many slots it
// missed, in the order of (marked-stale, breaking, oldest validation), and no
// faster than Rate. An agent whose own next slot comes first leaves it, since
// that slot is run anyhow. The zero value is empty and has no limit. It is not
// safe for concurrent use.
type CatchUp struct {
	// Rate is how many runs a second [CatchUp.Pop] gives at most; 0 is no limit.
	// It may be changed between calls.
	Rate float64

	order order[behind]
	free  time.Time // when the rate allows the next run
}

type behind struct {
	Candidate
	own time.Time // its next slot is due
}

// Before is in the order of [CatchUp].
func (b behind) Before(o behind) bool {
	return cmp.Or(
		first(b.Stale, o.Stale),
		first(b.Breaking, o.Breaking),
		b.Validated.Compare(o.Validated), // never is before all
		cmp.Compare(b.ID, o.ID),
	) < 0
}

// first puts what is true before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// CatchUpRate is the rate for a fleet of n agents: the configured one, or a
// fleet per ten minutes when that is faster; 0, no limit, stays.
func CatchUpRate(configured float64, n int) float64 {
	if configured == 0 {
		return 0
	}
	return max(configured, float64(n)/600)
}

// slack is how late a caller may be without that it slows the rate down.
const slack = 100 * time.Millisecond

// Add puts c in if it is due at once, replacing what is known of it, and reports
// whether it is.
func (u *CatchUp) Add(c Candidate, now time.Time) bool {
	u.Remove(c.ID)
	last := c.Last
	if last.IsZero() {
		last = c.Validated
	}
	if c.Plan.Latest(last, now).IsZero() && !c.Validated.IsZero() {
		return false
	}
	u.order.put(c.ID, behind{Candidate: c, own: c.Plan.After(c.Last, now).Due})
	return true
}

// Remove takes the agent id out, and reports whether it was there: it is being
// run for another reason, or gone.
func (u *CatchUp) Remove(id string) bool { return u.order.remove(id) }

// Len is how many agents wait.
func (u *CatchUp) Len() int { return u.order.len() }

// Pop takes out the agent that is to be run next, if the rate allows one now.
func (u *CatchUp) Pop(now time.Time) (id string, ok bool) {
	id, b, ok := u.order.first()
	for ok && !b.own.After(now) {
		u.Remove(id)
		id, b, ok = u.order.first()
	}
	if ready, any := u.Ready(now); !any || ready.After(now) {
		return "", false
	}
	u.Remove(id)
	if u.Rate > 0 {
		from := now.Add(-slack)
		if u.free.After(from) {
			from = u.free
		}
		u.free = from.Add(u.gap())
	}
	return id, true
}

// Ready is when the rate allows the next run, at the earliest now; false when
// no agent waits.
func (u *CatchUp) Ready(now time.Time) (time.Time, bool) {
	if u.Len() == 0 {
		return time.Time{}, false
	}
	if u.Rate <= 0 || !u.free.After(now) {
		return now, true
	}
	if wait := u.free.Sub(now); wait > u.gap() { // the clock was set back
		u.free = now.Add(u.gap())
	}
	return u.free, true
}

func (u *CatchUp) gap() time.Duration { return time.Duration(float64(time.Second) / u.Rate) }
