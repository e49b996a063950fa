package notify

import (
	"cmp"
	"context"
	"time"

	"github.com/a2alock/a2alock/internal/attempt"
	"github.com/a2alock/a2alock/internal/slack"
	"github.com/a2alock/a2alock/internal/webhook"
	"github.com/a2alock/a2alock/store"
)

// A queue is the deliveries of one sink: one at a time, those of one episode in
// their order. What has to wait holds back what follows it in its episode, and
// nothing else.
type queue struct {
	*round
	name    string
	sender  sender
	bucket  *slack.Bucket // nil: as fast as it goes
	secrets []string
	config  string // the digest of its configuration
	wake    chan struct{}

	// failures counts attempts that failed since one did not. A sink that comes
	// back after that many is given at once what waits for its next attempt.
	failures int
	eager    bool
}

const (
	outage = 3 // failures that make an outage
	// A sink that may be told but so often gets what waits as one message, when
	// so many wait.
	backlog     = 6
	mostInGroup = 40
	mostHeads   = 1000
	farFuture   = 100 * 365 * 24 * time.Hour
)

// run delivers until soft ends, and then what is due, until hard does.
func (q *queue) run(soft, hard context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-soft.Done():
			q.pass(hard, hard)
			return
		case <-q.wake:
		case <-timer.C:
		}
		next := q.pass(soft, hard)
		timer.Reset(max(time.Until(next), 0))
	}
}

// pass delivers what is due, and returns when something will be. It begins no
// delivery once soft has ended.
func (q *queue) pass(soft, hard context.Context) time.Time {
	for soft.Err() == nil {
		next, again, err := q.once(soft, hard)
		if err != nil {
			q.log().ErrorContext(hard, "outbox not delivered", "sink", q.name, "err", err)
			return time.Now().Add(attempt.Delays[0])
		}
		if !again {
			return next
		}
	}
	return time.Now().Add(farFuture)
}

// once goes through the rows at the front of the queue: no earlier row of their
// episode waits. Again is whether others may have come to the front.
func (q *queue) once(soft, hard context.Context) (next time.Time, again bool, err error) {
	heads, sink, err := q.read()
	if err != nil {
		return time.Time{}, false, err
	}
	eager := q.eager
	q.eager = eager && len(heads) == mostHeads
	next = time.Now().Add(farFuture)
	handled := map[string]bool{}
	for i := range heads {
		now := time.Now()
		due := heads[i].DueAt
		if eager && !heads[i].FirstAt.IsZero() || heads[i].Attempts == 0 && heads[i].CreatedAt.After(now) {
			due = now // the latter by a clock that has gone back
		}
		switch {
		case soft.Err() != nil:
			return next, false, nil
		case handled[heads[i].Key]:
			continue
		case lies(sink.PausedTo, now, mostPause):
			return sink.PausedTo, false, nil
		case lies(due, now, lifetime):
			next = minTime(next, due)
			continue
		}
		if err := q.deliver(soft, hard, heads[i:], &sink, handled); err != nil {
			return next, false, err
		}
	}
	if len(handled) > 0 {
		return next, true, nil
	}
	again, err = q.unblock(heads)
	return next, again, err
}

// read is the front of the queue, what is due first, and its sink.
func (q *queue) read() (heads []store.Row, sink store.Sink, err error) {
	err = q.Store.View(func(tx *store.Tx) error {
		if sink, _, err = tx.Sink(q.name); err != nil {
			return err
		}
		heads, err = tx.DueRows(q.name, time.Now().Add(farFuture), mostHeads)
		return err
	})
	if err != nil || sink.Config == q.config {
		return heads, sink, err
	}
	// Another configuration than before is given a new chance.
	q.eager = sink.Config != ""
	sink = store.Sink{Name: q.name, Config: q.config}
	return heads, sink, q.update(func(tx *store.Tx) error { return tx.PutSink(sink) })
}

// unblock ends those of heads, none of which is due, that are over and hold up a
// row that is due. Again is whether there were any.
func (q *queue) unblock(heads []store.Row) (again bool, err error) {
	var over []store.Row
	now := time.Now()
	err = q.Store.View(func(tx *store.Tx) error {
		if at, ok, err := tx.NextDue(q.name); err != nil || !ok || at.After(now) {
			return err
		}
		for _, row := range heads {
			if row.Lock == "" || row.Episode == 0 || row.Bound() {
				continue
			}
			t, err := q.telling(tx, row, now)
			if err != nil {
				return err
			}
			if reason, err := q.whyNot(tx, t); err != nil {
				return err
			} else if reason.over() {
				over = append(over, row)
			}
		}
		return nil
	})
	for _, row := range over {
		if err != nil {
			break
		}
		err = q.update(func(tx *store.Tx) error {
			_, err := q.look(tx, row)
			return err
		})
	}
	return len(over) > 0, err
}

// lies reports whether t lies ahead of now, and no further than it can have been
// set to: a clock that went back does not hold up messages for as long.
func lies(t, now time.Time, most time.Duration) bool {
	return t.After(now) && !t.After(now.Add(most))
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// deliver sends the first of heads, with those that go with it, and stores what
// came of it. The rows that it dealt with are handled.
func (q *queue) deliver(soft, hard context.Context, heads []store.Row, sink *store.Sink, handled map[string]bool) error {
	var d *delivery
	err := q.update(func(tx *store.Tx) (err error) {
		d, err = q.prepare(tx, heads, sink, handled)
		return err
	})
	if err != nil || d == nil {
		return err
	}
	thread, r := q.attempt(soft, hard, d)
	return q.update(func(tx *store.Tx) error { return q.settle(tx, d, &r, thread, sink) })
}

// attempt sends d when the channel may be told again.
func (q *queue) attempt(soft, hard context.Context, d *delivery) (store.Thread, attempt.Result) {
	if err := q.bucket.Wait(soft); err != nil {
		return store.Thread{}, attempt.Result{Outcome: attempt.CutShort, Reason: "the daemon ended"}
	}
	ctx, cancel := context.WithTimeout(hard, sendTimeout)
	defer cancel()
	thread, err := q.sender.send(ctx, d)
	r := attempt.Judge(err, q.secrets)
	if err != nil && hard.Err() != nil {
		r = attempt.Result{Outcome: attempt.CutShort, Reason: "the daemon ended", Unsure: true}
	}
	q.count(r.Outcome)
	q.say(hard, d, &r)
	return thread, r
}

// count notices an outage, and its end.
func (q *queue) count(o attempt.Outcome) {
	switch {
	case o != attempt.Delivered:
		q.failures++
	case q.failures >= outage:
		q.eager = true
		fallthrough
	default:
		q.failures = 0
	}
}

func (q *queue) say(ctx context.Context, d *delivery, r *attempt.Result) {
	name := map[attempt.Outcome]string{
		attempt.Delivered: "delivered", attempt.Retry: "retry", attempt.Dead: "dead",
		attempt.Refused: "disabled", attempt.Gone: "disabled", attempt.CutShort: "retry",
	}[r.Outcome]
	q.observe(q.name, name)
	if r.Outcome == attempt.Delivered {
		q.log().DebugContext(ctx, "message delivered", "sink", q.name, "id", d.id)
		return
	}
	q.log().WarnContext(ctx, "message not delivered", "sink", q.name, "id", d.id, "result", name,
		"attempt", d.tellings[0].Row.Attempts+1, "err", r.Reason)
}

// webhookID is the id of a message: of its row, or of the group that it went
// into.
func webhookID(row *store.Row) string {
	return webhook.ID(cmp.Or(row.Flush, row.Key))
}
