package watch

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/verdict"
)

// every is a schedule by minutes.
func (w *world) every(schedule string) { w.cfg.Daemon.Schedule = schedule }

func TestDriftIsConfirmedToldAndResolved(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 5m", 1, time.Second)
		w.expect("l0", verdict.Compatible, verdict.Fresh) // at once: nobody ever looked
		w.pass(10 * time.Minute)
		w.times(0)
		w.serve(0, broken(0))
		w.pass(5*time.Minute + 2*time.Second) // what a slot brings is written within a second
		if s := w.state("l0"); s.Pending == nil && s.Verdict != verdict.Breaking {
			t.Fatalf("after a slot: %+v", s)
		}
		w.pass(31 * time.Second)
		w.expect("l0", verdict.Breaking, verdict.Fresh)
		if got := w.kinds("l0"); got != "opened" {
			t.Errorf("events: %s", got)
		}
		if w.told.Load() != 1 {
			t.Errorf("told %d times, want once", w.told.Load())
		}
		if d := w.decide("l0", skill); d.Delegate || d.Fallback != "human" || len(d.Findings) == 0 {
			t.Errorf("decision = %+v", d)
		}
		w.serve(0, whole(0))
		w.pass(5 * time.Minute)
		w.expect("l0", verdict.Breaking, verdict.Fresh) // once is not enough
		w.pass(11 * time.Minute)
		w.expect("l0", verdict.Compatible, verdict.Fresh)
		if got := w.kinds("l0"); got != "opened improved resolved" && got != "opened resolved" {
			t.Errorf("events: %s", got)
		}
		if d := w.decide("l0", skill); !d.Delegate || d.Degraded || d.Plan == nil {
			t.Errorf("decision = %+v", d)
		}
	})
}

// A restart in any state goes on as if there had been none.
func TestRestartResumes(t *testing.T) {
	story := func(w *world, restart func()) string {
		w.begin("@every 5m", 1, 6*time.Minute)
		restart()
		w.serve(0, broken(0))
		for range 60 { // until it is seen, which leaves it pending
			if w.pass(5 * time.Second); w.state("l0").Pending != nil {
				break
			}
		}
		if w.state("l0").Pending == nil {
			w.t.Fatal("nothing is pending")
		}
		restart()
		w.pass(40 * time.Second)
		w.expect("l0", verdict.Breaking, verdict.Fresh)
		if err := w.engine.Ack(w.t.Context(), "l0", Ack{Author: "ann", Reason: "known"}); err != nil {
			w.t.Fatal(err)
		}
		restart()
		if a := w.state("l0").Ack; a == nil || a.Author != "ann" {
			w.t.Errorf("the acknowledgement is %+v", a)
		}
		w.report("l0", Runtime{Error: "UnsupportedOperationError", Method: "SendStreamingMessage"})
		restart()
		w.expect("l0", verdict.Breaking, verdict.MarkedStale)
		w.serve(0, whole(0))
		w.pass(6 * time.Minute)
		if w.state("l0").Better == nil {
			w.t.Errorf("nothing better is on its way: %+v", w.state("l0"))
		}
		restart()
		w.pass(25 * time.Hour)
		w.expect("l0", verdict.Compatible, verdict.Fresh)
		return w.kinds("l0")
	}
	var want string
	run(t, func(w *world) { want = story(w, func() {}) })
	run(t, func(w *world) {
		if got := story(w, w.restart); got != want {
			t.Errorf("with restarts: %s\nwithout: %s", got, want)
		}
	})
}

