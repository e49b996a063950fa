// Package verdict is the daemon's state machine for one lock: what was decided,
// how far it may still be trusted, which episode is open, and what follows from
// an observation.
//
// Two axes are never mixed. The [Verdict] is the class of the last decided
// observation. The [Freshness] qualifies it, and never erases it. [Step] is the
// transition function and [Decide] the answer to "may I delegate?"; both are
// pure, so that every row of docs/states.md is a test.
package verdict

import (
	"reflect"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/replicas"
)

// A Verdict is the class of the last decided observation, or [None].
type Verdict string

// The verdicts, from best to worst.
const (
	None       Verdict = "none" // nothing was decided yet
	Compatible Verdict = "compatible"
	Review     Verdict = "review"
	Breaking   Verdict = "breaking"
)

// A Freshness says how much a verdict may still be trusted.
type Freshness string

// The freshnesses, in the order in which the first that holds is the one.
const (
	Expired     Freshness = "expired"
	Disputed    Freshness = "disputed"
	Invalid     Freshness = "invalid"
	Unreachable Freshness = "unreachable"
	MarkedStale Freshness = "marked-stale"
	Ageing      Freshness = "ageing"
	Fresh       Freshness = "fresh"
)

// rank orders verdicts: [None] is below all others.
func (v Verdict) rank() int {
	switch v {
	case Compatible:
		return 0
	case Review:
		return 1
	case Breaking:
		return 2
	}
	return -1
}

// Of is the verdict that a class comes to.
func Of(c diff.Class) Verdict {
	switch {
	case c <= diff.Compatible:
		return Compatible
	case c == diff.Review:
		return Review
	}
	return Breaking
}

// A State is all that is remembered of one lock. The zero State is that of a
// lock which nobody has looked at. Its JSON is what the store keeps.
//
// What pointers and slices of a State hold is never changed in place, so that a
// copy of the struct is a copy of the whole.
type State struct {
	Verdict Verdict `json:"verdict"` // "" is None
	// What Verdict was decided on, as in an [Answer]; DecidedAt is when any of it
	// last moved.
	CardDigest    string         `json:"card_digest,omitzero"`
	Via           string         `json:"via,omitzero"` // see [Answer]
	ProfileDigest string         `json:"profile_digest,omitzero"`
	FindingSet    string         `json:"finding_set,omitzero"`
	Shown         string         `json:"shown,omitzero"`
	Findings      []diff.Finding `json:"findings,omitzero"`
	DecidedAt     time.Time      `json:"decided_at,omitzero"`
	// Since is when Verdict became what it is.
	Since time.Time `json:"since,omitzero"`
	// ValidatedAt is when the agent last confirmed a card: a 200 that was
	// decided, or a 304 that was accepted. A caller that keeps it elsewhere (see
	// [Moved]) puts it back before the next Step.
	ValidatedAt time.Time `json:"validated_at,omitzero"`
	// Kept is when the card behind Verdict was last confirmed, where another card
	// was validated since; zero: at ValidatedAt.
	Kept time.Time `json:"kept,omitzero"`
	// Gone is why nothing could be decided since, as one line; "" when it could.
	Gone    string   `json:"gone,omitzero"`
	Trouble *Trouble `json:"trouble,omitzero"` // nil: the last fetch could be judged
	// Unreachable, Invalid and Lapsed (expired) have been told, and have not
	// ended since.
	Unreachable bool `json:"unreachable,omitzero"`
	Invalid     bool `json:"invalid,omitzero"`
	Lapsed      bool `json:"lapsed,omitzero"`

	Episode *Episode `json:"episode,omitzero"`
	Ack     *Ack     `json:"ack,omitzero"`

	Pending *Pending `json:"pending,omitzero"` // worse, and not confirmed yet
	Better  *Better  `json:"better,omitzero"`  // better, and not for long enough yet
	Dispute *Dispute `json:"dispute,omitzero"`
	Damping *Damping `json:"damping,omitzero"`
	Flaps   int      `json:"flaps,omitzero"` // counted since the lock is known

	Reports []Report `json:"reports,omitzero"` // runtime evidence and notes, oldest first
	Stale   *Mark    `json:"stale,omitzero"`   // marked-stale

	// Judge asks for the stored card to be compared again: what the state knows
	// of runtime or replicas has moved.
	Judge bool `json:"judge,omitzero"`
	// Known are the digests that were decided last, oldest first: a 304 speaks
	// of no other.
	Known   []string `json:"known,omitzero"`
	Removed bool     `json:"removed,omitzero"` // the lock is gone; nothing moves any more
}

// Class is the class of the verdict; [None] counts as compatible.
func (s *State) Class() diff.Class { return diff.Class(max(s.Verdict.rank(), 0)) }

// AsOf is when the agent last confirmed the card behind the verdict; zero: there
// is none.
func (s *State) AsOf() time.Time {
	switch {
	case s.Verdict.rank() < 0:
		return time.Time{}
	case !s.Kept.IsZero():
		return s.Kept
	}
	return s.ValidatedAt
}

// Moved reports whether anything but ValidatedAt differs, so that a refresh
// that found nothing new costs the store one time and no row.
func Moved(was, now State) bool {
	was.ValidatedAt = now.ValidatedAt
	return !same(&was, &now) && !reflect.DeepEqual(was, now)
}

// same is whether two states hold the very same: nearly all are, and reflection
// costs as much as the whole of a step. False says nothing.
func same(a, b *State) bool {
	return a.Verdict == b.Verdict && a.CardDigest == b.CardDigest && a.Via == b.Via && a.ProfileDigest == b.ProfileDigest &&
		a.FindingSet == b.FindingSet && a.Shown == b.Shown && isOne(a.Findings, b.Findings) &&
		a.DecidedAt == b.DecidedAt && a.Since == b.Since && a.ValidatedAt == b.ValidatedAt && a.Kept == b.Kept &&
		a.Gone == b.Gone && a.Trouble == b.Trouble && a.Unreachable == b.Unreachable && a.Invalid == b.Invalid && a.Lapsed == b.Lapsed &&
		a.Episode == b.Episode && a.Ack == b.Ack && a.Pending == b.Pending && a.Better == b.Better && a.Dispute == b.Dispute &&
		a.Damping == b.Damping && a.Flaps == b.Flaps && isOne(a.Reports, b.Reports) && a.Stale == b.Stale &&
		a.Judge == b.Judge && isOne(a.Known, b.Known) && a.Removed == b.Removed
}

// isOne is whether two slices are one, or both nil.
func isOne[T any](a, b []T) bool {
	return len(a) == len(b) && (a == nil) == (b == nil) && (len(a) == 0 || &a[0] == &b[0])
}

// A Trouble is a run of observations that could not be judged. Failed fetches
// and bytes that are no card are counted apart, and only an answer that can be
// judged ends either run: an agent that alternates between 503 and 404 is in
// both troubles.
type Trouble struct {
	State card.State `json:"state"` // of the last one
	Since time.Time  `json:"since"`
	Last  time.Time  `json:"last"`
	// Fetches are failed fetches, from FetchesSince on; Bytes those that came
	// and could not be read as a card.
	Fetches      int       `json:"fetches,omitzero"`
	FetchesSince time.Time `json:"fetches_since,omitzero"`
	Bytes        int       `json:"bytes,omitzero"`
}

// A Pending is a worse answer that waits for its confirmation.
type Pending = replicas.Pending

// A Better is a run of answers that are better than the verdict.
type Better = replicas.Better
