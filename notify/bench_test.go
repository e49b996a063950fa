package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A bench is a daemon without its engine: what happens is said by the test.
type bench struct {
	t      *testing.T
	path   string
	store  *store.Store
	notify config.Notify
	sink   http.RoundTripper
	logs   bytes.Buffer
	open   map[string]uint64
	opts   store.Options

	wake   chan struct{}
	reload chan config.Notify
	stop   func()
}

func newBench(t *testing.T, n config.Notify, sink http.RoundTripper) *bench {
	t.Helper()
	b := &bench{
		t: t, path: filepath.Join(t.TempDir(), "a2alockd.db"), notify: n, sink: sink,
		open: map[string]uint64{}, wake: make(chan struct{}, 1), reload: make(chan config.Notify),
	}
	b.start()
	t.Cleanup(func() { b.end() })
	return b
}

// start opens the store and runs a worker on it.
func (b *bench) start() {
	b.t.Helper()
	s, err := store.Open(b.path, b.opts)
	if err != nil {
		b.t.Fatal(err)
	}
	b.store = s
	w := &Worker{
		Store: s, Notify: b.notify, Transport: b.sink, PublicURL: "https://daemon.example", UserAgent: "a2alockd/test",
		Log:  slog.New(slog.NewTextHandler(&b.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Wake: b.wake, Reload: b.reload,
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := w.Run(ctx); err != nil {
			b.t.Errorf("Run = %v", err)
		}
	}()
	b.stop = func() { cancel(); <-done }
}

// end ends the worker and closes the store.
func (b *bench) end() {
	if b.stop == nil {
		return
	}
	b.stop()
	b.stop = nil
	if err := b.store.Close(); err != nil {
		b.t.Error(err)
	}
}

// happen stores an event of a lock, as the engine does.
func (b *bench) happen(lock string, kind verdict.Kind, class diff.Class) {
	b.t.Helper()
	now := time.Now()
	err := b.store.Update(func(tx *store.Tx) error {
		seq, err := tx.NextSeq()
		if err != nil {
			return err
		}
		l, _, err := tx.Lock(lock)
		if err != nil {
			return err
		}
		start := b.open[lock]
		if start == 0 && kind != verdict.Stale {
			start = seq
			b.open[lock] = start
			l.State.Episode = &verdict.Episode{Start: start, OpenedAt: now}
		}
		e := verdict.Event{
			Seq: seq, Kind: kind, At: now, Class: class, Was: l.State.Verdict, Episode: start,
			CardDigest: "sha256:1", FindingSet: "set-" + class.String(),
		}
		findings := findingsOf(class)
		if kind == verdict.Resolved {
			delete(b.open, lock)
			l.State.Episode, l.State.Ack = nil, nil
		}
		if kind == verdict.Closed {
			l.State.Removed = true
		}
		l.ID, l.Agent, l.Path, l.URL = lock, "a-"+lock, lock+".a2a.lock.json", "https://"+lock+".example/.well-known/agent-card.json"
		l.Workflow, l.Owner, l.Fallback = "trips", "team-"+lock, "human"
		l.State.Verdict, l.State.Findings, l.State.FindingSet, l.State.DecidedAt = verdict.Verdict(class.String()), findings, e.FindingSet, now
		before, ok, err := tx.Episode(lock, start)
		if err != nil {
			return err
		}
		in := route.Happening{Event: e, Lock: &l, Findings: findings, Now: now}
		if ok {
			in.Episode = &before
		}
		if in.Silences, err = tx.SilencesAt(now); err != nil {
			return err
		}
		rows, ep := route.New(&b.notify).Rows(in)
		for _, row := range rows {
			if _, err := tx.InsertRow(row); err != nil {
				return err
			}
		}
		if ep != nil {
			if err := tx.PutEpisode(*ep); err != nil {
				return err
			}
		}
		if err := tx.PutTransition(store.Transition{Event: e, Lock: lock, Findings: findings}); err != nil {
			return err
		}
		return tx.PutLock(l)
	})
	if err != nil {
		b.t.Fatal(err)
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
	synctest.Wait()
}

func findingsOf(class diff.Class) []diff.Finding {
	switch class {
	case diff.Breaking:
		return []diff.Finding{{Rule: "streaming-lost", Class: class, Was: true, Now: false, Message: "the agent no longer streams"}}
	case diff.Review:
		return []diff.Finding{{Rule: "agent-version-changed", Class: class, Was: "1.0.0", Now: "2.0.0", Message: "the agent has another version"}}
	}
	return nil
}

// rows are all rows, as they were inserted.
func (b *bench) rows() []store.Row {
	b.t.Helper()
	var rows []store.Row
	err := b.store.View(func(tx *store.Tx) (err error) {
		rows, _, err = tx.Rows(store.RowQuery{}, store.Page{Limit: 1000})
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return rows
}

// ended fails unless every row has ended.
func (b *bench) ended() {
	b.t.Helper()
	for _, r := range b.rows() {
		if r.State == store.Waiting || r.State != store.Delivered && r.Reason == "" || r.EndedAt.IsZero() {
			b.t.Errorf("row %s of %s: %s %q, ended %v", r.Kind, r.Lock, r.State, r.Reason, r.EndedAt)
		}
	}
}

func (b *bench) update(fn func(*store.Tx) error) {
	b.t.Helper()
	if err := b.store.Update(fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// A receiver takes webhooks; it answers as answer says.
type receiver struct {
	answer func(host string) (status int, head http.Header)

	mu   sync.Mutex
	took []receipt // with 2xx
	seen []receipt // all
}

type receipt struct {
	id, host, kind, lock, text string
	body                       []byte
	header                     http.Header
	at                         time.Time
}

func (r *receiver) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var event struct {
		Type string
		Data struct{ Kind, Lock, Text string }
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, err
	}
	got := receipt{
		id: req.Header.Get("Webhook-Id"), host: req.URL.Host, kind: event.Data.Kind, lock: event.Data.Lock, text: event.Data.Text,
		body: body, header: req.Header, at: time.Now(),
	}
	status, head := 204, http.Header{}
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		status, head = answer(req.URL.Host)
	}
	if status == 0 {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, got)
	if status/100 == 2 {
		r.took = append(r.took, got)
	}
	if head == nil {
		head = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: head, Body: http.NoBody, Request: req}, nil
}

// told is what was taken, as "kind lock".
func (r *receiver) told() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	for _, t := range r.took {
		list = append(list, t.kind+" "+t.lock)
	}
	return list
}

// taken and requests are copies of what was taken, and of all that came.
func (r *receiver) taken() []receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.took)
}

func (r *receiver) requests() []receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen)
}

