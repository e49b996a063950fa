package watch

import (
	"crypto/sha256"
	"encoding/binary"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// An agent is one card as one credential sees it, and the locks about it. What
// is refreshed is an agent: one request serves all of its locks.
type agent struct {
	id    string
	key   agentKey
	rules rules
	locks []*watched // by id; changed under [Engine].mu alone

	// turn is held by whoever moves what follows, from reading it to the end of
	// the transaction.
	turn chan struct{}
	rec  store.Agent
	seen store.Seen // changed under [Engine].mu too

	// shown is of rec, for whoever does not have the turn.
	shown atomic.Pointer[shown]

	// Of the schedule, under [Engine].mu.
	params  *verdict.Params
	flying  bool      // a request is under way
	asked   bool      // somebody wants one as soon as that is over
	last    time.Time // when the last request began
	own     time.Time // while it waits to catch up: when its next slot is due; else zero
	retry   time.Time // a try between slots; zero: none
	backoff schedule.Backoff
	hold    time.Time // slots before it are left out, by leave of the server
}

// rules are what the configuration says of one agent.
type rules struct {
	plan             schedule.Jittered
	minimum, maximum time.Duration
	schedule, zone   string // as written, to tell whether they moved
}

// A watched is one lock and where it stands. It is replaced when its file
// changes; its state goes over.
type watched struct {
	*file
	policy diff.Policy
	agent  *agent // nil for a file that never was a lock
	// state is what holds. It is replaced when a transaction has ended, and read
	// by whoever asks.
	state atomic.Pointer[verdict.State]
	// said is what the last comparison came to, for when nothing has moved since.
	said  atomic.Pointer[verdict.Observation]
	plans atomic.Pointer[plans]
}

// rulesFor are what cfg says of the agent.
func (e *Engine) rulesFor(cfg *config.Config, key agentKey) (rules, error) {
	a := cfg.Daemon.For(key.url)
	r := rules{minimum: a.MinInterval, maximum: a.MaxInterval, schedule: a.Schedule, zone: a.Timezone}
	spec, err := schedule.Parse(a.Schedule, a.Timezone)
	if err != nil {
		return r, err
	}
	r.plan = spec.Jittered(schedule.Phase(key.id(), e.Store.Salt(), spec.Window(cfg.Daemon.Spread)))
	return r, nil
}

// next is when something of the agent is due: a request, or a moment at which
// time alone moves a lock. Zero: nothing ever. Under [Engine].mu.
func (a *agent) next(e *Engine, now time.Time) time.Time {
	due := a.tickAt(now)
	if a.flying {
		return due
	}
	return earliest(due, a.requestAt(e, now).at)
}

// A request is why and when an agent is asked next.
type request struct {
	at   time.Time
	slot bool         // for the agent's own slot, as opposed to a try in between
	want verdict.Want // what the state machine asks for; By is "" for nothing
}

// requestAt is the next request. A pause that the server asked for holds back
// every kind.
func (a *agent) requestAt(e *Engine, now time.Time) request {
	due := a.rules.plan.After(a.seen.Slot, now).Due
	if s := a.rules.plan.Latest(a.seen.Slot, now); !a.seen.Slot.IsZero() && !s.IsZero() {
		due = s.Due
	}
	if !a.own.IsZero() {
		due = a.own
	}
	if due.Before(a.hold) {
		due = a.rules.plan.After(a.seen.Slot, a.hold).Due
	}
	spaced := func(t time.Time) time.Time {
		if t.IsZero() || a.last.IsZero() {
			return t
		}
		return latest(t, a.last.Add(a.rules.minimum))
	}
	r := request{at: spaced(due), slot: true}
	if retry := spaced(a.retry); !retry.IsZero() && retry.Before(r.at) {
		r = request{at: retry}
	}
	if want := a.wants(); want.By != "" && !want.At.After(r.at) {
		r = request{at: want.At, want: want}
		// While an agent is in trouble, what is wanted of it waits for a try.
		if a.backoff.Failures() > 0 && !a.retry.IsZero() {
			r.at = latest(r.at, a.retry)
		}
	}
	if a.asked {
		r.at = now
	}
	mono := time.Now()
	if paused := e.cfg.Load().client.Gates.Paused(a.key.url, mono); paused.After(mono) {
		r.at = latest(r.at, now.Add(paused.Sub(mono)))
	}
	return r
}

// wants is the first request that the states of its locks ask for. One that is
// unconditional on a new connection serves for all that are due by then.
func (a *agent) wants() verdict.Want {
	var first verdict.Want
	for _, w := range a.locks {
		for _, want := range verdict.Wants(w.state.Load(), a.params) {
			if want.By != verdict.Judged && (first.By == "" || want.At.Before(first.At)) {
				first = want
			}
		}
	}
	return first
}

// tickAt is when a lock moves without a request: by time, or since something
// else than its card has to be compared again.
func (a *agent) tickAt(now time.Time) time.Time {
	var first time.Time
	for _, w := range a.locks {
		s := w.state.Load()
		first = earliest(first, verdict.NextTick(s, now, a.params))
		if s.Judge {
			return now
		}
	}
	return first
}

// take waits for the turn; give ends it.
func (a *agent) take() { a.turn <- struct{}{} }
func (a *agent) give() { <-a.turn }

// audits is whether a request now goes past every cache, as one has to do every
// so often whatever validators say.
func (a *agent) audits(every time.Duration, now time.Time) bool {
	if a.isSlow() {
		return a.rec.Refreshes >= 6
	}
	// A tenth either way, by the agent, so that a fleet does not audit at once.
	sum := sha256.Sum256([]byte(a.id))
	share := float64(binary.BigEndian.Uint16(sum[:]))/(1<<16)*0.2 - 0.1
	return now.Sub(a.rec.AuditedAt) >= every+time.Duration(share*float64(every))
}

// isSlow is whether audits are counted in refreshes, and not in hours.
func (a *agent) isSlow() bool { return a.params.Interval > 4*time.Hour }

// A shown is the last good card of an agent. It never changes.
type shown struct {
	card string // its digest; "": there is none
	body string // the digest it is kept under
	kept []byte // of an agent that allows none on the disk
}

// read is the body, as far as it is kept.
func (h *shown) read(s *store.Store) ([]byte, bool) {
	if h.kept != nil {
		return h.kept, true
	}
	return bodyOf(s, h.body)
}

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

// earliest is the first of two moments, of which either may be none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// latest is the later of two.
func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// host is what a network that is gone takes away together.
func (a *agent) host() string {
	u, err := url.Parse(a.key.url)
	if err != nil {
		return a.key.url
	}
	return u.Hostname()
}
