package schedule

import (
	"cmp"
	"time"
)

// Backoff places tries between slots after failures: the n-th in a row after a
// time drawn evenly from [0, Base × 2ⁿ⁻¹). The zero value is ready; it is not
// safe for concurrent use.
type Backoff struct {
	Base time.Duration // 0: a minute

	failures int
}

// Fail counts a failure at now, and gives when to try again: never later than
// the slot's due, which it is when no try comes between. random draws from
// [0, 1).
func (b *Backoff) Fail(now, due time.Time, random func() float64) time.Time {
	b.failures++
	base := float64(cmp.Or(b.Base, time.Minute))
	// Past twenty doublings any slot comes first.
	longest := base * float64(int64(1)<<min(b.failures-1, 20))
	if try := now.Add(time.Duration(random() * longest)); try.Before(due) {
		return try
	}
	return due
}

// Failures is how many failures were counted since the last success.
func (b *Backoff) Failures() int { return b.failures }

// Reset forgets the failures: one attempt succeeded.
func (b *Backoff) Reset() { b.failures = 0 }
