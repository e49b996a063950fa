package damping

import (
	"testing"
	"time"
)

var (
	now = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	p   = &Params{Suppress: 3000, Reuse: 1000, HalfLife: time.Hour, Max: 6 * time.Hour}
)

func TestPenalty(t *testing.T) {
	x := Penalty{}.Add(1000, now, p)
	for _, tt := range []struct {
		after time.Duration
		want  float64
	}{{0, 1000}, {time.Hour, 500}, {2 * time.Hour, 250}, {-time.Hour, 1000}, {1e6 * time.Hour, 0}} {
		if got := x.Left(now.Add(tt.after), p); got != tt.want {
			t.Errorf("after %s: %g points, want %g", tt.after, got, tt.want)
		}
	}
	if got := x.Add(1000, now.Add(time.Hour), p).Points; got != 1500 {
		t.Errorf("%g points, want 1500", got)
	}
	for range 100 {
		x = x.Add(1000, now, p)
	}
	if x.Points != 64000 {
		t.Errorf("%g points, want what decays in six hours", x.Points)
	}
	if got := x.Left(now, &Params{}); got != 0 {
		t.Errorf("without a half-life: %g points", got)
	}
}

func TestEnds(t *testing.T) {
	for points, want := range map[float64]time.Duration{
		4000:  2*time.Hour + time.Second,
		1000:  time.Second,
		0:     time.Second,
		64000: 3*time.Hour + time.Second, // since lies three hours back
	} {
		x := Penalty{Points: points, At: now}
		end := x.Ends(now.Add(-3*time.Hour), p)
		if got := end.Sub(now); got != want {
			t.Errorf("%g points end after %s, want %s", points, got, want)
		}
		if left := x.Left(end, p); points < 64000 && left > p.Reuse {
			t.Errorf("%g points: %g are left at the end", points, left)
		}
	}
}
