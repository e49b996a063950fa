package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestCatchUpOrder(t *testing.T) {
	daily := mustParse(t, "@daily", "UTC").Jittered(0)
	midnight := noon.Add(-12 * time.Hour)
	days := func(n int) time.Time { return midnight.AddDate(0, 0, -n) }
	var u CatchUp
	for _, tt := range []struct {
		c   Candidate
		due bool
	}{
		{Candidate{ID: "ran", Last: midnight, Validated: midnight}, false},
		{Candidate{ID: "a day", Last: days(1), Validated: days(1)}, true},
		{Candidate{ID: "a week", Last: days(7), Validated: days(7)}, true},
		{Candidate{ID: "a decade", Last: days(3653), Validated: days(3)}, true},
		{Candidate{ID: "stale", Last: days(1), Validated: days(1), Stale: true}, true},
		{Candidate{ID: "breaking", Last: days(1), Validated: days(1), Breaking: true}, true},
		{Candidate{ID: "both", Last: days(1), Validated: days(1), Stale: true, Breaking: true}, true},
		{Candidate{ID: "new"}, true},
		{Candidate{ID: "failed", Last: midnight}, true},
		{Candidate{ID: "no slot noted", Validated: days(2)}, true},
		{Candidate{ID: "ahead", Last: days(-1), Validated: days(1)}, false},
	} {
		tt.c.Plan = daily
		if due := u.Add(tt.c, noon); due != tt.due {
			t.Errorf("Add(%s) = %v, want %v", tt.c.ID, due, tt.due)
		}
	}
	var got []string
	for id, ok := u.Pop(noon); ok; id, ok = u.Pop(noon) {
		got = append(got, id)
	}
	want := []string{"both", "stale", "breaking", "failed", "new", "a week", "a decade", "no slot noted", "a day"}
	if !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestCatchUpRate(t *testing.T) {
	for _, tt := range []struct {
		configured float64
		agents     int
		want       float64
	}{{25, 100, 25}, {25, 60_000, 100}, {0, 60_000, 0}} {
		if got := CatchUpRate(tt.configured, tt.agents); got != tt.want {
			t.Errorf("CatchUpRate(%v, %d) = %v, want %v", tt.configured, tt.agents, got, tt.want)
		}
	}

	u := CatchUp{Rate: 25}
	daily := mustParse(t, "@daily", "UTC").Jittered(0)
	for i := range 250 {
		u.Add(Candidate{ID: fmt.Sprint(i), Plan: daily}, noon)
	}
	now := noon
	for u.Len() > 0 {
		for _, ok := u.Pop(now); ok; _, ok = u.Pop(now) {
		}
		if ready, ok := u.Ready(now); ok {
			// A caller wakes a little late.
			now = ready.Add(time.Millisecond)
		}
	}
	if took := now.Sub(noon); took < 9700*time.Millisecond || took > 10*time.Second {
		t.Errorf("250 runs at 25/s took %s, want about 10s", took)
	}
}

func TestCatchUpWithAClockSetBack(t *testing.T) {
	u := CatchUp{Rate: 25}
	daily := mustParse(t, "@daily", "UTC").Jittered(0)
	for i := range 10 {
		u.Add(Candidate{ID: fmt.Sprint(i), Plan: daily}, noon)
	}
	for range 5 {
		u.Pop(noon)
	}
	back := noon.Add(-6 * time.Hour)
	if ready, ok := u.Ready(back); !ok || ready.Sub(back) > 40*time.Millisecond {
		t.Errorf("Ready(%s) = %s, %v, want within 40ms", back, ready, ok)
	}
}

func TestOwnSlotLeavesCatchUp(t *testing.T) {
	minutely := mustParse(t, "@every 60s", "UTC")
	u := CatchUp{Rate: 1}
	for i := range 120 {
		u.Add(Candidate{ID: fmt.Sprint(i), Plan: minutely.Jittered(time.Duration(i%60) * time.Second)}, noon)
	}
	runs := 0
	for now := noon; u.Len() > 0; now = now.Add(time.Second) {
		for id, ok := u.Pop(now); ok; id, ok = u.Pop(now) {
			var n int
			fmt.Sscan(id, &n)
			if own := minutely.Jittered(time.Duration(n%60) * time.Second).Next(noon).Due; !own.After(now) {
				t.Errorf("agent %d runs at %s, and its own slot is due at %s", n, now, own)
			}
			runs++
		}
		if now.Sub(noon) > time.Hour {
			t.Fatal("the queue does not empty")
		}
	}
	if runs < 20 || runs > 60 {
		t.Errorf("%d of 120 ran outside their slots, want what 1/s leaves of a minute", runs)
	}
	u.Add(Candidate{ID: "gone", Plan: minutely.Jittered(0)}, noon)
	if !u.Remove("gone") || u.Remove("gone") || u.Len() != 0 {
		t.Error("Remove does not take one out, once")
	}
}

func TestClock(t *testing.T) {
	var c Clock
	for _, tt := range []struct {
		name       string
		wall, mono time.Duration // since the start
		want       time.Duration
	}{
		{"first", 0, 0, 0},
		{"even", 30 * time.Second, 30 * time.Second, 0},
		{"slewed", 62 * time.Second, 60 * time.Second, 0},
		{"set forward", 24 * time.Hour, 90 * time.Second, 24*time.Hour - 62*time.Second - 30*time.Second},
		{"even again", 24*time.Hour + time.Second, 91 * time.Second, 0},
		{"set back", time.Hour, 92 * time.Second, -23*time.Hour - 2*time.Second},
		{"slept", 4 * time.Hour, 93 * time.Second, 3*time.Hour - time.Second},
		{"just over", 4*time.Hour + 2*time.Second + 1, 93 * time.Second, 2*time.Second + 1},
	} {
		if got := c.Tick(noon.Add(tt.wall), tt.mono); got != tt.want {
			t.Errorf("%s: Tick = %s, want %s", tt.name, got, tt.want)
		}
	}
}

// time.Now carries a monotonic reading, by which no jump would ever show.
func TestClockLooksAtTheWall(t *testing.T) {
	var c Clock
	now := time.Now()
	c.Tick(now, 0)
	if got := c.Tick(now.Add(time.Hour), time.Second); got != time.Hour-time.Second {
		t.Errorf("Tick = %s, want 59m59s", got)
	}
}

func TestOutage(t *testing.T) {
	type attempt struct {
		host string
		ok   bool
		at   time.Duration
	}
	fail := func(at time.Duration, hosts ...string) []attempt {
		var list []attempt
		for _, h := range hosts {
			list = append(list, attempt{h, false, at})
		}
		return list
	}
	ok := func(at time.Duration, n int) []attempt {
		return slices.Repeat([]attempt{{"up", true, at}}, n)
	}
	for _, tt := range []struct {
		name     string
		attempts [][]attempt
		want     bool
	}{
		{"nothing", nil, false},
		{"five hosts", [][]attempt{fail(0, "a", "b", "c", "d", "e")}, true},
		{"four hosts, often", [][]attempt{fail(0, "a", "b", "c", "d", "a", "b", "c", "d")}, false},
		{"five hosts over three minutes", [][]attempt{fail(0, "a"), fail(time.Minute, "b", "c"), fail(3*time.Minute, "d", "e")}, false},
		{"a host that fails on", [][]attempt{fail(0, "a"), fail(3*time.Minute, "a", "b", "c", "d", "e")}, true},
		{"half", [][]attempt{ok(0, 5), fail(time.Second, "a", "b", "c", "d", "e")}, true},
		{"less than half", [][]attempt{ok(0, 6), fail(time.Second, "a", "b", "c", "d", "e")}, false},
		{"successes of long ago", [][]attempt{ok(0, 600), fail(2*time.Minute, "a", "b", "c", "d", "e")}, true},
		{"success ends it", [][]attempt{fail(0, "a", "b", "c", "d", "e"), ok(time.Second, 1)}, false},
		{"time does not end it", [][]attempt{fail(0, "a", "b", "c", "d", "e"), fail(time.Hour, "a")}, true},
		{"again", [][]attempt{fail(0, "a", "b", "c", "d", "e"), ok(time.Second, 1), fail(2*time.Second, "a", "b", "c", "d", "e")}, true},
		{"successes among them", [][]attempt{fail(0, "a", "b", "c"), ok(1, 1), fail(2, "d", "e", "f")}, false},
	} {
		var o Outage
		changes := 0
		for _, a := range slices.Concat(tt.attempts...) {
			before := o.Suspected()
			changed := o.Observe(a.host, a.ok, noon.Add(a.at))
			if changed != (o.Suspected() != before) {
				t.Errorf("%s: Observe = %v, and Suspected went from %v to %v", tt.name, changed, before, o.Suspected())
			}
			if changed {
				changes++
			}
		}
		if o.Suspected() != tt.want || (changes%2 == 1) != tt.want {
			t.Errorf("%s: Suspected = %v after %d changes, want %v", tt.name, o.Suspected(), changes, tt.want)
		}
	}
}

func TestOutageMemory(t *testing.T) {
	var o Outage
	for i := range 200_000 {
		o.Observe(fmt.Sprint("host-", i), false, noon.Add(time.Duration(i)*time.Millisecond))
	}
	if !o.Suspected() || cap(o.failing) > 2*outageHosts {
		t.Errorf("after 200,000 hosts Suspected = %v, %d kept", o.Suspected(), cap(o.failing))
	}
}

func TestBackoff(t *testing.T) {
	whole := func() float64 { return 1 - 1e-12 }
	due := noon.Add(20 * time.Minute)
	var b Backoff
	for i, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 20 * time.Minute, 20 * time.Minute} {
		if got := b.Fail(noon, due, whole).Sub(noon).Round(time.Millisecond); got != want {
			t.Errorf("failure %d: try after %s at most, want %s", i+1, got, want)
		}
	}
	if b.Failures() != 7 {
		t.Errorf("Failures = %d, want 7", b.Failures())
	}
	b.Reset()
	half := func() float64 { return 0.5 }
	if got := b.Fail(noon, due, half).Sub(noon); got != 30*time.Second {
		t.Errorf("after a success: try after %s, want 30s", got)
	}
	b = Backoff{Base: time.Second}
	for range 1000 {
		if got := b.Fail(noon, due, whole); got.Before(noon) || got.After(due) {
			t.Fatalf("try at %s, want one until %s", got, due)
		}
	}
}

