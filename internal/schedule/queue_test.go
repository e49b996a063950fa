package schedule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestQueueIsAMapInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		want := map[string]time.Time{}
		first := func() string { // "" when empty
			return slices.MinFunc(append(slices.Collect(maps.Keys(want)), ""), func(a, b string) int {
				if a == "" || b == "" {
					return -cmp.Compare(a, b) // any id comes before none
				}
				return cmp.Or(want[a].Compare(want[b]), cmp.Compare(a, b))
			})
		}
		id := rapid.Map(rapid.IntRange(0, 20), func(n int) string { return fmt.Sprint("agent-", n) })
		due := rapid.Map(rapid.IntRange(0, 10), func(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) })
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				id, due := id.Draw(t, "id"), due.Draw(t, "due")
				q.Push(id, due)
				want[id] = due
			},
			"remove": func(t *rapid.T) {
				id := id.Draw(t, "id")
				_, there := want[id]
				if got := q.Remove(id); got != there {
					t.Fatalf("Remove(%s) = %v, want %v", id, got, there)
				}
				delete(want, id)
			},
			"pop": func(t *rapid.T) {
				now := due.Draw(t, "now")
				id := first()
				ready := id != "" && !want[id].After(now)
				got, due, ok := q.Pop(now)
				if ok != ready || ok && (got != id || !due.Equal(want[id])) {
					t.Fatalf("Pop = %s, %v, %v, want %s, %v", got, due, ok, id, ready)
				}
				if ok {
					delete(want, id)
				}
			},
			"": func(t *rapid.T) {
				id, due, ok := q.Peek()
				if q.Len() != len(want) || ok != (len(want) > 0) || id != first() || !due.Equal(want[id]) {
					t.Fatalf("%d wait, Peek = %s, %v, want %d, %s", q.Len(), id, due, len(want), first())
				}
			},
		})
	})
}

func TestJitter(t *testing.T) {
	salt := []byte("salt")
	s := mustParse(t, "@daily", "Europe/Berlin")
	window := s.Window(0)
	phase := Phase("https://pricing.example/card", salt, window)
	if phase < 0 || phase >= window || phase != Phase("https://pricing.example/card", salt, window) {
		t.Errorf("Phase = %s, want the same in [0, %s)", phase, window)
	}
	if phase == Phase("https://pricing.example/card", []byte("other"), window) || phase == Phase("https://fares.example/card", salt, window) {
		t.Error("Phase is the same for another salt, or another agent")
	}
	for _, none := range []time.Duration{0, -time.Hour} {
		if got := Phase("a", salt, none); got != 0 {
			t.Errorf("Phase in a window of %s = %s, want 0", none, got)
		}
	}

	j := s.Jittered(20 * time.Minute)
	midnight := time.Date(2026, 12, 1, 0, 0, 0, 0, s.Zone())
	before := midnight.Add(19 * time.Minute)
	if got := j.Next(before); !got.At.Equal(midnight) || !got.Due.Equal(midnight.Add(20*time.Minute)) {
		t.Errorf("Next(%s) = %v, want the slot of that midnight, due 20m later", before, got)
	}
	if got := j.Latest(midnight.AddDate(0, 0, -1), before); !got.IsZero() {
		t.Errorf("Latest before a slot is due = %v, want none", got)
	}
	if got := j.Latest(midnight.AddDate(0, 0, -3), before.Add(time.Minute)); !got.At.Equal(midnight) {
		t.Errorf("Latest when it is due = %v, want that of %s", got, midnight)
	}
	if got := j.Count(midnight.AddDate(0, 0, -3), before); got != 2 {
		t.Errorf("Count = %d, want 2", got)
	}
}

func TestPhasesAreEven(t *testing.T) {
	var bins [60]int
	for i := range 10_000 {
		bins[Phase(fmt.Sprint("agent-", i), []byte("salt"), time.Minute)/time.Second]++
	}
	for second, n := range bins {
		if n < 110 || n > 225 { // 167 ± 30 %, and some
			t.Errorf("%d of 10,000 phases are in second %d, want about 167", n, second)
		}
	}
}

func TestAfterRunsNoSlotTwice(t *testing.T) {
	j := mustParse(t, "@daily", "UTC").Jittered(time.Hour)
	day := func(n int) time.Time { return time.Date(2026, 12, n, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		name            string
		last, now, want time.Time
	}{
		{"as usual", day(1), day(1).Add(2 * time.Hour), day(2)},
		{"never run", time.Time{}, day(1).Add(2 * time.Hour), day(2)},
		{"set back a day", day(2), day(1).Add(2 * time.Hour), day(3)},
		{"set back before the run", day(2), day(2).Add(30 * time.Minute), day(3)},
		{"a clock that was years ahead", day(1).AddDate(10, 0, 0), day(1).Add(2 * time.Hour), day(2)},
	} {
		if got := j.After(tt.last, tt.now); !got.At.Equal(tt.want) || !got.Due.Equal(tt.want.Add(time.Hour)) {
			t.Errorf("%s: After(%s, %s) = %v, want %s", tt.name, tt.last, tt.now, got, tt.want)
		}
	}
}

// The figure to reach is a second for all agents.
func BenchmarkPush10000(b *testing.B) {
	s := mustParse(b, "@daily", "Europe/Berlin")
	ids := make([]string, 10_000)
	for i := range ids {
		ids[i] = fmt.Sprintf("https://host-%d.example/agents/%d", i%64, i)
	}
	b.ReportAllocs()
	for b.Loop() {
		var q Queue
		for _, id := range ids {
			q.Push(id, s.Jittered(Phase(id, []byte("salt"), time.Hour)).Next(noon).Due)
		}
	}
}

func BenchmarkPop10000(b *testing.B) {
	for b.Loop() {
		var q Queue
		for i := range 10_000 {
			q.Push(fmt.Sprint(i), noon.Add(time.Duration(i*7919%10_000)*time.Millisecond))
		}
		for q.Len() > 0 {
			q.Pop(noon.Add(time.Hour))
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		mustParse(b, "*/15 9-17 * * mon-fri", "Europe/Berlin")
	}
}

func BenchmarkNext(b *testing.B) {
	for _, spec := range []string{"@daily", "*/15 9-17 * * mon-fri", "0 0 29 2 *", "@every 60s"} {
		b.Run(spec, func(b *testing.B) {
			s := mustParse(b, spec, "Europe/Berlin")
			for b.Loop() {
				s.Next(noon)
			}
		})
	}
}