// answering is a receiver that answers code until [receiver.answers] says
// otherwise.
func answering(code int) *receiver {
	r := &receiver{}
	r.answers(code)
	return r
}

// refusing is a receiver that answers code at the host, and 200 at all others.
func refusing(host string, code int) *receiver {
	return &receiver{answer: func(at string) (int, http.Header) {
		if at == host {
			return code, nil
		}
		return 200, nil
	}}
}

// answers changes what it answers: a status, 0 for never.
func (r *receiver) answers(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = func(string) (int, http.Header) { return status, nil }
}

func (r *receiver) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took, r.seen = nil, nil
}

// hooks is a configuration of webhooks; the last is the catch-all and fallback.
func hooks(names ...string) config.Notify {
	n := config.Notify{Sinks: map[string]config.Sink{}}
	for i, name := range names {
		n.Sinks[name] = config.Sink{Webhook: &config.Webhook{
			URL:     "https://" + name + ".example/hook",
			Secrets: []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
		}}
		r := config.Route{Sinks: []string{name}, MinClass: "review", Reminders: []time.Duration{4 * time.Hour, 24 * time.Hour}, Resolve: true}
		if i < len(names)-1 {
			r.Match.Owner = "team-*"
		}
		n.Routes = append(n.Routes, r)
		n.Fallback = name
	}
	return n
}
