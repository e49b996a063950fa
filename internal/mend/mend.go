package mend

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/kept"
	"github.com/a2alock/a2alock/internal/outbox"
	"github.com/a2alock/a2alock/internal/records"
	"github.com/a2alock/a2alock/internal/verdict"
)

// Look walks through the store, and holds indexes and counts against what is
// there. Where tx writes, it makes them so, which is right where no record was at
// fault.
func Look(tx *records.Tx, read AgentReader) (faults []error, w *Walk, err error) {
	w = NewWalk(tx, read)
	w.Fault = func(_ records.Kind, _ records.Entry, err error) error {
		faults = append(faults, err)
		return nil
	}
	if err := w.All(); err != nil {
		return nil, nil, err
	}
	more, err := w.hold()
	return append(faults, more...), w, err
}

// hold holds indexes and counts against what the walk found.
func (w *Walk) hold() (faults []error, err error) {
	delete(w.uses, records.Name{})
	add := func(more []error, fault error) {
		faults, err = append(faults, more...), errors.Join(err, fault)
	}
	for _, k := range indexes {
		add(w.tx.MendIndex(k, w.index[k.Name]))
	}
	add(w.tx.MendNames(w.uses))
	add(w.tx.MendBodies(w.Bodies))
	return faults, err
}

// rounds are how often Mend looks again: what is wrong with a record may hide
// something else.
const rounds = 3

// Mend takes out what cannot be read, and makes anew what can be told from the
// rest. It gives what was wrong. What decides comes back with the next fetches.
func Mend(tx *records.Tx, read AgentReader, now time.Time) (faults []error, err error) {
	for round := range rounds {
		m := mender{Walk: NewWalk(tx, read), now: now}
		var found []error
		m.Fault = func(k records.Kind, e records.Entry, err error) error {
			found = append(found, err)
			m.broken = append(m.broken, broken{kind: k, entry: e})
			return nil
		}
		if err := m.All(); err != nil {
			return nil, err
		}
		for _, fault := range found {
			// What still cannot be read after it was mended is told once.
			if !slices.ContainsFunc(faults, func(f error) bool { return f.Error() == fault.Error() }) {
				faults = append(faults, fault)
			}
		}
		if len(found) > 0 && round < rounds-1 {
			if err := m.repair(); err != nil {
				return nil, err
			}
			continue
		}
		more, err := m.hold()
		if round > 0 {
			more = nil // it follows from the faults
		}
		// What is numbered next must not take the place of another.
		counted, err1 := tx.Counted(m.seq)
		numbered, err2 := outbox.Counted(tx, m.row)
		return slices.Concat(faults, more, counted, numbered), errors.Join(err, err1, err2)
	}
	return faults, nil
}

type broken struct {
	kind  records.Kind
	entry records.Entry
}

type mender struct {
	*Walk
	now    time.Time
	broken []broken
	rows   map[string]outbox.Row // what leads to rows, once it is needed
}

