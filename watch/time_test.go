package watch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/verdict"
)

// Over a change of the clocks a daily slot runs once, where its hour is left out
// at the first moment after the gap, and where it comes twice the first time; an
// hourly schedule keeps its spacing in real time.
func TestSlotsOverDST(t *testing.T) {
	for _, tt := range []struct {
		name, zone    string
		day           time.Time
		daily, thrice string // hours of the day's runs, in its zone
		hours         int    // runs of the hourly schedule that day
	}{
		{"Berlin in spring", "Europe/Berlin", day(2000, 3, 26), "03:00+0200", "01:15+0100 03:00+0200 03:15+0200", 23},
		{"Berlin in fall", "Europe/Berlin", day(2000, 10, 29), "02:00+0200", "01:15+0200 02:15+0200 03:15+0100", 25},
		{"New York in spring", "America/New_York", day(2000, 4, 2), "03:00-0400", "01:15-0500 03:00-0400 03:15-0400", 23},
		{"New York in fall", "America/New_York", day(2000, 10, 29), "02:00-0500", "01:15-0400 02:15-0500 03:15-0500", 25},
		{"Lord Howe in spring", "Australia/Lord_Howe", day(2000, 8, 27), "02:30+1100", "01:15+1030 02:30+1100 03:15+1100", 24},
		{"Lord Howe in fall", "Australia/Lord_Howe", day(2000, 3, 26), "02:00+1030", "01:15+1100 02:15+1030 03:15+1030", 24},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, func(w *world) {
				zone, err := time.LoadLocation(tt.zone)
				if err != nil {
					w.t.Fatal(err)
				}
				w.cfg.Daemon.Timezone, w.cfg.Daemon.Spread = tt.zone, time.Nanosecond
				w.cfg.Daemon.Agents = map[string]config.Agent{url(1): {Schedule: "0 * * * *"}, url(2): {Schedule: "15 1,2,3 * * *"}}
				midnight := time.Date(tt.day.Year(), tt.day.Month(), tt.day.Day(), 0, 0, 0, 0, zone)
				time.Sleep(time.Until(midnight.Add(-30 * time.Minute)))
				w.begin("0 2 * * *", 3, 29*time.Minute)
				ran := func(i int) (hours []string) {
					for _, at := range w.times(i) {
						hours = append(hours, at.In(zone).Format("15:04-0700"))
					}
					return hours
				}
				for i := range 3 {
					ran(i) // the first look
				}
				w.pass(time.Until(midnight.AddDate(0, 0, 1).Add(-time.Minute)))
				if got := strings.Join(ran(0), " "); got != tt.daily {
					t.Errorf("a daily schedule ran at %s, want %s", got, tt.daily)
				}
				if got := strings.Join(ran(2), " "); got != tt.thrice {
					t.Errorf("three slots a day ran at %s, want %s", got, tt.thrice)
				}
				if got := ran(1); len(got) != tt.hours {
					t.Errorf("an hourly schedule ran at %s, want %d runs", got, tt.hours)
				}
				w.pass(24 * time.Hour)
				if daily, thrice, hourly := ran(0), ran(2), ran(1); len(daily) != 1 || len(thrice) != 3 || len(hourly) != 24 {
					t.Errorf("on the day after they ran %d, %d and %d times", len(daily), len(thrice), len(hourly))
				}
			})
		})
	}
}

func day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// A clock that jumps, and a machine that slept, lead to one run each at most, and
// no slot is run twice.
func TestClockJumps(t *testing.T) {
	const agents = 40
	for _, jump := range []time.Duration{24 * time.Hour, -24 * time.Hour, 3 * time.Hour, -20 * time.Minute} {
		t.Run(fmt.Sprint(jump), func(t *testing.T) {
			run(t, func(w *world) {
				w.begin("@every 1h", agents, 5*time.Hour+10*time.Minute)
				for i := range agents {
					w.times(i)
				}
				slots := map[string]time.Time{}
				w.engine.desk.Mu.RLock()
				for id, a := range w.engine.agents {
					slots[id] = a.Seen.Slot
				}
				w.engine.desk.Mu.RUnlock()
				w.jump.Add(int64(jump))
				w.pass(5 * time.Minute)
				for i := range agents {
					if got := w.times(i); len(got) > 1+1 { // and its own slot, maybe
						t.Errorf("%s was asked %d times in the five minutes after", id(i), len(got))
					}
				}
				w.pass(50 * time.Minute)
				for i := range agents {
					if got := w.times(i); len(got) > 1 {
						t.Errorf("%s was asked %d times in an hour", id(i), len(got))
					}
				}
				w.engine.desk.Mu.RLock()
				for id, a := range w.engine.agents {
					if a.Seen.Slot.Before(slots[id]) {
						t.Errorf("%s: its last slot went from %s back to %s", id, slots[id], a.Seen.Slot)
					}
				}
				w.engine.desk.Mu.RUnlock()
				w.restart()
				w.pass(10 * time.Minute)
				for i := range agents {
					if got := w.times(i); len(got) > 1 {
						t.Errorf("%s was asked %d times after a restart", id(i), len(got))
					}
					if age := w.engine.Counts().Oldest; jump < 0 && age.After(w.wall()) {
						t.Errorf("validated at %s, which is to come", age)
					}
				}
				w.pass(26 * time.Hour)
				for i := range agents {
					if len(w.times(i)) < 2 {
						t.Errorf("%s is not asked any more", id(i))
					}
				}
			})
		})
	}
}

