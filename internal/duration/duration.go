// Package duration reads durations as people write them in a2alock.yaml and in
// locks: Go's, and whole days.
package duration

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Parse reads a duration as [time.ParseDuration] does, with one more
// unit, d, of 24 hours: "90d", "1d12h", "-1.5d".
func Parse(s string) (time.Duration, error) {
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
