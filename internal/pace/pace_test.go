package pace

import (
	"fmt"
	"testing"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/lockset"
	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/verdict"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func hourly(t *testing.T) Rules {
	t.Helper()
	spec, err := schedule.Parse("@hourly", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	return Rules{Plan: spec.Jittered(5 * time.Minute)}
}

func TestNext(t *testing.T) {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	const never = -1 << 20
	confirm := verdict.Want{By: verdict.Confirm, At: at(11)}
	for _, tt := range []struct {
		name string
		last int // the slot that was run; never: none
		set  func(*Pace)
		want verdict.Want
		at   int
		by   verdict.By
	}{
		{name: "the next slot", last: 0, at: 65},
		{name: "a slot that has passed", last: -60, at: 5},
		{name: "an agent that was never run waits for its slot, or to catch up", last: never, at: 65},
		{name: "behind, and waiting to catch up", last: -600, set: func(p *Pace) { p.Own = at(65) }, at: 65},
		{name: "min_interval", last: -60, set: func(p *Pace) { p.Last, p.Min = at(0), 2*time.Hour }, at: 120},
		{name: "min_interval spaces tries", last: 0, set: func(p *Pace) { p.Last, p.Min, p.Retry = at(5), 20*time.Minute, at(10) }, at: 25},
		{name: "a try", last: 0, set: func(p *Pace) { p.Retry = at(30) }, at: 30},
		{name: "a want", last: 0, want: confirm, at: 11, by: verdict.Confirm},
		{name: "a want after the slot", last: 0, want: verdict.Want{By: verdict.Recheck, At: at(70)}, at: 65},
		{name: "min_interval leaves out confirmations", last: 0, set: func(p *Pace) { p.Last, p.Min = at(0), 30*time.Minute }, want: confirm, at: 11, by: verdict.Confirm},
		{
			name: "min_interval spaces other wants", last: 0, set: func(p *Pace) { p.Last, p.Min = at(0), 30*time.Minute },
			want: verdict.Want{By: verdict.Recheck, At: at(11)}, at: 30, by: verdict.Recheck,
		},
		{name: "a want in trouble waits for the try", last: 0, set: func(p *Pace) { p.fail(at(20)) }, want: confirm, at: 20, by: verdict.Confirm},
		{name: "a want in trouble waits for the slot", last: 0, set: func(p *Pace) { p.fail(time.Time{}) }, want: confirm, at: 65, by: verdict.Confirm},
		{name: "a confirmation after a 401 waits for the slot", last: 0, set: func(p *Pace) { p.Denied = true }, want: confirm, at: 65, by: verdict.Confirm},
		{name: "no other want after a 401", last: 0, set: func(p *Pace) { p.Denied = true }, want: verdict.Want{By: verdict.Recheck, At: at(11)}, at: 65},
		{name: "by leave of the server", last: 0, set: func(p *Pace) { p.Hold = at(130) }, at: 185},
		{name: "a floor", last: 0, set: func(p *Pace) { p.Floor = at(12) }, want: confirm, at: 12, by: verdict.Confirm},
		{name: "a person", last: 0, set: func(p *Pace) { p.Asked, p.Floor, p.Denied = true, at(12), true }, at: 10},
	} {
		p := Pace{Rules: hourly(t)}
		if tt.set != nil {
			tt.set(&p)
		}
		last := at(tt.last)
		if tt.last == never {
			last = time.Time{}
		}
		got := p.Next(last, at(10), tt.want)
		if !got.At.Equal(at(tt.at)) || got.Want.By != tt.by {
			t.Errorf("%s: Next = %s by %q, want %s by %q", tt.name, got.At, got.Want.By, at(tt.at), tt.by)
		}
	}
}

func (p *Pace) fail(retry time.Time) {
	p.Backoff.Fail(noon, noon.Add(time.Hour), func() float64 { return 0 })
	p.Retry = retry
}

func TestFailAndSucceed(t *testing.T) {
	p := Pace{Rules: hourly(t)}
	p.Max = 3 * time.Hour
	p.Denied = true
	p.Fail(noon, noon.Add(10*time.Minute), func() float64 { return 0.5 })
	if want := noon.Add(10*time.Minute + 30*time.Second); !p.Retry.Equal(want) || p.Denied {
		t.Errorf("after a failure: %+v, want a try at %s", p, want)
	}
	for range 20 {
		p.Fail(noon, noon.Add(10*time.Minute), func() float64 { return 0.5 })
	}
	if !p.Retry.IsZero() {
		t.Errorf("the try is at %s, want none before the slot", p.Retry)
	}
	p.Begin(noon)
	p.Succeed(noon, 24*time.Hour)
	if want := noon.Add(3 * time.Hour); !p.Hold.Equal(want) || p.Backoff.Failures() != 0 {
		t.Errorf("after a success: %+v, want a hold until %s", p, want)
	}
	p.Shift(-24 * time.Hour)
	if want := noon.Add(-24 * time.Hour); !p.Last.Equal(want) || !p.Retry.IsZero() {
		t.Errorf("after a shift: %+v", p)
	}
}

func TestAll(t *testing.T) {
	cfg := config.Default()
	cfg.Daemon.OwnHosts = []string{"own.example.com"}
	cfg.Daemon.Agents = map[string]config.Agent{"https://b.example.com": {Schedule: "@every 60s", MaxInterval: time.Hour}}
	var keys []lockset.Key
	for i := range 1200 {
		keys = append(keys, lockset.Key{URL: fmt.Sprintf("https://many.example.com/%d", i)}, lockset.Key{URL: fmt.Sprintf("https://own.example.com/%d", i)})
	}
	b := lockset.Key{URL: "https://b.example.com/card.json"}
	rules, crowded, err := All(cfg, []byte("salt"), append(keys, b))
	if err != nil || len(crowded) != 1 || crowded["many.example.com"] != 1200 {
		t.Fatalf("crowded = %v, %v", crowded, err)
	}
	if keys := rules[keys[0]].Plan.Spec; keys != rules[lockset.Key{URL: "https://own.example.com/7"}].Plan.Spec {
		t.Error("one schedule was parsed twice")
	}
	var wide, usual time.Duration
	for _, key := range keys {
		if key.Host() == "many.example.com" {
			wide = max(wide, rules[key].Plan.Phase)
		} else {
			usual = max(usual, rules[key].Plan.Phase)
		}
	}
	if usual > time.Hour || wide < 3*time.Hour || wide > 4*time.Hour {
		t.Errorf("phases of up to %s, and %s on the crowded host, want an hour and four", usual, wide)
	}
	if got := rules[b]; got.Interval(noon) != time.Hour || !got.Same(got) || got.Same(rules[keys[0]]) {
		t.Errorf("the rules of %s = %+v", b.URL, got)
	}
	cfg.Daemon.Schedule = "never"
	if _, _, err := All(cfg, nil, keys); err == nil {
		t.Error("a schedule that is none was taken")
	}
	if p := Params(&config.Default().Daemon, 24*time.Hour); *p != *verdict.DefaultParams() {
		t.Errorf("Params = %+v, want the defaults", p)
	}
	p := Params(&config.Daemon{
		FailureThreshold: 1, FailureMinTime: 2, ConfirmAfter: 3, RecoverThreshold: 4, MinStable: 5, StaleHold: 6, RolloutGrace: 7,
		MaxStaleness: 8, RuntimeEvidenceTTL: 9, Review: "deny-named", OnUnknown: "deny",
	}, 10)
	want := verdict.Params{
		FailureThreshold: 1, FailureMinTime: 2, ConfirmAfter: 3, RecoverThreshold: 4, MinStable: 5, StaleHold: 6, RolloutGrace: 7,
		MaxStaleness: 8, RuntimeEvidenceTTL: 9, Review: "deny-named", OnUnknown: "deny", Interval: 10, Damping: verdict.DefaultParams().Damping,
	}
	if *p != want {
		t.Errorf("Params = %+v, want %+v", *p, want)
	}
}

func TestUnsent(t *testing.T) {
	p := Pace{Rules: hourly(t), Asked: true, Plain: true, Last: noon.Add(-time.Hour), Floor: noon.Add(-time.Minute)}
	p.Begin(noon)
	p.Shift(time.Minute)
	p.Unsent(noon.Add(time.Minute))
	if !p.Asked || !p.Plain || !p.Last.Equal(noon.Add(-59*time.Minute)) || !p.Floor.Equal(noon) || !p.Retry.Equal(noon.Add(time.Minute)) {
		t.Errorf("after a request that never went out: %+v", p)
	}
}