// repair goes through what is broken, in an order in which each finds what it is
// made anew from.
func (m *mender) repair() error {
	owners, err := m.owners()
	if err != nil {
		return err
	}
	if err := m.tx.Revive(m.sound, m.lost, owners); err != nil {
		return err
	}
	for _, step := range []struct {
		kind records.Kind
		do   func(records.Entry) error
	}{
		{kept.Agents, m.agentAway},
		{kept.Seens, m.drop(kept.Seens)},
		{kept.Silences, func(e records.Entry) error {
			s, _ := readNamed(kept.Silences, e, func(s *kept.Silence) string { return s.ID })
			return m.move(kept.Silences, e, []byte(s.ID))
		}},
		{kept.Sinks, m.drop(kept.Sinks)},
		{history.Versions, m.drop(history.Versions)},
		{history.Transitions, func(e records.Entry) error { return history.Mend(m.tx, e, m.sound) }},
		{kept.Episodes, m.episodeAgain},
		{kept.Locks, m.lockAgain},
		{outbox.Rows, m.rowAgain},
	} {
		for _, b := range m.broken {
			if b.kind.Name != step.kind.Name {
				continue
			}
			if err := step.do(b.entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// owners are the names of locks and agents, which the history goes by.
func (m *mender) owners() (list []string, err error) {
	for _, k := range []records.Kind{kept.Locks, kept.Agents} {
		for e, err := range m.tx.All(k.Bucket, nil) {
			if err != nil {
				return nil, err
			}
			list = append(list, string(e.Key))
		}
	}
	return list, nil
}

func (m *mender) drop(k records.Kind) func(records.Entry) error {
	return func(e records.Entry) error { return m.tx.Drop(k.Bucket, e.Key) }
}

// move keeps a record, whose key was damaged or what says it in the record, under
// the key to, where nothing is; where to is empty it only drops it.
func (m *mender) move(k records.Kind, e records.Entry, to []byte) error {
	if len(to) > 0 && !bytes.Equal(to, e.Key) {
		if was, err := m.tx.Get(k.Bucket, to); err != nil {
			return err
		} else if was == nil {
			if err := m.tx.Put(k.Bucket, to, e.Value); err != nil {
				return err
			}
		}
	}
	return m.tx.Drop(k.Bucket, e.Key)
}

// agentAway drops an agent, and when it was seen: it is asked at once.
func (m *mender) agentAway(e records.Entry) error {
	_, id, _, err := m.read(e.Key, e.Value)
	if err != nil {
		id = ""
	}
	return errors.Join(m.tx.Drop(kept.Seens.Bucket, e.Key), m.move(kept.Agents, e, []byte(id)))
}

// episodeAgain makes the open episode of a lock anew: from the lock, and from the
// rows by which it was told.
func (m *mender) episodeAgain(e records.Entry) error {
	var to []byte
	var read kept.Episode
	if kept.Episodes.Decode(e.Key, e.Value, &read) == nil {
		to, _ = outbox.EpisodeKey(read.Lock, read.Start) // nil for no lock's
	}
	if err := m.move(kept.Episodes, e, to); err != nil {
		return err
	}
	id, _, _ := bytes.Cut(e.Key, []byte{0})
	l, ok, err := records.One[kept.LockRecord](m.tx, kept.Locks, id)
	if err != nil || !ok || l.State.Episode == nil {
		return ignore(err)
	}
	s := &l.State
	ep := kept.Episode{Lock: l.ID, Start: s.Episode.Start, OpenedAt: s.Episode.OpenedAt, Class: s.Class(), Worst: s.Class(), Seq: s.Episode.Start}
	if key, err := outbox.EpisodeKey(ep.Lock, ep.Start); err != nil || !bytes.Equal(key, e.Key) {
		return nil // one that was over
	}
	rows, err := outbox.OfEpisode(m.tx, ep.Lock, ep.Start)
	if err != nil {
		return err
	}
	ep.Reminders = map[string]kept.Reminder{}
	for _, r := range rows {
		ep.Worst, ep.Seq = max(ep.Worst, r.Class), max(ep.Seq, r.Seq)
		if !slices.Contains(ep.OpenedTo, r.Sink) {
			ep.OpenedTo = append(ep.OpenedTo, r.Sink)
		}
		next := ep.Reminders[r.Route]
		ep.Reminders[r.Route] = kept.Reminder{Ordinal: max(next.Ordinal, r.Ordinal+1), At: m.now.Add(4 * time.Hour)}
	}
	m.open[ep.Lock] = ep
	return records.Save(m.tx, kept.Episodes, e.Key, ep)
}

// lockAgain makes the state of a lock anew from its open episode, so that whoever
// was told of it is told its end. All else comes with the lock's file and the
// agent's card.
func (m *mender) lockAgain(e records.Entry) error {
	id := string(e.Key)
	read, _ := readNamed(kept.Locks, e, func(l *kept.LockRecord) string { return l.ID })
	if err := m.move(kept.Locks, e, []byte(read.ID)); err != nil {
		return err
	}
	ep, ok := m.open[id]
	if !ok {
		return nil
	}
	s := verdict.State{
		Verdict: verdict.Of(ep.Class), DecidedAt: ep.OpenedAt, Since: ep.OpenedAt, Episode: &verdict.Episode{Start: ep.Start, OpenedAt: ep.OpenedAt},
	}
	past, _, err := history.ListTransitions(m.tx, id, records.Page{})
	if err != nil {
		return err
	}
	for _, t := range slices.Backward(past) {
		if t.Episode != ep.Start {
			continue
		}
		s.CardDigest, s.FindingSet, s.Findings, s.DecidedAt = t.CardDigest, t.FindingSet, t.Findings, t.At
		switch t.Kind {
		case verdict.WentAway:
			s.Unreachable = true
		case verdict.WentInvalid:
			s.Invalid = true
		case verdict.RanOut:
			s.Lapsed = true
		case verdict.CameBack:
			s.Unreachable, s.Invalid, s.Lapsed = false, false, false
		}
	}
	return records.Save(m.tx, kept.Locks, e.Key, kept.LockRecord{Lock: kept.Lock{ID: id, State: s}})
}

// rowAgain puts a message in the place of one that cannot be read: where it
// waited, how things stand; where it was over, that something was told.
func (m *mender) rowAgain(e records.Entry) error {
	if err := m.move(outbox.Rows, e, outbox.KeyOf(e)); err != nil {
		return err
	}
	if m.rows == nil {
		rows, err := outbox.Lost(m.tx)
		if err != nil {
			return err
		}
		m.rows = rows
	}
	r, ok := m.rows[string(e.Key)]
	if !ok {
		return nil
	}
	r.Kind, r.CreatedAt = outbox.KindReminder, r.DueAt
	if r.State != outbox.Waiting {
		r.Reason, r.EndedAt = "its record could not be read", m.now.UTC()
	}
	switch ep, found, err := m.episodeOf(r); {
	case err != nil && !IsRecord(err):
		return err
	case r.Lock == "":
		r.Kind, r.Text = outbox.KindDaemon, "A message about the daemon itself could not be read from the store."
	case found:
		r.Class, r.Seq = ep.Class, ep.Seq
		if !ep.ClosedAt.IsZero() && r.State == outbox.Waiting {
			r.Kind = verdict.Resolved
		}
	}
	return outbox.Replace(m.tx, r)
}

// episodeOf is that of a row.
func (m *mender) episodeOf(r outbox.Row) (ep kept.Episode, ok bool, err error) {
	key, err := outbox.EpisodeKey(r.Lock, r.Episode)
	if err != nil {
		return ep, false, nil
	}
	return records.One[kept.Episode](m.tx, kept.Episodes, key)
}

// ignore is nil for a record that cannot be read: another step is about it.
func ignore(err error) error {
	if IsRecord(err) {
		return nil
	}
	return err
}
