package watched

import (
	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
)

// A judgment is what of an observation a comparison has found, and no more: one is
// kept for each lock.
type judgment struct {
	Cause                 verdict.Cause
	State                 card.State
	Class                 diff.Class
	CardDigest, Via       string
	ProfileDigest, Detail string
	Findings              []diff.Finding
}

func judgmentOf(o *verdict.Observation) judgment {
	return judgment{
		Cause: o.Cause, State: o.State, Class: o.Class, CardDigest: o.CardDigest, Via: o.Via,
		ProfileDigest: o.ProfileDigest, Detail: o.Detail, Findings: o.Findings,
	}
}
