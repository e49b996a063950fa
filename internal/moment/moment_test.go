package moment

import (
	"testing"
	"time"
)

func TestOrder(t *testing.T) {
	none, noon := time.Time{}, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ a, b, earlier, later time.Time }{
		{none, none, none, none},
		{none, noon, noon, noon},
		{noon, noon, noon, noon},
		{noon, noon.Add(1), noon, noon.Add(1)},
	} {
		for range 2 {
			if got := Earlier(tt.a, tt.b); !got.Equal(tt.earlier) {
				t.Errorf("Earlier(%s, %s) = %s, want %s", tt.a, tt.b, got, tt.earlier)
			}
			if got := Later(tt.a, tt.b); !got.Equal(tt.later) {
				t.Errorf("Later(%s, %s) = %s, want %s", tt.a, tt.b, got, tt.later)
			}
			tt.a, tt.b = tt.b, tt.a
		}
	}
}
