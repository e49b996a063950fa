package schedule

import (
	"strings"
	"testing"
	"time"
)

func mustParse(t testing.TB, spec, zone string) *Spec {
	t.Helper()
	s, err := Parse(spec, zone)
	if err != nil {
		t.Fatalf("Parse(%q, %q): %v", spec, zone, err)
	}
	return s
}

func TestParseMeans(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 30, 5, time.UTC) // a Monday
	for _, tt := range []struct{ spec, want string }{
		{"@hourly", "2026-11-30T13:00:00Z"},
		{"@daily", "2026-12-01T00:00:00Z"},
		{"@midnight", "2026-12-01T00:00:00Z"},
		{"@weekly", "2026-12-06T00:00:00Z"},
		{"@monthly", "2026-12-01T00:00:00Z"},
		{"@yearly", "2027-01-01T00:00:00Z"},
		{"@annually", "2027-01-01T00:00:00Z"},
		{"@every 1s", "2026-11-30T12:00:31Z"},
		{"@every  90s", "2026-11-30T12:01:30Z"},
		{"@every 1h30m", "2026-11-30T13:30:00Z"},
		{"@every 24h", "2026-12-01T00:00:00Z"},
		{"* * * * *", "2026-11-30T12:01:00Z"},
		{"? ? ? ? ?", "2026-11-30T12:01:00Z"},
		{"  0 0 * * *  ", "2026-12-01T00:00:00Z"},
		{"*/15 * * * *", "2026-11-30T12:15:00Z"},
		{"7/20 * * * *", "2026-11-30T12:07:00Z"},
		{"0 9 * * 1-5", "2026-12-01T09:00:00Z"},
		{"0 9 * DEC Mon", "2026-12-07T09:00:00Z"},
		{"0 0 31 * *", "2026-12-31T00:00:00Z"},
		{"0 0 29 2 *", "2028-02-29T00:00:00Z"},
		{"0 0 13 * 5", "2026-12-04T00:00:00Z"}, // either will do
		{"0 0 13 12 *", "2026-12-13T00:00:00Z"},
		{"0 0 * * 7", "2026-12-06T00:00:00Z"},
		{"0 0 * * sun", "2026-12-06T00:00:00Z"},
		{"0 0 * * 2,7", "2026-12-01T00:00:00Z"},
		{"0 0 * * 6-7/1", "2026-12-05T00:00:00Z"},
		{"0 0 * * 5-7", "2026-12-04T00:00:00Z"},
		{"0 0 * * fri-sun", "2026-12-04T00:00:00Z"},
		{"0 0 * * 3-7/4", "2026-12-02T00:00:00Z"},
		{"0 0 * * 7/2", "2026-12-06T00:00:00Z"},
	} {
		s := mustParse(t, tt.spec, "")
		if got := s.Next(at).Format(time.RFC3339Nano); got != tt.want {
			t.Errorf("Parse(%q).Next(%s) = %s, want %s", tt.spec, at.Format(time.RFC3339Nano), got, tt.want)
		}
		if s.String() != strings.TrimSpace(tt.spec) {
			t.Errorf("Parse(%q).String() = %q", tt.spec, s)
		}
	}
}

