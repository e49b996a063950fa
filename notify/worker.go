// Package notify decides who is told what, and tells them: from the outbox to
// Slack, signed webhooks and the log.
//
// A [route.Router] turns an event into rows of the outbox, which are stored in one
// transaction with what they tell of. A [Worker] takes them from there, one
// goroutine for each sink. It asks again whether a row is worth sending, renders
// it, sends it, and stores what came of it. A crash at any point loses nothing:
// what was sent and not noted goes out once more, under the same id.
//
// Every row ends as delivered, superseded or dead, with the reason, and stays
// with its episode.
package notify

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/attempt"
	"github.com/a2alock/a2alock/internal/lanes"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/remind"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/slack"
	"github.com/a2alock/a2alock/store"
)

// A Worker delivers what the outbox holds. Its fields are not changed once it
// runs.
type Worker struct {
	Store     *store.Store
	Notify    config.Notify
	Transport http.RoundTripper // nil: [http.DefaultTransport]
	// PublicURL is how messages link to the daemon's API; "": they do not.
	PublicURL string
	UserAgent string
	Log       *slog.Logger // nil: discard
	// Grace is how long what is being sent may take when the context ends; 0 is
	// 10 s. What is due by then is tried, too.
	Grace time.Duration
	// Wake, where not nil, says that rows were stored; Reload gives another
	// configuration to go on with, which must hold no fault.
	Wake   <-chan struct{}
	Reload <-chan config.Notify
	// Observe, where not nil, is told of each attempt's result: "delivered",
	// "retry", "dead", "disabled", and of "superseded" rows.
	Observe func(sink, result string)
}

// The times that deliveries go by.
const (
	sendTimeout  = 20 * time.Second
	mostPause    = 24 * time.Hour // that a sink can ask for
	lifetime     = 72 * time.Hour // from when a row was first due
	probePause   = time.Hour      // between two tries of a disabled sink
	defaultGrace = 10 * time.Second
)

// Run delivers until ctx ends, and returns when everything it started has
// ended. The error is about the configuration, or the store when it begins.
func (w *Worker) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	hard, cut := lanes.Grace(ctx, cmp.Or(w.Grace, defaultGrace))
	r := &round{
		Worker: w, renderer: message.Renderer{PublicURL: strings.TrimSuffix(w.PublicURL, "/")},
		buckets: map[string]*slack.Bucket{}, again: make(chan struct{}, 1),
	}
	r.lanes.Run = func(turn, hard context.Context, q *queue) {
		lanes.Loop(turn, q.wake, func() time.Time { return q.pass(turn, hard) })
		if context.Cause(turn) != lanes.ErrReplaced {
			q.run(turn, hard) // what is due at the daemon's end
		}
	}
	r.lanes.Gone = func() { r.sweep(ctx) }
	defer cut()
	defer r.lanes.Wait()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	if err := r.adopt(ctx, hard, &w.Notify); err != nil {
		return err
	}
	wg.Go(func() { r.remind(ctx) })
	for {
		select {
		case <-ctx.Done():
			return nil
		case n := <-w.Reload:
			if err := r.adopt(ctx, hard, &n); err != nil {
				return err
			}
			lanes.Ring(r.again)
			r.wakeAll()
		case <-w.Wake:
			r.wakeAll()
		}
	}
}

// A round is a worker with the configuration it goes by for now.
type round struct {
	*Worker
	router   route.Current
	renderer message.Renderer
	buckets  map[string]*slack.Bucket
	lanes    lanes.Set[*queue]
	again    chan struct{} // reminders may be others
	rings    atomic.Uint64 // how often something was stored that is for other queues, too
	turning  sync.Mutex    // held while sinks come and go

	mu     sync.Mutex
	sinks  map[string]config.Sink
	queues map[string]*queue // of sinks
}