func TestTwoCardsInTurnAreDisputed(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 60s")
		w.add(0).each = func(n int, s *agentServer) {
			if s.card = whole(0); n%2 == 0 {
				s.card = broken(0)
			}
		}
		w.start()
		w.pass(15 * time.Minute)
		w.expect("l0", verdict.Compatible, verdict.Disputed)
		if d := w.decide("l0", skill); d.Delegate || !d.Degraded || d.Class != verdict.Breaking {
			t.Errorf("while disputed: %+v, want the worse card's", d)
		}
		w.restart()
		w.pass(time.Minute)
		w.expect("l0", verdict.Compatible, verdict.Disputed)
		w.pass(time.Hour)
		s := w.state("l0")
		found := false
		for _, f := range s.Findings {
			found = found || f.Rule == "replicas-disagree"
		}
		if s.Verdict != verdict.Breaking || !found {
			t.Errorf("after the grace: %s with %v, want breaking with replicas-disagree", s.Verdict, s.Findings)
		}
		if d := w.decide("l0", skill); d.Delegate {
			t.Errorf("after the grace: %+v", d)
		}
		w.pass(3 * time.Hour)
		if n := len(strings.Fields(w.kinds("l0"))); n > 100 {
			t.Errorf("%d events in hours", n)
		}
		w.set(0, func(a *agentServer) { a.each, a.card = nil, whole(0) })
		w.pass(8 * time.Hour)
		w.expect("l0", verdict.Compatible, verdict.Fresh)
	})
}

func TestRuntimeReports(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    Runtime
		out  string // of the plan's text, while the evidence stands
		gone bool   // out is there before, and not while it stands; else the reverse
	}{
		{"streaming", Runtime{Error: "UnsupportedOperationError", Method: "SendStreamingMessage"}, `"stream"`, true},
		{"extended card", Runtime{Error: "UnsupportedOperationError", Method: "GetExtendedAgentCard"}, `"GetExtendedAgentCard":"allowed"`, true},
		{"push", Runtime{Error: "PushNotificationNotSupportedError"}, `"CreateTaskPushNotificationConfig":"allowed"`, true},
		{"input", Runtime{Error: "ContentTypeNotSupportedError", Skill: skill, Detail: "no application/json"}, `"refused"`, false},
		{"version", Runtime{Error: "VersionNotSupportedError"}, `"JSONRPC"`, true},
		{"extension", Runtime{Error: "ExtensionSupportRequiredError"}, "", false},
		{"anything else", Runtime{Error: "TaskNotFoundError", Detail: "gone"}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, func(w *world) {
				t := w.t
				w.every("@every 10m")
				w.cfg.Client.PushEndpoint = "https://we.example.com/push"
				w.add(0)
				w.serve(0, []byte(strings.Replace(strings.Replace(string(whole(0)),
					`"pushNotifications": false`, `"pushNotifications": true`, 1), `"extendedAgentCard": false`, `"extendedAgentCard": true`, 1)))
				w.start()
				w.pass(time.Second)
				before := string(w.decide("l0", skill).Plan)
				has := func(plan string) bool { return tt.out != "" && strings.Contains(plan, tt.out) }
				if has(before) != tt.gone {
					t.Fatalf("plan before: %s", before)
				}
				w.lull(time.Minute)
				w.times(0)
				w.report("l0", tt.r)
				plan := string(w.decide("l0", skill).Plan) // at once
				if tt.out == "" && plan != before || tt.out != "" && has(plan) == tt.gone {
					t.Errorf("plan after: %s", plan)
				}
				w.expect("l0", verdict.Compatible, verdict.MarkedStale)
				w.pass(5 * time.Second)
				if n := len(w.times(0)); n != 1 {
					t.Errorf("asked %d times after the report, want once", n)
				}
				w.restart()
				w.pass(time.Hour) // refreshes that find the card unchanged
				after := string(w.decide("l0", skill).Plan)
				if after != plan {
					t.Errorf("plan an hour later: %s\nwant still %s", after, plan)
				}
				want := verdict.Compatible
				if tt.out != "" {
					want = verdict.Review
				}
				w.expect("l0", want, verdict.Fresh)
				w.pass(24 * time.Hour)
				if got := string(w.decide("l0", skill).Plan); got != before {
					t.Errorf("plan after the ttl: %s\nwant %s", got, before)
				}
				w.expect("l0", verdict.Compatible, verdict.Fresh)
			})
		})
	}
}

