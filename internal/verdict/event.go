package verdict

import (
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/findings"
)

// A Kind is the kind of an [Event].
type Kind string

// The kinds of events.
const (
	Opened      Kind = "opened"
	Worsened    Kind = "worsened"
	Improved    Kind = "improved"
	Resolved    Kind = "resolved"
	Changed     Kind = "changed"
	WentAway    Kind = "unreachable"
	CameBack    Kind = "reachable"
	WentInvalid Kind = "invalid"
	RanOut      Kind = "expired"
	Stale       Kind = "stale"
	Flap        Kind = "flap" // history and metrics alone
	Flapping    Kind = "flapping"
	Settled     Kind = "settled" // the summary where suppression ends
	Closed      Kind = "closed"  // the lock was removed; one line to the log
)

// opens reports whether the kind is trouble with which an episode begins.
func (k Kind) opens() bool {
	switch k {
	case Opened, WentAway, WentInvalid, RanOut, Flapping:
		return true
	}
	return false
}

// An Event is one transition that happened. Its numbers come from the store's
// counter and never from the clock.
type Event struct {
	Seq   uint64     `json:"seq"`
	Kind  Kind       `json:"kind"`
	At    time.Time  `json:"at"`
	Class diff.Class `json:"class"` // of what holds from now on
	Was   Verdict    `json:"was"`   // before
	// CardDigest is the card's, FindingSet that of the unwaived findings.
	CardDigest string `json:"card_digest,omitzero"`
	FindingSet string `json:"finding_set,omitzero"`
	// Episode is the Seq with which the episode began; 0 where none is open.
	Episode uint64 `json:"episode,omitzero"`
	// Quiet events are history alone: suppressed, or nothing in them is new to
	// their episode.
	Quiet bool `json:"quiet,omitzero"`
	// Detail is one line of the cause: the error of a fetch, the counts of a
	// flapping agent. It may hold text of the agent, quoted.
	Detail string `json:"detail,omitzero"`
}

// An Episode is a time of trouble, from the first event above compatible and
// reachable to its resolve.
type Episode struct {
	Start    uint64    `json:"start"` // the Seq of its first event
	OpenedAt time.Time `json:"opened_at"`
	// Told are the fingerprints of the findings that its events have told, each
	// skill after the first with a name of its own. It only grows.
	Told []string `json:"told,omitzero"`
	// News is how many of Told, at its end, the event of the number NewsBy added.
	News   int    `json:"news,omitzero"`
	NewsBy uint64 `json:"news_by,omitzero"`
}

// An Ack is a person's word that an episode is known.
type Ack struct {
	Author string    `json:"author"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
	Until  time.Time `json:"until,omitzero"` // zero: until it clears
	// What it covers; in an [Acked] observation left open.
	Episode    uint64     `json:"episode"`
	Class      diff.Class `json:"class"`
	FindingSet string     `json:"finding_set"`
	Covers     []string   `json:"covers,omitzero"` // the findings, one by one
}

// acked keeps a person's word about what is there.
func (m *machine) acked(a Ack) {
	if m.Episode == nil || !a.Until.IsZero() && !m.now.Before(a.Until) {
		return
	}
	a.Episode, a.Class, a.FindingSet, a.Covers = m.Episode.Start, m.Class(), m.FindingSet, findings.Marks(m.Findings)
	if a.At.IsZero() || a.At.After(m.now) {
		a.At = m.now
	}
	m.Ack = &a
}
