// Package heard says what the receiver behind a sink knows of an episode, by the
// rows of its outbox.
package heard

import (
	"strings"

	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// Silenced begins the reason of rows that a silence held back.
const Silenced = "silenced by "

// Held is the reminder that follows the end of a silence, as what the silence
// held back and still holds: the opening, where the sink has heard of nothing
// yet. A reminder of what was told stays one.
func Held(reminder store.Row, rows []store.Row) store.Row {
	heard, newest := false, (*store.Row)(nil)
	for i := range rows {
		m := &rows[i]
		switch {
		case m.Sink != reminder.Sink:
		case m.Kind == verdict.CameBack && newest != nil && IsAway(newest.Kind):
			newest = nil // over before anybody was told
		case strings.HasPrefix(m.Reason, Silenced) && (store.TellsFindings(m.Kind) || IsAway(m.Kind) && newest == nil):
			newest = m
		case IsHeard(m) || m.State == store.Waiting:
			heard = true
			if newest != nil && store.TellsFindings(m.Kind) && m.Seq >= newest.Seq {
				newest = nil
			}
		}
	}
	if newest == nil {
		return reminder
	}
	row := reminder
	row.Key = route.Key(row.Sink, "held", row.Key)
	row.Kind, row.Seq, row.Class, row.Ordinal = newest.Kind, newest.Seq, newest.Class, 0
	if !heard && store.TellsFindings(row.Kind) {
		row.Kind = verdict.Opened
	}
	return row
}

// IsHeard reports whether the receiver has, or may have, the message.
func IsHeard(m *store.Row) bool {
	return m.Kind != verdict.Resolved && (m.State == store.Delivered || m.Unsure)
}

// IsLost reports whether the message could not be delivered, so that the
// fallback has it. What a person dropped is nobody's.
func IsLost(m *store.Row) bool { return m.State == store.Dead && m.Reason != store.Dropped }

// IsAway reports whether k begins a time in which an agent gave no card.
func IsAway(k verdict.Kind) bool {
	return k == verdict.WentAway || k == verdict.WentInvalid || k == verdict.RanOut
}
