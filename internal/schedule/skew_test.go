package schedule

import (
	"fmt"
	"testing"
	"time"
)

func TestSkew(t *testing.T) {
	type said struct {
		host  string
		ahead time.Duration
	}
	for _, tt := range []struct {
		name string
		said []said
		want time.Duration
	}{
		{"nobody", nil, 0},
		{"two", []said{{"a", time.Hour}, {"b", time.Hour}}, 0},
		{"three", []said{{"a", time.Hour}, {"b", 2 * time.Hour}, {"c", time.Hour}}, time.Hour},
		{"behind", []said{{"a", -time.Hour}, {"b", -time.Hour}, {"c", -time.Hour}}, -time.Hour},
		{"five minutes", []said{{"a", 5 * time.Minute}, {"b", 5 * time.Minute}, {"c", 5 * time.Minute}}, 0},
		{"one, often", []said{{"a", time.Hour}, {"a", time.Hour}, {"a", time.Hour}}, 0},
		{"half", []said{{"a", time.Hour}, {"b", time.Hour}, {"c", time.Hour}, {"d", 0}, {"e", 0}, {"f", 0}}, 0},
		{"it was set right", []said{{"a", time.Hour}, {"b", time.Hour}, {"c", time.Hour}, {"a", 0}, {"b", 0}}, 0},
	} {
		var s Skew
		changes := 0
		for _, x := range tt.said {
			if s.Observe(x.host, noon.Add(x.ahead), noon) {
				changes++
			}
		}
		if got := s.Ahead(); got != tt.want {
			t.Errorf("%s: Ahead = %s, want %s", tt.name, got, tt.want)
		}
		if changes%2 == 1 != (tt.want != 0) {
			t.Errorf("%s: %d changes were reported", tt.name, changes)
		}
	}
	var s Skew
	for i := range 1000 {
		s.Observe(fmt.Sprint(i), noon.Add(time.Hour), noon)
	}
	if len(s.heard) != skewMost {
		t.Errorf("%d hosts are remembered", len(s.heard))
	}
	if s.Forget(); s.Ahead() != 0 {
		t.Error("it does not forget")
	}
}
