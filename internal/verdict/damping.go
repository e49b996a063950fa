package verdict

import (
	"fmt"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/damping"
)

// A Damping is the penalty of a lock that keeps changing, as routers damp
// routes: each change adds to it, half of it goes in a half-life. Over a
// threshold the lock is suppressed: its events are history, and decisions go by
// the worst of the window, until the penalty is small again.
type Damping struct {
	damping.Penalty
	// The window: since the penalty was last forgotten.
	Count   int      `json:"count"`
	Worst   Answer   `json:"worst"`
	Digests []string `json:"digests,omitzero"` // the two last cards
	// Since is when the suppression began; zero: none.
	Since time.Time `json:"since,omitzero"`
}

// Points that a change adds: one of the verdict, or an outage, is a whole; new
// findings of an unchanged class that were told are a half.
const (
	changePoints = 1000
	movePoints   = 500
)

// isOn reports whether the lock is suppressed.
func (d *Damping) isOn() bool { return d != nil && !d.Since.IsZero() }

// Suppressed reports whether deliveries about the lock are held back, reminders
// among them.
func (s *State) Suppressed() bool { return s.Damping.isOn() }

// A Suppression is why a lock that keeps changing is denied or told less than
// its verdict says.
type Suppression struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"` // it has ended by then, whatever happens
	Worst Verdict   `json:"worst"` // by which decisions go meanwhile
}

// Suppression is the one that holds; nil: there is none.
func (s *State) Suppression(p *Params) *Suppression {
	d := s.Damping
	if !d.isOn() {
		return nil
	}
	until := d.Since.Add(p.Damping.Max).Truncate(time.Second).Add(time.Second)
	return &Suppression{Since: d.Since.UTC(), Until: until.UTC(), Worst: Of(max(d.Worst.Class, s.Class()))}
}

// damp adds points for what has just become of was, and reports whether that
// began a suppression. What is worse than all before breaks through.
func (m *machine) damp(points float64, was Answer) bool {
	d := m.Damping
	if d == nil {
		if points == 0 || m.p.Damping.Suppress <= 0 {
			return false
		}
		d = &Damping{Worst: was, Digests: damping.Last(nil, was.CardDigest)}
	}
	current := m.current()
	m.breaks = current.Class > d.Worst.Class
	if current.Class >= d.Worst.Class {
		d.Worst = current
	}
	d.Digests = damping.Last(d.Digests, current.CardDigest)
	if points > 0 {
		d.Penalty = d.Add(points, m.now, &m.p.Damping)
		d.Count++
	}
	m.Damping = d
	if d.isOn() || d.Points < m.p.Damping.Suppress || points == 0 {
		return false
	}
	d.Since = m.now
	return true
}

// flapping tells that a suppression began.
func (m *machine) flapping() {
	d := m.Damping
	text := fmt.Sprintf("%d changes", d.Count)
	if len(d.Digests) > 0 {
		text += "; last " + strings.Join(d.Digests, " and ")
	}
	text += fmt.Sprintf("; until it settles, at the latest %s, decisions use the worst seen, %s",
		m.Suppression(m.p).Until.Format("2006-01-02 15:04 UTC"), d.Worst.Class)
	m.tell(Flapping, false, text)
}

// relax lets a penalty go that has become small.
func (m *machine) relax() {
	switch d := m.Damping; {
	case d == nil:
	case !d.isOn():
		if d.Left(m.now, &m.p.Damping) < m.p.Damping.Reuse/2 {
			m.Damping = nil
		}
	case !m.now.Before(d.Ends(d.Since, &m.p.Damping)):
		left := min(d.Left(m.now, &m.p.Damping), m.p.Damping.Reuse)
		m.settle()
		m.Damping = &Damping{Penalty: damping.Penalty{Points: left, At: m.now}, Worst: m.current(), Digests: d.Digests}
	}
}

// settle ends a suppression with one summary.
func (m *machine) settle() {
	d := m.Damping
	m.Damping = nil
	m.tell(Settled, false, fmt.Sprintf("%d changes, suppressed for %s", d.Count, max(0, m.now.Sub(d.Since)).Round(time.Second)))
}

// undamp forgets a penalty that was earned under another lock.
func (m *machine) undamp() {
	if m.Damping.isOn() {
		m.settle()
	}
	m.Damping = nil
}
