// Package outbox keeps the rows of the outbox: one for each message to one sink,
// from the decision to send it to its end.
//
// Its functions work on the transaction that they are given, for package store.
package outbox

import (
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/records"
	"github.com/a2alock/a2alock/internal/verdict"
)

// The buckets, by what their keys are.
var (
	Rows = records.Kind{Name: "row", Bucket: []byte("rows")}             // number of the row
	Keys = records.Kind{Name: "row_key", Bucket: []byte("row_keys")}     // hash of its key: its number
	Wait = records.Kind{Name: "due", Bucket: []byte("rows_due")}         // sink, 0, due at, number; of the waiting ones
	Told = records.Kind{Name: "told", Bucket: []byte("rows_by_episode")} // an EpisodeKey, number: sink
)

// The number of the row that was inserted last is one of the store's values.
var (
	values  = []byte("values")
	lastRow = []byte("last row")
)

// A State is where a row of the outbox stands.
type State string

// The states of a row. Every row ends in one of the last three.
const (
	Waiting    State = "waiting"
	Delivered  State = "delivered"
	Superseded State = "superseded"
	Dead       State = "dead"
)

// A Row is one message to one sink. It holds what the message is about and not
// its text, which is rendered when it is sent.
type Row struct {
	// Number is the order in which rows were inserted, from 1; the store gives it.
	Number uint64 `json:"number"`
	// Key is the dedupe key: inserting it is the decision to send.
	Key   string `json:"key"`
	Sink  string `json:"sink"`
	Route string `json:"route"`
	Group string `json:"group,omitzero"` // rows of one group key go together
	// Lock, Episode and Seq name what it is about; all zero for a message of the
	// daemon itself, whose Text is the message.
	Lock    string       `json:"lock,omitzero"`
	Episode uint64       `json:"episode,omitzero"`
	Seq     uint64       `json:"seq,omitzero"` // of the transition
	Kind    verdict.Kind `json:"kind"`         // an event's, or one of those above
	Class   diff.Class   `json:"class"`
	Ordinal int          `json:"ordinal,omitzero"` // of a reminder
	Text    string       `json:"text,omitzero"`
	// Via is the sink that this row stands in for; "": none. Such a row has no
	// fallback of its own.
	Via string `json:"via,omitzero"`

	CreatedAt time.Time `json:"created_at"`
	DueAt     time.Time `json:"due_at"`
	Attempts  int       `json:"attempts,omitzero"`
	FirstAt   time.Time `json:"first_at,omitzero"` // when it was first due to go out
	// Unsure is whether an attempt was begun whose outcome is not known: the
	// receiver may have the message.
	Unsure  bool      `json:"unsure,omitzero"`
	State   State     `json:"state"`
	Reason  string    `json:"reason,omitzero"` // of the state, or of the last failure
	EndedAt time.Time `json:"ended_at,omitzero"`
	// Flush is the key of the message that the row went into, which its webhook
	// id comes from: Key where that was a message of its own. It is stored before
	// the first attempt; "": there was none. What has a Flush goes out again with
	// all Together rows of it, or as a message of its own.
	Flush    string `json:"flush,omitzero"`
	Together int    `json:"together,omitzero"` // rows of Flush; 0: this one
}

// The kinds of rows that come from no event.
const (
	KindReminder verdict.Kind = "reminder" // an episode is still open
	KindDaemon   verdict.Kind = "daemon"   // about the daemon itself
	KindSample   verdict.Kind = "sample"   // a test of a sink, which is never stored
)

// Dropped is the reason of rows that a person gave up.
const Dropped = "dropped by hand"

// End ends the row in one of the last three states.
func (r *Row) End(state State, reason string, at time.Time) {
	r.State, r.Reason, r.EndedAt = state, reason, at
}

// Tried reports whether an attempt to send the row was begun. Its id stands for
// what went out then, and nothing else joins it.
func (r *Row) Tried() bool { return r.Flush != "" || r.Attempts > 0 || r.Unsure }

// Bound reports whether the row goes out only together with others, as it did
// before.
func (r *Row) Bound() bool { return r.Together > 1 && r.Flush != r.Key }

// Alone has a row that went out with others go on as a message of its own: the
// id that it had stands for all of them.
func (r *Row) Alone() { r.Flush, r.Together = r.Key, 0 }
