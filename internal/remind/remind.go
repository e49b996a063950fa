// Package remind stores the reminders of open episodes when they are due.
package remind

import (
	"time"

	"github.com/a2alock/a2alock/internal/heard"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// pause is how late a reminder may be.
const pause = time.Minute

// Once stores what is due now, and tells whether there was anything. Wait is when
// to look again: at least once a minute, since acknowledgements and silences end,
// too.
func Once(s *store.Store, router *route.Router, now time.Time) (wait time.Duration, stored bool, err error) {
	wait = pause
	var due []store.Episode
	err = s.View(func(tx *store.Tx) error {
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
				next := route.Next(&page[i])
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
				if _, changed := router.Due(in); changed != nil {
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
		err = s.Update(func(tx *store.Tx) error { return put(tx, router, ep, now) })
	}
	return wait, len(due) > 0, err
}

func put(tx *store.Tx, router *route.Router, ep store.Episode, now time.Time) error {
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
	rows, changed := router.Due(in)
	if changed == nil {
		return nil
	}
	told, err := tx.EpisodeRows(ep.Lock, ep.Start)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if ep.Reminders[row.Route].Held {
			row = heard.Held(row, told)
		}
		if _, err := tx.InsertRow(row); err != nil {
			return err
		}
	}
	return tx.PutEpisode(*changed)
}

// standingOf is what decides whether to remind of ep. Of a lock that cannot be
// read nobody is reminded.
func standingOf(tx *store.Tx, ep *store.Episode, silences []store.Silence, now time.Time) (route.Standing, error) {
	l, ok, err := tx.Lock(ep.Lock)
	if store.IsRecord(err) {
		err = nil
	}
	return route.Standing{
		Episode: ep, Lock: &l, Findings: l.State.Findings, Silences: silences, Now: now,
		Quiet: !ok || l.State.Removed || l.State.Suppressed() || Known(&l, ep.Start, now) != nil,
	}, err
}

// Known is a person's word, which holds now, that the episode of the lock is
// known; nil: there is none.
func Known(l *store.Lock, episode uint64, now time.Time) *verdict.Ack {
	a := l.State.Ack
	if a == nil || a.Episode != episode || !a.Until.IsZero() && !now.Before(a.Until) {
		return nil
	}
	return a
}
