package store_test

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/store"
)

// A model is what a store should hold, in maps.
type model struct {
	agents      map[string]store.Agent
	locks       map[string]store.Lock
	seens       map[string]store.Seen
	transitions map[string]map[uint64]store.Transition
	versions    map[string]map[uint64]store.CardVersion
	bodies      map[string]string
	episodes    map[string]map[uint64]store.Episode
	rows        []store.Row
	seq         uint64
}

func newModel() *model {
	return &model{
		agents: map[string]store.Agent{}, locks: map[string]store.Lock{}, seens: map[string]store.Seen{}, bodies: map[string]string{},
		transitions: map[string]map[uint64]store.Transition{}, versions: map[string]map[uint64]store.CardVersion{},
		episodes: map[string]map[uint64]store.Episode{},
	}
}

func (m *model) picture() picture {
	p := picture{Seens: m.seens, Rows: m.rows, Seq: m.seq, Waiting: map[string]int{}, Bodies: map[string]string{}}
	for _, id := range slices.Sorted(maps.Keys(m.agents)) {
		p.Agents = append(p.Agents, m.agents[id])
	}
	for _, id := range slices.Sorted(maps.Keys(m.locks)) {
		p.Locks = append(p.Locks, m.locks[id])
	}
	p.Transitions, p.Versions, p.Episodes = newest(m.transitions), newest(m.versions), newest(m.episodes)
	for _, list := range p.Versions {
		for _, v := range list {
			p.Bodies[v.Body] = m.bodies[v.Body]
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.episodes)) {
		for _, start := range slices.Sorted(maps.Keys(m.episodes[id])) {
			if e := m.episodes[id][start]; e.ClosedAt.IsZero() {
				p.Open = append(p.Open, e)
			}
		}
	}
	for _, r := range m.rows {
		if r.State == store.Waiting {
			p.Waiting[r.Sink]++
		}
	}
	return p
}

func newest[T any](all map[string]map[uint64]T) map[string][]T {
	lists := map[string][]T{"pricing": nil, "a": nil, "b": nil, "c": nil}
	for id, rows := range all {
		for _, n := range slices.Backward(slices.Sorted(maps.Keys(rows))) {
			lists[id] = append(lists[id], rows[n])
		}
	}
	return lists
}

func set[T any](all map[string]map[uint64]T, id string, n uint64, v T) {
	if all[id] == nil {
		all[id] = map[uint64]T{}
	}
	all[id][n] = v
}

// change draws a change and makes it in both.
func (m *model) change(t *rapid.T, tx *store.Tx) error {
	id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id")
	n := rapid.Uint64Range(1, 6).Draw(t, "n")
	body := fmt.Sprintf("card %d", rapid.IntRange(0, 4).Draw(t, "body"))
	switch rapid.IntRange(0, 8).Draw(t, "what") {
	case 0:
		digest, err := tx.PutBody([]byte(body))
		if err != nil {
			return err
		}
		a := store.Agent{ID: id, URL: body, Body: digest}
		m.agents[id] = a
		return tx.PutAgent(a)
	case 1:
		delete(m.agents, id)
		delete(m.seens, id)
		return tx.DeleteAgent(id)
	case 2:
		l := store.Lock{ID: id, Path: body, Good: []byte(body)}
		m.locks[id] = l
		return tx.PutLock(l)
	case 3:
		delete(m.locks, id)
		return tx.DeleteLock(id)
	case 4:
		m.seens[id] = store.Seen{Slot: at.Add(time.Duration(n))}
		return tx.PutSeen(id, m.seens[id])
	case 5:
		tr := transition(id, n)
		set(m.transitions, id, n, tr)
		return tx.PutTransition(tr)
	case 6:
		digest, err := tx.PutBody([]byte(body))
		if err != nil {
			return err
		}
		m.bodies[digest] = body
		v := store.CardVersion{Seq: n, Agent: id, Body: digest, At: at, Digest: digest}
		if rapid.Bool().Draw(t, "lost") {
			v.Lost = "none is configured"
		}
		set(m.versions, id, n, v)
		return tx.PutCardVersion(v)
	case 7:
		e := store.Episode{Lock: id, Start: n, OpenedAt: at}
		if rapid.Bool().Draw(t, "closed") {
			e.ClosedAt = at
		}
		set(m.episodes, id, n, e)
		return tx.PutEpisode(e)
	default:
		return m.row(t, tx, id, n)
	}
}

