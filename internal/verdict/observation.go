package verdict

import (
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
)

// A Cause is the kind of an [Observation].
type Cause string

// The kinds of observations, with the members that each needs.
const (
	// Decided: a card was held against the lock. Class, CardDigest, Via,
	// ProfileDigest, Findings; NotModified for a 304, re-compared.
	Decided Cause = "decided"
	// Failed: nothing could be judged. State and Detail. A result that is
	// undecided counts as [card.Invalid].
	Failed Cause = "failed"
	// Reported: an orchestrator met an error. Report.
	Reported Cause = "reported"
	// Acked and Unacked: a person's word. Ack.
	Acked   Cause = "acked"
	Unacked Cause = "unacked"
	Tick    Cause = "tick"    // time alone
	Removed Cause = "removed" // the lock is gone
)

// By says what an observation comes from: the fetch or comparison that it is
// the result of. It also names what [Wants] asks for.
type By string

// What leads to an observation.
const (
	Scheduled By = "scheduled" // the agent's own slot, or a person's refresh
	Confirm   By = "confirm"   // a pending answer is looked at again
	Recheck   By = "recheck"   // a better one, or a disagreement, is
	OnReport  By = "report"    // an orchestrator reported an error
	Local     By = "local"     // the lock or the configuration changed, and nothing was fetched
	// Judged is the stored card, held again against what is known by now; with a
	// [Tick] there is none to hold.
	Judged By = "judged"
)

// isLocal reports whether nothing was fetched.
func (b By) isLocal() bool { return b == Local || b == Judged }

// An Observation is one thing that the daemon learned about one lock.
type Observation struct {
	Cause Cause
	By    By
	// Fresh is whether the fetch was unconditional, with Cache-Control: no-cache,
	// on a new connection: others confirm nothing.
	Fresh bool
	// Began is when the fetch was started; zero is now.
	Began time.Time

	NotModified   bool
	Class         diff.Class
	CardDigest    string
	Via           string // see [Answer]
	ProfileDigest string // "": not known
	Findings      []diff.Finding

	State  card.State
	Detail string // one line; text of the agent in it is quoted

	// Answers are, after a [Local] change, the ones in dispute, judged anew.
	Answers []Answer
	Report  Report
	Ack     Ack
}
