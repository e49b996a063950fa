// Package kept is what the store keeps of locks, episodes, silences and sinks, and
// under which keys. What happened is in package history, messages in outbox.
package kept

import (
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/packed"
	"github.com/a2alock/a2alock/internal/records"
	"github.com/a2alock/a2alock/internal/verdict"
)

// The buckets, by what their keys are.
var (
	Values = []byte("values") // name

	Agents   = records.Kind{Name: "agent", Bucket: []byte("agents")}       // ID
	Seens    = records.Kind{Name: "seen", Bucket: []byte("seen")}          // ID; see SeenSize
	Locks    = records.Kind{Name: "lock", Bucket: []byte("locks")}         // ID
	Episodes = records.Kind{Name: "episode", Bucket: []byte("episodes")}   // lock, 0, number
	Open     = records.Kind{Name: "open", Bucket: []byte("episodes_open")} // the same, of the open ones
	Silences = records.Kind{Name: "silence", Bucket: []byte("silences")}   // ID
	Sinks    = records.Kind{Name: "sink", Bucket: []byte("sinks")}         // name
)

// A Seen is what every refresh moves, kept small and apart, since most
// refreshes move nothing else.
type Seen struct {
	Slot      time.Time // the last slot that was run; zero: none
	Validated time.Time // the last validation; zero: none
}

// SeenSize is the length of a Seen, two times. All are of one length, so that
// writing one anew moves nothing and takes no room.
const SeenSize = 16

// ReadSeen reads the Seen of the agent with this ID.
func ReadSeen(id, data []byte) (Seen, error) {
	if len(data) != SeenSize {
		return Seen{}, &records.RecordError{Kind: Seens.Name, Key: string(id), Err: packed.ErrShort}
	}
	return Seen{Slot: packed.ReadTime(data), Validated: packed.ReadTime(data[8:])}, nil
}

// A Lock is what is remembered of one lock file.
type Lock struct {
	ID    string `json:"id"`
	Path  string `json:"path"`
	Agent string `json:"agent"` // the Agent's ID
	// URL, Workflow, Owner and Fallback are as the lock file has them; messages
	// are routed and rendered by them.
	URL      string        `json:"url,omitzero"`
	Workflow string        `json:"workflow,omitzero"`
	Owner    string        `json:"owner,omitzero"`
	Fallback string        `json:"fallback,omitzero"`
	State    verdict.State `json:"state"`
	// Judged says by what State was judged: a digest of the lock's text and of
	// the configuration.
	Judged string `json:"judged,omitzero"`
	// Good is the lock's last readable text, for when the file breaks, and Text
	// its digest, as the caller names it.
	Text string `json:"text,omitzero"`
	Good []byte `json:"good,omitzero"`
}

// A LockRecord is a Lock as it is kept: its text once per digest, so that a
// change of state does not write it again.
type LockRecord struct {
	Lock
	Good string `json:"good,omitzero"` // hides Lock.Good
}

// An Episode is what deliveries remember of an episode.
type Episode struct {
	Lock     string     `json:"lock"`
	Start    uint64     `json:"start"`
	OpenedAt time.Time  `json:"opened_at"`
	ClosedAt time.Time  `json:"closed_at,omitzero"` // zero: open
	Class    diff.Class `json:"class"`
	Worst    diff.Class `json:"worst"`
	Seq      uint64     `json:"seq,omitzero"` // of its latest transition; reminders carry it
	// OpenedTo are the sinks that have, or will have, its opening.
	OpenedTo []string `json:"opened_to,omitzero"`
	// Threads are, by sink, where its messages go on: Slack's channel and ts.
	Threads map[string]Thread `json:"threads,omitzero"`
	// Reminders are, by route, when the next one is due.
	Reminders map[string]Reminder `json:"reminders,omitzero"`
}

// A Thread is the first message of an episode in a channel.
type Thread struct {
	Channel string `json:"channel"`
	TS      string `json:"ts"`
	// Shared is whether other episodes are in the message too, which is why it
	// is not edited.
	Shared bool `json:"shared,omitzero"`
}

// A Reminder is the next reminder of an episode on one route.
type Reminder struct {
	Ordinal int       `json:"ordinal"`     // 1 is the first
	At      time.Time `json:"at,omitzero"` // zero: none is planned
	// Held is whether a silence held back a message, so that the reminder is due
	// as soon as nothing silences it.
	Held bool `json:"held,omitzero"`
}

// A Silence holds back messages that its matchers fit.
type Silence struct {
	ID string `json:"id"`
	// Match is by owner, workflow, agent, class, rule or lock; all given must fit.
	Match   map[string]string `json:"match"`
	Author  string            `json:"author"`
	Reason  string            `json:"reason"`
	Created time.Time         `json:"created_at"`
	Until   time.Time         `json:"until"`
	// Removed is when a person ended it before its time, and RemovedBy who; zero:
	// nobody did.
	Removed   time.Time `json:"removed_at,omitzero"`
	RemovedBy string    `json:"removed_by,omitzero"`
}

// End is when s ends, or has ended.
func (s *Silence) End() time.Time {
	if !s.Removed.IsZero() && s.Removed.Before(s.Until) {
		return s.Removed
	}
	return s.Until
}

// Holds reports whether s holds at this moment.
func (s *Silence) Holds(at time.Time) bool { return at.Before(s.End()) }

// A Sink is what deliveries remember of a sink.
type Sink struct {
	Name string `json:"name"`
	// Disabled says why nothing is sent; "" when it is. Gone sinks (410) are
	// not even probed until the configuration of the sink, Config, changes.
	Disabled string    `json:"disabled,omitzero"`
	Gone     bool      `json:"gone,omitzero"`
	Config   string    `json:"config,omitzero"` // a digest of its configuration
	PausedTo time.Time `json:"paused_to,omitzero"`
	ProbeAt  time.Time `json:"probe_at,omitzero"`
}