func TestReportsAskOncePerMinute(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.start()
		w.pass(2 * time.Hour)
		w.times(0)
		for range 600 {
			w.report("l0", Runtime{Error: "TaskNotFoundError"})
			w.pass(time.Second)
		}
		if n := len(w.times(0)); n < 5 || n > 12 {
			t.Errorf("asked %d times in ten minutes of reports, want about once a minute", n)
		}
		for _, bad := range []Runtime{{}, {Error: strings.Repeat("x", 2000)}} {
			if err := w.engine.Report(t.Context(), "l0", bad); err == nil {
				t.Errorf("%.30v was taken", bad)
			}
		}
		if err := w.engine.Report(t.Context(), "nobody", Runtime{Error: "x"}); err != ErrNoLock { //nolint:errorlint // it is returned as it is
			t.Errorf("a report about no lock: %v", err)
		}
	})
}

func TestNetworkDownIsToldOnce(t *testing.T) {
	run(t, func(w *world) {
		w.oauth("lo")
		w.begin("@every 60s", 20, 5*time.Minute)
		w.expect("lo", verdict.Compatible, verdict.Fresh)
		w.mu.Lock()
		w.down = true
		w.mu.Unlock()
		w.pass(2 * time.Hour)
		for range 6 { // of which each begins anew to count
			w.restart()
			w.pass(20 * time.Minute)
		}
		if rows := w.rows(); len(rows) != 1 || !strings.Contains(rows[0], "cannot reach the network") {
			t.Errorf("%d messages: %q, want one about the network", len(rows), rows)
		}
		for i := range 20 {
			if s := w.state(id(i)); s.Unreachable {
				t.Errorf("%s is unreachable", id(i))
			}
		}
		if s := w.state("lo"); s.Unreachable {
			t.Error("the agent whose token server cannot be reached is unreachable")
		}
		if !w.engine.Counts().Silent {
			t.Error("the network is not suspected")
		}
		w.mu.Lock()
		w.down = false
		w.mu.Unlock()
		w.pass(10 * time.Minute)
		for i := range 20 {
			w.expect(id(i), verdict.Compatible, verdict.Fresh)
		}
		if rows := w.rows(); len(rows) != 1 {
			t.Errorf("%d messages: %q", len(rows), rows)
		}
	})
}

func TestUnreachableAndBack(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 10m")
		w.add(0)
		w.add(1)
		w.start()
		w.pass(time.Hour)
		w.set(0, func(a *agentServer) { a.status = http.StatusBadGateway })
		w.pass(time.Hour)
		w.expect("l0", verdict.Compatible, verdict.Unreachable)
		w.expect("l1", verdict.Compatible, verdict.Fresh)
		if d := w.decide("l0", skill); !d.Delegate || !d.Degraded {
			t.Errorf("unreachable: %+v", d)
		}
		w.pass(50 * time.Hour)
		w.expect("l0", verdict.Compatible, verdict.Expired)
		w.set(0, func(a *agentServer) { a.status = 0 })
		w.pass(10 * time.Minute)
		w.expect("l0", verdict.Compatible, verdict.Fresh)
		if got := w.kinds("l0"); got != "unreachable expired reachable resolved" {
			t.Errorf("events: %s", got)
		}
	})
}

func TestReportsAboutManyLocksAskOncePerMinute(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 24h")
		w.add(0)
		for i := range 10 {
			w.lock(id(i), url(0))
		}
		w.start()
		w.pass(2 * time.Hour)
		w.lull(2 * time.Minute)
		w.times(0)
		for i := range 10 {
			w.report(id(i), Runtime{Error: "InvalidAgentResponseError"})
			w.pass(2 * time.Second)
		}
		if n := len(w.times(0)); n != 1 {
			t.Errorf("asked %d times in 20 s of reports, want once", n)
		}
		w.pass(time.Minute)
		if n := len(w.times(0)); n != 1 {
			t.Errorf("asked %d times in the minute after, want once for all", n)
		}
	})
}

// Where some hosts answer and many do not, the network is told of once.
func TestNetworkHalfDownIsToldOnce(t *testing.T) {
	run(t, func(w *world) {
		w.begin("@every 60s", 20, 10*time.Minute)
		for i := range 20 {
			if i%4 != 0 {
				w.set(i, func(a *agentServer) { a.hang = 24 * time.Hour })
			}
		}
		w.pass(time.Hour)
		n := 0
		for _, row := range w.rows() {
			if strings.Contains(row, "cannot reach the network") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("told %d times, want once", n)
		}
	})
}