func (m *model) row(t *rapid.T, tx *store.Tx, id string, n uint64) error {
	r := store.Row{Key: fmt.Sprint(id, n), Sink: "sink " + id, Lock: id, Episode: n, State: store.Waiting, DueAt: at}
	inserted, err := tx.InsertRow(r)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(m.rows, func(old store.Row) bool { return old.Key == r.Key })
	if inserted != (i < 0) {
		return fmt.Errorf("InsertRow(%q) = %v, and there were %v", r.Key, inserted, m.rows)
	}
	if i < 0 {
		r.Number = uint64(len(m.rows) + 1)
		m.rows = append(m.rows, r)
		return nil
	}
	m.rows[i].State, m.rows[i].DueAt = rapid.SampledFrom([]store.RowState{store.Waiting, store.Dead}).Draw(t, "state"), at.Add(time.Duration(n))
	return tx.PutRow(m.rows[i])
}

func (m *model) clone() *model {
	c := newModel()
	maps.Copy(c.agents, m.agents)
	maps.Copy(c.locks, m.locks)
	maps.Copy(c.seens, m.seens)
	maps.Copy(c.bodies, m.bodies)
	for id := range m.transitions {
		c.transitions[id] = maps.Clone(m.transitions[id])
	}
	for id := range m.versions {
		c.versions[id] = maps.Clone(m.versions[id])
	}
	for id := range m.episodes {
		c.episodes[id] = maps.Clone(m.episodes[id])
	}
	c.rows, c.seq = slices.Clone(m.rows), m.seq
	return c
}

// TestModel draws transactions, some of which fail, and compactions and
// reopenings between them: the store holds what maps would.
func TestModel(t *testing.T) {
	dir := t.TempDir()
	stores := 0
	rapid.Check(t, func(t *rapid.T) {
		stores++
		path := filepath.Join(dir, fmt.Sprint(stores))
		m := newModel()
		reopen := func(s *store.Store) *store.Store {
			if s != nil {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if err := store.Check(path); err != nil {
					t.Fatalf("Check = %v", err)
				}
			}
			s, err := store.Open(path, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := reopen(nil)
		defer func() { s.Close() }()
		for m.seq < 6 { // a store gives every number before it is put
			if err := s.Update(func(tx *store.Tx) (err error) { m.seq, err = tx.NextSeq(); return err }); err != nil {
				t.Fatal(err)
			}
		}
		refused := errors.New("refused")
		for range rapid.IntRange(1, 8).Draw(t, "transactions") {
			after := m.clone()
			fails := rapid.IntRange(0, 4).Draw(t, "fails") == 0
			err := s.Update(func(tx *store.Tx) (err error) {
				if after.seq, err = tx.NextSeq(); err != nil {
					return err
				}
				for range rapid.IntRange(1, 10).Draw(t, "changes") {
					if err := after.change(t, tx); err != nil {
						return err
					}
				}
				if fails {
					return refused
				}
				return nil
			})
			switch {
			case fails && !errors.Is(err, refused), !fails && err != nil:
				t.Fatalf("Update = %v", err)
			case !fails:
				m = after
			}
			switch rapid.IntRange(0, 5).Draw(t, "then") {
			case 0:
				s = reopen(s)
			case 1:
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if _, _, err := store.Compact(path); err != nil {
					t.Fatal(err)
				}
				s = reopen(nil)
			}
		}
		s = reopen(s)
		var got picture
		if err := s.View(func(tx *store.Tx) (err error) { got, err = read(tx); return err }); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m.picture(), got, emptyIsNil); d != "" {
			t.Fatalf("(-model +store):\n%s", d)
		}
	})
}
