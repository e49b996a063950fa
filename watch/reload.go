package watch

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a2alock/a2alock/internal/lockset"
	"github.com/a2alock/a2alock/internal/pace"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/internal/watched"
	"github.com/a2alock/a2alock/store"
)

// Setup is the configuration that holds.
func (e *Engine) Setup() *setup.Setup { return e.cfg.Load().Setup }

// Reload makes s the configuration, and the locks below its roots the locks.
// Either all of it holds afterwards, or with an error nothing has changed. An
// agent whose schedule and locks are as before is not disturbed: its phase, its
// request under way and its validators stay. A lock that is broken keeps its
// last good text, and is reported once. Locks that are new, or are judged by
// other rules now, are compared with the cards that are stored; nobody is asked.
func (e *Engine) Reload(ctx context.Context, s *setup.Setup) error {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	before := e.cfg.Load()
	r, err := e.read(s)
	if err == nil {
		err = e.adopt(ctx, r)
	}
	if err == nil || before != nil && before.Setup == s { // else it may be the configuration's doing
		e.unread.Note(err, e.Wall())
	}
	if err != nil {
		return err
	}
	e.news.Broken(ctx, r.files)
	e.rejudge(ctx, r.again)
	e.awake()
	return nil
}

// A reading is everything that a reload is about to make hold.
type reading struct {
	*current
	files []*lockset.File
	rules map[lockset.Key]pace.Rules
	// What the store has of those that are new to the engine.
	agents  map[string]store.Agent
	seen    map[string]store.Seen
	locks   map[string]store.Lock
	first   bool             // the engine has nothing yet: the maps are of all there is
	renewed bool             // the client is another: credentials may be
	again   iter.Seq[*agent] // whose locks may be judged by something else now
}

// read finds out what holds by s, and changes nothing.
func (e *Engine) read(s *setup.Setup) (*reading, error) {
	before := e.cfg.Load()
	r := &reading{
		current: e.following(s), first: before == nil,
		agents: map[string]store.Agent{}, seen: map[string]store.Seen{}, locks: map[string]store.Lock{},
	}
	r.renewed = before != nil && r.client != before.client
	if r.first {
		if err := r.recallAll(e.Store); err != nil {
			return nil, err
		}
	}
	var err error
	if r.files, err = lockset.Read(s.Config, known{e, r.locks}); err != nil {
		return nil, err
	}
	var keys []lockset.Key
	for _, f := range r.files {
		if f.Digest != "" {
			keys = append(keys, f.Key)
		}
	}
	slices.SortFunc(keys, func(a, b lockset.Key) int {
		return strings.Compare(a.URL+"\n"+a.Identity, b.URL+"\n"+b.Identity)
	})
	keys = slices.Compact(keys)
	var crowded map[string]int
	if r.rules, crowded, err = pace.All(s.Config, e.Store.Salt(), keys); err != nil {
		return nil, err
	}
	for host, n := range crowded {
		if e.crowded[host] != n {
			e.Log.Warn("many agents on one host: their slots are spread further", "host", host, "agents", n)
		}
	}
	e.crowded = crowded
	if !r.first {
		err = e.recallNew(r)
	}
	return r, err
}

// following is s as the current configuration. The client goes on where it
// would be the same, with what it knows of hosts that are to be left alone.
func (e *Engine) following(s *setup.Setup) *current {
	before := e.cfg.Load()
	switch {
	case before == nil:
		return &current{watched.NewConfig(s, e.Version), e.asking(s)}
	case before.Setup == s:
		return before
	}
	c := &current{watched.NewConfig(s, e.Version), before.client}
	if !s.AsksAs(before.Setup) {
		c.client = e.asking(s)
		if s.WaitsAs(before.Setup) {
			c.client.Gates = before.client.Gates
		} else {
			c.client.Gates.Follow(before.client.Gates)
		}
	}
	return c
}

// known is what the engine, or else the store, has of a lock file.
type known struct {
	*Engine
	stored map[string]store.Lock // at the start, all
}

// File is a [lockset.Known]'s.
func (k known) File(id string) *lockset.File {
	if w := k.locks.Load().byID[id]; w != nil {
		return w.File
	}
	return nil
}

// Good is a [lockset.Known]'s.
func (k known) Good(id, path string) (text []byte) {
	_ = k.Store.View(func(tx *store.Tx) error {
		l, _, err := tx.Lock(id)
		if l.Path == path {
			text = l.Good
		}
		return err
	})
	return text
}

// Paths is a [lockset.Known]'s.
func (k known) Paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range k.stored {
			if !yield(l.Path) {
				return
			}
		}
		for _, w := range k.locks.Load().byID {
			if !yield(w.Path) {
				return
			}
		}
	}
}

// recallAll reads all that the store remembers.
func (r *reading) recallAll(s *store.Store) error {
	err := s.View(func(tx *store.Tx) (err error) {
		r.seen, err = tx.Seens()
		return err
	})
	if err != nil {
		return err
	}
	err = store.Each(s, (*store.Tx).Agents, func(a store.Agent) { r.agents[a.ID] = a })
	if err != nil {
		return err
	}
	return store.Each(s, (*store.Tx).Locks, func(l store.Lock) { r.locks[l.ID] = l })
}

// recallNew reads what the store has of agents and locks that are new to the
// engine.
func (e *Engine) recallNew(r *reading) error {
	e.desk.Mu.RLock()
	defer e.desk.Mu.RUnlock()
	index := e.locks.Load()
	return e.Store.View(func(tx *store.Tx) error {
		for _, f := range r.files {
			id := f.Key.ID()
			if f.Digest == "" || index.byID[f.ID] != nil && e.agents[id] != nil {
				continue
			}
			l, ok, err := tx.Lock(f.ID)
			if err != nil {
				return err
			}
			if ok {
				r.locks[f.ID] = l
			}
			a, ok, err := tx.Agent(id)
			if err != nil {
				return err
			}
			if ok {
				r.agents[id] = a
			}
			if r.seen[id], err = tx.Seen(id); err != nil {
				return err
			}
		}
		return nil
	})
}

// rejudge compares the locks that are judged by something else than before with
// the cards that are stored.
func (e *Engine) rejudge(ctx context.Context, agents iter.Seq[*agent]) {
	c := e.cfg.Load().Config
	e.inTurn(ctx, agents, func(a *agent) {
		if !a.HasCard() || !slices.ContainsFunc(a.Locks, func(w *lock) bool { return w.IsDue(c) }) {
			return
		}
		now := e.Wall()
		e.desk.Observe(ctx, a, change{Urgent: true}, func(w *lock) verdict.Observation { return e.desk.Rejudge(w, now) })
	})
}

// everyone are the agents there are now.
func (e *Engine) everyone() iter.Seq[*agent] {
	e.desk.Mu.RLock()
	defer e.desk.Mu.RUnlock()
	return slices.Values(slices.Collect(maps.Values(e.agents)))
}

// inTurn calls do for agents in their turns, several at a time, until ctx ends,
// and puts them back.
func (e *Engine) inTurn(ctx context.Context, agents iter.Seq[*agent], do func(*agent)) {
	var wg sync.WaitGroup
	defer wg.Wait()
	slots := make(chan struct{}, 8)
	for a := range agents {
		if ctx.Err() != nil {
			return
		}
		slots <- struct{}{}
		wg.Go(func() {
			a.Take()
			do(a)
			a.Give()
			e.settle(a, nil)
			<-slots
		})
	}
}
