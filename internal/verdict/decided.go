package verdict

import (
	"cmp"
	"slices"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/findings"
	"github.com/a2alock/a2alock/internal/set"
)

// decided takes in a card that was held against the lock. The engine compares
// with what the state knows of runtime and replicas, so that nothing is left to
// be judged again.
func (m *machine) decided(o Observation) {
	if o.NotModified && !o.By.isLocal() && !slices.Contains(m.Known, o.CardDigest) {
		o.State, o.Detail = unreachable, "a 304 for a card that was never read"
		m.failed(o)
		return
	}
	m.Judge = false
	x := answer(o, m.now)
	m.learn(x.CardDigest)
	if o.By.isLocal() {
		m.local(o, x)
		return
	}
	validated := m.ValidatedAt
	m.validated(o)
	switch current := m.current(); {
	case m.Dispute.IsOn():
		m.weigh(x)
	case m.Verdict.rank() >= 0 && current.SameCard(&x):
		m.unmoved(x)
	default:
		m.moved(o, x)
	}
	switch {
	case m.CardDigest == o.CardDigest:
		m.Kept = time.Time{}
	case m.Kept.IsZero():
		m.Kept = validated
	}
}

// knownMost bounds the digests that a 304 may speak of.
const knownMost = 8

func (m *machine) learn(digest string) {
	if slices.Contains(m.Known, digest) {
		return
	}
	m.Known = append(slices.Clone(m.Known[max(0, len(m.Known)-knownMost+1):]), digest)
}

// validated ends every trouble of getting an answer.
func (m *machine) validated(o Observation) {
	m.ValidatedAt = m.now
	if x := m.Stale; x != nil {
		began := o.Began
		if began.IsZero() || began.After(m.now) {
			began = m.now
		}
		if o.By == OnReport {
			x.Tried = m.now
		}
		x.Validated = x.Validated || o.Fresh && !began.Before(x.At)
		if x.Over(m.now, m.p.StaleHold) {
			m.Stale = nil
		}
	}
	told, gone := m.Unreachable || m.Invalid || m.Lapsed, m.Gone
	m.Trouble, m.Gone = nil, ""
	m.Unreachable, m.Invalid, m.Lapsed = false, false, false
	if told {
		gone = "was " + cmp.Or(gone, string(Expired))
		m.tell(CameBack, false, gone)
	}
}

// A source says whose doing it is that a verdict moves.
type source int

const (
	byAgent source = iota
	byUs           // an age, a waiver's end, runtime evidence: the card is the same
	byLock         // the lock or the configuration
)

// unmoved takes the accepted card again: what moved since is on our side, and
// needs neither confirmation nor patience.
func (m *machine) unmoved(x Answer) {
	p, b := m.Pending, m.Better
	m.Pending, m.Better = nil, nil
	switch {
	case p != nil && !p.SameCard(&x):
		m.flap(p.Answer, x)
	case b != nil && !b.SameCard(&x):
		m.flap(b.Answer, x)
	}
	m.take(x, byUs)
}

// moved takes another card than the accepted one, or the first.
func (m *machine) moved(o Observation, x Answer) {
	if p := m.Pending; p != nil {
		if p.Agrees(&x) {
			m.confirm(o, x)
			return
		}
		m.Pending = nil
		m.flap(p.Answer, x)
		if m.Dispute.IsOn() {
			return
		}
	}
	current := m.current()
	switch rank := Of(x.Class).rank(); {
	case m.Verdict.rank() < 0 && x.Class == diff.Compatible:
		m.take(x, byAgent)
	case rank > m.Verdict.rank():
		m.Pending, m.Better = &Pending{Answer: x}, nil
	case rank == m.Verdict.rank():
		if b := m.Better; b != nil && current.Agrees(&x) {
			m.Better = nil
			m.flap(b.Answer, x)
			if m.Dispute.IsOn() {
				return
			}
		}
		m.take(x, byAgent)
	default:
		m.improve(x)
	}
}

// confirm takes an answer that agrees with the pending one. A conditional fetch
// may have asked the same replica or cache again, and says nothing by itself. An
// agent that refuses what would confirm is taken at its word in the end: to hold
// on to what is better could cost more.
func (m *machine) confirm(o Observation, x Answer) {
	late := o.By == Confirm || m.now.Sub(m.Pending.At) >= m.p.ConfirmAfter
	after := o.Began.IsZero() || !o.Began.Before(m.Pending.At)
	if o.Fresh && late && after {
		m.take(x, byAgent)
		return
	}
	switch {
	case o.By == Confirm:
		m.Pending.Try(m.now)
	case m.Pending.Repeat(m.now, m.p.patience()):
		m.take(x, byAgent)
	}
}

