package replicas

import "time"

// A Pending is a worse answer that waits for its confirmation.
type Pending struct {
	Answer
	// Tried is the last confirming fetch that did not settle it; zero: none.
	Tried  time.Time `json:"tried,omitzero"`
	Failed int       `json:"failed,omitzero"` // how many there were
	// Repeats is how often other fetches came to the same, [Patience.Apart] from
	// each other; Seen is the last of them.
	Repeats int       `json:"repeats,omitzero"`
	Seen    time.Time `json:"seen,omitzero"`
}

// A Patience is how long confirmations may fail.
type Patience struct {
	Times int           // that they do, or that others come to the same
	Over  time.Duration // that these are spread over
	Apart time.Duration // from an answer to the next
}

// IsStuck reports whether the confirmation has had its time; nil waits for none.
func (x *Pending) IsStuck(now time.Time, p Patience) bool {
	return x != nil && (x.Failed >= p.Times || now.Sub(x.At) >= p.Over+p.Apart)
}

// Try notes a confirming fetch that did not settle it.
func (x *Pending) Try(now time.Time) { x.Tried, x.Failed = now, x.Failed+1 }

// Repeat notes an answer that agrees and confirms nothing, and reports whether
// it has come often enough to be believed while confirmations fail.
func (x *Pending) Repeat(now time.Time, p Patience) bool {
	last := x.At
	if x.Seen.After(last) {
		last = x.Seen
	}
	if !now.After(last) || now.Sub(last) < p.Apart {
		return false
	}
	x.Repeats, x.Seen = x.Repeats+1, now
	return x.Failed > 0 && x.Repeats >= p.Times && now.Sub(x.At) >= p.Over
}

// A Better is a run of answers that are better than the verdict.
type Better struct {
	Answer           // the worst of the run
	Since  time.Time `json:"since"`
	Last   time.Time `json:"last"`
	Count  int       `json:"count"`
}

// Hear counts an answer, and keeps the worst.
func (b *Better) Hear(x Answer, now time.Time) {
	b.Count++
	b.Last = now
	if x.Class >= b.Class || b.SameCard(&x) {
		b.Answer = x
	}
}