// What waits for a moment does not wait longer since the clock was set back.
func TestConfirmationAfterClockWentBack(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 1h", 1, 2*time.Hour)
		w.serve(0, broken(0))
		w.refresh("l0")
		w.pass(2 * time.Second)
		if w.state("l0").Pending == nil {
			t.Fatal("nothing is pending")
		}
		w.jump.Add(-int64(24 * time.Hour))
		w.pass(2 * time.Minute)
		w.expect("l0", verdict.Breaking, verdict.Fresh)
	})
}

// After a pause each agent is asked once, at the rate, and those in trouble
// first.
func TestCatchUp(t *testing.T) {
	const agents = 60
	run(t, func(w *world) {
		w.every("@daily") // so that no slot of its own comes meanwhile
		w.cfg.Daemon.CatchupRate = 1
		for i := range agents {
			w.add(i)
		}
		w.serve(7, broken(7))
		w.start()
		w.pass(7 * time.Hour)
		w.expect("l7", verdict.Breaking, verdict.Fresh)
		w.stop()
		w.mu.Lock()
		w.asked = nil
		w.mu.Unlock()
		time.Sleep(100 * time.Hour)
		w.start()
		w.pass(3 * time.Second)
		w.mu.Lock()
		soon := len(w.asked)
		first := slices.IndexFunc(w.asked, func(a asked) bool { return a.url == url(7) })
		w.mu.Unlock()
		if first < 0 || first > 1 || soon > 6 { // what expired meanwhile is written first
			t.Errorf("after three seconds %d were asked, the one in trouble as number %d", soon, first)
		}
		w.pass(2 * time.Minute)
		for i := range agents {
			if n := len(w.times(i)); n != 1 {
				t.Errorf("%s was asked %d times", id(i), n)
			}
		}
	})
}

// Those that are marked stale come first, also where they are more than that by
// now, then those that break a lock, then whom nobody heard of for longest.
func TestOrderOfCatchUp(t *testing.T) {
	for _, down := range []time.Duration{20 * time.Hour, 100 * time.Hour} {
		t.Run(down.String(), func(t *testing.T) {
			run(t, func(w *world) {
				w.begin("@daily", 5, 7*time.Hour)
				w.serve(3, broken(3))
				w.refresh("l3")
				w.pass(time.Minute)
				w.expect("l3", verdict.Breaking, verdict.Fresh)
				w.set(2, func(a *agentServer) { a.status = http.StatusNotFound })
				w.pass(24 * time.Hour)
				w.set(4, func(a *agentServer) { a.status = http.StatusNotFound })
				w.report(id(4), Runtime{Error: "TaskNotFoundError"})
				w.pass(time.Minute)
				w.stop()
				time.Sleep(down)
				w.open(t.Context())
				w.engine.replan(t.Context(), 0)
				var got []string
				w.engine.catchUp.Rate = 0
				for agent, ok := w.engine.catchUp.Pop(w.wall()); ok; agent, ok = w.engine.catchUp.Pop(w.wall()) {
					got = append(got, w.engine.agents[agent].Locks[0].ID)
				}
				if len(got) != 5 || !slices.Equal(got[:3], []string{"l4", "l3", "l2"}) {
					t.Errorf("in the order %q, want l4, l3 and l2 first", got)
				}
			})
		})
	}
}

// An agent whose slot comes while it waits to catch up is run then, and once.
func TestOwnSlotWhileCatchingUp(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 10m")
		w.cfg.Daemon.CatchupRate = 0.005 // one in 200 s
		for i := range 10 {
			w.add(i)
		}
		w.start()
		w.pass(time.Hour)
		w.stop()
		time.Sleep(time.Hour)
		w.mu.Lock()
		w.asked = nil
		w.mu.Unlock()
		w.start()
		w.pass(10 * time.Minute) // in which every agent has one slot
		for i := range 10 {
			if n := len(w.times(i)); n < 1 || n > 2 {
				t.Errorf("%s was asked %d times in ten minutes", id(i), n)
			}
		}
	})
}

