package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a duration as [time.ParseDuration] does, with one more
// unit, d, of 24 hours: "90d", "1d12h", "-1.5d".
func ParseDuration(s string) (time.Duration, error) {
	rest, negative := strings.CutPrefix(s, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	if rest == "0" {
		return 0, nil
	}
	var sum time.Duration
	for first := true; first || rest != ""; first = false {
		number := strings.IndexFunc(rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		if number <= 0 {
			return 0, fmt.Errorf("%q: want a duration such as 90d, 36h or 10s", s)
		}
		end := len(rest)
		if n := strings.IndexFunc(rest[number:], func(r rune) bool { return r == '.' || '0' <= r && r <= '9' }); n >= 0 {
			end = number + n
		}
		part, err := parsePart(rest[:number], rest[number:end])
		if err != nil || sum > math.MaxInt64-part {
			return 0, fmt.Errorf("%q: want a duration such as 90d, 36h or 10s", s)
		}
		sum, rest = sum+part, rest[end:]
	}
	if negative {
		sum = -sum
	}
	return sum, nil
}

func parsePart(number, unit string) (time.Duration, error) {
	if unit != "d" {
		return time.ParseDuration(number + unit)
	}
	hours, err := time.ParseDuration(number + "h")
	if err != nil || hours > math.MaxInt64/24 {
		return 0, fmt.Errorf("%qd: no duration", number)
	}
	return hours * 24, nil
}

// ParseSize reads a number of bytes, plain or in KiB, MiB or GiB: "65536",
// "512KiB", "1 MiB".
func ParseSize(s string) (int64, error) {
	number, shift := s, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			number, shift = strings.TrimSuffix(n, " "), 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(number, 10, 63)
	if err != nil || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q: want a size such as 1MiB, 512KiB or 65536", s)
	}
	return int64(n) << shift, nil
}