func TestOutageIsToldOnce(t *testing.T) {
	var o Outage
	fail := func(at time.Duration) {
		for _, h := range []string{"a", "b", "c", "d", "e", "f"} {
			o.Observe(h, false, noon.Add(at))
		}
	}
	told := func(at time.Duration, want bool) {
		t.Helper()
		if got := o.Tells(noon.Add(at)); got != want {
			t.Errorf("after %s: Tells = %v", at, got)
		}
	}
	ended := func(at time.Duration, want bool) {
		t.Helper()
		o.Observe("up", true, noon.Add(at))
		if got := o.Ends(noon.Add(at)); got != want {
			t.Errorf("after %s: Ends = %v", at, got)
		}
	}
	ended(-time.Hour, true) // one of before the start
	ended(-time.Hour, false)
	told(0, false)
	fail(0)
	told(0, true)
	told(2*time.Hour, false)
	fail(2 * time.Hour)
	ended(2*time.Hour, false) // amid failures
	fail(2 * time.Hour)
	told(2*time.Hour, false)
	ended(3*time.Hour, true)
	fail(3*time.Hour + time.Minute)
	told(3*time.Hour+time.Minute, true)
	ended(3*time.Hour+10*time.Minute, true)
	fail(3*time.Hour + 20*time.Minute)
	told(3*time.Hour+20*time.Minute, false) // within the hour
	told(4*time.Hour+20*time.Minute, true)
}

func TestSlotFarAhead(t *testing.T) {
	hourly := mustParse(t, "@every 1h", "UTC").Jittered(0)
	for ahead, want := range map[time.Duration]bool{time.Hour: false, 48 * time.Hour: false, 49 * time.Hour: true} {
		last := noon.Add(ahead)
		if got := hourly.IsAhead(last, noon); got != want || hourly.Latest(last, noon).IsZero() == want {
			t.Errorf("%s ahead: IsAhead = %v, Latest = %+v", ahead, got, hourly.Latest(last, noon))
		}
	}
}
