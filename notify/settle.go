package notify

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/attempt"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// settle stores what came of an attempt.
func (q *queue) settle(tx *store.Tx, d *delivery, r *attempt.Result, thread store.Thread, sink *store.Sink) error {
	now := time.Now()
	pause := max(attempt.Delay(d.tellings[0].Row.Attempts+1), r.After) // one for all that go together
	if err := q.settleSink(tx, r, sink, now); err != nil {
		return err
	}
	for _, t := range d.tellings {
		row := t.Row
		row.Unsure = t.unsure || r.Unsure
		row.Reason = r.Reason
		switch r.Outcome {
		case attempt.Delivered:
			row.Attempts++
			row.Unsure = false
			row.End(store.Delivered, "", now)
			if err := q.settleThread(tx, &row, thread); err != nil {
				return err
			}
		case attempt.Retry:
			row.Attempts++
			if now.Sub(row.FirstAt) >= lifetime {
				if err := q.bury(tx, row, "given up after 72 h: "+r.Reason); err != nil {
					return err
				}
				continue
			}
			row.DueAt = minTime(now.Add(pause), row.FirstAt.Add(max(lifetime, r.After)))
		case attempt.Dead:
			row.Attempts++
			if err := q.bury(tx, row, r.Reason); err != nil {
				return err
			}
			continue
		case attempt.Refused, attempt.Gone:
			row.Attempts++
			if err := q.parked(tx, row, sink, now); err != nil {
				return err
			}
			continue
		case attempt.CutShort:
			row.DueAt = now
		}
		if err := tx.PutRow(row); err != nil {
			return err
		}
	}
	return nil
}

// settleSink stores what an attempt says about the sink, and tells a person of a
// sink that is disabled.
func (q *queue) settleSink(tx *store.Tx, r *attempt.Result, sink *store.Sink, now time.Time) error {
	was := *sink
	switch r.Outcome {
	case attempt.Delivered, attempt.Dead:
		sink.Disabled, sink.Gone, sink.ProbeAt = "", false, time.Time{}
		q.eager = q.eager || was.Disabled != ""
	case attempt.Refused, attempt.Gone:
		sink.Disabled, sink.Gone, sink.ProbeAt = r.Reason, r.Outcome == attempt.Gone, now.Add(probePause)
	}
	if r.After > 0 {
		sink.PausedTo = now.Add(r.After)
	}
	if *sink == was {
		return nil
	}
	if err := tx.PutSink(*sink); err != nil {
		return err
	}
	if sink.Disabled == "" || was.Disabled != "" {
		return nil
	}
	text := fmt.Sprintf("sink %s is disabled: %s; it is tried again every hour", q.name, r.Reason)
	if sink.Gone {
		text = fmt.Sprintf("sink %s is disabled until its configuration changes: %s", q.name, r.Reason)
	}
	for _, row := range q.router.Daemon("sink-disabled "+q.name, text, now) {
		if row.Sink == q.name {
			if row.Sink = q.router.Fallback(); row.Sink == "" || row.Sink == q.name {
				continue
			}
		}
		if _, err := tx.InsertRow(row); err != nil {
			return err
		}
	}
	q.rings.Add(1)
	return nil
}

// settleThread notes where the episode of row goes on.
func (q *queue) settleThread(tx *store.Tx, row *store.Row, thread store.Thread) error {
	if thread.TS == "" || row.Episode == 0 {
		return nil
	}
	ep, ok, err := tx.Episode(row.Lock, row.Episode)
	if err != nil || !ok || ep.Threads[q.name].TS != "" {
		return err
	}
	if ep.Threads == nil {
		ep.Threads = map[string]store.Thread{}
	}
	ep.Threads[q.name] = thread
	return tx.PutEpisode(ep)
}

// park looks at a row of a disabled sink that is not to be tried yet.
func (q *queue) park(tx *store.Tx, row store.Row, sink *store.Sink) error {
	t, why, err := q.ask(tx, row)
	switch {
	case err != nil || t == nil:
		return err
	case why.over() && !t.Row.Bound(): // what goes out together is asked together
		return q.close(tx, t, why)
	}
	return q.parked(tx, t.Row, sink, time.Now())
}

// parked keeps a row until its sink is tried again, and has the fallback tell
// what it tells.
func (q *queue) parked(tx *store.Tx, row store.Row, sink *store.Sink, now time.Time) error {
	if now.Sub(row.FirstAt) >= lifetime {
		return q.bury(tx, row, "given up after 72 h: "+sink.Disabled)
	}
	row.DueAt = row.FirstAt.Add(lifetime)
	if !sink.Gone {
		row.DueAt = minTime(sink.ProbeAt, row.DueAt)
	}
	row.Reason = sink.Disabled
	if err := q.copy(tx, row, sink.Disabled); err != nil {
		return err
	}
	return tx.PutRow(row)
}

