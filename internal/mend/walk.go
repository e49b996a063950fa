// Package mend finds what cannot be read in a store, takes it out, and makes anew
// what follows from the rest: no record that is damaged stands in the way of
// another.
package mend

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/kept"
	"github.com/a2alock/a2alock/internal/outbox"
	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/records"
)

// An AgentReader reads the record of an agent: what it is, its ID, and the body that
// it names.
type AgentReader func(key, data []byte) (record any, id, body string, err error)

// A Walk visits every record, and counts what they name.
type Walk struct {
	Each  func(kind string, record any) error // nil: none
	Whole bool                                // Each is given texts and findings, too
	// Fault is told of each record that cannot be read; what it returns ends the walk.
	Fault func(k records.Kind, e records.Entry, err error) error
	// Bodies are how many records name a body, by its digest.
	Bodies map[string]uint64

	tx    *records.Tx
	read  AgentReader
	sound map[records.Name]bool
	lost  [][]byte // names that are not
	uses  map[records.Name]uint64
	index map[string]map[string]string // what the indexes should hold, by their names
	// The greatest number of a record, and of a row.
	seq, row uint64
	open     map[string]kept.Episode // by lock
}

// The records that have no type of their own elsewhere.
type (
	// A NamedSeen is a Seen with its agent.
	NamedSeen struct {
		Agent string `json:"agent"`
		kept.Seen
	}
	// A NamedValue is a small value, or the store itself.
	NamedValue struct {
		Name  string `json:"name"`
		Value []byte `json:"value"`
	}
)

var indexes = []records.Kind{outbox.Keys, outbox.Wait, outbox.Told, kept.Open}

// nameKind is that of the faults of names.
var nameKind = records.Kind{Name: "name"}

// NewWalk is a walk through what tx sees. The caller sets Fault.
func NewWalk(tx *records.Tx, read AgentReader) *Walk {
	w := &Walk{
		tx: tx, read: read, uses: map[records.Name]uint64{}, Bodies: map[string]uint64{}, index: map[string]map[string]string{},
		open: map[string]kept.Episode{},
	}
	for _, k := range indexes {
		w.index[k.Name] = map[string]string{}
	}
	return w
}

// All walks.
func (w *Walk) All() (err error) {
	if w.sound, w.lost, err = w.tx.SoundNames(); err != nil {
		return err
	}
	w.sound[records.Name{}] = true
	for _, key := range w.lost {
		err := &records.RecordError{Kind: nameKind.Name, Key: packed.Printable(key), Err: errors.New("it is another text's")}
		if err := w.Fault(nameKind, records.Entry{Key: key}, err); err != nil {
			return err
		}
	}
	return errors.Join(
		w.bucket(records.Kind{Name: "value", Bucket: kept.Values}, func(e records.Entry) (any, error) {
			return NamedValue{Name: string(e.Key), Value: e.Value}, nil
		}),
		w.bucket(kept.Agents, w.agent), w.bucket(kept.Seens, func(e records.Entry) (any, error) {
			s, err := kept.ReadSeen(e.Key, e.Value)
			return NamedSeen{Agent: string(e.Key), Seen: s}, err
		}),
		w.bucket(kept.Locks, w.lock), w.bucket(history.Transitions, w.transition), w.bucket(history.Versions, w.version),
		w.bucket(kept.Episodes, w.episode), w.bucket(outbox.Rows, w.rowOf),
		w.bucket(kept.Silences, named(kept.Silences, func(s *kept.Silence) string { return s.ID })),
		w.bucket(kept.Sinks, named(kept.Sinks, func(s *kept.Sink) string { return s.Name })),
	)
}

