package notify

import (
	"slices"
	"time"

	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// prepare makes a delivery of the first of heads and what goes with it. It is
// nil where there is nothing to send: the row is over, or the sink is disabled
// and not to be tried yet. The rows that it looked at are handled.
func (q *queue) prepare(tx *store.Tx, heads []store.Row, sink *store.Sink, handled map[string]bool) (*delivery, error) {
	now := time.Now()
	if sink.Disabled != "" && (sink.Gone || lies(sink.ProbeAt, now, probePause)) {
		handled[heads[0].Key] = true
		return nil, q.park(tx, heads[0], sink)
	}
	group := q.group(heads, now)
	if sink.Disabled != "" && !heads[0].Bound() {
		group = group[:1] // one message is the probe
	}
	d, err := q.gather(tx, group, handled)
	if err != nil || len(d.tellings) == 0 {
		return nil, err
	}
	first := d.tellings[0]
	flush, together := first.Row.Flush, first.Row.Together
	switch {
	case flush != "":
	case len(d.tellings) > 1:
		flush, together = route.Key("flush", first.Row.Key), len(d.tellings)
	default:
		flush = first.Row.Key
	}
	begun := first.Row.FirstAt
	for _, t := range d.tellings {
		begun = minTime(begun, t.Row.FirstAt)
	}
	for _, t := range d.tellings {
		t.unsure = t.Row.Unsure
		t.Row.Flush, t.Row.Together, t.Row.FirstAt, t.Row.Unsure = flush, together, begun, true
		if err := tx.PutRow(t.Row); err != nil {
			return nil, err
		}
	}
	d.id = webhookID(&first.Row)
	return d, q.thread(tx, d)
}

// gather asks of each of group whether it is worth sending, ends what is not, and
// renders the rest. What went out together goes so again as long as any of it is
// worth that; where some of it is no more, each goes on alone.
func (q *queue) gather(tx *store.Tx, group []store.Row, handled map[string]bool) (*delivery, error) {
	if group[0].Bound() {
		d, err := q.whole(tx, group, handled)
		if err != nil || d != nil {
			return d, err
		}
		group = group[:1]
	}
	d := &delivery{}
	for _, row := range group {
		handled[row.Key] = true
		t, err := q.look(tx, row)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		if t.Row.Bound() {
			t.Row.Alone()
		}
		m := q.renderer.Message(&t.Telling)
		if m.Title == "" { // a message that says nothing is never sent
			q.log().Error("a notification says nothing", "sink", q.name, "kind", string(row.Kind), "lock", row.Lock)
			if err := q.bury(tx, t.Row, "there is nothing to say"); err != nil {
				return nil, err
			}
			continue
		}
		d.add(t, m)
	}
	return d, nil
}

// whole gathers all that went out together, or nil where that is not all there
// any more, or no part of it is worth sending.
func (q *queue) whole(tx *store.Tx, group []store.Row, handled map[string]bool) (*delivery, error) {
	if len(group) != group[0].Together {
		return nil, nil
	}
	d, worth := &delivery{}, false
	for _, row := range group {
		t, why, err := q.ask(tx, row)
		if err != nil || t == nil {
			return nil, err
		}
		m := q.renderer.Message(&t.Telling)
		if m.Title == "" || t.Lock == nil && row.Lock != "" {
			return nil, nil
		}
		worth = worth || !why.over()
		d.add(t, m)
	}
	if !worth {
		return nil, nil
	}
	for _, row := range group {
		handled[row.Key] = true
	}
	return d, nil
}

func (d *delivery) add(t *telling, m *message.Message) {
	d.tellings, d.messages = append(d.tellings, t), append(d.messages, m)
}

// group is what goes out with the first of heads: what went out with it before,
// the others of its group, or, where a sink is slow and much is due, all that is.
func (q *queue) group(heads []store.Row, now time.Time) []store.Row {
	first := &heads[0]
	slack, isSlack := q.sender.(*slackSink)
	fits := func(r *store.Row) bool { return false }
	switch {
	case first.Bound():
		fits = func(r *store.Row) bool { return r.Flush == first.Flush }
	case first.Tried():
	case first.Group != "":
		fits = func(r *store.Row) bool { return r.Group == first.Group && !r.Tried() }
	case isSlack && first.Lock != "":
		fits = func(r *store.Row) bool {
			return r.Group == "" && !r.Tried() && r.Lock != "" && !r.DueAt.After(now) &&
				!(slack.client.IsBot() && r.Kind == verdict.Resolved) // which edits its thread
		}
	}
	group := []store.Row{*first}
	for i := range heads[1:] {
		if r := &heads[1+i]; fits(r) && len(group) < mostInGroup {
			group = append(group, *r)
		}
	}
	if !first.Tried() && first.Group == "" && (len(group) < backlog || !fits(first)) {
		group = group[:1]
	}
	return slices.Clip(group)
}
