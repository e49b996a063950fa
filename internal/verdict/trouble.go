package verdict

import (
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/say"
)

// unreachable is the state of a fetch that failed; all others are of bytes that
// came, or of an agent that answers and shows no card.
const unreachable card.State = "unreachable"

// invalidAfter is how many undecodable answers in a row make an agent invalid.
const invalidAfter = 2

// failed counts what could not be judged. Verdict, findings and card stay.
func (m *machine) failed(o Observation) {
	if o.State == "" {
		o.State = unreachable
	}
	t := m.Trouble
	if t == nil {
		t = &Trouble{Since: m.now}
	}
	t.State, t.Last = o.State, m.now
	m.Trouble = t
	m.Gone = oneLine(string(o.State) + ": " + strings.TrimPrefix(o.Detail, string(o.State)+": ")) // a card's fault begins with it
	if m.Pending != nil && o.By == Confirm {
		m.Pending.Try(m.now)
	}
	if m.Stale != nil && o.By == OnReport {
		m.Stale.Tried = m.now
	}
	if o.State != unreachable {
		t.Bytes = min(t.Bytes+1, invalidAfter)
		if t.Bytes == invalidAfter && !m.Invalid {
			m.Invalid = true
			m.outage(WentInvalid)
		}
		return
	}
	if t.Fetches == 0 {
		t.FetchesSince = m.now
	}
	t.Fetches++
	if !m.Unreachable && t.Fetches >= m.p.FailureThreshold && m.now.Sub(t.FetchesSince) >= m.p.FailureMinTime {
		m.Unreachable = true
		m.outage(WentAway)
	}
}

// outage tells that an agent is gone. Outages that follow each other quickly
// are damped as changes of the verdict are.
func (m *machine) outage(kind Kind) {
	entered := m.damp(changePoints, m.current())
	m.tell(kind, false, m.Gone)
	m.breaks = false
	if entered {
		m.flapping()
	}
}

// detailMost bounds the bytes of a cause.
const detailMost = 500

// oneLine is s on one line, cut between runes.
func oneLine(s string) string {
	s = strings.TrimSuffix(strings.ToValidUTF8(say.OneLine(s), "\uFFFD"), ":")
	if len(s) <= detailMost {
		return s
	}
	return strings.ToValidUTF8(s[:detailMost], "") + "…"
}
