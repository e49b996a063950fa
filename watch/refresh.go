package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A flight is one request for an agent's card under way.
type flight struct {
	*agent
	request
	run   time.Time // the slot that it runs; zero: none
	asked bool      // a person wanted it
}

// refresh makes one request, and lets it land.
func (e *Engine) refresh(ctx context.Context, f flight) {
	defer e.land(f)
	f.take()
	began := e.Wall()
	full := e.cfg.Load().Config.Daemon.FullRefetch
	req := fetch.Request{
		URL: f.key.url, Identity: f.key.identity, Memory: f.rec.Memory,
		Body:          func() ([]byte, bool) { return f.shown.Load().read(e.Store) },
		Unconditional: f.asked || f.want.Fresh || f.audits(full, began),
		Fresh:         f.asked || f.want.Fresh,
	}
	if f.want.Elsewhere {
		req.Avoid = f.rec.Addr
	}
	f.give()

	start := time.Now()
	answer, err := e.cfg.Load().client.Refresh(e.timed(ctx, f.at), req)
	if ctx.Err() != nil {
		return // cut short by us: that says nothing of the agent
	}
	e.Metrics.RefreshDuration.Observe(time.Since(start).Seconds())
	e.count(req, answer, err)

	f.take()
	defer f.give()
	if err != nil {
		e.failed(ctx, f, began, err)
		return
	}
	e.mu.Lock()
	f.backoff.Reset()
	back := e.outage.Observe(f.host(), true, e.Wall())
	e.mu.Unlock()
	if back {
		e.Log.InfoContext(ctx, "the network is back")
	}
	e.arrived(ctx, f, began, req, answer)
}

// timed notes how long after it was due the request went out.
func (e *Engine) timed(ctx context.Context, due time.Time) context.Context {
	var once sync.Once
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) {
			once.Do(func() { e.Metrics.Lateness.Observe(max(0, e.Wall().Sub(due).Seconds())) })
		},
	})
}

// land ends a flight, whatever became of it.
func (e *Engine) land(f flight) {
	e.mu.Lock()
	f.flying = false
	e.mu.Unlock()
	e.settle(f.agent)
}

// count is for the metrics.
func (e *Engine) count(req fetch.Request, answer *fetch.Answer, err error) {
	class := "error"
	switch fault, ok := errors.AsType[*fetch.Error](err); {
	case err == nil:
		class = fmt.Sprintf("%dxx", answer.Status/100)
	case ok && fault.Code > 0:
		class = fmt.Sprintf("%dxx", fault.Code/100)
	}
	conditional := "false"
	if !req.Unconditional && len(req.Memory.Entries) > 0 {
		conditional = "true"
	}
	e.Metrics.Requests.WithLabelValues(class, conditional).Inc()
}

// failed is what follows where no body came. A failure that every host shares
// is ours, and says nothing of any agent.
func (e *Engine) failed(ctx context.Context, f flight, began time.Time, err error) {
	fault, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		fault = &fetch.Error{URL: f.key.url, State: fetch.Unreachable, Err: err}
	}
	now := e.Wall()
	// An answer of any kind shows that the network is there.
	silent := fault.State == fetch.Unreachable && fault.Code == 0
	e.mu.Lock()
	changed := e.outage.Observe(f.host(), !silent, now)
	ours := silent && e.outage.Suspected()
	e.mu.Unlock()
	if fault.State != fetch.AuthRequired {
		e.tryAgain(f, now)
	}
	outcome := "failed"
	if fault.State != fetch.Unreachable {
		outcome = "invalid"
	}
	e.Metrics.Refreshes.WithLabelValues(outcome).Inc()
	if ours {
		if changed {
			e.Log.ErrorContext(ctx, "this daemon cannot reach the network")
			e.Tell(ctx, "network", "a2alockd cannot reach the network: requests to many hosts fail. Verdicts stay as they are until one succeeds.")
		}
		e.observe(ctx, f.agent, change{slot: f.run}, nil)
		return
	}
	e.Log.WarnContext(ctx, "no card", "agent", f.id, "state", fault.State, "err", fault)
	o := verdict.Observation{
		Cause: verdict.Failed, By: f.by(), Fresh: f.want.Fresh || f.asked, Began: began,
		State: fault.State, Detail: fault.Error(),
	}
	e.observe(ctx, f.agent, change{slot: f.run}, func(*watched) verdict.Observation { return o })
}