// That nobody looked over a weekend is no news of any agent: what is told is
// what the first look comes to.
func TestNothingExpiresBeforeTheFirstLook(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 1h")
		w.cfg.Daemon.CatchupRate = 0.1
		for i := range 10 {
			w.add(i)
		}
		w.start()
		w.pass(3 * time.Hour)
		w.stop()
		time.Sleep(60 * time.Hour)
		w.set(3, func(a *agentServer) { a.status = 500 })
		w.start()
		w.pass(time.Second)
		expired := 0
		for i := range 10 {
			if v, _ := w.engine.Lock(id(i)); v.Freshness == verdict.Expired {
				expired++
			}
		}
		if expired < 8 { // one or two were asked
			t.Errorf("before they were asked %d are expired, want what the time says", expired)
		}
		w.pass(5 * time.Minute)
		for i := range 10 {
			want := ""
			if i == 3 {
				want = "expired"
			}
			if got := w.kinds(id(i)); got != want {
				t.Errorf("%s: %q, want %q", id(i), got, want)
			}
		}
		w.pass(time.Hour)
		w.set(5, func(a *agentServer) { a.status = 401 })
		w.pass(49 * time.Hour)
		if got := w.kinds(id(5)); !strings.Contains(got, "expired") {
			t.Errorf("%s: %q, want it to expire in time", id(5), got)
		}
	})
}

func TestPhasesStay(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@daily", 20, 48*time.Hour)
		var want []string
		for i := range 20 {
			ts := w.times(i)
			want = append(want, ts[len(ts)-1].Format("15:04"))
		}
		w.restart()
		w.pass(24 * time.Hour)
		for i := range 20 {
			ts := w.times(i)
			if got := ts[len(ts)-1].Format("15:04"); len(ts) != 1 || got != want[i] {
				t.Errorf("%s was asked %d times, at %s, want once at %s", id(i), len(ts), got, want[i])
			}
		}
		if len(slices.Compact(slices.Sorted(slices.Values(want)))) < 10 {
			t.Errorf("phases %v are not spread", want)
		}
	})
}

// The next refresh is a request: no moment of the clock alone, and no time at
// which an agent that is being asked would be looked at.
func TestNextRefreshIsARequest(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 1h", 1, 90*time.Minute)
		next := w.engine.Counts().NextRun
		v, _ := w.engine.Lock("l0")
		if next == nil || v.NextRefresh == nil || !next.Equal(*v.NextRefresh) {
			t.Fatalf("next %v, of the lock %v", next, v.NextRefresh)
		}
		w.set(0, func(a *agentServer) { a.hang = 20 * time.Second })
		w.refresh("l0")
		w.pass(2 * time.Second)
		if n := w.engine.Counts(); n.Flights != 1 || n.NextRun != nil {
			t.Errorf("while it is asked: %d under way, next %v", n.Flights, n.NextRun)
		}
	})
}

// A clock that ran far ahead is no reason to rest until then.
func TestClockThatRanAhead(t *testing.T) {
	const ahead = 60 * 24 * time.Hour
	run(t, func(w *world) {
		w.begin("@every 1h", 1, 2*time.Hour)
		w.jump.Add(int64(ahead))
		w.pass(2 * time.Hour)
		w.jump.Add(-int64(ahead))
		w.times(0)
		w.pass(24 * time.Hour)
		if n := len(w.times(0)); n < 23 || n > 26 {
			t.Errorf("asked %d times in the day after the clock was set right", n)
		}
		if slot := w.engine.locks.Load().byID["l0"].Agent.Seen.Slot; slot.After(w.wall()) {
			t.Errorf("the slot of %s counts as run at %s", slot, w.wall())
		}
	})
}

func TestMinIntervalOverRestart(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 60s")
		w.cfg.Daemon.Agents = map[string]config.Agent{url(0): {MinInterval: time.Hour}}
		w.add(0)
		w.start()
		w.pass(10 * time.Minute)
		w.times(0)
		w.restart()
		w.pass(49 * time.Minute)
		if l := w.times(0); len(l) != 0 {
			t.Errorf("asked at %v, within the hour", l)
		}
		w.pass(2 * time.Minute)
		if l := w.times(0); len(l) != 1 {
			t.Errorf("asked at %v, want once after the hour", l)
		}
	})
}
