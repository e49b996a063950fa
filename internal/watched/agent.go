// Package watched is what is known of one agent under watch and of its locks:
// how what the agent shows is judged for each of them, goes through the state
// machine, and is written before it holds.
//
// Whoever moves an [Agent] has its turn from reading it to the end of the
// transaction. What a turn changes is read by others under [Desk.Mu], or whole.
package watched

import (
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/lockset"
	"github.com/a2alock/a2alock/internal/pace"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// An Agent is one card as one credential sees it, and the locks about it. What
// is refreshed is an agent: one request serves all of its locks.
type Agent struct {
	ID    string
	Key   lockset.Key
	Host  string  // of Key
	Share float64 // of [0, 1): its own, and even over many

	turn chan struct{}
	rec  store.Agent // under the turn
	// whole is whether the stored body was seen, by this process, to be what it
	// should be. Under the turn.
	whole bool
	// Seen and Locks (by id) are changed under the turn and [Desk.Mu], and so
	// read with either.
	Seen  store.Seen
	Locks []*Lock

	// These are for whoever asks.
	shown  atomic.Pointer[shown]
	Params atomic.Pointer[verdict.Params]

	// Under [Desk.Mu].
	pace.Pace
	// Behind is whether a slot passed unseen and the agent was not asked since.
	// That nobody looked says nothing of it: time alone moves no lock before.
	Behind  bool
	Ticking bool      // time is about to move it
	Rest    time.Time // no tick before: the last could not be written
	Gone    bool      // no lock is about it any more
}

// NewAgent is the agent of which the store has rec and seen; both may be zero.
// It has no Params yet.
func NewAgent(key lockset.Key, rec store.Agent, seen store.Seen) *Agent {
	a := &Agent{ID: key.ID(), Key: key, Host: key.Host(), turn: make(chan struct{}, 1), rec: rec, Seen: seen}
	a.rec.ID, a.rec.URL, a.rec.Identity = a.ID, key.URL, key.Identity
	a.shown.Store(&shown{card: rec.CardDigest, body: rec.Body, lost: rec.Lost, caches: rec.Caches, ignored: rec.Memory.IsIgnored()})
	a.Asked = rec.Asked
	sum := sha256.Sum256([]byte(a.ID))
	a.Share = float64(binary.BigEndian.Uint16(sum[:])) / (1 << 16)
	return a
}

// Take waits for the turn.
func (a *Agent) Take() { a.turn <- struct{}{} }

// Give ends the turn.
func (a *Agent) Give() { <-a.turn }

// HasCard is whether the agent ever showed one. With the turn.
func (a *Agent) HasCard() bool { return a.rec.CardDigest != "" }

// Request is what the agent is asked, in words of the network: plain goes past
// every cache, fresh on a new connection too, elsewhere to another address. With
// the turn.
func (a *Agent) Request(s *store.Store, plain, fresh, elsewhere bool) fetch.Request {
	r := fetch.Request{
		URL: a.Key.URL, Identity: a.Key.Identity, Memory: a.rec.Memory,
		Body:          func() ([]byte, bool) { return a.shown.Load().read(s) },
		Unconditional: plain || fresh, Fresh: fresh,
	}
	if a.whole {
		r.Held = a.rec.Body
	}
	if elsewhere {
		r.Avoid = a.rec.Addr
	}
	return r
}

// Wants is the first request that the states of its locks ask for. All of them
// are unconditional on a new connection, and so serve for each other. Reports
// have the agent asked no more often where they are about many locks.
func (a *Agent) Wants() verdict.Want {
	var first verdict.Want
	var reported time.Time // when a report last had it asked
	for _, w := range a.Locks {
		if x := w.State().Stale; x != nil && x.Tried.After(reported) {
			reported = x.Tried
		}
	}
	for _, w := range a.Locks {
		for _, want := range verdict.Wants(w.State(), a.Params.Load()) {
			if again := reported.Add(verdict.ReportGap); want.By == verdict.OnReport && !reported.IsZero() && again.After(want.At) {
				want.At = again
			}
			if want.By != verdict.Judged && (first.By == "" || want.At.Before(first.At)) {
				first = want
			}
		}
	}
	return first
}

// TickAt is when a lock moves without a request: by time, or since something
// else than its card has to be compared again. Zero: never, or it is about to.
// Under [Desk.Mu].
func (a *Agent) TickAt(now time.Time) time.Time {
	if a.Ticking {
		return time.Time{}
	}
	var first time.Time
	for _, w := range a.Locks {
		s := w.State()
		if s.Judge && !w.mute.Load() {
			first = now
			break
		}
		if a.Behind {
			continue
		}
		if at := verdict.NextTick(s, now, a.Params.Load()); first.IsZero() || !at.IsZero() && at.Before(first) {
			first = at
		}
	}
	if !first.IsZero() && a.Rest.After(first) {
		return a.Rest
	}
	return first
}

// Audits is whether a request now goes past every cache, as one has to do every
// so often whatever validators say. With the turn.
func (a *Agent) Audits(every time.Duration, now time.Time) bool {
	if a.isSlow() {
		return a.rec.Refreshes >= 6
	}
	// A tenth either way, by the agent, so that a fleet does not audit at once.
	return now.Sub(a.rec.AuditedAt).Abs() >= every+time.Duration((a.Share-0.5)*0.2*float64(every))
}

// isSlow is whether audits are counted in refreshes, and not in hours.
func (a *Agent) isSlow() bool { return a.Params.Load().Interval > 4*time.Hour }

// Expect notes how long what the agent has just said may be expected to last.
// Under [Desk.Mu].
func (a *Agent) Expect(now time.Time) {
	if p := a.Params.Load(); a.Interval(now) != p.Interval {
		next := *p
		next.Interval = a.Interval(now)
		a.Params.Store(&next)
	}
}

// A shown is the last good card of an agent. It never changes.
type shown struct {
	card string // its digest; "": there is none
	body string // the digest it is kept under
	kept []byte // of an agent that allows none on the disk
	lost string // why it is the public card; see [store.Agent]
	// What caches said of the last answer, and whether the server ignores its own
	// validators.
	caches  fetch.Caches
	ignored bool
}

// Heard is what caches said of the last card, and whether the server sends it
// whole each time although its validator says that it has not changed.
func (a *Agent) Heard() (caches fetch.Caches, ignored bool) {
	h := a.shown.Load()
	return h.caches, h.ignored
}

// read is the body, as far as it is kept.
func (h *shown) read(s *store.Store) ([]byte, bool) {
	if h.kept != nil {
		return h.kept, true
	}
	return bodyOf(s, h.body)
}

// bodyOf is a body of the store, or a text.
func bodyOf(s *store.Store, digest string) (body []byte, ok bool) {
	if digest == "" {
		return nil, false
	}
	err := s.View(func(tx *store.Tx) (err error) {
		body, ok, err = tx.Body(digest)
		return err
	})
	return body, ok && err == nil
}
