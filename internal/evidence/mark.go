package evidence

import "time"

// A Mark is why something is marked stale.
type Mark struct {
	At time.Time `json:"at"` // the last report
	// Validated is whether a fetch that began after At found the card, on a new
	// connection and without a condition.
	Validated bool `json:"validated,omitzero"`
	// Tried is the last refresh because of a report; zero: none.
	Tried time.Time `json:"tried,omitzero"`
}

// Over reports whether the mark, which lasts for hold after the last report, has
// ended; that of nil has.
func (x *Mark) Over(now time.Time, hold time.Duration) bool {
	return x == nil || x.Validated && now.Sub(x.At) >= hold
}