func TestSundaySeven(t *testing.T) {
	for with7, without := range map[string]string{
		"7": "0", "5-7": "5,6,0", "1,7": "1,0", "6-7/1": "6,0", "0-7": "0-6", "1-7/2": "1,3,5,0", "7-7": "sun",
		"sat-sun": "6,0", "5-7/2": "5,0", "sun-sat": "0-6",
	} {
		a, b := mustParse(t, "0 0 1 1 "+with7, ""), mustParse(t, "0 0 1 1 "+without, "")
		if a.calendar != b.calendar {
			t.Errorf("day of week %s = %b, want that of %s: %b", with7, a.calendar.dow, without, b.calendar.dow)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const notASpec = `a character that no schedule has: want letters, digits and * ? , - / @ with spaces between fields`
	for _, tt := range []struct{ spec, zone, want string }{
		{"", "", `"": want five fields, or @daily and its like`},
		{"   ", "", `"": want five fields, or @daily and its like`},
		{"* * * *", "", `"* * * *": 4 fields, want 5: minute, hour, day of month, month, day of week; or @daily and its like`},
		{"often", "", `"often": 1 field, want 5: minute, hour, day of month, month, day of week; or @daily and its like`},
		{"daily", "", `"daily": did you mean @daily?`},
		{"15m", "", `"15m": did you mean @every 15m?`},
		{"0 0 0 * * *", "", `"0 0 0 * * *": 6 fields, want 5: minute, hour, day of month, month, day of week; or @daily and its like`},
		{"60 * * * *", "", `"60 * * * *": minute "60": want 0-59`},
		{"* 24 * * *", "", `"* 24 * * *": hour "24": want 0-23`},
		{"* * 0 * *", "", `"* * 0 * *": day of month "0": want 1-31`},
		{"* * * 13 *", "", `"* * * 13 *": month "13": want 1-12 or jan-dec`},
		{"* * * * 8", "", `"* * * * 8": day of week "8": want 0-7 or sun-sat`},
		{"* * * * monday", "", `"* * * * monday": day of week "monday": want 0-7 or sun-sat`},
		{"61 25 * * *", "", `"61 25 * * *": minute "61": want 0-59; hour "25": want 0-23`},
		{"30-10 * * * *", "", `"30-10 * * * *": minute "30-10": the range ends before it begins`},
		{"*/0 * * * *", "", `"*/0 * * * *": minute "*/0": want a step of 1-60`},
		{"*/90 * * * *", "", `"*/90 * * * *": minute "*/90": want a step of 1-60`},
		{"*/ * * * *", "", `"*/ * * * *": minute "*/": want a step of 1-60`},
		{"1,,2 * * * *", "", `"1,,2 * * * *": minute "1,,2": want 0-59`},
		{", * * * *", "", `", * * * *": minute ",": want 0-59`},
		{"*-5 * * * *", "", `"*-5 * * * *": minute "*-5": want 0-59`},
		{"1-2-3 * * * *", "", `"1-2-3 * * * *": minute "1-2-3": want 0-59`},
		{"1/2/3 * * * *", "", `"1/2/3 * * * *": minute "1/2/3": want a step of 1-60`},
		{"+5 * * * *", "", `"+5 * * * *": minute "+5": want 0-59`},
		{"-5 * * * *", "", `"-5 * * * *": minute "-5": want 0-59`},
		{"0 0 L * *", "", `"0 0 L * *": day of month "L": want 1-31`},
		{"0 0 30 2 *", "", `"0 0 30 2 *": there is no such day within five years`},
		{"0 0 31 4,6,9,11 *", "", `"0 0 31 4,6,9,11 *": there is no such day within five years`},
		{"@every 1500ms", "", `"@every 1500ms": want @every and whole seconds`},
		{"@every 500ms", "", `"@every 500ms": want @every and at least 1s`},
		{"@every 0s", "", `"@every 0s": want @every and at least 1s`},
		{"@every -1h", "", `"@every -1h": want @every and at least 1s`},
		{"@every 1d", "", `"@every 1d": want @every and a duration such as 90s, 15m or 24h`},
		{"@every ", "", `"@every": want @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually or @every DURATION`},
		{"@every 100000h", "", `"@every 100000h": does not come within five years`},
		{"@reboot", "", `"@reboot": want @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually or @every DURATION`},
		{"TZ=UTC", "", `"TZ=UTC": a time zone is no part of the schedule: set timezone beside it`},
		{"TZ=", "", `"TZ=": a time zone is no part of the schedule: set timezone beside it`},
		{"CRON_TZ=Europe/Berlin 0 0 * * *", "", `"CRON_TZ=Europe/Berlin 0 0 * * *": a time zone is no part of the schedule: set timezone beside it`},
		{"0\t0 * * *", "", `"0\t0 * * *": ` + notASpec},
		{"0 0 * * *\n", "", `"0 0 * * *\n": ` + notASpec},
		{"0\u00a00 * * *", "", `"0\u00a00 * * *": ` + notASpec},
		{strings.Repeat("*", 1<<20), "", `a schedule of 1048576 bytes: want at most 1024`},
		{"@daily", "Europe/Belrin", `time zone "Europe/Belrin" is unknown: want a name such as Europe/Berlin`},
		{"@daily", "../etc/passwd", `time zone "../etc/passwd" is unknown: want a name such as Europe/Berlin`},
		{"@daily", "+02:00", `time zone "+02:00" is unknown: want a name such as Europe/Berlin`},
		{"@daily", "Local", `time zone "Local": want the name of a zone, such as Europe/Berlin`},
	} {
		s, err := Parse(tt.spec, tt.zone)
		if err == nil || err.Error() != tt.want {
			t.Errorf("Parse(%.60q, %q) = %v, %v, want %s", tt.spec, tt.zone, s, err, tt.want)
		}
	}
	if _, err := Parse(strings.Repeat(" ", maxBytes-len("@daily"))+"@daily", ""); err != nil {
		t.Errorf("a schedule of %d bytes: %v", maxBytes, err)
	}
}

func TestGuard(t *testing.T) {
	if _, err := guarded(0, "TZ=UTC"); err == nil || !strings.HasPrefix(err.Error(), "not understood: ") {
		t.Errorf("a panic of the parser gives %v, want an error", err)
	}
}

func TestPeriodAndWindow(t *testing.T) {
	monday := time.Date(2026, 11, 30, 9, 0, 1, 0, time.UTC)
	for _, tt := range []struct {
		spec   string
		at     time.Time
		period time.Duration
		spread time.Duration
		window time.Duration
	}{
		{"@every 60s", monday, time.Minute, 0, time.Minute},
		{"@every 48h", monday, 48 * time.Hour, time.Minute, 48 * time.Hour},
		{"@daily", monday, 24 * time.Hour, 0, time.Hour},
		{"@daily", monday, 24 * time.Hour, 2 * time.Hour, 2 * time.Hour},
		{"@daily", monday, 24 * time.Hour, 48 * time.Hour, 24 * time.Hour},
		{"@hourly", monday, time.Hour, 0, 6 * time.Minute},
		{"*/5 * * * *", monday, 5 * time.Minute, 0, 30 * time.Second},
		{"0 9 * * 1-5", monday, 72 * time.Hour, 0, time.Hour},
		{"0 9 * * 1-5", monday.Add(-48 * time.Hour), 72 * time.Hour, 0, time.Hour},
		{"0 9 * * 1-5", monday.Add(48 * time.Hour), 24 * time.Hour, 0, time.Hour},
		{"0 9,10 * * *", monday, 23 * time.Hour, 0, 6 * time.Minute},
		{"@monthly", monday, 31 * 24 * time.Hour, 0, time.Hour},
		{"0 0 29 2 *", monday, 1461 * 24 * time.Hour, 0, time.Hour},
	} {
		s := mustParse(t, tt.spec, "UTC")
		if got := s.Period(tt.at); got != tt.period {
			t.Errorf("%s: Period(%s) = %s, want %s", tt.spec, tt.at, got, tt.period)
		}
		if got := s.Window(tt.spread); got != tt.window {
			t.Errorf("%s: Window(%s) = %s, want %s", tt.spec, tt.spread, got, tt.window)
		}
	}
}
