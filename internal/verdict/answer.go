package verdict

import (
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/findings"
	"github.com/a2alock/a2alock/internal/replicas"
)

// An Answer is one card of an agent, held against the lock.
type Answer = replicas.Answer

// answer is what a decided o says, at a moment.
func answer(o Observation, at time.Time) Answer {
	return Answer{
		Class: min(max(o.Class, diff.Compatible), diff.Breaking), CardDigest: o.CardDigest, Via: o.Via,
		ProfileDigest: o.ProfileDigest, FindingSet: findings.Set(o.Findings), Shown: findings.Shown(o.Findings),
		Findings: o.Findings, At: at,
	}
}

// current is what s was decided on.
func (s *State) current() Answer {
	return Answer{
		Class: s.Class(), CardDigest: s.CardDigest, Via: s.Via, ProfileDigest: s.ProfileDigest,
		FindingSet: s.FindingSet, Shown: s.Shown, Findings: s.Findings, At: s.DecidedAt,
	}
}
