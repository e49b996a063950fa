// Package history keeps what happened: the transitions of locks and the cards of
// agents, in few bytes, since there are many.
//
// Its functions work on the transaction that they are given, for package store.
package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/records"
	"github.com/a2alock/a2alock/internal/verdict"
)

// The buckets. Their keys are the name of the lock or agent, and the number.
var (
	Transitions = records.Kind{Name: "transition", Bucket: []byte("history")}
	Versions    = records.Kind{Name: "card_version", Bucket: []byte("cards")}
)

// A Transition is one row of a lock's history. Rows carry the findings, so that
// a message can be rendered from the row alone.
type Transition struct {
	verdict.Event
	Lock     string         `json:"lock"`
	Findings []diff.Finding `json:"findings,omitzero"`
}

// The kinds and verdicts by the number that stands for them in a transition,
// and that they keep. A kind that is not among them is written out.
var (
	kindCodes = []verdict.Kind{
		"", verdict.Opened, verdict.Worsened, verdict.Improved, verdict.Resolved, verdict.Changed, verdict.WentAway,
		verdict.CameBack, verdict.WentInvalid, verdict.RanOut, verdict.Stale, verdict.Flap, verdict.Flapping,
		verdict.Settled, verdict.Closed,
	}
	verdictCodes = []verdict.Verdict{"", verdict.None, verdict.Compatible, verdict.Review, verdict.Breaking}
)

// The flags of a transition: which members follow.
const (
	isQuiet = 1 << iota
	hasCard
	hasSet
	hasFindings
	hasEpisode
	hasDetail
	hasKind // written out
)

// A Record is a Transition as it is kept, in some thirty bytes.
type Record struct {
	Event verdict.Event // without what the names stand for
	Lock  records.Name

	card, set, findings records.Name
}

// PutTransition adds a row to the history of a lock, numbered by its Seq, or
// puts it anew. Findings are kept once, however many rows have them.
func PutTransition(tx *records.Tx, t Transition) error {
	if t.Class < 0 || t.Class > diff.Breaking {
		return fmt.Errorf("storing a transition of %q: class %d: there is none", t.Lock, t.Class)
	}
	if t.Lock == "" {
		return errors.New("storing a transition: it is of no lock")
	}
	was := slices.Index(verdictCodes, t.Was)
	if was < 0 {
		return fmt.Errorf("storing a transition of %q: verdict %q: there is none", t.Lock, t.Was)
	}
	old, err := findNumbered(tx, Transitions.Bucket, t.Lock, t.Seq)
	if err != nil {
		return err
	}
	if err := DropTransition(tx, old); err != nil {
		return err
	}
	lock, err := tx.Use(t.Lock)
	if err != nil {
		return err
	}
	key, err := NumberedKey(lock, t.Seq)
	if err != nil {
		return fmt.Errorf("storing a transition of %q: %w", t.Lock, err)
	}
	var rec Record
	if rec.card, err = tx.Use(t.CardDigest); err != nil {
		return err
	}
	if rec.set, err = tx.Use(t.FindingSet); err != nil {
		return err
	}
	if len(t.Findings) > 0 {
		if rec.findings, err = tx.UseJSON(t.Findings); err != nil {
			return err
		}
	}
	rec.Event = t.Event
	return tx.Put(Transitions.Bucket, key, rec.pack(byte(was)))
}

func (rec Record) pack(was byte) []byte {
	e := rec.Event
	var flags byte
	tail := []byte{}
	add := func(flag byte, holds bool, data []byte) {
		if holds {
			flags |= flag
			tail = append(tail, data...)
		}
	}
	add(isQuiet, e.Quiet, nil)
	add(hasCard, rec.card != records.Name{}, rec.card[:])
	add(hasSet, rec.set != records.Name{}, rec.set[:])
	add(hasFindings, rec.findings != records.Name{}, rec.findings[:])
	add(hasEpisode, e.Episode != 0, binary.AppendUvarint(nil, e.Episode))
	add(hasDetail, e.Detail != "", packed.AppendText(nil, e.Detail))
	code := slices.Index(kindCodes, e.Kind)
	add(hasKind, code < 0, packed.AppendText(nil, string(e.Kind)))
	// Class and was are below 16 for good.
	head := []byte{flags, byte(max(code, 0)), byte(e.Class)<<4 | was}
	return append(packed.AppendTime(head, e.At), tail...)
}

