package verdict

import (
	"slices"
	"time"

	"github.com/a2alock/a2alock/internal/evidence"
)

// A Report is what an orchestrator met. In an [Observation] its Operation, At and
// ProfileDigest are left open.
type Report = evidence.Report

// Evidence is what stands at a moment against a profile: the reports that take
// something out of the plan. A profile that is not the one reported on is
// believed; "" is the one that the verdict was decided on.
func (s *State) Evidence(now time.Time, profileDigest string, p *Params) []Report {
	return evidence.Standing(s.Reports, now, p.RuntimeEvidenceTTL, profileDigest)
}

// A Mark is why a lock is marked stale.
type Mark = evidence.Mark

// reportsMost bounds what orchestrators can make a state hold.
const reportsMost = 32

// reported marks the lock stale. The first report of a time tells so, unless
// the finding that comes of it will.
func (m *machine) reported(r Report) {
	r.Operation, r.ProfileDigest, r.At = evidence.Refuted(r), m.ProfileDigest, m.now
	r.Detail = oneLine(r.Detail)
	known := slices.ContainsFunc(m.Reports, func(o Report) bool { return o.Same(&r) })
	m.dropReports(func(o Report) bool { return o.Same(&r) })
	if n := len(m.Reports); n >= reportsMost {
		// Notes go before evidence.
		drop := max(0, slices.IndexFunc(m.Reports, func(o Report) bool { return o.Operation == "" }))
		m.Reports = slices.Delete(m.Reports, drop, drop+1)
	}
	m.Reports = append(m.Reports, r)

	first := m.Stale == nil
	if first {
		m.Stale = &Mark{}
	}
	m.Stale.At, m.Stale.Validated = m.now, false
	takesOut := r.Operation != "" && !known
	m.Judge = m.Judge || takesOut
	if first || takesOut {
		m.tell(Stale, r.Operation != "", r.Text())
	}
}

// dropReports drops those for which drop holds. The machine's own list is
// changed in place.
func (m *machine) dropReports(drop func(Report) bool) {
	if m.Reports = slices.DeleteFunc(m.Reports, drop); len(m.Reports) == 0 {
		m.Reports = nil
	}
}
