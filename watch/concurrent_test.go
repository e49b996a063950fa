package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A decision waits neither for a turn, nor for whoever moves agents.
func TestDecideWaitsForNobody(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.start()
		w.pass(time.Minute)
		a := w.engine.locks.Load().byID["l0"].Agent
		a.Take()
		w.engine.desk.Mu.Lock()
		for _, skill := range []string{"", skill, "fare-rules"} {
			w.decide("l0", skill)
		}
		w.engine.desk.Mu.Unlock()
		a.Give()
		if _, err := w.engine.Decide("nobody", ""); !errors.Is(err, ErrNoLock) {
			t.Errorf("a decision about no lock: %v", err)
		}
	})
}

// While the store hangs, agents are asked for no more than there is room for.
func TestAnswersWaitForRoom(t *testing.T) {
	const agents, answers, flights = 64, 5, 3
	run(t, func(w *world) {
		w.cfg.Daemon.CatchupRate = 0
		for i := range agents {
			w.add(i)
		}
		ctx, cancel := context.WithCancel(w.t.Context())
		w.open(ctx)
		gates := w.engine.cfg.Load().client.Gates
		gates.Answers, gates.Flights = answers, flights
		hangs, goesOn := make(chan error), make(chan struct{})
		go func() { hangs <- w.store.Update(func(*store.Tx) error { <-goesOn; return nil }) }()
		done := make(chan struct{})
		go func() { w.engine.Run(ctx); close(done) }()
		w.end = func() { cancel(); <-done }
		count := func() int {
			time.Sleep(time.Minute)
			w.mu.Lock()
			defer w.mu.Unlock()
			return len(w.asked)
		}
		if n := count(); n < answers || n >= answers+flights {
			t.Errorf("%d agents were asked, want about %d", n, answers)
		}
		close(goesOn)
		if err := <-hangs; err != nil {
			t.Error(err)
		}
		if n := count(); n < agents {
			t.Errorf("%d agents were asked in the end, want all %d", n, agents)
		}
		for i := range agents {
			w.expect(id(i), verdict.Compatible, verdict.Fresh)
		}
	})
}

// Everyone at once, for the race detector; and all is well afterwards.
func TestConcurrentUse(t *testing.T) {
	const agents = 6
	run(t, func(w *world) {
		w.every("@every 10s")
		w.cfg.Daemon.RuntimeEvidenceTTL = time.Hour
		for i := range agents {
			w.add(i)
		}
		w.start()
		ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
		defer cancel()
		var wg sync.WaitGroup
		again := func(every time.Duration, do func(*rand.Rand)) {
			seed := uint64(every)
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(seed, 1))
				for ctx.Err() == nil {
					do(rnd)
					time.Sleep(every)
				}
			})
		}
		one := func(rnd *rand.Rand) string { return id(rnd.IntN(agents + 1)) }
		again(101*time.Millisecond, func(rnd *rand.Rand) { _, _ = w.engine.Decide(one(rnd), skill) })
		again(997*time.Millisecond, func(*rand.Rand) { w.engine.Locks(Filter{}, "", 3); w.engine.Counts(); w.engine.Idle() })
		again(503*time.Millisecond, func(rnd *rand.Rand) { w.engine.Lock(one(rnd)); _ = w.engine.Refresh(w.t.Context(), one(rnd)) })
		again(2003*time.Millisecond, func(rnd *rand.Rand) {
			_ = w.engine.Report(ctx, one(rnd), Runtime{Error: "UnsupportedOperationError", Method: "SendStreamingMessage"})
			_ = w.engine.Ack(ctx, one(rnd), Ack{Author: "ann", Reason: "known"})
			_ = w.engine.Unack(ctx, one(rnd))
		})
		again(3001*time.Millisecond, func(rnd *rand.Rand) {
			i := rnd.IntN(agents)
			w.serve(i, [][]byte{whole(i), broken(i)}[rnd.IntN(2)])
		})
		again(7001*time.Millisecond, func(rnd *rand.Rand) {
			s := w.setup()
			s.Config.Daemon.Agents = map[string]config.Agent{url(0): {Schedule: fmt.Sprintf("@every %ds", 5+rnd.IntN(20))}}
			s.Config.Client.Streaming = rnd.IntN(2) == 0
			if rnd.IntN(2) == 0 {
				w.lock(id(agents), url(rnd.IntN(agents)))
			}
			if err := w.engine.Reload(ctx, s); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
		again(41*time.Second, func(rnd *rand.Rand) { w.jump.Add(int64(rnd.IntN(120)-60) * int64(time.Second)) })
		wg.Wait()
		for i := range agents {
			w.serve(i, whole(i))
		}
		w.every("@every 1m")
		w.reload()
		w.pass(4 * time.Hour)
		for i := range agents {
			w.expect(id(i), verdict.Compatible, verdict.Fresh)
		}
	})
}
