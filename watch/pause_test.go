package watch

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A pause that a server asked for holds back whatever would be asked, over a
// restart and over other gates too, and a share of a tenth longer.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		then   func(*world)
		shared bool // whether the pause is of the whole host
	}{
		{"429", http.StatusTooManyRequests, nil, true},
		{"503", http.StatusServiceUnavailable, nil, false},
		{"429 and a restart", http.StatusTooManyRequests, (*world).restart, true},
		{"503 and a restart", http.StatusServiceUnavailable, (*world).restart, false},
		{"429 and other gates", http.StatusTooManyRequests, func(w *world) { w.cfg.Daemon.Flights++; w.reload() }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, func(w *world) {
				w.every("@every 60s")
				w.add(0)
				other := "http://" + host(0) + "/b.json"
				w.agents[other] = &agentServer{card: whole(0)}
				w.lock("b", other)
				w.start()
				w.pass(10 * time.Minute)
				w.set(0, func(a *agentServer) { a.status, a.header = tt.status, map[string]string{"Retry-After": "3600"} })
				w.times(0)
				w.pass(time.Minute)
				w.set(0, func(a *agentServer) { a.status = 0 })
				asked := w.times(0)
				if len(asked) != 1 {
					t.Fatalf("asked at %v, want once before the pause", asked)
				}
				if tt.then != nil {
					tt.then(w)
				}
				w.refresh("l0")
				w.mu.Lock()
				w.asked = nil
				w.mu.Unlock()
				w.pass(50 * time.Minute)
				w.mu.Lock()
				others := len(w.asked)
				w.mu.Unlock()
				if n := len(w.times(0)); n != 0 || (others == 0) != tt.shared {
					t.Errorf("asked %d times within the hour, and others of the host %d times", n, others-n)
				}
				w.pass(17 * time.Minute)
				after := w.times(0)
				if len(after) == 0 {
					t.Fatal("not asked after the hour and a tenth")
				}
				share := w.engine.locks.Load().byID["l0"].Agent.Share
				least := time.Hour + time.Duration(share*float64(58*time.Minute)/10)
				if got := after[0].Sub(asked[0]); got < least || got > time.Hour+7*time.Minute {
					t.Errorf("asked again after %s, want after %s", got, least)
				}
				w.expect("l0", verdict.Compatible, verdict.Fresh)
			})
		})
	}
}

// An agent that was never seen, on a host that asks to be left alone, is asked
// when the pause is over, and not at its slot the day after.
func TestFirstLookAfterPause(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.set(0, func(a *agentServer) {
			a.status, a.header = http.StatusTooManyRequests, map[string]string{"Retry-After": "10800"}
		})
		time.Sleep(2 * time.Hour)
		w.start()
		w.set(0, func(a *agentServer) { a.status = 0 })
		w.pass(time.Hour)
		w.restart()
		w.pass(time.Hour + 55*time.Minute)
		if n := len(w.times(0)); n != 1 {
			t.Errorf("asked %d times, want once before the pause", n)
		}
		w.pass(20 * time.Minute)
		w.expect("l0", verdict.Compatible, verdict.Fresh)
	})
}

// What a person asked for is done after a restart, once, if it could not be
// before.
func TestRefreshOverRestart(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 24h", 1, time.Hour)
		w.lull(2 * time.Hour)
		kept := func() (asked bool) {
			w.read(func(tx *store.Tx) error {
				a, ok, err := tx.Agent(w.engine.locks.Load().byID["l0"].Agent.ID)
				if asked = a.Asked; !ok {
					return errors.Join(err, errors.New("there is no record"))
				}
				return err
			})
			return asked
		}
		w.set(0, func(a *agentServer) { a.hang = 9 * time.Second })
		w.count(0)
		w.refresh("l0")
		w.pass(2 * time.Second)
		if !kept() {
			t.Error("what was asked for is not kept")
		}
		w.restart() // which cuts the request short
		w.pass(time.Minute)
		if all, conditional, past := w.count(0); all != 2 || conditional != 0 || past != 2 {
			t.Errorf("asked %d times, %d conditionally, %d past every cache, want twice as a person wants it", all, conditional, past)
		}
		if kept() {
			t.Error("what was done is still kept")
		}

		// Also where the answer is none.
		w.set(0, func(a *agentServer) { a.hang, a.status = 0, http.StatusNotFound })
		w.refresh("l0")
		if w.pass(2 * time.Second); kept() {
			t.Error("what was done is still kept")
		}
	})
}
