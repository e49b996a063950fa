// Package replicas keeps what an agent answered when it disagreed with itself:
// replicas behind one name, a rollout under way, a cache that lies.
package replicas

import (
	"slices"
	"time"

	"github.com/a2alock/a2alock/diff"
)

// An Answer is one card of an agent, held against the lock.
type Answer struct {
	Class      diff.Class `json:"class"`
	CardDigest string     `json:"card_digest,omitzero"`
	// Via is where redirects led, "" for the lock's own URL. The same card by
	// another way is another answer.
	Via           string         `json:"via,omitzero"`
	ProfileDigest string         `json:"profile_digest,omitzero"`
	FindingSet    string         `json:"finding_set,omitzero"` // digest of the unwaived findings
	Shown         string         `json:"shown,omitzero"`       // digest of all that a reader sees of them
	Findings      []diff.Finding `json:"findings,omitzero"`
	At            time.Time      `json:"at"` // when it was given
}

// SameCard reports whether two answers are of one card that came by one way.
func (a *Answer) SameCard(b *Answer) bool { return a.CardDigest == b.CardDigest && a.Via == b.Via }

// Agrees reports whether two answers come to the same, whatever the card.
func (a *Answer) Agrees(b *Answer) bool { return a.Class == b.Class && a.FindingSet == b.FindingSet }

// A Dispute is a disagreement of an agent with itself: a fetch that was to
// confirm an answer got another one. The first is remembered for a time ([Memory]),
// the second within that time makes the lock disputed. A nil Dispute is none.
type Dispute struct {
	First time.Time `json:"first"` // from which the grace of a rollout counts
	Last  time.Time `json:"last"`
	Count int       `json:"count"`
	Began time.Time `json:"began,omitzero"` // when it became disputed
	// Answers are the last different ones, and the worst of all.
	Answers []Answer `json:"answers"`
	// Raised is whether it has outlived its grace: from then on it is a finding.
	Raised bool `json:"raised,omitzero"`
	// The last answer was given Run times in a row, from Since on.
	Card  string    `json:"card,omitzero"`
	Via   string    `json:"via,omitzero"`
	Run   int       `json:"run,omitzero"`
	Since time.Time `json:"since,omitzero"`
	Seen  time.Time `json:"seen,omitzero"` // the last answer
}

// Memory is how long one disagreement is remembered of an agent that is asked
// every interval: an hour, and long enough for the next two looks.
func Memory(interval time.Duration) time.Duration { return max(time.Hour, 2*interval) }

// Most is how many answers are kept of a dispute.
const Most = 4

// IsOn reports whether the lock is disputed, raised or not.
func (d *Dispute) IsOn() bool { return d != nil && d.Count >= 2 }

// Worst is the worst answer; of several the oldest.
func (d *Dispute) Worst() Answer {
	return slices.MaxFunc(d.Answers, func(a, b Answer) int { return int(a.Class) - int(b.Class) })
}

// Raises is when the grace is over. A second disagreement late in that time
// leaves time, stable, for a few more looks.
func (d *Dispute) Raises(grace, stable time.Duration) time.Time {
	if late := d.Began.Add(stable); late.After(d.First.Add(grace)) {
		return late
	}
	return d.First.Add(grace)
}

// Disagree counts that b was answered where a was to be confirmed.
func (d *Dispute) Disagree(a, b Answer, now time.Time) {
	d.Count++
	if d.Count == 2 {
		d.Began = now
	}
	d.Last = now
	d.Note(a)
	d.Run = 0
	d.Hear(b, now)
}

// Hear counts an answer.
func (d *Dispute) Hear(x Answer, now time.Time) {
	d.Note(x)
	if d.Run == 0 || d.Card != x.CardDigest || d.Via != x.Via {
		d.Card, d.Via, d.Run, d.Since = x.CardDigest, x.Via, 0, now
	}
	d.Run++
	d.Seen = now
}

// Note keeps an answer in place of an earlier one of the same card, in a list
// of its own. Of too many the oldest goes that is not the worst.
func (d *Dispute) Note(x Answer) {
	d.Answers = slices.DeleteFunc(slices.Clone(d.Answers), func(a Answer) bool { return a.SameCard(&x) })
	d.Answers = append(d.Answers, x)
	if len(d.Answers) <= Most {
		return
	}
	worst, drop := d.Worst(), 0
	if d.Answers[0].SameCard(&worst) {
		drop = 1
	}
	d.Answers = slices.Delete(d.Answers, drop, drop+1)
}

// Correct puts x in place of the answer of the same card, if there is one.
func (d *Dispute) Correct(x Answer) {
	for i := range d.Answers {
		if d.Answers[i].SameCard(&x) {
			d.Answers = slices.Clone(d.Answers)
			d.Answers[i] = x
		}
	}
}
