package evidence

import (
	"slices"
	"testing"
	"time"
)

func TestOutAndStanding(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	reports := []Report{
		{Operation: Streaming, At: now, ProfileDigest: "p"},
		{Operation: Input, Value: "text/plain", Skill: "quote", At: now},
		{Operation: Push, At: now.Add(-time.Hour)}, // over
		{Error: "TaskNotFoundError", At: now},
		{Operation: Streaming, At: now, ProfileDigest: "q"},
	}
	for skill, want := range map[string][]string{
		"":      {"input:text/plain", "streaming"},
		"quote": {"input:text/plain", "streaming"},
		"price": {"streaming"},
	} {
		if got := Out(reports, now, time.Hour, skill); !slices.Equal(got, want) {
			t.Errorf("Out for %q = %q, want %q", skill, got, want)
		}
	}
	for digest, want := range map[string]int{"": 3, "p": 2, "x": 1} {
		if got := Standing(reports, now, time.Hour, digest); len(got) != want {
			t.Errorf("Standing under %q = %+v, want %d", digest, got, want)
		}
	}
}
