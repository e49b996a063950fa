package store

import (
	"net/netip"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/history"
	"github.com/a2alock/a2alock/internal/kept"
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
	// Lost says why the body is that of the public card, although the identity asked
	// for the extended one, "=" that the extended one is that card; "": it is not, or
	// nobody asked.
	Lost string `json:"lost,omitzero"`
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
type Seen = kept.Seen

// A Lock is what is remembered of one lock file.
type Lock = kept.Lock

type (
	// An Episode is what deliveries remember of an episode.
	Episode = kept.Episode
	// A Thread is the first message of an episode in a channel.
	Thread = kept.Thread
	// A Reminder is the next reminder of an episode on one route.
	Reminder = kept.Reminder
	// A Silence holds back messages that its matchers fit.
	Silence = kept.Silence
	// A Sink is what deliveries remember of a sink.
	Sink = kept.Sink
)

// A Transition is one row of a lock's history. Rows carry the findings, so that
// a message can be rendered from the row alone.
type Transition = history.Transition

// A CardVersion is one card that an agent showed.
type CardVersion = history.CardVersion

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
	KindReminder = outbox.KindReminder
	KindDaemon   = outbox.KindDaemon
	KindSample   = outbox.KindSample
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
