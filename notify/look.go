package notify

import (
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/heard"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/remind"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A reason is why a row is not sent; "" where it is.
type reason string

// over reports whether the row is not to be sent any more.
func (r reason) over() bool { return r != "" }

// A telling is a row with all that decides whether it is worth sending.
type telling struct {
	message.Telling
	mates  []store.Row // the other rows of its episode to the same sink
	unsure bool        // whether an earlier attempt may have got through
}

// telling gathers what row is about.
func (r *round) telling(tx *store.Tx, row store.Row, now time.Time) (*telling, error) {
	t := &telling{Telling: message.Telling{Row: row, Now: now}}
	if row.Lock == "" {
		return t, nil
	}
	l, ok, err := tx.Lock(row.Lock)
	if err != nil || !ok {
		return t, err
	}
	t.Lock = &l
	if row.Episode != 0 {
		ep, ok, err := tx.Episode(row.Lock, row.Episode)
		if err != nil {
			return nil, err
		}
		if ok {
			t.Episode = &ep
		}
		rows, err := tx.EpisodeRows(row.Lock, row.Episode)
		if err != nil {
			return nil, err
		}
		t.mates = slices.DeleteFunc(rows, func(m store.Row) bool { return m.Sink != row.Sink || m.Key == row.Key })
	}
	transition, ok, err := tx.Transition(row.Lock, row.Seq)
	if err != nil {
		return nil, err
	}
	if ok {
		t.Transition = &transition
	}
	return t, nil
}

// whyNot asks again whether a row is worth sending: whether what it tells still
// holds, nobody said that they know, and nothing newer tells more.
func (r *round) whyNot(tx *store.Tx, t *telling) (reason, error) {
	row := &t.Row
	switch {
	case row.Lock == "":
		return "", nil
	case t.Lock == nil || t.Lock.State.Removed:
		return "the lock was removed", nil
	case row.Kind == verdict.Resolved:
		return t.whyNoEnd(), nil
	}
	silences, err := tx.SilencesAt(t.Now)
	if err != nil {
		return "", err
	}
	s := route.Subject{Lock: t.Lock, Class: row.Class}
	if t.Transition != nil {
		s.Rules = route.RulesOf(t.Transition.Findings)
	}
	if q := route.SilencedBy(silences, s, t.Now); q != nil {
		return reason(heard.Silenced + q.ID), nil
	}
	return t.whyNotNow(), nil
}

// whyNotNow is whyNot for what is about a time of trouble, not its end.
func (t *telling) whyNotNow() reason {
	row, ep := &t.Row, t.Episode
	if ep != nil && !ep.ClosedAt.IsZero() {
		if row.Unsure {
			return "over, and the receiver may have it"
		}
		return "over before it was told"
	}
	switch {
	case row.Kind == store.KindReminder:
		if isSuppressed(t.Lock) {
			return "suppressed"
		}
		if by := t.acknowledgedBy(); by != "" {
			return reason("acknowledged by " + by)
		}
		if ep != nil && row.Seq < ep.Seq && t.any(func(m *store.Row) bool { return m.Seq > row.Seq && store.TellsFindings(m.Kind) }) {
			return "something newer was told"
		}
		if t.any(func(m *store.Row) bool { return m.Kind == store.KindReminder && m.Number > row.Number }) {
			return "the next reminder was due"
		}
	case store.TellsFindings(row.Kind):
		if m := t.newer(store.TellsFindings); m != nil {
			return reason("superseded by " + string(m.Kind))
		}
	case heard.IsAway(row.Kind):
		if t.newer(func(k verdict.Kind) bool { return k == verdict.CameBack }) != nil {
			return "reachable again before it was told"
		}
	case row.Kind == verdict.CameBack:
		if t.any(func(m *store.Row) bool { return heard.IsAway(m.Kind) }) && !t.any(func(m *store.Row) bool { return heard.IsAway(m.Kind) && heard.IsHeard(m) }) {
			return "nothing else was told"
		}
	}
	return ""
}

// whyNoEnd is whyNot for a resolve. One whose opening nobody heard of is told
// in other words where things were breaking, and else is not.
func (t *telling) whyNoEnd() reason {
	if t.any(heard.IsHeard) || t.Episode == nil {
		return ""
	}
	switch {
	case t.any(heard.IsLost):
		return "its opening was not delivered"
	case t.any(func(m *store.Row) bool { return m.State == store.Dead }):
		return "its opening was " + store.Dropped
	case t.any(func(m *store.Row) bool { return strings.HasPrefix(m.Reason, heard.Silenced) }):
		return "its opening was silenced"
	case t.Episode.Worst != diff.Breaking:
		return "over before it was told"
	}
	t.Unheard = true
	return ""
}

func (t *telling) any(fits func(*store.Row) bool) bool {
	for i := range t.mates {
		if fits(&t.mates[i]) {
			return true
		}
	}
	return false
}

// newer is a later row to the same sink of a kind that fits, nil for none.
func (t *telling) newer(fits func(verdict.Kind) bool) *store.Row {
	for i := range t.mates {
		if m := &t.mates[i]; m.Seq > t.Row.Seq && fits(m.Kind) && m.State == store.Waiting {
			return m
		}
	}
	return nil
}

// acknowledgedBy is who knows of what t tells; "" for nobody.
func (t *telling) acknowledgedBy() string {
	a := remind.Known(t.Lock, t.Row.Episode, t.Now)
	if a == nil {
		return ""
	}
	return message.Line(a.Author, message.NameWidth)
}

// look is what row tells, if it still waits and is worth sending; else nil, and
// where it is over, it has ended.
func (q *queue) look(tx *store.Tx, row store.Row) (*telling, error) {
	t, why, err := q.ask(tx, row)
	if err != nil || t == nil || !why.over() {
		return t, err
	}
	return nil, q.close(tx, t, why)
}

// ask is what row tells, and why that is not to be sent; nil where it does not
// wait any more.
func (q *queue) ask(tx *store.Tx, row store.Row) (*telling, reason, error) {
	row, ok, err := tx.Row(row.Key)
	if err != nil || !ok || row.State != store.Waiting {
		return nil, "", err
	}
	now := time.Now()
	if row.FirstAt.IsZero() {
		row.FirstAt = now
	}
	t, err := q.telling(tx, row, now)
	if err != nil {
		return nil, "", err
	}
	why, err := q.whyNot(tx, t)
	return t, why, err
}

// close ends a row that is not worth sending any more.
func (q *queue) close(tx *store.Tx, t *telling, why reason) error {
	row := t.Row
	t.Row.End(store.Superseded, string(why), t.Now)
	if t.Episode != nil && strings.HasPrefix(string(why), heard.Silenced) && row.Kind != store.KindReminder {
		route.Hold(t.Episode, row.Route)
		if err := tx.PutEpisode(*t.Episode); err != nil {
			return err
		}
	}
	if row.Kind == verdict.Resolved && t.any(heard.IsLost) {
		// Whoever got the opening instead gets the end, too.
		if err := q.copy(tx, row, string(why)); err != nil {
			return err
		}
	}
	return q.put(tx, t.Row)
}

// put stores a row, and says what became of it where that is the end of it and
// no attempt says so.
func (q *queue) put(tx *store.Tx, row store.Row) error {
	if row.State == store.Superseded {
		q.observe(q.name, "superseded")
	}
	return tx.PutRow(row)
}

// thread finds where a delivery goes on.
func (q *queue) thread(tx *store.Tx, d *delivery) error {
	t := d.tellings[0]
	if len(d.tellings) > 1 || t.Episode == nil || t.Episode.Threads[q.name].TS == "" {
		return nil
	}
	d.thread = t.Episode.Threads[q.name]
	if t.Row.Kind != verdict.Resolved {
		return nil
	}
	i := slices.IndexFunc(t.mates, func(m store.Row) bool { return m.State == store.Delivered })
	if i < 0 {
		return nil
	}
	opening, err := q.telling(tx, t.mates[i], t.mates[i].CreatedAt)
	if err != nil || opening.Lock == nil {
		return err
	}
	d.opening = q.renderer.Message(&opening.Telling)
	return nil
}

// isSuppressed reports whether the lock flaps so much that nothing is told.
func isSuppressed(l *store.Lock) bool { return l.State.Suppressed() }
