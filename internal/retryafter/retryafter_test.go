package retryafter

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestOf(t *testing.T) {
	const date = "Fri, 02 Oct 2026 08:30:00 GMT"
	for _, tt := range []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"0", "", 0},
		{"3", "", 3 * time.Second},
		{"86400", "", Longest},
		{"86401", "", Longest},
		{"4294967296", "", Longest},
		{"99999999999999999999999", "", Longest},
		{"-3", "", 0},
		{"+3", "", 0},
		{"3.5", "", 0},
		{" ", "", 0},
		{"soon", "", 0},
		{"Fri, 02 Oct 2026 08:32:00 GMT", date, 2 * time.Minute},
		{"Fri, 02 Oct 2026 08:20:00 GMT", date, 0},
		{"Fri, 02 Oct 2099 08:20:00 GMT", date, Longest},
		{"Sat, 01 Jan 2000 00:01:00 GMT", "", time.Minute}, // by our clock
		{"Sat, 01 Jan 2000 00:01:00 GMT", "today", time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) { // begins with the year 2000
			h := http.Header{}
			h.Set("Retry-After", tt.value)
			h.Set("Date", tt.date)
			if got := Of(h); got != tt.want {
				t.Errorf("Of(%q, Date %q) = %v, want %v", tt.value, tt.date, got, tt.want)
			}
		})
	}
}
