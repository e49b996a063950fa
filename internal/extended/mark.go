package extended

import "github.com/a2alock/a2alock/compile"

// Mark is r of an extended card, which it is whatever the card says of itself: its
// profile says so. r stays as it is.
func Mark(r *compile.Reading) *compile.Reading {
	if r.Profile == nil {
		return r
	}
	out, profile := *r, *r.Profile
	profile.ExtendedCard = true
	out.Profile = &profile
	return &out
}
