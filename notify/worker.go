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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/route"
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
	remindPause  = time.Minute    // how late a reminder may be
	defaultGrace = 10 * time.Second
)

// Run delivers until ctx ends, and returns when everything it started has
// ended. The error is about the configuration, or the store when it begins.
func (w *Worker) Run(ctx context.Context) error {
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	over := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(over)
	defer cancel()
	wg.Go(func() {
		select {
		case <-ctx.Done():
		case <-over:
			return
		}
		timer := time.NewTimer(cmp.Or(w.Grace, defaultGrace))
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-over:
		}
	})
	n := w.Notify
	for {
		next, err := w.serve(ctx, hard, &n)
		if next == nil || err != nil {
			return err
		}
		n = *next
	}
}

// serve delivers by one configuration, and returns the next; nil at the end.
func (w *Worker) serve(ctx, hard context.Context, n *config.Notify) (next *config.Notify, err error) {
	round := &round{Worker: w, router: route.New(n), sinks: n.Sinks, renderer: message.Renderer{PublicURL: strings.TrimSuffix(w.PublicURL, "/")}}
	shared := map[string]*bucket{}
	var queues []*queue
	for _, name := range slices.Sorted(maps.Keys(n.Sinks)) {
		c := n.Sinks[name]
		s, err := w.newSender(name, c)
		if err != nil {
			return nil, err
		}
		queues = append(queues, &queue{
			round: round, name: name, sender: s, bucket: bucketOf(s, shared), secrets: secretsOf(c),
			config: configDigest(c), wake: make(chan struct{}, 1),
		})
		round.wakes = append(round.wakes, queues[len(queues)-1].wake)
	}
	if err := round.abandon(); err != nil {
		return nil, err
	}
	turn, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for _, q := range queues {
		wg.Go(func() { q.run(turn, hard) })
	}
	wg.Go(func() { round.remind(turn) })
	for {
		select {
		case <-ctx.Done():
			return nil, nil
		case n := <-w.Reload:
			return &n, nil
		case <-w.Wake:
			round.wakeAll()
		}
	}
}

// A round is a worker with the configuration it goes by for now.
type round struct {
	*Worker
	router   *route.Router
	sinks    map[string]config.Sink
	renderer message.Renderer
	wakes    []chan struct{}
	ring     atomic.Bool // what is being stored is for other queues, too
}

// update stores, and then wakes whom it is for.
func (r *round) update(fn func(*store.Tx) error) error {
	err := r.Store.Update(fn)
	if r.ring.Swap(false) {
		r.wakeAll()
	}
	return err
}

func (r *round) wakeAll() {
	for _, c := range r.wakes {
		select {
		case c <- struct{}{}:
		default:
		}
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

// abandon ends the rows of sinks that are no longer configured, and tells the
// fallback instead.
func (r *round) abandon() error {
	var strangers []string
	err := r.Store.View(func(tx *store.Tx) error {
		waiting, err := tx.WaitingRows()
		for _, name := range slices.Sorted(maps.Keys(waiting)) {
			if _, ok := r.sinks[name]; !ok {
				strangers = append(strangers, name)
			}
		}
		return err
	})
	for _, name := range strangers {
		for again := true; again && err == nil; {
			err = r.update(func(tx *store.Tx) error {
				rows, err := tx.DueRows(name, time.Now().Add(farFuture), mostHeads)
				again = len(rows) > 0
				for _, row := range rows {
					if err := r.bury(tx, row, "the sink is no longer configured"); err != nil {
						return err
					}
				}
				return err
			})
		}
	}
	if err != nil {
		return fmt.Errorf("reading the outbox: %w", err)
	}
	return nil
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
		}
		wait, err := r.remindOnce(time.Now())
		if err != nil {
			r.log().ErrorContext(ctx, "reminders not planned", "err", err)
		}
		if err := r.abandon(); err != nil {
			r.log().ErrorContext(ctx, "outbox not looked through", "err", err)
		}
		timer.Reset(wait)
	}
}

// remindOnce stores what is due now, and returns when to look again: at least
// once a minute, since acknowledgements and silences end, too.
func (r *round) remindOnce(now time.Time) (time.Duration, error) {
	wait := remindPause
	var due []store.Episode
	err := r.Store.View(func(tx *store.Tx) error {
		silences, err := tx.SilencesAt(now)
		if err != nil {
			return err
		}
		for p := (store.Page{Limit: 1000}); ; {
			page, next, err := tx.OpenEpisodes(p)
			if err != nil {
				return err
			}
			for i := range page {
				next := nextReminder(&page[i])
				if next.IsZero() || next.After(now) {
					if !next.IsZero() {
						wait = min(wait, next.Sub(now))
					}
					continue
				}
				in, err := standingOf(tx, &page[i], silences, now)
				if err != nil {
					return err
				}
				if _, changed := r.router.Due(in); changed != nil {
					due = append(due, page[i])
				}
			}
			if next == "" {
				return nil
			}
			p.After = next
		}
	})
	for _, ep := range due {
		if err != nil {
			break
		}
		err = r.update(func(tx *store.Tx) error { return r.storeReminders(tx, ep, now) })
	}
	if len(due) > 0 {
		r.wakeAll()
	}
	return wait, err
}

func (r *round) storeReminders(tx *store.Tx, ep store.Episode, now time.Time) error {
	ep, ok, err := tx.Episode(ep.Lock, ep.Start) // it may have ended since
	if err != nil || !ok {
		return err
	}
	silences, err := tx.SilencesAt(now)
	if err != nil {
		return err
	}
	in, err := standingOf(tx, &ep, silences, now)
	if err != nil {
		return err
	}
	rows, changed := r.router.Due(in)
	if changed == nil {
		return nil
	}
	for _, row := range rows {
		if _, err := tx.InsertRow(row); err != nil {
			return err
		}
	}
	return tx.PutEpisode(*changed)
}

// nextReminder is when the first reminder of ep is due: the beginning of time
// for one that a silence held back, zero where none is planned.
func nextReminder(ep *store.Episode) time.Time {
	var next time.Time
	for _, n := range ep.Reminders {
		at := n.At
		if n.Held {
			at = time.Unix(0, 0)
		}
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}
