package schedule

import (
	"cmp"
	"container/heap"
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

// A Run is one agent to be refreshed at once.
type Run struct {
	ID string
	// Slot is the latest of the slots that were missed; it counts as run. It is
	// zero for an agent that was never validated and whose latest slot was run.
	Slot Slot
	// Missed is how many slots before Slot passed and will never be run.
	Missed int
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

	heap catchUpHeap
	byID map[string]*behind
	free time.Time // when the rate allows the next run
}

type behind struct {
	Candidate
	run   Run
	own   time.Time // its next slot is due
	index int
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

// Add puts c in if it is due at once, replacing what is known of it, and gives
// the run that it is due for.
func (u *CatchUp) Add(c Candidate, now time.Time) (Run, bool) {
	u.Remove(c.ID)
	last := c.Last
	if last.IsZero() {
		last = c.Validated
	}
	run := Run{ID: c.ID, Slot: c.Plan.Latest(last, now)}
	switch {
	case run.Slot.IsZero() && !c.Validated.IsZero():
		return Run{}, false
	case !run.Slot.IsZero() && !last.IsZero():
		run.Missed = max(0, c.Plan.Count(last, now)-1)
	}
	if u.byID == nil {
		u.byID = map[string]*behind{}
	}
	b := &behind{Candidate: c, run: run, own: c.Plan.After(c.Last, now).Due}
	u.byID[c.ID] = b
	heap.Push(&u.heap, b)
	return run, true
}

// Remove takes the agent id out, and reports whether it was there: it is being
// run for another reason, or gone.
func (u *CatchUp) Remove(id string) bool {
	b, ok := u.byID[id]
	if ok {
		heap.Remove(&u.heap, b.index)
		delete(u.byID, id)
	}
	return ok
}

// Len is how many agents wait.
func (u *CatchUp) Len() int { return len(u.heap) }

// Pop takes out the agent that is to be run next, if the rate allows one now.
func (u *CatchUp) Pop(now time.Time) (Run, bool) {
	for len(u.heap) > 0 && !u.heap[0].own.After(now) {
		u.Remove(u.heap[0].ID)
	}
	ready, ok := u.Ready(now)
	if !ok || ready.After(now) {
		return Run{}, false
	}
	run := u.heap[0].run
	u.Remove(run.ID)
	if u.Rate > 0 {
		from := now.Add(-slack)
		if u.free.After(from) {
			from = u.free
		}
		u.free = from.Add(u.gap())
	}
	return run, true
}

// Ready is when the rate allows the next run, at the earliest now; false when
// no agent waits.
func (u *CatchUp) Ready(now time.Time) (time.Time, bool) {
	if len(u.heap) == 0 {
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

type catchUpHeap []*behind

func (h catchUpHeap) Len() int { return len(h) }

func (h catchUpHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	return cmp.Or(
		first(a.Stale, b.Stale),
		first(a.Breaking, b.Breaking),
		a.Validated.Compare(b.Validated), // never is before all
		cmp.Compare(a.ID, b.ID),
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

func (h catchUpHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *catchUpHeap) Push(x any) {
	b := x.(*behind)
	b.index = len(*h)
	*h = append(*h, b)
}

func (h *catchUpHeap) Pop() any {
	old := *h
	last := len(old) - 1
	b := old[last]
	old[last] = nil
	*h = old[:last]
	return b
}
