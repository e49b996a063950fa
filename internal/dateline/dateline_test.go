package dateline

import (
	"net/http"
	"testing"
	"time"
)

func TestOf(t *testing.T) {
	at := time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)
	const text = "Fri, 02 Oct 2026 08:30:00 GMT"
	var r Reader
	for _, tt := range []struct {
		date, age string
		want      time.Time
	}{
		{text, "", at},
		{text, "12", at.Add(12 * time.Second)},
		{text, "x", at},
		{text, "", at}, // nobody's age stays
		{"", "12", time.Time{}},
		{"today", "12", time.Time{}},
		{"today", "", time.Time{}},
		{"Fri, 02 Oct 2026 08:30:01 GMT", "", at.Add(time.Second)},
		{"Friday, 02-Oct-26 08:30:00 GMT", "", at},
	} {
		h := http.Header{}
		for name, value := range map[string]string{"Date": tt.date, "Age": tt.age} {
			if value != "" {
				h.Set(name, value)
			}
		}
		if got := r.Of(h); !got.Equal(tt.want) {
			t.Errorf("Of(Date: %q, Age: %q) = %s, want %s", tt.date, tt.age, got, tt.want)
		}
	}
}
