package store

import (
	"net/netip"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/outbox"
	"github.com/a2alock/a2alock/internal/verdict"
)

// An Agent is what is remembered of one (agent, identity): where it stands with
// HTTP, and which card it showed last.
type Agent struct {
	ID       string `json:"id"` // of the (agent, identity), see watch
	URL      string `json:"url"`
	Identity string `json:"identity,omitzero"`
	// Memory is what conditional requests go by.
	Memory fetch.Memory `json:"memory"`
	// Body is the digest under which the last good body is kept, CardDigest the
	// card's; both "" before there was one, and Body where no-store forbids it.
	Body       string `json:"body,omitzero"`
	CardDigest string `json:"card_digest,omitzero"`
	// Final is what answered, Offsite whether a redirect left the origin.
	Final   string `json:"final,omitzero"`
	Offsite bool   `json:"offsite,omitzero"`
	// Addr is what answered last, by its address.
	Addr netip.AddrPort `json:"addr,omitzero"`
	// Lied says how the server's validators were seen to lie; "": they were not.
	Lied string `json:"lied,omitzero"`
	// Refreshes counts those since the last that was unconditional.
	Refreshes int       `json:"refreshes,omitzero"`
	AuditedAt time.Time `json:"audited_at,omitzero"` // the last unconditional validation
	// Asked is whether a person wants it asked, and nothing was sent since.
	Asked bool `json:"asked,omitzero"`
	// Pause is what a server last asked for of those that wait; nil: nothing.
	Pause *Pause `json:"pause,omitzero"`
	// Caches is what caches on the way said when the record was last written.
	Caches fetch.Caches `json:"caches,omitzero"`
}

// A Pause is a time in which requests are held back.
type Pause struct {
	URL   string    `json:"url"`
	Host  bool      `json:"host,omitzero"` // the whole host of URL, not URL alone
	Until time.Time `json:"until"`
}

// A Seen is what every refresh moves, kept small and apart, since most
// refreshes move nothing else.
type Seen struct {
	Slot      time.Time // the last slot that was run; zero: none
	Validated time.Time // the last validation; zero: none
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

// A Transition is one row of a lock's history. Rows carry the findings, so that
// a message can be rendered from the row alone.
type Transition = history.Transition

// A CardVersion is one card that an agent showed.
type CardVersion = history.CardVersion

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

// A RowState is where a row of the outbox stands.
type RowState = outbox.State

// The states of a row. Every row ends in one of the last three.
const (
	Waiting    = outbox.Waiting
	Delivered  = outbox.Delivered
	Superseded = outbox.Superseded
	Dead       = outbox.Dead
)

// Dropped is the reason of rows that a person gave up.
const Dropped = outbox.Dropped

// The kinds of rows that come from no event.
const (
	KindReminder verdict.Kind = "reminder" // an episode is still open
	KindDaemon   verdict.Kind = "daemon"   // about the daemon itself
	KindSample   verdict.Kind = "sample"   // a test of a sink, which is never stored
)

// TellsFindings reports whether rows of kind k tell what findings say, so that
// a later one takes the place of an earlier.
func TellsFindings(k verdict.Kind) bool {
	switch k {
	case verdict.Opened, verdict.Worsened, verdict.Improved, verdict.Changed:
		return true
	}
	return false
}

// A Row is one message to one sink. It holds what the message is about and not
// its text, which is rendered when it is sent.
type Row = outbox.Row

// A RowQuery says which rows; zero members say nothing.
type RowQuery = outbox.Query

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
