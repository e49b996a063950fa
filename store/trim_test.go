package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/internal/replicas"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

func TestTrimKeepsWhatIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	s := openStore(t, path)
	old, late := at.AddDate(0, 0, -100), at
	update(t, s, func(tx *store.Tx) error {
		var errs []error
		for n := range uint64(2000) { // more than a bite
			tr := transition("a", n+1)
			tr.At = old
			if n < 10 {
				tr.Episode = 5 // open
			}
			errs = append(errs, tx.PutTransition(tr))
		}
		newest := transition("b", 1)
		newest.At = old
		row := func(key string, lock string, episode uint64, state store.RowState) {
			_, err := tx.InsertRow(store.Row{Key: key, Sink: "ops", Lock: lock, Episode: episode, State: state, EndedAt: old})
			errs = append(errs, err)
		}
		row("of an open one", "a", 5, store.Delivered)
		row("of a closed one", "a", 6, store.Delivered)
		row("of a closed one that waits", "a", 7, store.Waiting)
		row("beside one that waits", "a", 7, store.Dead)
		row("of the daemon", "", 0, store.Delivered)
		row("of the daemon that waits", "", 0, store.Waiting)
		row("of no episode", "a", 99, store.Delivered)
		gone := transition("gone", 1) // a lock that was removed
		gone.At = old
		return errors.Join(append(errs, tx.PutTransition(newest), tx.PutTransition(gone),
			tx.PutLock(store.Lock{ID: "a"}), tx.PutLock(store.Lock{ID: "b"}),
			tx.PutEpisode(store.Episode{Lock: "a", Start: 5, OpenedAt: old}),
			tx.PutEpisode(store.Episode{Lock: "a", Start: 6, OpenedAt: old, ClosedAt: old}),
			tx.PutEpisode(store.Episode{Lock: "a", Start: 7, OpenedAt: old, ClosedAt: old}),
			tx.PutEpisode(store.Episode{Lock: "a", Start: 8, OpenedAt: old, ClosedAt: late}),
			tx.PutSilence(store.Silence{ID: "over", Until: old}), tx.PutSilence(store.Silence{ID: "held", Until: late.Add(time.Hour)}),
			tx.PutSilence(store.Silence{ID: "removed", Until: late.Add(time.Hour), Removed: old}),
			tx.PutSilence(store.Silence{ID: "removed late", Until: late.Add(time.Hour), Removed: late}),
		)...)
	})
	got, err := s.Trim(t.Context(), store.TrimOptions{Before: at.AddDate(0, 0, -90)})
	want := store.Trimmed{Transitions: 1990, Episodes: 1, Rows: 3, Silences: 2}
	if err != nil || got != want {
		t.Errorf("Trim = %+v, %v; want %+v", got, err, want)
	}
	view(t, s, func(tx *store.Tx) error {
		held, err := tx.SilencesAt(late)
		if len(held) != 1 || held[0].ID != "held" {
			t.Errorf("silences that hold: %+v", held)
		}
		return err
	})
	p := dump(t, s)
	if len(p.Transitions["gone"]) != 0 {
		t.Errorf("%d transitions of a lock that is gone", len(p.Transitions["gone"]))
	}
	if len(p.Transitions["a"]) != 11 || p.Transitions["a"][0].Seq != 2000 || len(p.Transitions["b"]) != 1 {
		t.Errorf("%d and %d transitions, want 10 of the open episode and the newest of each lock", len(p.Transitions["a"]), len(p.Transitions["b"]))
	}
	var left []string
	for _, r := range p.Rows {
		left = append(left, r.Key)
	}
	if d := cmp.Diff([]string{"of an open one", "of a closed one that waits", "beside one that waits", "of the daemon that waits"}, left); d != "" {
		t.Errorf("rows left (-want +got):\n%s", d)
	}
	update(t, s, func(tx *store.Tx) error {
		_, err := tx.InsertRow(store.Row{Key: "that waits", Sink: "ops", Lock: "a", Episode: 5, Seq: 7, State: store.Waiting})
		return err
	})
	if _, err := s.Trim(t.Context(), store.TrimOptions{PerLock: 3}); err != nil {
		t.Error(err)
	}
	var kept []uint64
	for _, tr := range dump(t, s).Transitions["a"] {
		kept = append(kept, tr.Seq)
	}
	if want := []uint64{2000, 10, 9, 7, 5}; !slices.Equal(kept, want) {
		t.Errorf("Trim to 3 keeps %d, want %d: the newest, the one that a row waits to tell, and the first of the episode", kept, want)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Check(path); err != nil {
		t.Errorf("Check = %v", err)
	}
}

// A lock may rest on a card that its agent showed long ago, or wait for the word
// on one.
func TestTrimKeepsTheCardsThatLocksRestOn(t *testing.T) {
	on := func(n int) replicas.Answer { return replicas.Answer{CardDigest: digest(n)} }
	tests := []struct {
		name  string
		state verdict.State
		want  []uint64 // beside the newest version, 9, and the one that the agent names, 8
	}{
		{"nothing", verdict.State{}, nil},
		{"the verdict", verdict.State{CardDigest: digest(1)}, []uint64{1}},
		{"a worse answer", verdict.State{Pending: &verdict.Pending{Answer: on(2)}}, []uint64{2}},
		{"a better one", verdict.State{Better: &verdict.Better{Answer: on(3)}}, []uint64{3}},
		{"disputed ones", verdict.State{Dispute: &replicas.Dispute{Answers: []replicas.Answer{on(4), on(1)}}}, []uint64{4, 1}},
		{"one that is shown in turn with others", verdict.State{CardDigest: digest(5)}, []uint64{7}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			update(t, s, func(tx *store.Tx) error {
				errs := []error{
					tx.PutAgent(store.Agent{ID: "a", CardDigest: digest(8)}), tx.PutAgent(store.Agent{ID: "b"}),
					tx.PutLock(store.Lock{ID: "l", Agent: "a", State: tt.state}),
					tx.PutLock(store.Lock{ID: "m", Agent: "b", State: verdict.State{CardDigest: digest(6)}}), // of another agent
				}
				for seq, card := range map[uint64]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 5, 8: 8, 9: 9} {
					body, err := tx.PutBody(fmt.Appendf(nil, "card %d", card))
					errs = append(errs, err, tx.PutCardVersion(store.CardVersion{Seq: seq, Agent: "a", Digest: digest(card), Body: body, At: at}))
				}
				return errors.Join(errs...)
			})
			for name, o := range map[string]store.TrimOptions{"by age": {Before: at.Add(time.Hour)}, "by count": {PerAgent: 1}} {
				if _, err := s.Trim(t.Context(), o); err != nil {
					t.Fatal(err)
				}
				p := dump(t, s)
				var got []uint64
				for _, v := range p.Versions["a"] {
					got = append(got, v.Seq)
				}
				if want := append([]uint64{9, 8}, tt.want...); !slices.Equal(got, want) || len(p.Bodies) != len(want) {
					t.Errorf("%s: versions %d with %d bodies are left, want %d", name, got, len(p.Bodies), want)
				}
			}
		})
	}
}