func (w *Walk) bucket(k records.Kind, read func(records.Entry) (any, error)) error {
	for e, err := range w.tx.All(k.Bucket, nil) {
		if err != nil {
			return err
		}
		record, err := read(e)
		switch {
		case err != nil:
			err = w.Fault(k, e, err)
		case w.Each != nil:
			err = w.Each(k.Name, record)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// named reads a record that is JSON and has its key in it.
func named[T any](k records.Kind, key func(*T) string) func(records.Entry) (any, error) {
	return func(e records.Entry) (any, error) {
		v, err := readNamed(k, e, key)
		return v, err
	}
}

func readNamed[T any](k records.Kind, e records.Entry, key func(*T) string) (v T, err error) {
	if err = k.Decode(e.Key, e.Value, &v); err == nil && key(&v) != string(e.Key) {
		err = &records.RecordError{Kind: k.Name, Key: packed.Printable(e.Key), Err: fmt.Errorf("it is of %q", key(&v))}
	}
	return v, err
}

// names counts a body that a record names.
func (w *Walk) names(k records.Kind, e records.Entry, digest string) error {
	if digest == "" {
		return nil
	}
	if _, ok := packed.ParseDigest(digest); !ok {
		return &records.RecordError{Kind: k.Name, Key: packed.Printable(e.Key), Err: fmt.Errorf("body %q", digest)}
	}
	w.Bodies[digest]++
	return nil
}

func (w *Walk) agent(e records.Entry) (any, error) {
	a, id, body, err := w.read(e.Key, e.Value)
	if err == nil && id != string(e.Key) {
		err = &records.RecordError{Kind: kept.Agents.Name, Key: packed.Printable(e.Key), Err: fmt.Errorf("it is of %q", id)}
	}
	if err == nil {
		err = w.names(kept.Agents, e, body)
	}
	return a, err
}

func (w *Walk) lock(e records.Entry) (any, error) {
	rec, err := readNamed(kept.Locks, e, func(l *kept.LockRecord) string { return l.ID })
	if err == nil {
		err = w.names(kept.Locks, e, rec.Good)
	}
	if err != nil {
		return nil, err
	}
	if w.Whole && rec.Good != "" {
		rec.Lock.Good, _, err = w.tx.Body(rec.Good)
	}
	return rec.Lock, err
}

func (w *Walk) episode(e records.Entry) (any, error) {
	var ep kept.Episode
	if err := kept.Episodes.Decode(e.Key, e.Value, &ep); err != nil {
		return nil, err
	}
	if key, err := outbox.EpisodeKey(ep.Lock, ep.Start); err != nil || !bytes.Equal(key, e.Key) {
		return nil, &records.RecordError{Kind: kept.Episodes.Name, Key: packed.Printable(e.Key), Err: fmt.Errorf("it is of lock %q", ep.Lock)}
	}
	w.seq = max(w.seq, ep.Start)
	if ep.ClosedAt.IsZero() {
		w.index[kept.Open.Name][string(e.Key)] = ""
		w.open[ep.Lock] = ep // the last one, by key
	}
	return ep, nil
}

func (w *Walk) rowOf(e records.Entry) (any, error) {
	r, err := outbox.ReadRow(e)
	if err != nil {
		return nil, err
	}
	w.row = max(w.row, r.Number)
	for bucket, entry := range r.Index() {
		w.index[bucket][string(entry.Key)] = string(entry.Value)
	}
	return r, nil
}

func (w *Walk) version(e records.Entry) (any, error) {
	v, err := history.ReadVersion(e)
	if err != nil {
		return nil, err
	}
	owner := records.Name(e.Key[:records.NameSize])
	if !w.sound[owner] {
		return nil, lostName(history.Versions, e)
	}
	if err := w.names(history.Versions, e, v.Body); err != nil {
		return nil, err
	}
	w.uses[owner]++
	if w.seq = max(w.seq, v.Seq); w.Whole {
		v.Agent, err = w.tx.Text(owner)
	}
	return v, err
}

func (w *Walk) transition(e records.Entry) (any, error) {
	rec, err := history.ReadTransition(e)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(rec.Names(), func(n records.Name) bool { return !w.sound[n] }) {
		return nil, lostName(history.Transitions, e)
	}
	for _, n := range rec.Names() {
		w.uses[n]++
	}
	if w.seq = max(w.seq, rec.Event.Seq); !w.Whole {
		return rec, nil
	}
	t, err := rec.Whole(w.tx)
	return t, err
}

func lostName(k records.Kind, e records.Entry) error {
	return &records.RecordError{Kind: k.Name, Key: packed.Printable(e.Key), Err: errors.New("a name in it is lost")}
}

// IsRecord reports whether err is of one record.
func IsRecord(err error) bool {
	_, ok := errors.AsType[*records.RecordError](err)
	return ok
}
