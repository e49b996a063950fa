// Package moment compares moments of which either may be none, the zero time.
package moment

import "time"

// Later is the later of two; none is before all.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Earlier is the earlier of two. None is neither: the other is it.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
