package verdict

import (
	"cmp"
	"slices"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/findings"
	"github.com/a2alock/a2alock/internal/set"
)

// A Moment is when a step is taken: the wall clock, and the number that its
// first event gets.
type Moment struct {
	Now time.Time
	Seq uint64
}

// Step is the transition function of a lock (docs/states.md): what o makes of
// s, and the events that follow, numbered from at.Seq on without a gap. The
// result and its events belong into the transaction that took the numbers.
//
// s is left as it is. A clock that went back ends no duration early and begins
// none anew: what lies ahead of at.Now counts as now.
func Step(s State, o Observation, at Moment, p *Params) (State, []Event) {
	if s.Removed {
		return s, nil
	}
	m := &machine{State: s, now: at.Now.Round(0).UTC(), seq: at.Seq, was: s.Verdict, p: p}
	if m.was == "" {
		m.was = None
	}
	m.rewind()
	m.passTime()
	if o.By.isLocal() {
		m.Judge = false // also where it could not be: the next answer will be
	}
	switch o.Cause {
	case Decided:
		m.decided(o)
	case Failed:
		m.failed(o)
	case Reported:
		m.reported(o.Report)
	case Acked:
		m.acked(o.Ack)
	case Unacked:
		m.Ack = nil
	case Removed:
		m.removed()
		return m.State, m.events
	}
	m.lapse()
	m.resolve()
	return m.State, m.events
}

// A machine is one Step under way.
type machine struct {
	State

	now    time.Time
	seq    uint64
	was    Verdict // when the step began
	p      *Params
	events []Event
	breaks bool // the next event is told though the lock is suppressed
}

// rewind makes what pointers hold the machine's own, and takes back to now what
// lies ahead of it.
func (m *machine) rewind() {
	m.Reports = slices.Clone(m.Reports)
	m.back(&m.ValidatedAt, &m.Kept)
	if x := own(&m.Trouble); x != nil {
		m.back(&x.Last, &x.FetchesSince)
	}
	if x := own(&m.Pending); x != nil {
		m.back(&x.At, &x.Tried, &x.Seen)
	}
	if x := own(&m.Better); x != nil {
		m.back(&x.Since, &x.Last)
	}
	if x := own(&m.Dispute); x != nil {
		m.back(&x.First, &x.Last, &x.Began, &x.Seen, &x.Since)
	}
	if x := own(&m.Damping); x != nil {
		m.back(&x.At, &x.Since)
	}
	if x := own(&m.Stale); x != nil {
		m.back(&x.At, &x.Tried)
	}
	for i := range m.Reports {
		m.back(&m.Reports[i].At)
	}
}

// back takes moments back to now that lie ahead of it.
func (m *machine) back(moments ...*time.Time) {
	for _, t := range moments {
		if t.After(m.now) {
			*t = m.now
		}
	}
}

// own puts a copy in place of what p points at.
func own[T any](p **T) *T {
	if *p != nil {
		*p = new(**p)
	}
	return *p
}

// passTime ends what has had its time, before the observation counts.
func (m *machine) passTime() {
	if m.Ack != nil && !m.Ack.Until.IsZero() && !m.now.Before(m.Ack.Until) {
		m.Ack = nil
	}
	m.dropReports(func(r Report) bool {
		ended := !r.Stands(m.now, m.p.RuntimeEvidenceTTL)
		m.Judge = m.Judge || ended && r.Operation != ""
		return ended
	})
	if m.Stale.Over(m.now, m.p.StaleHold) {
		m.Stale = nil
	}
	m.ageDispute()
	m.relax()
}

// lapse comes last: an answer that has just come is not expired, however long
// nobody was there to ask for it.
func (m *machine) lapse() {
	if m.Lapsed || m.ValidatedAt.IsZero() || m.p.MaxStaleness <= 0 || m.now.Sub(m.ValidatedAt) < m.p.MaxStaleness {
		return
	}
	m.Lapsed = true
	m.tell(RanOut, false, "last validated "+m.ValidatedAt.Format(time.RFC3339)+"; daemon.on_unknown is "+cmp.Or(m.p.OnUnknown, "allow"))
}

// isClear reports whether nothing speaks against the end of an episode. A worse
// answer that waits and a dispute do: nobody is told that it is over while they
// may come to more.
func (m *machine) isClear() bool {
	return m.Verdict == Compatible && !m.Unreachable && !m.Invalid && !m.Lapsed &&
		m.Pending == nil && !m.Dispute.IsOn() && !m.Damping.isOn()
}

func (m *machine) resolve() {
	if m.Episode == nil || !m.isClear() {
		return
	}
	was := ""
	for i := range m.events {
		if m.events[i].Kind == CameBack {
			was = m.events[i].Detail
		}
	}
	m.hush(CameBack, Settled, Improved)
	m.tell(Resolved, false, was)
	m.Episode, m.Ack = nil, nil
}

// hush leaves it to the event that follows to tell what those of this step say.
func (m *machine) hush(kinds ...Kind) {
	for i := range m.events {
		if slices.Contains(kinds, m.events[i].Kind) {
			m.events[i].Quiet = true
		}
	}
}

func (m *machine) removed() {
	m.Damping = nil
	m.tell(Closed, false, "")
	m.State.Removed = true
	m.Episode, m.Ack, m.Pending, m.Better, m.Dispute = nil, nil, nil, nil, nil
	m.Reports, m.Stale, m.Judge = nil, nil, false
}

// tell makes an event, and opens an episode with the first that is trouble.
func (m *machine) tell(kind Kind, quiet bool, detail string) {
	if m.Episode == nil && kind.opens() {
		m.Episode = &Episode{Start: m.seq, OpenedAt: m.now}
	}
	e := Event{
		Seq: m.seq, Kind: kind, At: m.now, Class: m.Class(), Was: m.was,
		CardDigest: m.CardDigest, FindingSet: m.FindingSet, Quiet: quiet, Detail: oneLine(detail),
	}
	if m.Damping.isOn() && kind != Flapping && !m.breaks {
		e.Quiet = true
	}
	if m.Episode != nil {
		e.Episode = m.Episode.Start
		if !e.Quiet {
			m.told()
		}
	}
	m.seq++
	m.events = append(m.events, e)
}

// told remembers the findings that the episode has told. One that has told as
// many as toldMost has said enough: its clock of reminders goes on, and each
// change of class is still told.
func (m *machine) told() {
	news := set.Without(findings.Marks(m.Findings), m.Episode.Told)
	news = news[:min(len(news), max(0, toldMost-len(m.Episode.Told)))]
	if len(news) == 0 {
		return
	}
	m.Episode = new(*m.Episode)
	m.Episode.Told, m.Episode.News, m.Episode.NewsBy = slices.Concat(m.Episode.Told, news), len(news), m.seq
}

const toldMost = 1000

// isNews reports whether the findings hold one that the episode has not told.
func (m *machine) isNews(list []diff.Finding) bool {
	return m.Episode == nil ||
		len(m.Episode.Told) < toldMost && len(set.Without(findings.Marks(list), m.Episode.Told)) > 0
}
