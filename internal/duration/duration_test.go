package duration

import (
	"math"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{
		"90d": 90 * day, "1d12h": 36 * time.Hour, "12h1d": 36 * time.Hour, "1.5d": 36 * time.Hour,
		"-1d": -day, "+2d": 2 * day, "0": 0, "0d": 0, "-0": 0,
		"10s": 10 * time.Second, "1h2m3.5s": time.Hour + 2*time.Minute + 3500*time.Millisecond,
		"1µs": time.Microsecond, "100ns": 100, ".5h": 30 * time.Minute, "106751d": 106751 * day,
	} {
		if got, err := Parse(s); got != want || err != nil {
			t.Errorf("Parse(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "d", "1", "1w", "1 d", " 1d", "1d ", "--1d", "-", "+", "1dd", "1.2.3d", "d1", "1d1",
		"106752d", "2562047h106751d", "1e3d", "１d", "off", "1D",
	} {
		if got, err := Parse(s); err == nil {
			t.Errorf("Parse(%q) = %v, want an error", s, got)
		}
	}
}

// Without a d, Parse is time.ParseDuration.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"1h", "-1.5m", "1us", "1x", "9223372036854775807ns", "-9223372036854775808ns"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Parse(s)
		want, wantErr := time.ParseDuration(s)
		if wantErr == nil && want != math.MinInt64 && (got != want || err != nil) {
			t.Errorf("Parse(%q) = %v, %v; want %v", s, got, err, want)
		}
	})
}
