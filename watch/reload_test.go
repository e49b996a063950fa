package watch

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// dues are when each agent is asked next.
func (w *world) dues() map[string]time.Time {
	e := w.engine
	e.desk.Mu.RLock()
	defer e.desk.Mu.RUnlock()
	dues := map[string]time.Time{}
	for id, a := range e.agents {
		dues[id] = e.next(a, e.Wall())
	}
	return dues
}

func TestReloadDisturbsNobody(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 10m")
		for i := range 20 {
			w.add(i)
		}
		w.set(3, func(a *agentServer) { a.hang = 5 * time.Second })
		w.start()
		w.pass(25 * time.Minute)
		client := w.engine.cfg.Load().client
		for range 600 { // until a request is under way
			if w.pass(time.Second); w.engine.Counts().Flights > 0 {
				break
			}
		}
		if w.engine.Counts().Flights != 1 {
			t.Fatal("no request is under way")
		}
		before := w.dues()

		// A file that is no configuration: nothing changes.
		w.cfg.Daemon.Schedule = "0 0 30 2 *"
		if err := w.engine.Reload(t.Context(), w.setup()); err == nil {
			t.Error("a schedule that never comes was taken")
		}
		if !maps.Equal(w.dues(), before) || w.engine.Setup().Config.Daemon.Schedule != "@every 10m" {
			t.Error("a reload that was refused changed something")
		}

		// One agent's schedule moves, and no other.
		w.every("@every 10m")
		w.cfg.Daemon.Agents = map[string]config.Agent{url(7): {Schedule: "@every 1h"}}
		w.reload()
		moved := w.engine.locks.Load().byID["l7"].Agent.ID
		for due, at := range w.dues() {
			if due != moved && !at.Equal(before[due]) {
				t.Errorf("%s is due at %s, was at %s", due, at, before[due])
			}
		}
		if w.dues()[moved].Equal(before[moved]) {
			t.Error("the agent whose schedule moved did not")
		}
		if w.engine.Counts().Flights != 1 || w.engine.cfg.Load().client != client {
			t.Error("the request under way was disturbed")
		}
		w.times(3)
		w.pass(10 * time.Second)
		if n := len(w.times(3)); n != 0 {
			t.Errorf("asked %d times more", n)
		}
		for i := range 20 {
			w.expect(id(i), verdict.Compatible, verdict.Fresh)
		}

		// What the state machine goes by holds at once, though no schedule moved.
		w.lull(3 * time.Second)
		w.cfg.Daemon.MaxStaleness = time.Second
		w.reload()
		w.pass(2 * time.Second)
		w.expect("l1", verdict.Compatible, verdict.Expired)
	})
}

func TestLocksComeAndGo(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 1h")
		w.add(0)
		w.add(1)
		w.start()
		w.pass(2 * time.Hour)
		w.serve(0, broken(0))
		w.pass(time.Hour + time.Minute)
		w.expect("l0", verdict.Breaking, verdict.Fresh)

		// A second lock about an agent that is known: judged at once, nobody asked.
		w.times(0)
		w.lock("again", url(0))
		w.reload()
		w.expect("again", verdict.Breaking, verdict.Fresh)
		if got := w.kinds("again"); got != "opened" || len(w.times(0)) != 0 {
			t.Errorf("events: %s", got)
		}
		// Renamed: the old closes, the new is judged at once.
		w.remove("again")
		w.lock("renamed", url(0))
		w.reload()
		w.expect("renamed", verdict.Breaking, verdict.Fresh)
		if got := w.kinds("again"); got != "opened closed" || len(w.times(0)) != 0 {
			t.Errorf("events: %s", got)
		}
		// Its text changes: compared again, without a confirmation.
		w.write("renamed", `{"agent": "`+url(0)+`", "requires": {"skills": {"itinerary-pricing": {"input": ["application/json"], "output": ["application/json"]}}}}`)
		w.reload()
		w.expect("renamed", verdict.Compatible, verdict.Fresh)
		// It moves to another agent.
		w.lock("renamed", url(1))
		w.reload()
		w.pass(time.Second)
		w.expect("renamed", verdict.Compatible, verdict.Fresh)
		if got := w.kinds("renamed"); !strings.HasSuffix(got, "closed") {
			t.Errorf("events: %s", got)
		}
		// Gone, while the daemon is down and while it runs.
		w.remove("renamed")
		w.stop()
		w.remove("l0")
		w.start()
		if got := w.kinds("l0"); !strings.HasSuffix(got, "closed") {
			t.Errorf("events: %s", got)
		}
		if n := w.engine.Counts().Agents; n != 1 {
			t.Errorf("%d agents are left", n)
		}
		w.read(func(tx *store.Tx) error {
			agents, _, err := tx.Agents(store.Page{Limit: 10})
			open, _, err2 := tx.OpenEpisodes(store.Page{Limit: 10})
			if len(agents) != 1 || len(open) != 0 || err != nil {
				t.Errorf("the store has %d agents and %d open episodes", len(agents), len(open))
			}
			return err2
		})
		w.remove("l1")
		w.reload()
		w.times(1)
		w.pass(5 * time.Hour)
		if n := len(w.times(1)); n != 0 {
			t.Errorf("an agent without a lock was asked %d times", n)
		}
	})
}

