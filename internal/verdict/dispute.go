package verdict

import (
	"cmp"
	"slices"

	"github.com/a2alock/a2alock/internal/findings"
	"github.com/a2alock/a2alock/internal/replicas"
)

// A Dispute is a disagreement of an agent with itself.
type Dispute = replicas.Dispute

// agreeing is how many equal answers in a row end a dispute, in multiples of
// recover_threshold: two replicas behind one name give short runs by chance.
const agreeing = 2

// Replicas are the answers of a dispute that has outlived rollout_grace, nil
// where there is none: the engine compares the worst of them with the lock, and
// puts their digests into the comparison.
func (s *State) Replicas() []Answer {
	if !s.Dispute.IsOn() || !s.Dispute.Raised {
		return nil
	}
	return slices.Clone(s.Dispute.Answers)
}

func (m *machine) ageDispute() {
	switch d := m.Dispute; {
	case d == nil:
	case !d.IsOn() && m.now.Sub(d.Last) > replicas.Memory(m.p.Interval):
		m.Dispute = nil
	case d.IsOn() && !d.Raised && !m.now.Before(d.Raises(m.p.RolloutGrace, m.p.MinStable)):
		d.Raised, m.Judge = true, true
	}
}

// flap counts a disagreement: b where a was to be confirmed.
func (m *machine) flap(a, b Answer) {
	m.Flaps++
	d := cmp.Or(m.Dispute, &Dispute{First: m.now})
	d.Disagree(a, b, m.now)
	m.Dispute = d
	if d.IsOn() {
		m.Pending, m.Better = nil, nil
	}
	m.tell(Flap, true, a.CardDigest+" and then "+b.CardDigest)
}

// weigh takes an answer in a dispute. It moves the verdict where the accepted
// card is judged otherwise by now, where a raised dispute gets worse, and where
// the agent has come to agree with itself.
func (m *machine) weigh(x Answer) {
	d, current := m.Dispute, m.current()
	d.Hear(x, m.now)
	span := m.p.MinStable
	if d.Raised {
		span = m.p.RolloutGrace
	}
	switch {
	case d.Run >= agreeing*m.p.RecoverThreshold && m.now.Sub(d.Since) >= span:
		m.Judge = d.Raised // it was judged as one of several
		m.Dispute = nil
		m.take(x, byAgent)
	case m.Verdict.rank() >= 0 && current.SameCard(&x):
		m.take(x, byUs)
	case d.Raised && Of(x.Class).rank() > m.Verdict.rank():
		m.take(x, byAgent)
	}
}

// rejudge keeps the answers of a dispute in step with a lock that changed.
func (m *machine) rejudge(o Observation, x Answer) {
	d := m.Dispute
	if d == nil || o.By != Local {
		return
	}
	for _, y := range o.Answers {
		y.FindingSet, y.Shown = findings.Set(y.Findings), findings.Shown(y.Findings)
		d.Correct(y)
	}
	d.Correct(x)
}
