package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// at is the moment of the tests.
var at = time.Date(2026, 11, 30, 1, 2, 3, 4, time.UTC)

// emptyIsNil compares records as they are meant.
var emptyIsNil = cmp.Options{cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true })}

func openStore(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newStore(t testing.TB) *store.Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "a2alockd.db"))
}

// update is Update that has to succeed. fn may not end the test.
func update(t testing.TB, s *store.Store, fn func(*store.Tx) error) {
	t.Helper()
	if err := s.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func view(t testing.TB, s *store.Store, fn func(*store.Tx) error) {
	t.Helper()
	if err := s.View(fn); err != nil {
		t.Fatal(err)
	}
}

func digest(n int) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte{byte(n), byte(n >> 8)}))
}

func finding(n int) diff.Finding {
	return diff.Finding{
		Rule: "skill-removed", Class: diff.Breaking, Path: fmt.Sprintf("/skills/%d", n), Was: jsontext.Value(`{"input":["text/plain"]}`),
		Skills: []string{"quote"}, Message: "skill <quote> is gone", Fingerprint: fmt.Sprintf("%016x", n),
	}
}

func transition(lock string, seq uint64) store.Transition {
	return store.Transition{
		Event: verdict.Event{
			Seq: seq, Kind: verdict.Worsened, At: at.Add(time.Duration(seq) * time.Minute), Class: diff.Breaking, Was: verdict.Compatible,
			CardDigest: digest(int(seq % 2)), FindingSet: digest(int(seq%2) + 10), Episode: 0,
		},
		Lock: lock, Findings: []diff.Finding{finding(int(seq % 2))},
	}
}

// fill puts one record of every kind, and gives them.
func fill(tx *store.Tx) error {
	body, err := tx.PutBody([]byte(`{"name":"pricing"}`))
	if err != nil {
		return err
	}
	seq, err := tx.NextSeq()
	if err != nil {
		return err
	}
	tr := transition("pricing", seq)
	tr.Episode = seq
	row := store.Row{Key: "ops|0|pricing/1|1|worsened", Sink: "ops", Lock: "pricing", Episode: seq, Seq: seq, Kind: verdict.Worsened, DueAt: at, State: store.Waiting}
	_, err = tx.InsertRow(row)
	return errors.Join(
		err,
		tx.PutAgent(store.Agent{ID: "pricing", URL: "https://pricing.example.com/card.json", Body: body, CardDigest: digest(1)}),
		tx.PutSeen("pricing", store.Seen{Slot: at, Validated: at.Add(time.Second)}),
		tx.PutLock(store.Lock{ID: "pricing", Path: "pricing.a2a.lock.json", Agent: "pricing", Good: []byte(`{"agent":"x"}`)}),
		tx.PutTransition(tr),
		tx.PutCardVersion(store.CardVersion{Seq: seq, Agent: "pricing", Digest: digest(1), Body: body, At: at, Version: "3.2.0"}),
		tx.PutEpisode(store.Episode{Lock: "pricing", Start: seq, OpenedAt: at, Class: diff.Breaking, Worst: diff.Breaking, OpenedTo: []string{"ops"}}),
		tx.PutSilence(store.Silence{ID: "s1", Match: map[string]string{"owner": "team"}, Author: "ann", Reason: "known", Created: at, Until: at.Add(time.Hour)}),
		tx.PutSink(store.Sink{Name: "ops", PausedTo: at}),
		tx.PutValue("theirs", []byte("x")),
	)
}

func TestRecordsAreThereAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	s := openStore(t, path)
	update(t, s, fill)
	salt := slices.Clone(s.Salt())
	before := dump(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Check(path); err != nil {
		t.Errorf("Check = %v", err)
	}
	s = openStore(t, path)
	if got := s.Opened(); got != (store.Opened{}) {
		t.Errorf("Opened = %+v, want zero", got)
	}
	if len(salt) != 32 || !bytes.Equal(s.Salt(), salt) {
		t.Errorf("Salt = %x, want %x", s.Salt(), salt)
	}
	if d := cmp.Diff(before, dump(t, s), emptyIsNil); d != "" {
		t.Errorf("after reopening (-was +now):\n%s", d)
	}
}