// bury ends a row that will never be delivered, and has the fallback tell what
// it would have told, and the rest of the episode.
func (r *round) bury(tx *store.Tx, row store.Row, why string) error {
	row.End(store.Dead, why, time.Now())
	if err := tx.PutRow(row); err != nil {
		return err
	}
	return r.copy(tx, row, why)
}

// copy has the fallback tell what row tells, once. The fallback hears of the
// episode's end, too.
func (r *round) copy(tx *store.Tx, row store.Row, why string) error {
	fallback := r.router.Fallback()
	if fallback == "" || fallback == row.Sink || row.Via != "" {
		return nil
	}
	text := fmt.Sprintf("sent here in place of sink %s: %s", row.Sink, why)
	return r.stand(tx, row, row.Sink, route.Target{Sink: fallback, Route: row.Route}, store.Row{Reason: why, Text: text})
}

// gone is why rows of a sink that is no more end.
const gone = "the sink is no longer configured"

// reroute ends a row of a sink that is no more, and has those told what it tells
// whom the routes lead to now, or, where they lead nowhere, the fallback.
func (r *round) reroute(tx *store.Tx, row store.Row) error {
	targets, err := r.targets(tx, &row)
	if err != nil || len(targets) == 0 {
		return errors.Join(err, r.bury(tx, row, gone))
	}
	ended := row
	ended.End(store.Dead, gone, time.Now())
	if err := tx.PutRow(ended); err != nil {
		return err
	}
	text := fmt.Sprintf("sent here in place of sink %s, which is no longer configured", row.Sink)
	for _, t := range targets {
		if err := r.stand(tx, row, row.Via, t, store.Row{Reason: gone, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

// targets are where a row of a sink that is no more goes now.
func (r *round) targets(tx *store.Tx, row *store.Row) ([]route.Target, error) {
	router := r.router.Load()
	if row.Via != "" { // it stood in for a sink that had failed
		if f := router.Fallback(); f != "" && f != row.Via {
			return []route.Target{{Sink: f, Route: row.Route}}, nil
		}
	}
	t, err := r.telling(tx, *row, time.Now())
	if err != nil {
		return nil, err
	}
	s := route.Subject{Lock: t.Lock, Class: row.Class}
	if row.Kind == verdict.Resolved && t.Episode != nil { // as what ended
		s.Class = max(t.Episode.Worst, diff.Review)
	}
	if t.Transition != nil {
		s.Rules = route.RulesOf(t.Transition.Findings)
	}
	return router.Now(row, s), nil
}

// stand inserts a row that tells elsewhere what row tells, unless that is told
// there already. It stands in for the sink via; why and with which words, as says.
func (r *round) stand(tx *store.Tx, row store.Row, via string, to route.Target, as store.Row) error {
	stand := row
	stand.Sink, stand.Via, stand.Route, stand.Group = to.Sink, via, to.Route, to.Group
	stand.Key = route.Key(to.Sink, "fallback", row.Key)
	stand.Flush, stand.Together, stand.Attempts, stand.Unsure = "", 0, 0, false
	stand.State, stand.Reason, stand.FirstAt, stand.EndedAt = store.Waiting, as.Reason, time.Time{}, time.Time{}
	stand.DueAt = time.Now()
	if row.Lock != "" {
		stand.Text = as.Text
	}
	if row.Episode != 0 {
		rows, err := tx.EpisodeRows(row.Lock, row.Episode)
		if err != nil {
			return err
		}
		told := func(m store.Row) bool {
			return m.State != store.Dead && m.Sink == to.Sink && m.Seq == row.Seq && m.Kind == row.Kind && m.Ordinal == row.Ordinal
		}
		if slices.ContainsFunc(rows, told) {
			return nil
		}
		if err := r.openTo(tx, row, to.Sink); err != nil {
			return err
		}
	}
	inserted, err := tx.InsertRow(stand)
	if inserted {
		r.rings.Add(1)
	}
	return err
}

// openTo notes that another sink has a row's episode now, too.
func (r *round) openTo(tx *store.Tx, row store.Row, sink string) error {
	ep, ok, err := tx.Episode(row.Lock, row.Episode)
	if err != nil || !ok || row.Kind == verdict.Resolved || slices.Contains(ep.OpenedTo, sink) {
		return err
	}
	ep.OpenedTo = append(slices.Clone(ep.OpenedTo), sink)
	return tx.PutEpisode(ep)
}
