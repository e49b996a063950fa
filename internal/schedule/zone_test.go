package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// walk gives the slots in (after, until] by Next.
func walk(s *Spec, after, until time.Time) []time.Time {
	var list []time.Time
	for t := s.Next(after); !t.After(until); t = s.Next(t) {
		list = append(list, t)
	}
	return list
}

func TestClocksMoved(t *testing.T) {
	for _, tt := range []struct {
		spec, zone, day string
		count           int      // of slots on that local day
		want            []string // all of them; nil: only counted
	}{
		// Spring: 02:00 to 03:00.
		{"30 2 * * *", "Europe/Berlin", "2026-03-29", 1, []string{"03:00 CEST"}},
		{"0,30 2 * * *", "Europe/Berlin", "2026-03-29", 1, []string{"03:00 CEST"}},
		{"30 2,3 * * *", "Europe/Berlin", "2026-03-29", 2, []string{"03:00 CEST", "03:30 CEST"}},
		{"0 2,3 * * *", "Europe/Berlin", "2026-03-29", 1, []string{"03:00 CEST"}},
		{"0 */2 * * *", "Europe/Berlin", "2026-03-29", 12, nil},
		{"30 */2 * * *", "Europe/Berlin", "2026-03-29", 12, nil},
		{"@hourly", "Europe/Berlin", "2026-03-29", 23, nil},
		{"30 * * * *", "Europe/Berlin", "2026-03-29", 23, nil},
		{"30 0-23 * * *", "Europe/Berlin", "2026-03-29", 23, nil},
		{"*/15 * * * *", "Europe/Berlin", "2026-03-29", 92, nil},
		{"* * * * *", "Europe/Berlin", "2026-03-29", 23 * 60, nil},
		{"@daily", "Europe/Berlin", "2026-03-29", 1, []string{"00:00 CET"}},
		{"30 2 * * *", "America/New_York", "2026-03-08", 1, []string{"03:00 EDT"}},
		{"@hourly", "America/New_York", "2026-03-08", 23, nil},
		{"*/15 * * * *", "America/New_York", "2026-03-08", 92, nil},
		// Autumn: 03:00 to 02:00.
		{"30 2 * * *", "Europe/Berlin", "2026-10-25", 1, []string{"02:30 CEST"}},
		{"*/30 2 * * *", "Europe/Berlin", "2026-10-25", 2, []string{"02:00 CEST", "02:30 CEST"}},
		{"0 2,3 * * *", "Europe/Berlin", "2026-10-25", 2, []string{"02:00 CEST", "03:00 CET"}},
		{"@hourly", "Europe/Berlin", "2026-10-25", 25, nil},
		{"30 * * * *", "Europe/Berlin", "2026-10-25", 25, nil},
		{"*/15 * * * *", "Europe/Berlin", "2026-10-25", 100, nil},
		{"@daily", "Europe/Berlin", "2026-10-25", 1, []string{"00:00 CEST"}},
		{"30 1 * * *", "America/New_York", "2026-11-01", 1, []string{"01:30 EDT"}},
		{"@hourly", "America/New_York", "2026-11-01", 25, nil},
		{"*/15 * * * *", "America/New_York", "2026-11-01", 100, nil},
		// Half an hour: 02:00 to 02:30 in spring. An hour of real time passes
		// from 01:00 to 02:30, where 02:00 would have been; so 24 in 23.5 hours.
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-04", 1, []string{"02:30 +11"}},
		{"0 2 * * *", "Australia/Lord_Howe", "2026-10-04", 1, []string{"02:30 +11"}},
		{"@daily", "Australia/Lord_Howe", "2026-10-04", 1, []string{"00:00 +1030"}},
		{"@hourly", "Australia/Lord_Howe", "2026-10-04", 24, nil},
		{"*/15 * * * *", "Australia/Lord_Howe", "2026-10-04", 94, nil},
		// 02:00 to 01:30 in autumn: 24.5 hours.
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-05", 1, []string{"01:45 +11"}},
		{"@daily", "Australia/Lord_Howe", "2026-04-05", 1, []string{"00:00 +11"}},
		{"@hourly", "Australia/Lord_Howe", "2026-04-05", 24, nil},
		{"45 * * * *", "Australia/Lord_Howe", "2026-04-05", 25, nil},
		{"*/15 * * * *", "Australia/Lord_Howe", "2026-04-05", 98, nil},
		// Midnight itself: 00:00 to 01:00, and 00:00 back to 23:00.
		{"@daily", "America/Sao_Paulo", "2018-11-04", 1, []string{"01:00 -02"}},
		{"30 0 * * *", "America/Sao_Paulo", "2018-11-04", 1, []string{"01:00 -02"}},
		{"@hourly", "America/Sao_Paulo", "2018-11-04", 23, nil},
		{"@daily", "America/Sao_Paulo", "2018-02-17", 1, []string{"00:00 -02"}},
		{"30 23 * * *", "America/Sao_Paulo", "2018-02-17", 1, []string{"23:30 -02"}},
		{"@hourly", "America/Sao_Paulo", "2018-02-17", 25, nil},
		{"0 0 31 * *", "Europe/Berlin", "2026-03-31", 1, []string{"00:00 CEST"}},
		{"0 0 31 * *", "Europe/Berlin", "2026-04-30", 0, nil},
	} {
		s := mustParse(t, tt.spec, tt.zone)
		from, err := time.ParseInLocation(time.DateOnly, tt.day, s.Zone())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, slot := range walk(s, from.Add(-3*time.Hour), from.Add(30*time.Hour)) {
			if slot.Format(time.DateOnly) == tt.day {
				got = append(got, slot.Format("15:04 MST"))
			}
		}
		if len(got) != tt.count || tt.want != nil && !slices.Equal(got, tt.want) {
			t.Errorf("%s in %s on %s: %d slots, %v, want %d, %v", tt.spec, tt.zone, tt.day, len(got), got, tt.count, tt.want)
		}
	}
}