// tryAgain plans a try before the next slot.
func (e *Engine) tryAgain(f flight, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := f.rules.plan.After(f.seen.Slot, now).Due
	f.retry = f.backoff.Fail(now, next, rand.Float64)
	if !f.retry.Before(next) {
		f.retry = time.Time{} // the slot comes first
	}
}

// by is what the request is for, in the words of the state machine.
func (f flight) by() verdict.By {
	if f.want.By != "" {
		return f.want.By
	}
	return verdict.Scheduled
}

// arrived is what follows where a body came.
func (e *Engine) arrived(ctx context.Context, f flight, began time.Time, req fetch.Request, answer *fetch.Answer) {
	cfg := e.cfg.Load()
	now := e.Wall()
	e.mu.Lock()
	f.hold = time.Time{}
	if most := f.rules.maximum; most > 0 && answer.MaxAge > 0 {
		f.hold = now.Add(min(answer.MaxAge, most))
	}
	e.mu.Unlock()
	reading := compile.Read(answer.Body, &cfg.Config.Client, cfg.CardOptions())
	o := verdict.Observation{By: f.by(), Fresh: req.Unconditional && req.Fresh, Began: began, NotModified: answer.NotModified}
	if reading.Err != nil {
		e.Metrics.Refreshes.WithLabelValues("invalid").Inc()
		e.Log.WarnContext(ctx, "no valid card", "agent", f.id, "state", reading.Err.State, "err", reading.Err)
		o.Cause, o.State, o.Detail = verdict.Failed, reading.Err.State, reading.Err.Error()
		e.tryAgain(f, now)
		// The last good body and its validators stay: a 304 must not come to
		// stand for these bytes.
		e.observe(ctx, f.agent, change{slot: f.run}, func(*watched) verdict.Observation { return o })
		return
	}
	rec := e.remember(ctx, f, answer, reading, now)
	if rec.Refreshes++; req.Unconditional {
		rec.Refreshes, rec.AuditedAt = 0, now
	}
	if !f.isSlow() {
		rec.Refreshes = 0
	}
	same := reading.Digest == f.rec.CardDigest
	e.Metrics.Refreshes.WithLabelValues(outcomeOf(answer, same)).Inc()
	c := change{
		slot: f.run, validated: now, rec: rec, body: answer.Body, keep: !answer.NoStore,
		version: reading.Profile.AgentVersion, fresh: !same,
	}
	e.observe(ctx, f.agent, c, func(w *watched) verdict.Observation { return e.judged(w, reading, rec, o, now) })
}

// remember is what is kept of an agent after it showed a card.
func (e *Engine) remember(ctx context.Context, f flight, answer *fetch.Answer, r *compile.Reading, now time.Time) *store.Agent {
	rec := f.rec
	rec.ID, rec.URL, rec.Identity = f.id, f.key.url, f.key.identity
	rec.Memory, rec.CardDigest = answer.Memory, r.Digest
	rec.Final, rec.Offsite, rec.Addr = answer.Final, answer.Offsite, answer.Addr
	switch {
	case answer.Unreliable && r.Digest == f.rec.CardDigest:
		rec.Memory.Unreliable = f.rec.Memory.Unreliable // two spellings of one card
	case answer.Unreliable:
		e.Metrics.Unreliable.Inc()
		e.Log.WarnContext(ctx, "validators lie", "agent", f.id, "detail", answer.Detail)
		rec.Lied = answer.Detail
	case r.Digest != f.rec.CardDigest && len(answer.Memory.Entries) > 0 && answer.Memory.Entries[0].ETag != "":
		rec.Memory.Unreliable, rec.Lied = 0, "" // another card came with another tag: mended
	}
	return &rec
}

func outcomeOf(answer *fetch.Answer, same bool) string {
	switch {
	case answer.NotModified:
		return "not_modified"
	case same:
		return "unchanged"
	}
	return "changed"
}

// A change is what a transaction writes of an agent beside its locks' states.
type change struct {
	slot      time.Time    // that was run; zero: none
	validated time.Time    // zero: it was not
	rec       *store.Agent // nil: as it was
	body      []byte
	version   string // the card's
	keep      bool   // the body may be kept on the disk
	fresh     bool   // the card is another than before
}
