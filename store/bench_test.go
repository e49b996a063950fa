package store_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

var fleet = flag.Int("fleet", 500, "how many agents TestSize fills a store with")

// perAgent and perTransition are the bytes that a store may take: 60 MB for
// 10,000 agents, and 100 B for each transition.
const (
	perAgent      = 6000
	perTransition = 100
)

// card is about 4 KiB of a card, of which no two agents share the words.
func card(random *rand.Rand) []byte {
	var b strings.Builder
	word := func() string { return fmt.Sprintf("%04x", random.Uint32N(1<<16)) }
	fmt.Fprintf(&b, `{"protocolVersion":"1.0","name":"agent %s","version":"3.2.0","capabilities":{"streaming":true},"skills":[`, word())
	for b.Len() < 4000 {
		fmt.Fprintf(&b, `{"id":"skill-%s","name":"%s %s","description":"It does %s for the %s of a %s, and says so.","tags":["%s"],`, word(), word(), word(), word(), word(), word(), word())
		b.WriteString(`"inputModes":["application/json"],"outputModes":["application/json","text/plain"],"examples":["what does it cost?"]},`)
	}
	return []byte(b.String())
}

// agent puts what a daemon keeps of one agent with one lock.
func agent(tx *store.Tx, n int, random *rand.Rand) error {
	id := fmt.Sprintf("agent-%05d.example.com-7f3a9c", n)
	body, err := tx.PutBody(card(random))
	if err != nil {
		return err
	}
	seq, err := tx.NextSeq()
	if err != nil {
		return err
	}
	url := fmt.Sprintf("https://agent-%05d.example.com/.well-known/agent-card.json", n)
	return errors.Join(
		tx.PutAgent(store.Agent{ID: id, URL: url, Body: body, CardDigest: body, Final: url, AuditedAt: at}),
		tx.PutSeen(id, store.Seen{Slot: at, Validated: at}),
		tx.PutCardVersion(store.CardVersion{Seq: seq, Agent: id, Digest: body, Body: body, At: at, Version: "3.2.0"}),
		tx.PutLock(store.Lock{
			ID: id, Path: fmt.Sprintf("locks/agent-%05d.a2a.lock.json", n), Agent: id, Good: card(random)[:3000],
			State: verdict.State{Verdict: verdict.Compatible, CardDigest: body, DecidedAt: at},
		}),
	)
}

// TestSize fills a store, with 40 transitions a lock, and holds it to its size.
func TestSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	s := openStore(t, path)
	random := rand.New(rand.NewPCG(1, 2))
	const transitions = 40
	for n := 0; n < *fleet; n += 50 { // as they come: some at a time, in no order
		update(t, s, func(tx *store.Tx) error {
			for i := range 50 {
				if err := agent(tx, (n+i)*7919%100000, random); err != nil {
					return err
				}
			}
			return nil
		})
	}
	before := used(t, path, &s)
	for range transitions {
		update(t, s, func(tx *store.Tx) error {
			for n := range *fleet {
				seq, err := tx.NextSeq()
				if err != nil {
					return err
				}
				tr := transition(fmt.Sprintf("agent-%05d.example.com-7f3a9c", n*7919%100000), seq)
				tr.Episode = seq - 1
				if err := tx.PutTransition(tr); err != nil {
					return err
				}
			}
			return nil
		})
	}
	after := used(t, path, &s)
	perA, perT := before/int64(*fleet), (after-before)/int64(*fleet*transitions)
	t.Logf("%d agents: %d B each, %d B a transition, %.1f MB", *fleet, perA, perT, float64(after)/1e6)
	if perA > perAgent || perT > perTransition {
		t.Errorf("%d B an agent and %d B a transition, want %d and %d at most", perA, perT, perAgent, perTransition)
	}
	// What every refresh writes takes no room.
	for range 20 {
		update(t, s, func(tx *store.Tx) error {
			for n := range *fleet {
				if err := tx.PutSeen(fmt.Sprintf("agent-%05d.example.com-7f3a9c", n*7919%100000), store.Seen{Slot: time.Now(), Validated: time.Now()}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if grown := used(t, path, &s) - after; grown > 0 {
		t.Errorf("20 refreshes of each agent took %d B", grown)
	}
}

// used is the size of the store's file without free pages, and opens it anew.
func used(t *testing.T, path string, s **store.Store) int64 {
	t.Helper()
	t.Logf("%.1f MB before compaction", float64((*s).Size())/1e6)
	if err := (*s).Close(); err != nil {
		t.Fatal(err)
	}
	_, size, err := store.Compact(path)
	if err != nil {
		t.Fatal(err)
	}
	*s = openStore(t, path)
	return size
}

func BenchmarkUpdate(b *testing.B) {
	s := newStore(b)
	for b.Loop() {
		update(b, s, func(tx *store.Tx) error {
			seq, err := tx.NextSeq()
			if err != nil {
				return err
			}
			return tx.PutTransition(transition("a", seq))
		})
	}
}

func BenchmarkUpdateParallel(b *testing.B) {
	s := newStore(b)
	b.SetParallelism(50)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			err := s.Update(func(tx *store.Tx) error {
				seq, err := tx.NextSeq()
				if err != nil {
					return err
				}
				return tx.PutTransition(transition("a", seq))
			})
			if err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkSeen is one of 170 refreshes that share a commit, of 10,000 agents.
func BenchmarkSeen(b *testing.B) {
	s := newStore(b)
	id := func(n int) string { return fmt.Sprintf("agent-%05d.example.com-7f3a9c", n*7919%10000) }
	put := func(from, n int) {
		update(b, s, func(tx *store.Tx) error {
			for i := range n {
				if err := tx.PutSeen(id(from+i), store.Seen{Slot: at, Validated: at}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	put(0, 10000)
	n := 0
	for b.Loop() {
		if n++; n%170 == 0 {
			put(n, 170)
		}
	}
}

func BenchmarkLater(b *testing.B) {
	s := newStore(b)
	n := 0
	for b.Loop() {
		n++
		id := fmt.Sprintf("agent-%05d", n%10000)
		s.Later(func(tx *store.Tx) error { return tx.PutSeen(id, store.Seen{Slot: at}) }, nil)
	}
	update(b, s, func(*store.Tx) error { return nil })
}

// BenchmarkStart reads what a start of the daemon reads, of 1,000 agents.
func BenchmarkStart(b *testing.B) {
	s := newStore(b)
	random := rand.New(rand.NewPCG(1, 2))
	update(b, s, func(tx *store.Tx) error {
		for n := range 1000 {
			if err := agent(tx, n, random); err != nil {
				return err
			}
		}
		return nil
	})
	for b.Loop() {
		view(b, s, func(tx *store.Tx) error {
			_, err1 := pages(func(p store.Page) ([]store.Agent, string, error) { p.Limit = 1000; return tx.Agents(p) })
			_, err2 := pages(func(p store.Page) ([]store.Lock, string, error) { p.Limit = 1000; return tx.Locks(p) })
			_, err3 := tx.Seens()
			return errors.Join(err1, err2, err3)
		})
	}
}
