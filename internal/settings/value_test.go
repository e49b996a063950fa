package settings

import (
	"math"
	"testing"
)

func TestSizes(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "65536": 65536, "512KiB": 512 << 10, "1MiB": 1 << 20, "1 MiB": 1 << 20, "2GiB": 2 << 30,
		"9223372036854775807": math.MaxInt64, "8589934591GiB": 8589934591 << 30,
	} {
		if got, ok := parseSize(s); got != want || !ok {
			t.Errorf("parseSize(%q) = %d, %v; want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "MiB", "1MB", "1M", "1mib", "-1", "+1", "1.5MiB", "1  MiB", "0x10", "9223372036854775808", "8589934592GiB", "1KiBKiB"} {
		if got, ok := parseSize(s); ok {
			t.Errorf("parseSize(%q) = %d, want none", s, got)
		}
	}
}
