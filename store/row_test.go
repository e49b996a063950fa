package store_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/store"
)

func TestRowsAreInsertedOnce(t *testing.T) {
	s := newStore(t)
	row := store.Row{Key: "k", Sink: "ops", Text: "the network is away", State: store.Waiting, DueAt: at}
	for i, want := range []bool{true, false} {
		update(t, s, func(tx *store.Tx) error {
			got, err := tx.InsertRow(row)
			if got != want {
				t.Errorf("insert %d = %v, want %v", i, got, want)
			}
			return err
		})
	}
}

func TestDueRowsKeepTheOrderWithinAnEpisode(t *testing.T) {
	s := newStore(t)
	keys := func(limit int, now time.Time) (keys string) {
		view(t, s, func(tx *store.Tx) error {
			list, err := tx.DueRows("ops", now, limit)
			for _, r := range list {
				keys += r.Key + " "
			}
			return err
		})
		return keys
	}
	put := func(key, sink, lock string, episode uint64, due time.Time) {
		update(t, s, func(tx *store.Tx) error {
			_, err := tx.InsertRow(store.Row{Key: key, Sink: sink, Lock: lock, Episode: episode, DueAt: due, State: store.Waiting})
			return err
		})
	}
	put("opened", "ops", "a", 1, at)
	put("elsewhere", "travel", "a", 1, at)
	put("resolved", "ops", "a", 1, at.Add(time.Second))
	put("other", "ops", "b", 2, at.Add(time.Second))
	put("daemon", "ops", "", 0, at)
	put("daemon2", "ops", "", 0, at.Add(-time.Second))
	put("sinks that begin alike", "ops2", "", 0, at)
	for _, tt := range []struct {
		limit int
		now   time.Time
		want  string
	}{
		{10, at.Add(-time.Minute), ""},
		{10, at, "daemon2 opened daemon "},
		{2, at, "daemon2 opened "},
		{10, at.Add(time.Hour), "daemon2 opened daemon other "},
	} {
		if got := keys(tt.limit, tt.now); got != tt.want {
			t.Errorf("DueRows(%d, %v) = %q, want %q", tt.limit, tt.now, got, tt.want)
		}
	}
	move := func(key string, fn func(*store.Row)) {
		update(t, s, func(tx *store.Tx) error {
			r, _, err := tx.Row(key)
			fn(&r)
			return errors.Join(err, tx.PutRow(r))
		})
	}
	move("opened", func(r *store.Row) { r.DueAt = at.Add(2 * time.Hour); r.Attempts++ }) // to be tried again
	if got, want := keys(10, at.Add(time.Hour)), "daemon2 daemon other "; got != want {
		t.Errorf("behind an opening that is late: %q, want %q", got, want)
	}
	move("opened", func(r *store.Row) { r.State, r.EndedAt = store.Delivered, at })
	if got, want := keys(10, at.Add(time.Hour)), "daemon2 daemon resolved other "; got != want {
		t.Errorf("behind an opening that was delivered: %q, want %q", got, want)
	}
	view(t, s, func(tx *store.Tx) error {
		next, ok, err := tx.NextDue("ops")
		if !ok || !next.Equal(at.Add(-time.Second)) {
			t.Errorf("NextDue = %v, %v", next, ok)
		}
		all, err2 := tx.EpisodeRows("a", 1)
		if len(all) != 3 {
			t.Errorf("EpisodeRows = %d, want 3", len(all))
		}
		list, _, err3 := tx.Rows(store.RowQuery{State: store.Delivered, Sink: "ops"}, store.Page{})
		if len(list) != 1 || list[0].Key != "opened" {
			t.Errorf("delivered rows = %+v, want that which opened", list)
		}
		waiting, err4 := tx.WaitingRows()
		if d := cmp.Diff(map[string]int{"ops": 4, "ops2": 1, "travel": 1}, waiting); d != "" {
			t.Errorf("WaitingRows (-want +got):\n%s", d)
		}
		return errors.Join(err, err2, err3, err4)
	})
}

func TestRowByHash(t *testing.T) {
	s := newStore(t)
	update(t, s, func(tx *store.Tx) error {
		_, err := tx.InsertRow(store.Row{Key: "k", Sink: "ops", State: store.Waiting})
		return err
	})
	sum := sha256.Sum256([]byte("k"))
	view(t, s, func(tx *store.Tx) error {
		r, ok, err := tx.RowByHash(sum[:16])
		if !ok || r.Key != "k" {
			t.Errorf("RowByHash = %+v, %v, %v", r, ok, err)
		}
		for _, other := range [][]byte{nil, sum[:15], sum[16:]} {
			if _, found, err := tx.RowByHash(other); found || err != nil {
				t.Errorf("RowByHash(%x) = %v, %v", other, found, err)
			}
		}
		return err
	})
}
