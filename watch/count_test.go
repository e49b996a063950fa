package watch

import (
	"slices"
	"testing"
	"time"
)

// Every seventh refresh of an agent that is asked rarely goes past all caches.
func TestAuditsOfSlowAgents(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 6h", 1, 8*24*time.Hour)
		w.mu.Lock()
		var past []int
		for i, a := range w.asked {
			if a.past {
				past = append(past, i)
			}
			if a.past == a.conditional && i > 0 {
				t.Errorf("request %d: conditional %v, past every cache %v", i, a.conditional, a.past)
			}
		}
		w.mu.Unlock()
		if want := []int{6, 13, 20, 27}; !slices.Equal(past, want) {
			t.Errorf("requests %v went past every cache, want %v", past, want)
		}
	})
}

// Slots that nobody saw are counted, but for the one that makes up for them.
func TestMissedSlotsAreCounted(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 1h", 2, 3*time.Hour+time.Minute)
		w.lull(time.Minute)
		if got := w.counted("a2alockd_missed_slots_total"); got != 0 {
			t.Errorf("%v slots were missed while it ran", got)
		}
		w.stop()
		time.Sleep(10 * time.Hour)
		w.start()
		w.pass(30 * time.Second)
		if got := w.counted("a2alockd_missed_slots_total"); got != 2*9 {
			t.Errorf("%v slots were missed, want 9 of each of two agents", got)
		}
	})
}

// Slots that come due while the agent is being asked are counted too.
func TestSkippedSlotsAreCounted(t *testing.T) {
	run(t, func(w *world) {
		w.cfg.Limits.Timeout = time.Minute
		w.begin("@every 5s", 1, time.Minute)
		w.set(0, func(a *agentServer) { a.hang = 22 * time.Second })
		w.pass(time.Minute)
		w.times(0)
		before := w.counted("a2alockd_refreshes_total", "skipped")
		w.pass(10 * time.Minute)
		asked, skipped := len(w.times(0)), int(w.counted("a2alockd_refreshes_total", "skipped")-before)
		if n := asked + skipped; n < 115 || n > 125 || skipped < 3*asked {
			t.Errorf("asked %d times, and %d slots were skipped, of 120", asked, skipped)
		}
		if got := w.counted("a2alockd_missed_slots_total"); got != 0 {
			t.Errorf("%v slots were missed while it ran", got)
		}
	})
}

// Lateness is from when a request was due until it goes out: waiting for the
// host's turn counts, and what the agent takes does not.
func TestLatenessIsMeasured(t *testing.T) {
	run(t, func(w *world) {
		w.cfg.Daemon.HostFlights = 1
		w.begin("@every 1h", 1, 5*time.Hour)
		count := func() float64 { return w.counted("a2alockd_schedule_lateness_seconds") }
		if n := float64(len(w.times(0))); count() != n || w.late() > 0.001 {
			t.Errorf("%v of %v requests were measured, late by %v s", count(), n, w.late())
		}
		other := "http://" + host(0) + "/b.json"
		w.mu.Lock()
		w.agents[other] = &agentServer{card: whole(0), hang: 5 * time.Second}
		w.mu.Unlock()
		w.lock("b", other)
		w.reload()
		w.lull(time.Minute)
		before := w.late()
		w.refresh("b")
		w.pass(time.Second)
		w.refresh("l0") // which waits four seconds
		w.pass(10 * time.Second)
		if got := w.late() - before; got < 3.9 || got > 4.5 {
			t.Errorf("late by %v s, want what it waited", got)
		}
	})
}

// late is the lateness of all requests, in seconds.
func (w *world) late() float64 {
	w.t.Helper()
	families, err := w.engine.Metrics.Registry.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "a2alockd_schedule_lateness_seconds" {
			return f.GetMetric()[0].GetHistogram().GetSampleSum()
		}
	}
	return 0
}
