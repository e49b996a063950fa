package diff

import (
	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// Judge holds a lock against what its agent answered. base carries the client,
// the policy, the moment and where the answer came from; the rest of the
// [Comparison] is filled in here. A reading without a profile leaves the lock
// undecided, in the state that the bytes led to, and so does access that was lost
// ([Comparison.Denied]).
func Judge(l *lockfile.Lock, r *compile.Reading, base Comparison) *Result {
	if r.Err != nil {
		return Undecided(l, r.Err.State, r.Err.Detail())
	}
	base.Lock, base.Now = l, r.Profile
	base.Seen.CardDigest = r.Digest
	if denied := base.Denied(); denied != "" {
		return Undecided(l, authRequired, denied)
	}
	return Compare(base)
}

// Undecided is the result for a lock whose agent gave no card to judge: its
// last good state stays, and nothing counts as removed.
func Undecided(l *lockfile.Lock, state card.State, detail string) *Result {
	return &Result{Lock: l, State: state, Detail: detail}
}
