package watch

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// count is how often the agent was asked, and how often conditionally and past
// every cache, since the last call.
func (w *world) count(i int) (all, conditional, past int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.asked {
		if a.url != url(i) {
			continue
		}
		all++
		if a.conditional {
			conditional++
		}
		if a.past {
			past++
		}
	}
	w.asked = nil
	return all, conditional, past
}

func TestUnchangedRefreshWritesNothing(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 10m", 1, time.Hour)
		w.count(0)
		w.pass(23 * time.Hour)
		if all, conditional, past := w.count(0); all != 138 || conditional < 136 || past > 2 {
			t.Errorf("asked %d times, %d conditionally, %d past caches", all, conditional, past)
		}
		size, writes := w.store.Size(), w.writes.Load()
		w.pass(48 * time.Hour)
		if _, _, past := w.count(0); past < 1 || past > 4 {
			t.Errorf("%d audits in two days", past)
		}
		if now := w.store.Size(); now > size {
			t.Errorf("the store grew from %d to %d bytes", size, now)
		}
		if n := w.writes.Load() - writes; n > 2*288+10 { // the moment of each refresh
			t.Errorf("%d writes in two days", n)
		}
		if got := w.kinds("l0"); got != "" {
			t.Errorf("events: %s", got)
		}
		w.restart()
		w.pass(time.Hour)
		if all, conditional, past := w.count(0); all < 6 || past > 1 || conditional+past != all {
			t.Errorf("after a restart: asked %d times, %d conditionally, %d past caches", all, conditional, past)
		}
	})
}

// A way that leaves the origin is news, also where it ends in the same place.
func TestWayOutOfTheOrigin(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 1h")
		moved := w.add(0)
		const v2, elsewhere = "http://a0.example.com/v2", "http://a1.example.com/"
		w.agents[v2] = &agentServer{card: moved.card}
		w.agents[elsewhere] = &agentServer{status: http.StatusFound, header: map[string]string{"Location": v2}}
		moved.status, moved.header = http.StatusFound, map[string]string{"Location": v2}
		w.start()
		rules := func() (list []string) {
			v, _ := w.engine.Lock(id(0))
			for _, f := range v.Findings {
				list = append(list, f.Rule)
			}
			return list
		}
		w.pass(3 * time.Hour)
		if got := rules(); !slices.Contains(got, "card-moved") || slices.Contains(got, "card-moved-offsite") {
			w.t.Fatalf("moved inside the origin: %q", got)
		}
		w.set(0, func(a *agentServer) { a.header = map[string]string{"Location": elsewhere} })
		w.pass(3 * time.Hour)
		if got := rules(); !slices.Contains(got, "card-moved-offsite") {
			w.t.Errorf("moved by way of another origin: %q", got)
		}
	})
}

// Requests are counted as they went out.
func TestRequestsAreCounted(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 1h")
		w.cfg.Daemon.FullRefetch = 240 * time.Hour
		w.add(0)
		w.start()
		w.pass(5 * time.Hour)
		w.set(0, func(a *agentServer) { a.noETag, a.status = true, http.StatusBadGateway })
		w.pass(time.Hour)
		all, conditional, _ := w.count(0)
		want := map[string]int{"true": conditional, "false": all - conditional}
		families, err := w.engine.Metrics.Registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				for _, label := range m.GetLabel() {
					if label.GetName() == "conditional" {
						got[label.GetValue()] += int(m.GetCounter().GetValue())
					}
				}
			}
		}
		if !maps.Equal(got, want) || conditional == 0 || conditional == all {
			w.t.Errorf("counted by whether they were conditional: %v, want %v", got, want)
		}
	})
}

func TestNoStore(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 10m")
		w.add(0).header = map[string]string{"Cache-Control": "no-store"}
		w.start()
		w.pass(time.Hour)
		if all, conditional, _ := w.count(0); all < 6 || conditional != 0 {
			t.Errorf("asked %d times, %d conditionally", all, conditional)
		}
		w.expect("l0", verdict.Compatible, verdict.Fresh)
		if d := w.decide("l0", skill); !d.Delegate || d.Plan == nil {
			t.Errorf("decision = %+v", d)
		}
		w.read(func(tx *store.Tx) error {
			a, _, err := tx.Agent(w.engine.locks.Load().byID["l0"].Agent.ID)
			if a.Body != "" || len(a.Memory.Entries) != 0 || a.CardDigest == "" {
				t.Errorf("the store has %+v", a)
			}
			return err
		})
		w.restart()
		w.expect("l0", verdict.Compatible, verdict.Fresh) // the verdict is kept
		if d := w.decide("l0", skill); !d.Delegate || d.Plan != nil {
			t.Errorf("decision without a card = %+v", d)
		}
		// Something is to be judged again, and there is nothing to judge.
		w.report("l0", Runtime{Error: "PushNotificationNotSupportedError"})
		w.set(0, func(a *agentServer) { a.status = http.StatusBadGateway })
		w.pass(time.Hour)
		w.set(0, func(a *agentServer) { a.status = 0 })
		w.pass(11 * time.Minute)
		if s := w.state("l0"); s.Judge {
			t.Error("the card that came was not judged")
		}
	})
}