func TestEachDayOnce(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo"} {
		for _, clock := range []string{"0 0", "30 0", "45 1", "0 2", "30 2", "0 3", "30 23"} {
			s := mustParse(t, clock+" * * *", zone)
			from := time.Date(2016, 1, 1, 0, 0, 0, 0, s.Zone()).Add(-time.Second)
			until := time.Date(2027, 1, 1, 0, 0, 0, 0, s.Zone()).Add(-time.Second)
			seen := map[string]int{}
			for _, slot := range walk(s, from, until) {
				seen[slot.Format(time.DateOnly)]++
			}
			for d := from.Add(13 * time.Hour); d.Before(until); d = d.AddDate(0, 0, 1) {
				if n := seen[d.Format(time.DateOnly)]; n != 1 {
					t.Errorf("%s in %s: %d slots on %s, want 1", s, zone, n, d.Format(time.DateOnly))
				}
			}
		}
	}
}

// A model knows a stretch of time by looking at each of its minutes.
type model struct {
	zone  *time.Location
	from  time.Time
	local map[time.Time][]time.Time // the instants of a local minute, that being told as if in UTC
}

// stretch is long enough for a day that is left out of it.
const stretch = 6 * 24 * 60

func newModel(zone *time.Location, from time.Time) *model {
	m := &model{zone, from, map[time.Time][]time.Time{}}
	for i := range stretch {
		at := from.Add(time.Duration(i) * time.Minute)
		m.local[m.wall(at)] = append(m.local[m.wall(at)], at)
	}
	return m
}

func (m *model) wall(at time.Time) time.Time {
	_, offset := at.In(m.zone).Zone()
	return at.Add(time.Duration(offset) * time.Second).UTC()
}

// slots are those of s well inside the stretch, by the package comment.
func (m *model) slots(s *Spec) []time.Time {
	set := map[int64]bool{}
	wall := m.wall(m.from)
	gap := 0 // minutes into it
	var end time.Time
	for range stretch - 26*60 {
		at := m.local[wall]
		if at == nil {
			if gap == 0 {
				end = m.after(wall)
			}
			gap++
		} else {
			gap = 0
		}
		switch c := s.calendar; {
		case !matches(c, wall):
		case at == nil && c.real:
			set[end.Add(time.Duration(gap-1)*time.Minute).Unix()] = true
		case at == nil:
			set[end.Unix()] = true
		default:
			set[at[0].Unix()] = true
			if len(at) > 1 && c.real {
				set[at[1].Unix()] = true
			}
		}
		wall = wall.Add(time.Minute)
	}
	var list []time.Time
	for unix := range set {
		list = append(list, time.Unix(unix, 0))
	}
	slices.SortFunc(list, time.Time.Compare)
	return list
}

// after is the first instant whose local time is after one that is left out.
func (m *model) after(wall time.Time) time.Time {
	for m.local[wall] == nil {
		wall = wall.Add(time.Minute)
	}
	return m.local[wall][0]
}

func matches(c calendar, wall time.Time) bool {
	dom, dow := c.dom>>wall.Day()&1 != 0, c.dow>>int(wall.Weekday())&1 != 0
	day := dom || dow
	if c.dom>>63 != 0 || c.dow>>63 != 0 {
		day = dom && dow
	}
	return day && c.minute>>wall.Minute()&1 != 0 && c.hour>>wall.Hour()&1 != 0 && c.month>>int(wall.Month())&1 != 0
}

