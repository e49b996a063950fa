package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/outbox"
	"github.com/a2alock/a2alock/internal/records"
	"github.com/a2alock/a2alock/internal/redact"
)

// Compact rewrites the store at path, which nobody may hold, without its free
// pages, and gives its size before and after. Where that would make it no
// smaller, or fails, the store is as it was.
func Compact(path string) (before, after int64, err error) {
	return records.Compact(path, Options{Format: format()})
}

// Check reads the whole store at path, which nobody may hold, and reports all
// that is wrong with it: the structure of the file, records that do not decode,
// records that are named and missing, bodies that are not what their digests say.
func Check(path string) error {
	return records.Inspect(path, Options{Format: format()}, true, func(tx *records.Tx) error {
		var errs []error
		w := newWalk(tx)
		w.each = func(string, any) error { return nil }
		w.fault = func(err error) error {
			errs = append(errs, err)
			return nil
		}
		if err := w.all(); err != nil {
			return err
		}
		for _, k := range []records.Kind{outbox.Keys, outbox.Wait, outbox.Told, open} {
			errs = append(errs, tx.CheckIndex(k, w.index[k.Name]))
		}
		return errors.Join(append(errs, tx.CheckNames(w.uses), tx.CheckBodies(w.bodies))...)
	})
}

// Export writes all records of the store at path, which nobody may hold, to w:
// a line of JSON each, {"kind": …, "record": …}. Secrets in URLs are redacted, as
// [redact.Text] has it, so that a body that held some is not what its digest
// says.
func Export(path string, w io.Writer) error {
	out := bufio.NewWriter(w)
	var buffer bytes.Buffer
	enc := json.NewEncoder(&buffer)
	enc.SetEscapeHTML(false)
	type line struct {
		Kind   string `json:"kind"`
		Record any    `json:"record"`
	}
	err := records.Inspect(path, Options{Format: format()}, false, func(tx *records.Tx) error {
		w := newWalk(tx)
		w.each = func(kind string, record any) error {
			switch r := record.(type) { // what is base64 in JSON
			case Lock:
				r.Good = []byte(redact.Text(string(r.Good)))
				record = r
			case Body:
				r.Raw = []byte(redact.Text(string(r.Raw)))
				record = r
			}
			buffer.Reset()
			if err := enc.Encode(line{kind, record}); err != nil {
				return err
			}
			_, err := out.WriteString(redact.Text(buffer.String()))
			return err
		}
		w.fault = func(err error) error { return err }
		if err := w.all(); err != nil {
			return err
		}
		digests, err := tx.Bodies()
		if err != nil {
			return err
		}
		for _, digest := range digests {
			raw, ok, err := tx.Body(digest)
			if err == nil && !ok {
				err = &RecordError{Kind: "body", Key: digest, Err: errors.New("damaged")}
			}
			if err == nil {
				err = w.each("body", Body{Digest: digest, Raw: raw})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, out.Flush())
}

// The records of an export that have no type of their own elsewhere.
type (
	// A Body is a body with the digest that it is kept under.
	Body struct {
		Digest string `json:"digest"`
		Raw    []byte `json:"raw"`
	}
	// A NamedSeen is a Seen with its agent.
	NamedSeen struct {
		Agent string `json:"agent"`
		Seen
	}
	// A NamedValue is what PutValue kept, or the store itself.
	NamedValue struct {
		Name  string `json:"name"`
		Value []byte `json:"value"`
	}
	// A Meta is what holds for the store as a whole.
	Meta struct {
		Format int    `json:"format"`
		Seq    uint64 `json:"seq"` // the last number that NextSeq gave
	}
)

// A walk visits every record, and counts what they name.
type walk struct {
	tx     *Tx
	each   func(kind string, record any) error
	fault  func(error) error // of one record; what it returns ends the walk
	uses   map[records.Name]uint64
	bodies map[string]uint64
	index  map[string]map[string]string // what the indexes should hold, by their names
}

func newWalk(tx *records.Tx) *walk {
	return &walk{
		tx: &Tx{tx}, uses: map[records.Name]uint64{}, bodies: map[string]uint64{},
		index: map[string]map[string]string{outbox.Keys.Name: {}, outbox.Wait.Name: {}, outbox.Told.Name: {}, open.Name: {}},
	}
}

func (w *walk) all() error {
	seq, err := w.tx.Seq()
	if err != nil {
		return err
	}
	if err := w.each("meta", Meta{Format: len(format().Steps), Seq: seq}); err != nil {
		return err
	}
	return errors.Join(
		w.bucket(values, func(e records.Entry) (string, any, error) {
			return "value", NamedValue{string(e.Key), e.Value}, nil
		}),
		w.bucket(agents.Bucket, w.agent), w.bucket(seens.Bucket, func(e records.Entry) (string, any, error) {
			s, err := readSeen(e.Key, e.Value)
			return seens.Name, NamedSeen{string(e.Key), s}, err
		}),
		w.bucket(locks.Bucket, w.lock), w.bucket(history.Transitions.Bucket, w.transition), w.bucket(history.Versions.Bucket, w.version),
		w.bucket(episodes.Bucket, w.episode), w.bucket(outbox.Rows.Bucket, w.row),
		w.bucket(silences.Bucket, plain[Silence](silences)), w.bucket(sinks.Bucket, plain[Sink](sinks)),
	)
}

func (w *walk) bucket(name []byte, read func(records.Entry) (string, any, error)) error {
	for e, err := range w.tx.tx.All(name, nil) {
		if err != nil {
			return err
		}
		kind, record, err := read(e)
		if err == nil {
			err = w.each(kind, record)
		} else {
			err = w.fault(err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// plain reads a record that is JSON.
func plain[T any](k records.Kind) func(records.Entry) (string, any, error) {
	return func(e records.Entry) (string, any, error) {
		var v T
		err := k.Decode(e.Key, e.Value, &v)
		return k.Name, v, err
	}
}

func (w *walk) names(digest string) {
	if digest != "" {
		w.bodies[digest]++
	}
}

func (w *walk) agent(e records.Entry) (string, any, error) {
	var a Agent
	err := agents.Decode(e.Key, e.Value, &a)
	w.names(a.Body)
	return agents.Name, a, err
}

func (w *walk) lock(e records.Entry) (string, any, error) {
	var rec lockRecord
	if err := locks.Decode(e.Key, e.Value, &rec); err != nil {
		return "", nil, err
	}
	w.names(rec.Good)
	l, _, err := w.tx.Lock(rec.ID)
	return locks.Name, l, err
}

func (w *walk) episode(e records.Entry) (string, any, error) {
	var ep Episode
	err := episodes.Decode(e.Key, e.Value, &ep)
	if err == nil && ep.ClosedAt.IsZero() {
		w.index[open.Name][string(e.Key)] = ""
	}
	return episodes.Name, ep, err
}

func (w *walk) row(e records.Entry) (string, any, error) {
	var r Row
	if err := outbox.Rows.Decode(e.Key, e.Value, &r); err != nil {
		return "", nil, err
	}
	for bucket, entry := range r.Index() {
		w.index[bucket][string(entry.Key)] = string(entry.Value)
	}
	return outbox.Rows.Name, r, nil
}

func (w *walk) version(e records.Entry) (string, any, error) {
	v, err := history.ReadVersion(e)
	if err != nil {
		return "", nil, err
	}
	w.names(v.Body)
	owner := records.Name(e.Key[:records.NameSize])
	w.uses[owner]++
	v.Agent, err = w.tx.tx.Text(owner)
	return history.Versions.Name, v, err
}

func (w *walk) transition(e records.Entry) (string, any, error) {
	rec, err := history.ReadTransition(e)
	if err != nil {
		return "", nil, err
	}
	for _, n := range rec.Names() {
		w.uses[n]++
	}
	t, err := rec.Whole(w.tx.tx)
	return history.Transitions.Name, t, err
}
