package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// parseSize reads a number of bytes, plain or in KiB, MiB or GiB: "65536",
// "512KiB", "1 MiB".
func parseSize(s string) (int64, error) {
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
