package config

import (
	"math"
	"strconv"
	"strings"
)

// parseSize reads a number of bytes, plain or in KiB, MiB or GiB: "65536",
// "512KiB", "1 MiB".
func parseSize(s string) (bytes int64, ok bool) {
	number, shift := s, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			number, shift = strings.TrimSuffix(n, " "), 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(number, 10, 63)
	return int64(n) << shift, err == nil && n <= math.MaxInt64>>shift
}