// A card that cannot be judged again, as callers' reports ask for, is not tried
// without end.
func TestUndecidedCardIsNotJudgedWithoutEnd(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 1h", 1, 2*time.Hour)
		w.serve(0, []byte(strings.Replace(string(whole(0)), `"inputModes": ["application/json"],`, `"inputModes": 7,`, 1)))
		w.pass(3 * time.Hour)
		w.expect("l0", verdict.Compatible, verdict.Invalid)
		w.report("l0", Runtime{Error: "UnsupportedOperationError", Method: "SendStreamingMessage"})
		w.pass(time.Minute)
		before := w.writes.Load()
		w.pass(time.Hour)
		if n := w.writes.Load() - before; n > 80 { // tries of the report, one a minute
			t.Errorf("%d writes in an hour", n)
		}
		w.serve(0, whole(0))
		w.pass(2 * time.Hour)
		w.expect("l0", verdict.Review, verdict.Fresh)
	})
}

// What bytes the store lost are fetched and kept again.
func TestLostBodyIsKeptAgain(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 10m", 1, time.Hour)
		agent := w.engine.locks.Load().byID["l0"].Agent.ID
		err := w.store.Update(func(tx *store.Tx) error {
			a, _, err := tx.Agent(agent)
			a.Body = ""
			return errors.Join(err, tx.PutAgent(a))
		})
		if err != nil {
			t.Fatal(err)
		}
		w.restart()
		w.count(0)
		w.pass(10 * time.Minute)
		if all, conditional, _ := w.count(0); all != 1 || conditional != 0 {
			t.Errorf("asked %d times, %d conditionally", all, conditional)
		}
		w.read(func(tx *store.Tx) error {
			a, _, err := tx.Agent(agent)
			if a.Body == "" {
				t.Error("the body is not kept again")
			}
			return err
		})
		if got := w.kinds("l0"); got != "" {
			t.Errorf("events: %s", got)
		}
	})
}

func TestMaxIntervalMayLengthen(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 10m")
		w.cfg.Daemon.Agents = map[string]config.Agent{url(0): {MaxInterval: 2 * time.Hour}}
		w.add(0).header = map[string]string{"Cache-Control": "max-age=31536000"}
		w.add(1).header = map[string]string{"Cache-Control": "max-age=31536000"}
		w.add(2)
		w.start()
		w.pass(24*time.Hour + time.Minute)
		for i, want := range []int{12, 144, 144} {
			if n := len(w.times(i)); n < want-2 || n > want+2 {
				t.Errorf("%s was asked %d times in a day, want about %d", id(i), n, want)
			}
		}
		w.pass(100 * time.Minute)
		w.expect("l0", verdict.Compatible, verdict.Fresh)
	})
}

func TestMinInterval(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 60s")
		w.cfg.Daemon.MinInterval = 10 * time.Minute
		w.add(0)
		w.start()
		w.pass(2 * time.Hour)
		if n := len(w.times(0)); n < 11 || n > 13 {
			t.Errorf("asked %d times in two hours", n)
		}
		w.expect("l0", verdict.Compatible, verdict.Fresh)
		w.serve(0, broken(0))
		w.pass(10*time.Minute + 40*time.Second) // confirmations do not wait
		w.expect("l0", verdict.Breaking, verdict.Fresh)
	})
}

func TestNoHammeringAt401(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 1h", 1, 2*time.Hour)
		w.serve(0, broken(0))
		for w.state("l0").Pending == nil {
			w.pass(time.Second)
		}
		w.set(0, func(a *agentServer) { a.status = http.StatusUnauthorized })
		w.report("l0", Runtime{Error: "TaskNotFoundError"})
		w.times(0)
		w.pass(5 * time.Hour)
		if n := len(w.times(0)); n > 6 {
			t.Errorf("asked %d times in five hours of 401", n)
		}
		w.expect("l0", verdict.Compatible, verdict.Invalid)
		w.set(0, func(a *agentServer) { a.status = 0 })
		w.pass(2 * time.Hour)
		w.expect("l0", verdict.Breaking, verdict.Fresh)
	})
}