// A picture is all that a store holds, as its methods tell.
type picture struct {
	Agents      []store.Agent
	Locks       []store.Lock
	Seens       map[string]store.Seen
	Transitions map[string][]store.Transition
	Versions    map[string][]store.CardVersion
	Bodies      map[string]string
	Open        []store.Episode
	Episodes    map[string][]store.Episode
	Rows        []store.Row
	Waiting     map[string]int
	Silences    []store.Silence
	Sinks       []store.Sink
	Value       string
	Seq         uint64
}

func pages[T any](list func(store.Page) ([]T, string, error)) ([]T, error) {
	var all []T
	for p := (store.Page{Limit: 3}); ; {
		page, next, err := list(p)
		if err != nil {
			return nil, err
		}
		if all = append(all, page...); next == "" {
			return all, nil
		}
		p.After = next
	}
}

func dump(t testing.TB, s *store.Store) (p picture) {
	t.Helper()
	view(t, s, func(tx *store.Tx) (err error) {
		p, err = read(tx)
		return err
	})
	return p
}

func read(tx *store.Tx) (p picture, err error) {
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	p.Agents, err = pages(tx.Agents)
	note(err)
	list, err := pages(tx.Locks)
	note(err)
	p.Seens, err = tx.Seens()
	note(err)
	p.Transitions, p.Versions, p.Episodes = map[string][]store.Transition{}, map[string][]store.CardVersion{}, map[string][]store.Episode{}
	p.Bodies = map[string]string{}
	owners := map[string]bool{"pricing": true, "a": true, "b": true, "c": true}
	for _, l := range list {
		whole, _, err := tx.Lock(l.ID)
		note(err)
		p.Locks = append(p.Locks, whole)
		owners[l.ID] = true
	}
	for id := range owners {
		if p.Transitions[id], err = pages(func(p store.Page) ([]store.Transition, string, error) { return tx.Transitions(id, p) }); err != nil {
			note(err)
		}
		if p.Versions[id], err = pages(func(p store.Page) ([]store.CardVersion, string, error) { return tx.CardVersions(id, p) }); err != nil {
			note(err)
		}
		if p.Episodes[id], err = pages(func(p store.Page) ([]store.Episode, string, error) { return tx.Episodes(id, p) }); err != nil {
			note(err)
		}
		for _, v := range p.Versions[id] {
			raw, _, err := tx.Body(v.Body)
			note(err)
			p.Bodies[v.Body] = string(raw)
		}
	}
	p.Open, err = pages(tx.OpenEpisodes)
	note(err)
	p.Rows, err = pages(func(p store.Page) ([]store.Row, string, error) { return tx.Rows(store.RowQuery{}, p) })
	note(err)
	p.Waiting, err = tx.WaitingRows()
	note(err)
	p.Silences, err = pages(tx.Silences)
	note(err)
	p.Sinks, err = pages(tx.Sinks)
	note(err)
	value, err := tx.Value("theirs")
	note(err)
	p.Value = string(value)
	p.Seq, err = tx.Seq()
	note(err)
	return p, errors.Join(errs...)
}

func TestTransitionsKeepEveryMember(t *testing.T) {
	s := newStore(t)
	want := []store.Transition{
		{Event: verdict.Event{Seq: 1, Kind: verdict.Opened, At: at, Class: diff.Review, Was: verdict.None}, Lock: "a"},
		{
			Event: verdict.Event{
				Seq: 1 << 40, Kind: "of a later version", At: at, Class: diff.Breaking, Was: verdict.Review, CardDigest: digest(1),
				FindingSet: "no digest", Episode: 1 << 39, Quiet: true, Detail: "503 from \"x\"",
			},
			Lock: "a", Findings: []diff.Finding{finding(1), finding(2)},
		},
		{Event: verdict.Event{Seq: 7, Kind: verdict.Closed, Was: ""}, Lock: "b"},
	}
	update(t, s, func(tx *store.Tx) error {
		for _, tr := range want {
			if err := tx.PutTransition(tr); err != nil {
				return err
			}
		}
		return tx.PutTransition(want[1]) // anew
	})
	view(t, s, func(tx *store.Tx) error {
		for _, w := range want {
			got, ok, err := tx.Transition(w.Lock, w.Seq)
			if d := cmp.Diff(w, got, emptyIsNil); !ok || err != nil || d != "" {
				t.Errorf("Transition(%q, %d): %v, %v (-want +got):\n%s", w.Lock, w.Seq, ok, err, d)
			}
		}
		list, _, err := tx.Transitions("a", store.Page{})
		if err != nil || len(list) != 2 || list[0].Seq != 1<<40 {
			t.Errorf("Transitions(a) = %d rows, the first %+v, %v; want 2, the newest first", len(list), list, err)
		}
		return nil
	})
}

