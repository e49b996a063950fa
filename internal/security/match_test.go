package security

import (
	"fmt"
	"testing"
	"time"

	"github.com/a2alock/a2alock/compile"
)

// Thousands of alternatives, none of which is left, take no time.
func TestMatchMany(t *testing.T) {
	side := func(name string) (list []compile.Alternative) {
		for i := range 1500 {
			n := fmt.Sprint(name, i)
			list = append(list, compile.Alternative{Schemes: map[string]compile.SchemeUse{n: {Scheme: compile.Scheme{Kind: "apiKey", In: "header", Name: n}}}})
		}
		return list
	}
	was, now := side("was"), side("now")
	now[1499] = was[700]
	start := time.Now()
	m := match(was, now, 0, func(string, compile.SchemeUse) bool { return false })
	if took := time.Since(start); m.to[700] != 1499 || m.to[0] != -1 || took > time.Minute {
		t.Errorf("match of many: %d and %d after %v, want 1499 and -1 soon", m.to[700], m.to[0], took)
	}
}