func TestBackoffBetweenSlots(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 6h", 1, 7*time.Hour)
		w.set(0, func(a *agentServer) { a.status = http.StatusBadGateway })
		w.times(0)
		w.pass(24 * time.Hour)
		if n := len(w.times(0)); n < 4 || n > 60 {
			t.Errorf("asked %d times in a day of trouble", n)
		}
	})
}

// A slot that comes due during a request is not run behind it.
func TestSlotsDuringAFlightAreSkipped(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 5s")
		w.cfg.Limits.Timeout = time.Minute
		w.add(0).hang = 22 * time.Second
		w.start()
		w.pass(9 * time.Minute)
		ts := w.times(0)
		for i := 1; i < len(ts); i++ {
			if gap := ts[i].Sub(ts[i-1]); gap < 22*time.Second || gap > 28*time.Second {
				t.Errorf("a gap of %s", gap)
			}
		}
		if len(ts) < 15 {
			t.Errorf("asked %d times", len(ts))
		}
	})
}

// Where nothing can be written nothing holds, nobody is hammered, and all of it
// comes back.
func TestStoreThatCannotWrite(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 60s", 1, 10*time.Minute)
		before := *w.state("l0")
		if err := w.store.Close(); err != nil {
			t.Fatal(err)
		}
		w.serve(0, broken(0))
		w.times(0)
		w.pass(10 * time.Minute)
		if s := w.state("l0"); s.Pending != nil || s.Verdict != before.Verdict {
			t.Errorf("the state moved to %+v", s)
		}
		if n := len(w.times(0)); n > 12 {
			t.Errorf("asked %d times in ten minutes", n)
		}
		if err := w.engine.Report(t.Context(), "l0", Runtime{Error: "PushNotificationNotSupportedError"}); err == nil {
			t.Error("a report was taken")
		}
		if s := w.state("l0"); s.Stale != nil {
			t.Error("a report holds that was not written")
		}
		w.remove("l0")
		if err := w.engine.Reload(t.Context(), w.setup()); err == nil || len(w.engine.locks.Load().ids) != 1 {
			t.Errorf("a reload that could not be written: %v", err)
		}
		w.lock("l0", url(0))
		w.end()
		w.end, w.store = nil, nil
		w.start()
		w.pass(3 * time.Minute)
		w.expect("l0", verdict.Breaking, verdict.Fresh)
	})
}

// Waiting for the host's turn is no time that the agent took.
func TestRefreshDurationLeavesOutGates(t *testing.T) {
	run(t, func(w *world) {
		w.cfg.Daemon.HostGap = 20 * time.Second
		for i := range 4 {
			w.lock(id(i), fmt.Sprintf("http://%s/%d", host(0), i))
			w.agents[fmt.Sprintf("http://%s/%d", host(0), i)] = &agentServer{card: whole(0)}
		}
		w.start()
		w.pass(5 * time.Minute)
		families, err := w.engine.Metrics.Registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() != "a2alockd_refresh_duration_seconds" {
				continue
			}
			if h := f.GetMetric()[0].GetHistogram(); h.GetSampleCount() < 4 || h.GetSampleSum() > 1 {
				t.Errorf("%d refreshes took %v s", h.GetSampleCount(), h.GetSampleSum())
			}
		}
	})
}

// What was wanted of a request that a pause held back is wanted of the next.
func TestPauseKeepsWhatWasWanted(t *testing.T) {
	run(t, func(w *world) {
		w.cfg.Daemon.HostFlights = 1
		w.every("@every 24h")
		w.add(0)
		other := "http://" + host(0) + "/b.json"
		w.agents[other] = &agentServer{card: whole(0)}
		w.lock("b", other)
		w.start()
		w.pass(time.Hour)
		w.lull(time.Hour)
		w.mu.Lock()
		w.agents[other].status, w.agents[other].hang = http.StatusTooManyRequests, 5*time.Second
		w.agents[other].header = map[string]string{"Retry-After": "600"}
		w.mu.Unlock()
		for _, id := range []string{"b", "l0"} { // which waits for b's answer
			w.refresh(id)
			w.pass(time.Second)
		}
		w.pass(10 * time.Second)
		w.mu.Lock()
		w.agents[other].status, w.agents[other].hang = 0, 0
		w.mu.Unlock()
		w.count(0)
		w.pass(20 * time.Minute)
		if all, conditional, past := w.count(0); all != 1 || conditional != 0 || past != 1 {
			t.Errorf("asked %d times, %d conditionally, %d past every cache, want once as a person wanted it", all, conditional, past)
		}
	})
}