// An agent that goes while it is being asked leaves nothing behind, and one that
// comes back is another.
func TestAgentGoesWhileFlying(t *testing.T) {
	run(t, func(w *world) {
		w.add(0).hang = 5 * time.Second
		w.start()
		w.pass(time.Second)
		if w.engine.Counts().Flights != 1 {
			t.Fatal("no request is under way")
		}
		w.remove("l0")
		w.reload()
		w.lock("l0", url(0))
		w.reload()
		w.remove("l0")
		w.reload()
		w.pass(30 * time.Second)
		if w.engine.Counts().Agents != 0 {
			t.Error("the agent is back")
		}
		w.read(func(tx *store.Tx) error {
			agents, _, err := tx.Agents(store.Page{Limit: 10})
			if len(agents) > 0 {
				t.Errorf("the store has %v", agents)
			}
			return err
		})
		w.lock("l0", url(0))
		w.reload()
		w.pass(30 * time.Second)
		w.expect("l0", verdict.Compatible, verdict.Fresh)
	})
}

func TestBrokenLockKeepsItsLastGoodText(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 10m", 1, time.Hour)
		w.write("l0", "{")
		w.write("never", "{")
		w.reload()
		w.reload()
		w.restart()
		w.reload()
		if rows := w.rows(); len(rows) != 1 || !strings.Contains(rows[0], "l0") || !strings.Contains(rows[0], "never") {
			t.Errorf("told %q, want it once", rows)
		}
		w.serve(0, broken(0))
		w.pass(12 * time.Minute)
		w.expect("l0", verdict.Breaking, verdict.Fresh)
		v, _ := w.engine.Lock("l0")
		if v.Broken == "" {
			t.Error("nobody is told that the file is broken")
		}
		if d := w.decide("never", ""); !d.Delegate || !d.Degraded || d.Class != verdict.None {
			t.Errorf("a file that never was a lock: %+v", d)
		}
		if err := w.engine.Refresh(w.t.Context(), "never"); err == nil {
			t.Error("a file that never was a lock was refreshed")
		}
		w.lock("l0", url(0))
		w.remove("never")
		w.reload()
		w.expect("l0", verdict.Breaking, verdict.Fresh)
		w.write("l0", "{")
		w.reload()
		told := slices.DeleteFunc(w.rows(), func(r string) bool { return !strings.Contains(r, "cannot be read") })
		if len(told) != 2 {
			t.Errorf("told %q, want it once more after it was whole", told)
		}
	})
}

// A lock that broke before anything was ever heard of its agent is kept too.
func TestBrokenBeforeTheFirstAnswer(t *testing.T) {
	run(t, func(w *world) {
		w.add(0).status = 500
		w.start()
		w.write("l0", "{")
		w.restart()
		w.set(0, func(a *agentServer) { a.status = 0 })
		w.pass(25 * time.Hour)
		w.expect("l0", verdict.Compatible, verdict.Fresh)
	})
}

// What the lock alone says is said before there is a card.
func TestDecisionBeforeTheFirstCard(t *testing.T) {
	run(t, func(w *world) {
		w.add(0).status = 500
		w.start()
		w.pass(time.Second)
		if d := w.decide("l0", skill); !d.Delegate || !d.Degraded || d.Plan != nil || d.Freshness != verdict.Ageing {
			t.Errorf("a skill of the lock: %+v", d)
		}
		if d := w.decide("l0", "nosuch"); d.Delegate || !strings.Contains(string(d.Plan), `"refused":{"step":"skill","reason":"the lock does not require the skill`) {
			t.Errorf("another skill: %+v %s", d, d.Plan)
		}
		w.write("l1", "{")
		w.reload()
		if d := w.decide("l1", ""); !d.Delegate || !d.Degraded || d.Freshness != verdict.Ageing {
			t.Errorf("a lock that was broken from the beginning: %+v", d)
		}
		if v, _ := w.engine.Lock("l1"); v.Freshness != verdict.Ageing {
			t.Errorf("its view: %+v", v)
		}
		w.set(0, func(a *agentServer) { a.status = 0 })
		w.pass(25 * time.Hour)
		if d := w.decide("l0", "nosuch"); d.Delegate || !strings.Contains(string(d.Plan), "the lock does not require the skill") {
			t.Errorf("another skill, with a card: %+v %s", d, d.Plan)
		}
	})
}

// A file that never was a lock inherits nothing of another that had its id, in
// another folder.
func TestBrokenLockOfAnotherFolder(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.serve(0, broken(0))
		w.start()
		w.pass(time.Minute)
		w.expect("l0", verdict.Breaking, verdict.Fresh)
		w.stop()
		if err := os.Mkdir(filepath.Join(w.dir, "other"), 0o700); err != nil {
			t.Fatal(err)
		}
		before := w.cfg.Root
		w.cfg.Root = filepath.Join(w.dir, "other")
		w.dir = w.cfg.Root
		w.write("l0", "{")
		w.dir = before
		w.start()
		v, _ := w.engine.Lock("l0")
		if v.Broken == "" || v.Agent != "" || v.Class != verdict.None {
			t.Errorf("a file that never was a lock = %+v", v)
		}
		if got := w.kinds("l0"); !strings.HasSuffix(got, "closed") || w.engine.Counts().Agents != 0 {
			t.Errorf("events of the lock that had its id: %s", got)
		}
	})
}