// adopt goes on by n. Sinks that it configures as before are not disturbed.
func (r *round) adopt(ctx, hard context.Context, n *config.Notify) error {
	r.turning.Lock()
	defer r.turning.Unlock()
	queues := map[string]*queue{}
	for name, c := range n.Sinks {
		if q := r.queues[name]; q != nil && reflect.DeepEqual(r.sinks[name], c) {
			queues[name] = q
			continue
		}
		s, err := r.newSender(name, c)
		if err != nil {
			return err
		}
		queues[name] = &queue{
			round: r, name: name, sender: s, bucket: bucketOf(s, r.buckets), secrets: attempt.Secrets(c),
			config: configDigest(c), wake: make(chan struct{}, 1),
		}
	}
	r.router.Store(route.New(n))
	r.mu.Lock()
	r.sinks, r.queues = n.Sinks, queues
	r.mu.Unlock()
	if err := r.abandon(); err != nil {
		return err
	}
	r.lanes.Turn(ctx, hard, queues)
	return nil
}

// update stores, and then wakes whom it is for. Several may be under way: each
// wakes once its own is there, and one time too many harms nobody.
func (r *round) update(fn func(*store.Tx) error) error {
	before := r.rings.Load()
	err := r.Store.Update(fn)
	if r.rings.Load() != before {
		r.wakeAll()
	}
	return err
}

func (r *round) wakeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.queues {
		lanes.Ring(q.wake)
	}
}

// knows reports whether a sink is configured, or still at its last delivery.
func (r *round) knows(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queues[name] != nil || r.lanes.Has(name)
}

// sweep is abandon, while no sink comes or goes.
func (r *round) sweep(ctx context.Context) {
	r.turning.Lock()
	defer r.turning.Unlock()
	if err := r.abandon(); err != nil {
		r.log().ErrorContext(ctx, "outbox not looked through", "err", err)
	}
}

func (w *Worker) log() *slog.Logger {
	if w.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return w.Log
}

func (w *Worker) observe(sink, result string) {
	if w.Observe != nil {
		w.Observe(sink, result)
	}
}

// abandon ends the rows of sinks that are no longer configured, has those told
// whom the routes lead to now, and forgets the sinks.
func (r *round) abandon() error {
	var strangers []string
	err := r.Store.View(func(tx *store.Tx) error {
		waiting, err := tx.WaitingRows()
		for _, name := range slices.Sorted(maps.Keys(waiting)) {
			if !r.knows(name) {
				strangers = append(strangers, name)
			}
		}
		return err
	})
	for _, name := range strangers {
		r.log().Warn("messages go elsewhere: their sink is no longer configured", "sink", name)
		for again := true; again && err == nil; {
			err = r.update(func(tx *store.Tx) error {
				rows, err := tx.DueRows(name, time.Now().Add(farFuture), mostHeads)
				again = len(rows) > 0
				slices.SortFunc(rows, func(a, b store.Row) int { return cmp.Compare(a.Number, b.Number) }) // due again in another order
				for _, row := range rows {
					if err := r.reroute(tx, row); err != nil {
						return err
					}
				}
				return err
			})
		}
	}
	if err == nil {
		err = r.forget()
	}
	if err != nil {
		return fmt.Errorf("reading the outbox: %w", err)
	}
	return nil
}

// forget drops what is remembered of sinks that are no longer configured.
func (r *round) forget() error {
	var gone []string
	err := store.Each(r.Store, (*store.Tx).Sinks, func(s store.Sink) {
		if !r.knows(s.Name) {
			gone = append(gone, s.Name)
		}
	})
	if err != nil || len(gone) == 0 {
		return err
	}
	return r.update(func(tx *store.Tx) error {
		for _, name := range gone {
			if err := tx.DeleteSink(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// remind stores the reminders that are due, and looks for rows that have no
// sink any more, until ctx ends.
func (r *round) remind(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-r.again:
		}
		wait, stored, err := remind.Once(r.Store, r.router.Load(), time.Now())
		if stored {
			r.wakeAll()
		}
		if err != nil {
			r.log().ErrorContext(ctx, "reminders not planned", "err", err)
		}
		r.sweep(ctx)
		timer.Reset(wait)
	}
}