func TestPuttingWhatCannotBeIsAnError(t *testing.T) {
	s := newStore(t)
	for name, put := range map[string]func(*store.Tx) error{
		"agent without ID":            func(tx *store.Tx) error { return tx.PutAgent(store.Agent{}) },
		"body that is no digest":      func(tx *store.Tx) error { return tx.PutAgent(store.Agent{ID: "a", Body: "md5:1"}) },
		"transition without number":   func(tx *store.Tx) error { return tx.PutTransition(store.Transition{Lock: "a"}) },
		"transition of no lock":       func(tx *store.Tx) error { return tx.PutTransition(transition("", 1)) },
		"transition of no class":      func(tx *store.Tx) error { tr := transition("a", 1); tr.Class = 7; return tx.PutTransition(tr) },
		"transition from no verdict":  func(tx *store.Tx) error { tr := transition("a", 1); tr.Was = "fine"; return tx.PutTransition(tr) },
		"card version without number": func(tx *store.Tx) error { return tx.PutCardVersion(store.CardVersion{Agent: "a"}) },
		"episode with a zero byte":    func(tx *store.Tx) error { return tx.PutEpisode(store.Episode{Lock: "a\x00b", Start: 1}) },
		"row without key":             func(tx *store.Tx) error { _, err := tx.InsertRow(store.Row{Sink: "ops"}); return err },
		"row without sink":            func(tx *store.Tx) error { _, err := tx.InsertRow(store.Row{Key: "k"}); return err },
		"row that was not inserted":   func(tx *store.Tx) error { return tx.PutRow(store.Row{Key: "k", Sink: "ops"}) },
	} {
		if err := s.Update(put); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if d := cmp.Diff(dump(t, newStore(t)), dump(t, s), emptyIsNil); d != "" {
		t.Errorf("something stayed (-want +got):\n%s", d)
	}
}

func TestBodiesAreKeptWhileTheyAreNamed(t *testing.T) {
	s := newStore(t)
	raw := []byte(strings.Repeat("card ", 1000))
	var body string
	has := func(want bool, when string) {
		t.Helper()
		view(t, s, func(tx *store.Tx) error {
			got, ok, err := tx.Body(body)
			if ok != want || ok && !bytes.Equal(got, raw) || err != nil {
				t.Errorf("%s: Body = %d bytes, %v, %v; want %v", when, len(got), ok, err, want)
			}
			return nil
		})
	}
	update(t, s, func(tx *store.Tx) (err error) {
		if body, err = tx.PutBody(raw); err != nil {
			return err
		}
		if err := tx.PutAgent(store.Agent{ID: "a", Body: body}); err != nil {
			return err
		}
		v := store.CardVersion{Seq: 1, Agent: "a", Body: body, Digest: digest(1)}
		return errors.Join(tx.PutCardVersion(v), tx.PutCardVersion(v)) // the second in place of the first
	})
	has(true, "named twice")
	update(t, s, func(tx *store.Tx) error { return tx.PutAgent(store.Agent{ID: "a"}) })
	has(true, "named by a version")
	if _, err := s.Trim(context.Background(), store.TrimOptions{Before: at.AddDate(1, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	has(true, "by the newest version")
	update(t, s, func(tx *store.Tx) error {
		return tx.PutCardVersion(store.CardVersion{Seq: 2, Agent: "a", Digest: digest(2)})
	})
	if got, err := s.Trim(context.Background(), store.TrimOptions{PerAgent: 1}); err != nil || got.CardVersions != 1 {
		t.Errorf("Trim = %+v, %v; want one card version", got, err)
	}
	has(false, "named no more")
	update(t, s, func(tx *store.Tx) error { _, err := tx.PutBody(raw); return err })
	if got, err := s.Trim(context.Background(), store.TrimOptions{}); err != nil || got.Bodies != 1 {
		t.Errorf("Trim = %+v, %v; want one body", got, err)
	}
	has(false, "never named")
}

func TestLaterIsOnDiskWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		start := time.Now()
		var order []string
		done := make(chan struct{})
		later := func(name string, err error) {
			s.Later(func(tx *store.Tx) error {
				order = append(order, name)
				return errors.Join(tx.PutSeen(name, store.Seen{Slot: start}), err)
			}, func(got error) {
				if !errors.Is(got, err) {
					t.Errorf("%s: %v, want %v", name, got, err)
				}
				if name == "c" {
					close(done)
				}
			})
		}
		later("a", nil)
		later("b", errors.New("refused"))
		time.Sleep(time.Second / 2)
		later("c", nil)
		<-done
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %v, want a second", took)
		}
		later("d", nil)
		update(t, s, func(tx *store.Tx) error { order = append(order, "now"); return nil })
		if took := time.Since(start); took != time.Second {
			t.Errorf("Update waited, until %v", took)
		}
		if got := strings.Join(order, " "); got != "a b c d now" {
			t.Errorf("order = %s", got)
		}
		view(t, s, func(tx *store.Tx) error {
			seen, err := tx.Seens()
			if _, ok := seen["b"]; ok || len(seen) != 3 {
				t.Errorf("seen = %v, want a, c and d", seen)
			}
			return err
		})
	})
}

func TestReadersAreEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		update(t, s, fill)
		stuck := make(chan struct{})
		ended := make(chan error, 1)
		go func() {
			ended <- s.View(func(tx *store.Tx) error {
				if _, _, err := tx.Agent("pricing"); err != nil {
					return err
				}
				<-stuck
				_, _, err := tx.Agent("pricing")
				return err
			})
		}()
		synctest.Wait()
		for n := range 100 { // it stops no writer
			update(t, s, func(tx *store.Tx) error { return tx.PutSeen("pricing", store.Seen{Slot: at.AddDate(0, 0, n)}) })
		}
		time.Sleep(11 * time.Second)
		close(stuck)
		if err := <-ended; !errors.Is(err, store.ErrTooLong) {
			t.Errorf("a reader of 11 s got %v, want ErrTooLong", err)
		}
		wait := make(chan struct{})
		go func() {
			ended <- s.View(func(tx *store.Tx) error {
				<-wait
				_, err := tx.Seq()
				return err
			})
		}()
		synctest.Wait()
		if err := s.Close(); err != nil { // waits for nobody
			t.Error(err)
		}
		close(wait)
		if err := <-ended; !errors.Is(err, store.ErrClosed) {
			t.Errorf("a reader that outlived the store got %v, want ErrClosed", err)
		}
		if err := s.Update(fill); !errors.Is(err, store.ErrClosed) {
			t.Errorf("Update after Close = %v", err)
		}
		if err := s.View(func(*store.Tx) error { return nil }); !errors.Is(err, store.ErrClosed) {
			t.Errorf("View after Close = %v", err)
		}
	})
}

func TestTrimForgetsAgentsThatAreGone(t *testing.T) {
	s := newStore(t)
	update(t, s, func(tx *store.Tx) error {
		var errs []error
		for _, agent := range []string{"here", "gone"} {
			body, err := tx.PutBody([]byte(agent))
			errs = append(errs, err, tx.PutCardVersion(store.CardVersion{Agent: agent, Seq: 1, At: at, Digest: body, Body: body}))
		}
		return errors.Join(append(errs, tx.PutAgent(store.Agent{ID: "here"}))...)
	})
	got, err := s.Trim(t.Context(), store.TrimOptions{Before: at.Add(time.Hour)})
	if p := dump(t, s); err != nil || got.CardVersions != 1 || len(p.Versions["gone"]) != 0 {
		t.Errorf("Trim = %+v, %v; want the card of the agent that is gone", got, err)
	}
}