// ReadTransition reads the record of a row.
func ReadTransition(e records.Entry) (rec Record, err error) {
	seq := uint64(0)
	if rec.Lock, seq, err = SplitNumbered(e.Key); err == nil {
		err = rec.unpack(e.Value)
	}
	if err != nil {
		return Record{}, &records.RecordError{Kind: Transitions.Name, Key: packed.Printable(e.Key), Err: err}
	}
	rec.Event.Seq = seq
	return rec, nil
}

func (rec *Record) unpack(data []byte) error {
	r := packed.Reader{Data: data}
	flags, code, both := r.Byte(), r.Byte(), r.Byte()
	e := &rec.Event
	e.At, e.Quiet = r.Time(), flags&isQuiet != 0
	for _, n := range []struct {
		flag byte
		to   *records.Name
	}{{hasCard, &rec.card}, {hasSet, &rec.set}, {hasFindings, &rec.findings}} {
		if flags&n.flag != 0 {
			*n.to = records.Name(r.Take(records.NameSize))
		}
	}
	if flags&hasEpisode != 0 {
		e.Episode = r.Uvarint()
	}
	if flags&hasDetail != 0 {
		e.Detail = r.Text()
	}
	if flags&hasKind != 0 {
		e.Kind = verdict.Kind(r.Text())
	} else if int(code) < len(kindCodes) {
		e.Kind = kindCodes[code]
	}
	e.Class = diff.Class(both >> 4)
	if was := int(both & 0xF); was < len(verdictCodes) {
		e.Was = verdictCodes[was]
	}
	if r.Err == nil && e.Class > diff.Breaking {
		r.Err = fmt.Errorf("class %d", e.Class)
	}
	return r.Err
}

// Names are the names that the record uses, some of them zero.
func (rec Record) Names() []records.Name {
	return []records.Name{rec.Lock, rec.card, rec.set, rec.findings}
}

// Whole is the transition with all that its names stand for.
func (rec Record) Whole(tx *records.Tx) (t Transition, err error) {
	t.Event = rec.Event
	if t.Lock, err = tx.Text(rec.Lock); err != nil {
		return Transition{}, err
	}
	if t.CardDigest, err = tx.Text(rec.card); err != nil {
		return Transition{}, err
	}
	if t.FindingSet, err = tx.Text(rec.set); err != nil {
		return Transition{}, err
	}
	return t, tx.JSON(rec.findings, &t.Findings)
}

// FindTransition is the row of the lock's history with this number.
func FindTransition(tx *records.Tx, lock string, seq uint64) (t Transition, ok bool, err error) {
	e, err := findNumbered(tx, Transitions.Bucket, lock, seq)
	if err != nil || e.Value == nil {
		return Transition{}, false, err
	}
	rec, err := ReadTransition(e)
	if err == nil {
		t, err = rec.Whole(tx)
	}
	if tx.Skip(err) { // what is told of it is told without
		return Transition{}, false, nil
	}
	return t, err == nil, err
}

// ListTransitions is the history of the lock, the newest first, without what
// cannot be read.
func ListTransitions(tx *records.Tx, lock string, p records.Page) (page []Transition, next string, err error) {
	entries, next, err := newest(tx, Transitions.Bucket, lock, p)
	for _, e := range entries {
		rec, err := ReadTransition(e)
		if err == nil {
			var t Transition
			if t, err = rec.Whole(tx); err == nil {
				page = append(page, t)
			}
		}
		if err != nil && !tx.Skip(err) {
			return nil, "", err
		}
	}
	return page, next, err
}

// DropTransition drops a row, and does nothing where e has no value. What its
// names stand for goes with it, unless others use it.
func DropTransition(tx *records.Tx, e records.Entry) error {
	if e.Value == nil {
		return nil
	}
	if rec, err := ReadTransition(e); err == nil {
		if err := tx.Unuse(rec.Names()...); err != nil {
			return err
		}
	}
	return tx.Drop(Transitions.Bucket, e.Key)
}

// Mend makes a row anew without the names that are not sound any more, or drops
// one that cannot be read or whose lock is not known. Names are counted by the
// caller.
func Mend(tx *records.Tx, e records.Entry, sound map[records.Name]bool) error {
	rec, err := ReadTransition(e)
	if err != nil || !sound[rec.Lock] {
		return tx.Drop(Transitions.Bucket, e.Key)
	}
	for _, n := range []*records.Name{&rec.card, &rec.set, &rec.findings} {
		if !sound[*n] {
			*n = records.Name{}
		}
	}
	was := max(slices.Index(verdictCodes, rec.Event.Was), 0)
	return tx.Put(Transitions.Bucket, e.Key, rec.pack(byte(was)))
}