// moves are moments shortly before clocks were moved.
var moves = []struct{ zone, before string }{
	{"Europe/Berlin", "2026-03-28T00:00:00Z"},
	{"Europe/Berlin", "2026-10-24T00:00:00Z"},
	{"America/New_York", "2026-03-07T00:00:00Z"},
	{"America/New_York", "2037-10-31T00:00:00Z"},
	{"America/New_York", "2050-11-05T00:00:00Z"},
	{"Australia/Lord_Howe", "2026-10-02T12:00:00Z"},
	{"Australia/Lord_Howe", "2026-04-03T12:00:00Z"},
	{"America/Sao_Paulo", "2018-11-03T00:00:00Z"},
	{"America/Sao_Paulo", "2018-02-16T00:00:00Z"},
	{"Pacific/Apia", "2011-12-29T00:00:00Z"}, // a day left out
	{"Antarctica/Troll", "2026-03-28T00:00:00Z"},
	{"Europe/Dublin", "2026-10-24T00:00:00Z"},
	{"Africa/Casablanca", "2026-02-14T00:00:00Z"},
	{"Africa/Casablanca", "2026-03-21T00:00:00Z"},
	{"Asia/Kathmandu", "2026-03-21T00:00:00Z"},
	{"UTC", "1969-12-30T00:00:00Z"},
}

func drawSpec(t *rapid.T) string {
	item := func(least, most int, label string) string {
		low := rapid.IntRange(least, most).Draw(t, label)
		return rapid.OneOf(
			rapid.Just("*"),
			rapid.Just(fmt.Sprint(low)),
			rapid.Just(fmt.Sprint(low)),
			rapid.Map(rapid.IntRange(low, most), func(high int) string { return fmt.Sprintf("%d-%d", low, high) }),
			rapid.Map(rapid.IntRange(1, most), func(step int) string { return fmt.Sprintf("*/%d", step) }),
			rapid.Map(rapid.IntRange(1, most), func(step int) string { return fmt.Sprintf("%d/%d", low, step) }),
			rapid.Map(rapid.IntRange(least, most), func(other int) string { return fmt.Sprintf("%d,%d", low, other) }),
		).Draw(t, label)
	}
	days := "* * *"
	if rapid.IntRange(0, 2).Draw(t, "days") == 0 {
		days = item(1, 28, "dom") + " " + item(1, 12, "month") + " " + item(0, 7, "dow")
	}
	return item(0, 59, "minute") + " " + item(0, 23, "hour") + " " + days
}

func TestSlotsAgreeWithTheModel(t *testing.T) {
	models := make([]*model, len(moves))
	for i, m := range moves {
		zone, err := time.LoadLocation(m.zone)
		if err != nil {
			t.Fatal(err)
		}
		from, err := time.Parse(time.RFC3339, m.before)
		if err != nil {
			t.Fatal(err)
		}
		models[i] = newModel(zone, from)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := models[rapid.IntRange(0, len(models)-1).Draw(t, "stretch")]
		s, err := Parse(drawSpec(t), m.zone.String())
		if err != nil {
			t.Fatal(err)
		}
		// What lies before the stretch does not show in it, nor what comes after.
		from, until := m.from, m.from.Add(75*time.Hour)
		inside := func(at time.Time) bool { return at.After(from) && !at.After(until) }
		want := slices.DeleteFunc(m.slots(s), func(at time.Time) bool { return !inside(at) })
		got := walk(s, from, until)
		if !slices.EqualFunc(got, want, time.Time.Equal) {
			t.Fatalf("%s in %s: slots that differ: %v, want %v", s, m.zone, less(got, want), less(want, got))
		}
		if n := s.Count(from, until); n != len(want) {
			t.Fatalf("%s in %s: Count = %d, want %d", s, m.zone, n, len(want))
		}
	})
}

// less is what is in a and not in b.
func less(a, b []time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(a), func(at time.Time) bool { return slices.ContainsFunc(b, at.Equal) })
}

func TestLatestAndCountAgreeWithNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawSpec(t)
		if rapid.IntRange(0, 4).Draw(t, "every") == 0 {
			text = fmt.Sprintf("@every %ds", rapid.IntRange(60, 200_000).Draw(t, "seconds"))
		}
		move := rapid.SampledFrom(moves).Draw(t, "move")
		s, err := Parse(text, move.zone)
		if err != nil {
			t.Fatal(err)
		}
		start, err := time.Parse(time.RFC3339, move.before)
		if err != nil {
			t.Fatal(err)
		}
		after := start.Add(time.Duration(rapid.Int64Range(0, int64(80*time.Hour)).Draw(t, "after")))
		until := after.Add(time.Duration(rapid.Int64Range(0, int64(80*time.Hour)).Draw(t, "for")))
		slots := walk(s, after, until)
		var last time.Time
		if len(slots) > 0 {
			last = slots[len(slots)-1]
		}
		if got := s.Latest(after, until); !got.Equal(last) {
			t.Fatalf("%s in %s: Latest(%s, %s) = %s, want %s", s, move.zone, after, until, got, last)
		}
		if got := s.Count(after, until); got != len(slots) {
			t.Fatalf("%s in %s: Count(%s, %s) = %d, want %d", s, move.zone, after, until, got, len(slots))
		}
		for i, slot := range slots[min(1, len(slots)):] {
			if got := s.Prev(slot.Add(-time.Second)); !got.Equal(slots[i]) {
				t.Fatalf("%s in %s: Prev before %s = %s, want %s", s, move.zone, slot, got, slots[i])
			}
		}
	})
}

func TestCountIsBounded(t *testing.T) {
	never := time.Time{}
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	if got, want := mustParse(t, "* * * * *", "Europe/Berlin").Count(never, now), 9*366*24*60; got != want {
		t.Errorf("Count since year 1 = %d, want the %d of nine years", got, want)
	}
	if got := mustParse(t, "@every 1s", "").Count(now, now); got != 0 {
		t.Errorf("Count of nothing = %d", got)
	}
	if got := mustParse(t, "@hourly", "").Count(now, never); got != 0 {
		t.Errorf("Count backwards = %d", got)
	}
}

func TestEveryIsAnchored(t *testing.T) {
	s := mustParse(t, "@every 7m", "Asia/Tokyo")
	a := s.Next(time.Date(2026, 11, 30, 12, 0, 0, 1, time.UTC))
	b := s.Next(time.Date(2026, 11, 30, 12, 0, 17, 0, time.UTC))
	if !a.Equal(b) || a.Unix()%420 != 0 {
		t.Errorf("slots of two starts are %s and %s, want one, a multiple of 7m since the epoch", a, b)
	}
	if got, want := s.Next(a), a.Add(7*time.Minute); !got.Equal(want) {
		t.Errorf("Next(%s) = %s, want %s", a, got, want)
	}
	if got, want := s.Next(time.Unix(-1, 0)), time.Unix(0, 0); !got.Equal(want) {
		t.Errorf("Next before the epoch = %s, want %s", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, spec := range []string{
		"@daily", "@every 90s", "*/15 * * * *", "30 2 * * 5-7", "0 0 29 2 *", "TZ=0", "CRON_TZ=UTC",
		"0 0 30 2 *", "@every 1500ms", "7/8 1-2,*/3 1 jan sun", "? ? ? ? ?", "@", "", "0 0 * * 6-7/1",
	} {
		f.Add(spec, "Europe/Berlin", int64(1774745999))
		f.Add(spec, "", int64(-1))
		f.Add(spec, "Australia/Lord_Howe", int64(1775314800))
	}
	f.Fuzz(func(t *testing.T, spec, zone string, unix int64) {
		s, err := Parse(spec, zone)
		if err != nil {
			if s != nil {
				t.Fatalf("Parse(%q, %q) = %v and %v", spec, zone, s, err)
			}
			return
		}
		const years = 3000 * 366 * day
		at := time.Unix(unix%years, 0)
		for range 20 {
			next := s.Next(at)
			if !next.After(at) {
				t.Fatalf("Parse(%q, %q).Next(%s) = %s", spec, zone, at, next)
			}
			if prev := s.Prev(next.Add(-time.Second)); prev.After(at) {
				t.Fatalf("Parse(%q, %q): %s lies between %s and Next, %s", spec, zone, prev, at, next)
			}
			if last := s.Prev(next); !last.Equal(next) {
				t.Fatalf("Parse(%q, %q).Prev(%s) = %s", spec, zone, next, last)
			}
			if n := s.Count(at, next); n != 1 {
				t.Fatalf("Parse(%q, %q).Count(%s, %s) = %d, want 1", spec, zone, at, next, n)
			}
			at = next
		}
		if s.Window(0) <= 0 || s.Period(at) < time.Second {
			t.Fatalf("Parse(%q, %q): Window %s, Period %s", spec, zone, s.Window(0), s.Period(at))
		}
	})
}