// improve counts answers that are better than the verdict. The worst of the run
// is taken once there are enough, over long enough.
func (m *machine) improve(x Answer) {
	b := cmp.Or(m.Better, &Better{Answer: x, Since: m.now})
	b.Hear(x, m.now)
	m.Better = b
	if b.Count < m.p.RecoverThreshold || m.now.Sub(b.Since) < m.p.MinStable {
		return
	}
	m.take(b.Answer, byAgent)
	if x.Class < b.Class {
		m.Better = &Better{Answer: x, Since: m.now, Last: m.now, Count: 1}
	}
}

// local takes a comparison for which nothing was fetched. A card that still
// waits for its confirmation goes on waiting: it has only been judged anew.
func (m *machine) local(o Observation, x Answer) {
	m.rejudge(o, x)
	if o.By == Local {
		m.settleOn(x, byLock)
		return
	}
	current, rank := m.current(), Of(x.Class).rank()
	b := m.Better
	switch {
	case m.Verdict.rank() >= 0 && current.SameCard(&x):
		m.take(x, byUs)
	case b != nil && b.SameCard(&x):
		if b.Answer = x; rank >= m.Verdict.rank() {
			m.Better = nil
		}
	case m.Dispute.IsOn() && !m.Dispute.Raised:
	default:
		m.settleOn(x, byUs)
	}
}

// settleOn takes x, unless it is what is pending and is worse as before.
func (m *machine) settleOn(x Answer, by source) {
	current := m.current()
	if p := m.Pending; p != nil && p.SameCard(&x) && (m.Verdict.rank() < 0 || !current.SameCard(&x)) {
		m.Pending = nil
		if Of(x.Class).rank() > max(m.Verdict.rank(), 0) {
			x.At = p.At
			m.Pending = new(*p)
			m.Pending.Answer = x
			return
		}
	}
	m.take(x, by)
}

// take makes x what holds, and tells what that comes to.
func (m *machine) take(x Answer, by source) {
	was, before := m.current(), m.Verdict
	verdict := Of(x.Class)
	m.forget(verdict, by)
	if x.ProfileDigest == "" {
		x.ProfileDigest = was.ProfileDigest
	}
	if before == verdict && was.SameCard(&x) && was.Shown == x.Shown && was.FindingSet == x.FindingSet && was.ProfileDigest == x.ProfileDigest {
		return
	}
	if x.CardDigest != m.CardDigest {
		m.Kept = time.Time{}
		if x.At.Before(m.ValidatedAt) {
			m.Kept = x.At
		}
	}
	m.Verdict, m.CardDigest, m.Via, m.ProfileDigest = verdict, x.CardDigest, x.Via, x.ProfileDigest
	m.FindingSet, m.Shown, m.Findings, m.DecidedAt = x.FindingSet, x.Shown, x.Findings, m.now
	if was.ProfileDigest != x.ProfileDigest {
		m.dropReports(func(r Report) bool { return r.ProfileDigest != "" && r.ProfileDigest != x.ProfileDigest })
	}
	if verdict != before {
		m.Since = m.now
	}
	if verdict == before && was.FindingSet == x.FindingSet {
		return
	}
	if a := m.Ack; a != nil && (x.Class > a.Class || len(set.Without(findings.Marks(x.Findings), a.Covers)) > 0) {
		m.Ack = nil
	}
	if by == byLock {
		m.undamp()
	}
	m.announce(before, was, by)
}

// forget drops what waited to become the verdict, where that is over.
func (m *machine) forget(verdict Verdict, by source) {
	if p := m.Pending; p != nil && (by == byAgent || Of(p.Class).rank() <= verdict.rank()) {
		m.Pending = nil
	}
	if b := m.Better; b != nil && (by != byUs || Of(b.Class).rank() >= verdict.rank()) {
		m.Better = nil
	}
}

// announce tells that the verdict or its findings have moved from before.
func (m *machine) announce(before Verdict, was Answer, by source) {
	kind, points, quiet := Changed, 0.0, false
	switch d := m.Verdict.rank() - before.rank(); {
	case before.rank() < 0 && m.Verdict == Compatible:
		if m.FindingSet == "" {
			return
		}
	case d > 0 && m.Episode == nil:
		kind = Opened
	case d > 0:
		kind = Worsened
	case d < 0:
		kind = Improved
	default:
		quiet = m.Episode != nil && !m.isNews(m.Findings)
	}
	switch {
	case by != byAgent || before.rank() < 0:
	case kind != Changed:
		points = changePoints
	case !quiet && m.Verdict != Compatible:
		points = movePoints
	}
	entered := m.damp(points, was)
	if kind != Improved || m.Episode == nil || !m.isClear() {
		if m.tell(kind, quiet, ""); !quiet {
			m.hush(Settled)
		}
	}
	m.breaks = false
	if entered {
		m.flapping()
	}
}