// Only what moved is judged again when the daemon starts.
func TestUnchangedRestartJudgesNothing(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.start()
		w.pass(time.Minute)
		before := w.judged("l0")
		w.restart()
		if l := w.engine.locks.Load().byID["l0"]; l.IsDue(w.engine.cfg.Load().Config) || w.judged("l0") != before {
			t.Error("judged again")
		}
		w.stop()
		w.cfg.Client.Streaming = false
		w.start()
		if w.judged("l0") == before {
			t.Error("not judged by the new configuration")
		}
	})
}

// judged is what the stored state of a lock was judged by.
func (w *world) judged(id string) string {
	w.t.Helper()
	var l store.Lock
	err := w.store.View(func(tx *store.Tx) (err error) {
		l, _, err = tx.Lock(id)
		return err
	})
	if err != nil || l.Judged == "" {
		w.t.Fatalf("%s was judged by %q, %v", id, l.Judged, err)
	}
	return l.Judged
}

func TestReloadJudgesByTheNewConfiguration(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.start()
		w.pass(time.Minute)
		before := w.decide("l0", skill)
		if !before.Delegate {
			t.Fatalf("before: %+v", before)
		}
		w.cfg.Client.Interfaces = nil
		w.cfg.Client.Sends = []string{"text/plain"}
		w.reload()
		synctest.Wait()
		if d := w.decide("l0", skill); d.Delegate || string(d.Plan) == string(before.Plan) {
			t.Errorf("after: %+v with plan %s", d, d.Plan)
		}
	})
}

func TestTellOnce(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.start()
		ctx := t.Context()
		for range 3 {
			w.engine.TellOnce(ctx, "reload", "no good")
			w.pass(time.Second)
		}
		w.restart()
		w.engine.TellOnce(ctx, "reload", "no good")
		w.engine.TellOnce(ctx, "reload", "worse")
		w.pass(time.Second)
		w.engine.Over(ctx, "reload")
		w.engine.Over(ctx, "reload")
		w.engine.TellOnce(ctx, "reload", "worse")
		if got := strings.Join(w.rows(), ", "); got != "no good, worse, worse" {
			t.Errorf("told: %s", got)
		}
	})
}

// A plan is made for the client that there is, also where nothing else moves.
func TestReloadPlansByTheNewConfiguration(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.start()
		w.pass(time.Minute)
		before := w.decide("l0", skill)
		w.cfg.Client.Delivery = []string{"poll"}
		w.reload()
		d := w.decide("l0", skill)
		if d.Class != before.Class || !strings.Contains(string(d.Plan), `"delivery":"poll"`) {
			t.Errorf("after: %s with plan %s", d.Class, d.Plan)
		}
	})
}

func TestCrowdIsLoggedOnce(t *testing.T) {
	run(t, func(w *world) {
		for i := range 501 {
			w.lock(id(i), fmt.Sprintf("http://%s/%d", host(0), i))
		}
		w.start()
		var logged bytes.Buffer
		w.engine.Log, w.engine.crowded = slog.New(slog.NewTextHandler(&logged, nil)), nil
		for range 3 {
			w.reload()
		}
		if n := strings.Count(logged.String(), "many agents on one host"); n != 1 {
			t.Errorf("logged %d times, want once", n)
		}
	})
}

// An agent that never answered leaves nothing behind either.
func TestNothingIsKeptOfAgentsThatWent(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 1h")
		w.lock("l0", "http://"+host(0)+"/nothing")
		w.start()
		w.pass(3 * time.Hour)
		w.stop()
		w.remove("l0")
		w.start()
		w.read(func(tx *store.Tx) error {
			seen, err := tx.Seens()
			if len(seen) != 0 {
				t.Errorf("%d agents are remembered", len(seen))
			}
			return err
		})
	})
}

// Ten thousand agents of one interval are judged by one set of durations.
func TestAgentsOfOneIntervalShareParams(t *testing.T) {
	run(t, func(w *world) {
		w.cfg.Daemon.Agents = map[string]config.Agent{url(2): {Schedule: "@every 2m"}}
		w.begin("@every 1m", 3, time.Minute)
		params := func(i int) *verdict.Params { return w.engine.locks.Load().byID[id(i)].Agent.Params.Load() }
		before := params(0)
		if params(1) != before || params(2) == before {
			t.Errorf("three agents, two of one interval: %p, %p, %p", before, params(1), params(2))
		}
		w.cfg.Daemon.StaleHold = time.Hour
		w.reload()
		if params(0) == before || params(0) != params(1) || params(0).StaleHold != time.Hour || before.StaleHold == time.Hour {
			t.Errorf("after a reload: %p, %p, before %p", params(0), params(1), before)
		}
	})
}
