package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/a2alock/a2alock/internal/mend"
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
		faults, w, err := mend.Look(tx, readAgent)
		if err != nil {
			return err
		}
		more, err := tx.CheckBodies(w.Bodies)
		return errors.Join(slices.Concat(faults, more, []error{err})...)
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
		w := mend.NewWalk(tx, readAgent)
		w.Each = func(kind string, record any) error {
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
		w.Fault = func(_ records.Kind, _ records.Entry, err error) error { return err }
		w.Whole = true
		seq, err := tx.Seq()
		if err != nil {
			return err
		}
		if err := w.Each("meta", Meta{Format: len(format().Steps), Seq: seq}); err != nil {
			return err
		}
		if err := w.All(); err != nil {
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
				err = w.Each("body", Body{Digest: digest, Raw: raw})
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
	NamedSeen = mend.NamedSeen
	// A NamedValue is what PutValue kept, or the store itself.
	NamedValue = mend.NamedValue
	// A Meta is what holds for the store as a whole.
	Meta struct {
		Format int    `json:"format"`
		Seq    uint64 `json:"seq"` // the last number that NextSeq gave
	}
)
