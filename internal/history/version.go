package history

import (
	"fmt"
	"time"

	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/records"
)

// A CardVersion is one card that an agent showed.
type CardVersion struct {
	Seq     uint64    `json:"seq"`
	Agent   string    `json:"agent"`
	Digest  string    `json:"digest"` // card_digest
	Body    string    `json:"body"`   // the digest its body is kept under; "": not kept
	At      time.Time `json:"at"`     // first seen
	Version string    `json:"version,omitzero"`
	// Lost says why it is the public card, although an identity asked for the
	// extended one, "=" that this is that card; "": it is not.
	Lost string `json:"lost,omitzero"`
}

// PutVersion adds a card that the agent showed, numbered by its Seq, or puts
// it anew. The Body that it names is kept with it.
func PutVersion(tx *records.Tx, v CardVersion) error {
	was, err := findNumbered(tx, Versions.Bucket, v.Agent, v.Seq)
	if err != nil {
		return err
	}
	owner, err := tx.Use(v.Agent)
	if err != nil {
		return err
	}
	key, err := NumberedKey(owner, v.Seq)
	if err != nil {
		return fmt.Errorf("card of %q: %w", v.Agent, err)
	}
	if err := tx.MoveBody("", v.Body); err != nil { // before the old one lets go of it
		return fmt.Errorf("card of %q: %w", v.Agent, err)
	}
	if err := DropVersion(tx, was); err != nil {
		return err
	}
	data := packed.AppendText(packed.AppendText(packed.AppendTime(nil, v.At), v.Digest), v.Body)
	data = packed.AppendText(data, v.Version)
	if v.Lost != "" { // seldom, and not known to the first records
		data = packed.AppendText(data, v.Lost)
	}
	return tx.Put(Versions.Bucket, key, data)
}

// DropVersion drops a card version, and does nothing where e has no value.
func DropVersion(tx *records.Tx, e records.Entry) error {
	if e.Value == nil {
		return nil
	}
	if v, err := ReadVersion(e); err == nil {
		if err := tx.MoveBody(v.Body, ""); err != nil {
			return err
		}
	}
	if owner, _, err := SplitNumbered(e.Key); err == nil {
		if err := tx.Unuse(owner); err != nil {
			return err
		}
	}
	return tx.Drop(Versions.Bucket, e.Key)
}

// ReadVersion reads a card version, without its agent.
func ReadVersion(e records.Entry) (v CardVersion, err error) {
	r := packed.Reader{Data: e.Value}
	v = CardVersion{At: r.Time(), Digest: r.Text(), Body: r.Text(), Version: r.Text()}
	if len(r.Data) > 0 {
		v.Lost = r.Text()
	}
	if _, v.Seq, err = SplitNumbered(e.Key); err == nil {
		err = r.Err
	}
	if err != nil {
		return CardVersion{}, &records.RecordError{Kind: Versions.Name, Key: packed.Printable(e.Key), Err: err}
	}
	return v, nil
}

// ListVersions are the cards that the agent showed, the newest first.
func ListVersions(tx *records.Tx, agent string, p records.Page) (page []CardVersion, next string, err error) {
	entries, next, err := newest(tx, Versions.Bucket, agent, p)
	for _, e := range entries {
		v, err := ReadVersion(e)
		if tx.Skip(err) {
			continue
		} else if err != nil {
			return nil, "", err
		}
		v.Agent = agent
		page = append(page, v)
	}
	return page, next, err
}
