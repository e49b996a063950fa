package config

import (
	"math"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{
		"90d": 90 * day, "1d12h": 36 * time.Hour, "12h1d": 36 * time.Hour, "1.5d": 36 * time.Hour,
		"-1d": -day, "+2d": 2 * day, "0": 0, "0d": 0, "-0": 0,
		"10s": 10 * time.Second, "1h2m3.5s": time.Hour + 2*time.Minute + 3500*time.Millisecond,
		"1µs": time.Microsecond, "100ns": 100, ".5h": 30 * time.Minute, "106751d": 106751 * day,
	} {
		if got, err := ParseDuration(s); got != want || err != nil {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", "d", "1", "1w", "1 d", " 1d", "1d ", "--1d", "-", "+", "1dd", "1.2.3d", "d1", "1d1",
		"106752d", "2562047h106751d", "1e3d", "１d", "off", "1D",
	} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", s, got)
		}
	}
}

// Without a d, ParseDuration is time.ParseDuration.
func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"1h", "-1.5m", "1us", "1x", "9223372036854775807ns", "-9223372036854775808ns"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseDuration(s)
		want, wantErr := time.ParseDuration(s)
		if wantErr == nil && want != math.MinInt64 && (got != want || err != nil) {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", s, got, err, want)
		}
	})
}

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "65536": 65536, "512KiB": 512 << 10, "1MiB": 1 << 20, "1 MiB": 1 << 20, "2GiB": 2 << 30,
		"9223372036854775807": math.MaxInt64, "8589934591GiB": 8589934591 << 30,
	} {
		if got, err := ParseSize(s); got != want || err != nil {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "MiB", "1MB", "1M", "1mib", "-1", "+1", "1.5MiB", "1  MiB", "0x10", "9223372036854775808", "8589934592GiB", "1KiBKiB"} {
		if got, err := ParseSize(s); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", s, got)
		}
	}
}
