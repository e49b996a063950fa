package route

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

var now = time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)

func lock() *store.Lock {
	return &store.Lock{ID: "l", Owner: "team-travel", Workflow: "trips", URL: "https://pricing.example/card.json"}
}

func happening(kind verdict.Kind, class diff.Class, rules ...string) Happening {
	in := Happening{
		Event: verdict.Event{Seq: 7, Kind: kind, At: now, Class: class, Episode: 7, FindingSet: "f"},
		Lock:  lock(), Now: now,
	}
	for _, r := range rules {
		in.Findings = append(in.Findings, diff.Finding{Rule: r, Class: class})
	}
	return in
}

func sinksOf(rows []store.Row) string {
	var list []string
	for _, r := range rows {
		list = append(list, r.Sink)
	}
	return strings.Join(list, " ")
}

// routes is a configuration whose last route is the catch-all.
func routes(list ...config.Route) *config.Notify {
	n := &config.Notify{Sinks: map[string]config.Sink{"ops": {Log: &config.Log{}}, "travel": {}, "pager": {}}}
	n.Routes = append(list, config.Route{Sinks: []string{"ops"}, Resolve: true, Reminders: []time.Duration{4 * time.Hour, 24 * time.Hour}})
	return n
}

func TestRoutes(t *testing.T) {
	match := func(m config.Match) config.Route { return config.Route{Match: m, Sinks: []string{"travel"}} }
	tests := []struct {
		name  string
		route config.Route
		in    Happening
		want  string
	}{
		{"owner", match(config.Match{Owner: "team-travel"}), happening(verdict.Opened, diff.Review), "travel"},
		{"another owner", match(config.Match{Owner: "team"}), happening(verdict.Opened, diff.Review), "ops"},
		{"owner by pattern", match(config.Match{Owner: "team-*"}), happening(verdict.Opened, diff.Review), "travel"},
		{"a pattern goes over slashes", match(config.Match{Agent: "https://*.example/*"}), happening(verdict.Opened, diff.Review), "travel"},
		{"a pattern is whole", match(config.Match{Agent: "*pricing"}), happening(verdict.Opened, diff.Review), "ops"},
		{"workflow", match(config.Match{Workflow: "t*s", Owner: "*"}), happening(verdict.Opened, diff.Review), "travel"},
		{"class", match(config.Match{Class: "breaking"}), happening(verdict.Opened, diff.Breaking), "travel"},
		{"another class", match(config.Match{Class: "breaking"}), happening(verdict.Opened, diff.Review), "ops"},
		{"without a class it is review", match(config.Match{Class: "review"}), happening(verdict.WentAway, diff.Breaking), "travel"},
		{"any rule", match(config.Match{Rule: "b"}), happening(verdict.Opened, diff.Review, "a", "b"), "travel"},
		{"another rule", match(config.Match{Rule: "c"}), happening(verdict.Opened, diff.Review, "a", "b"), "ops"},
		{"continue", config.Route{Sinks: []string{"travel", "pager"}, Continue: true}, happening(verdict.Opened, diff.Review), "travel pager ops"},
		{"each sink once", config.Route{Sinks: []string{"ops"}, Continue: true}, happening(verdict.Opened, diff.Review), "ops"},
		{"below the least class it is taken and not told", config.Route{Match: config.Match{Owner: "*"}, Sinks: []string{"travel"}, MinClass: "breaking"}, happening(verdict.Opened, diff.Review), ""},
		{"review is the least class", config.Route{Match: config.Match{Owner: "nobody"}}, happening(verdict.Changed, diff.Compatible), ""},
		{"flaps are not told", match(config.Match{}), happening(verdict.Flap, diff.Breaking), ""},
		{"a removed lock is not told", match(config.Match{}), happening(verdict.Closed, diff.Breaking), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows, ep := New(routes(tt.route)).Rows(tt.in)
			if got := sinksOf(rows); got != tt.want {
				t.Errorf("rows go to %q, want %q", got, tt.want)
			}
			if tt.want != "" && !slices.Equal(ep.OpenedTo, strings.Fields(tt.want)) {
				t.Errorf("opened to %q, want %q", ep.OpenedTo, tt.want)
			}
		})
	}
}

func TestQuietEventsOnlySetClocks(t *testing.T) {
	in := happening(verdict.Changed, diff.Review)
	in.Event.Quiet = true
	rows, ep := New(routes()).Rows(in)
	if len(rows) > 0 || len(ep.OpenedTo) > 0 {
		t.Errorf("rows to %q, opened to %q; want none", sinksOf(rows), ep.OpenedTo)
	}
	if got := ep.Reminders["*:ops"].At; !got.Equal(now.Add(4 * time.Hour)) {
		t.Errorf("the reminder is due %v, want in 4 h", got)
	}
}

func TestKeys(t *testing.T) {
	rows, _ := New(routes()).Rows(happening(verdict.Opened, diff.Breaking))
	if want := "ops|*:ops|l@7|7|opened|breaking|f|0"; rows[0].Key != want {
		t.Errorf("key = %s, want %s", rows[0].Key, want)
	}
}

// The end goes wherever the beginning went, and nowhere else.
func TestEnds(t *testing.T) {
	quiet := config.Route{Match: config.Match{Workflow: "trips"}, Sinks: []string{"travel"}}
	loud := quiet
	loud.Resolve = true
	tests := []struct {
		name   string
		routes *config.Notify
		kind   verdict.Kind
		class  diff.Class
		told   []string
		want   string
	}{
		{"to whom it was opened", routes(loud), verdict.Resolved, diff.Compatible, []string{"travel"}, "travel"},
		{"nobody was told", routes(loud), verdict.Resolved, diff.Compatible, nil, ""},
		{"a route that tells no end", routes(quiet), verdict.Resolved, diff.Compatible, []string{"travel", "ops"}, "ops"},
		{"a route that is gone", routes(), verdict.Resolved, diff.Compatible, []string{"pager"}, "pager"},
		{"better news go to both", routes(loud), verdict.Improved, diff.Review, []string{"pager"}, "travel pager"},
		{"better news below the least class", routes(loud), verdict.Improved, diff.Compatible, []string{"pager"}, "pager"},
		{"reachable again", routes(quiet), verdict.CameBack, diff.Breaking, []string{"pager"}, "travel pager"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := happening(tt.kind, tt.class)
			in.Episode = &store.Episode{Lock: "l", Start: 7, OpenedAt: now, OpenedTo: tt.told, Worst: diff.Breaking}
			rows, ep := New(tt.routes).Rows(in)
			if got := sinksOf(rows); got != tt.want {
				t.Errorf("rows go to %q, want %q", got, tt.want)
			}
			if closed := !ep.ClosedAt.IsZero(); closed != (tt.kind == verdict.Resolved) {
				t.Errorf("closed = %v", closed)
			}
			if !slices.Equal(in.Episode.OpenedTo, tt.told) || !in.Episode.ClosedAt.IsZero() {
				t.Error("the episode before was changed")
			}
		})
	}
}

func TestCatchAllIsDefended(t *testing.T) {
	n := &config.Notify{Sinks: map[string]config.Sink{"b": {}, "a": {}}}
	rows, _ := New(n).Rows(happening(verdict.Opened, diff.Review))
	if got := sinksOf(rows); got != "a b" {
		t.Errorf("without routes rows go to %q, want all sinks", got)
	}
	n.Fallback = "b"
	if got := sinksOf(New(n).Daemon("store-rebuilt", "the store was damaged", now)); got != "b" {
		t.Errorf("with a fallback the daemon's messages go to %q, want there", got)
	}
	if rows, _ := New(&config.Notify{}).Rows(happening(verdict.Opened, diff.Review)); len(rows) > 0 {
		t.Errorf("without sinks there are %d rows", len(rows))
	}
}

// Of two routes that match everything, the last gets what the daemon says of
// itself, whatever class it asks for.
func TestDaemonGoesToTheLastCatchAll(t *testing.T) {
	n := &config.Notify{Sinks: map[string]config.Sink{"a": {}, "b": {}, "c": {}}, Routes: []config.Route{
		{Sinks: []string{"a"}, Continue: true},
		{Sinks: []string{"b"}, MinClass: "breaking"},
		{Match: config.Match{Owner: "x"}, Sinks: []string{"c"}},
	}}
	if got := sinksOf(New(n).Daemon("store-rebuilt", "the store was damaged", now)); got != "b" {
		t.Errorf("the daemon's messages go to %q, want b", got)
	}
}

// A route is reminded only of what it would be told of now.
func TestDueByClass(t *testing.T) {
	n := routes()
	n.Routes[len(n.Routes)-1].MinClass = "breaking"
	r := New(n)
	_, ep := r.Rows(happening(verdict.Opened, diff.Breaking))
	due := Standing{Episode: ep, Lock: lock(), Now: now.Add(5 * time.Hour)}
	if rows, _ := r.Due(due); len(rows) != 1 {
		t.Errorf("%d reminders of what is breaking, want 1", len(rows))
	}
	ep.Class = diff.Review
	if rows, changed := r.Due(due); len(rows) > 0 || changed != nil {
		t.Errorf("%d reminders of what is review now, want none", len(rows))
	}
}

func TestSilences(t *testing.T) {
	match := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	tests := []struct {
		name  string
		match map[string]string
		until time.Time
		want  bool
	}{
		{"owner", match("owner", "team-*"), now.Add(time.Hour), true},
		{"all must fit", match("owner", "team-*", "class", "review"), now.Add(time.Hour), false},
		{"class", match("class", "breaking"), now.Add(time.Hour), true},
		{"rule", match("rule", "b"), now.Add(time.Hour), true},
		{"lock", match("lock", "l"), now.Add(time.Hour), true},
		{"over", match("owner", "team-*"), now, false},
		{"an unknown name", match("team", "*"), now.Add(time.Hour), false},
		{"nothing", nil, now.Add(time.Hour), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := happening(verdict.Opened, diff.Breaking, "a", "b")
			in.Silences = []store.Silence{{ID: "s", Match: tt.match, Until: tt.until}}
			rows, ep := New(routes()).Rows(in)
			if got := rows[0].State == store.Superseded; got != tt.want || ep.Reminders["*:ops"].Held != tt.want {
				t.Errorf("silenced = %v, held = %v, want %v", got, ep.Reminders["*:ops"].Held, tt.want)
			}
		})
	}
}

func TestDue(t *testing.T) {
	r := New(routes())
	_, ep := r.Rows(happening(verdict.Opened, diff.Breaking))
	in := func(after time.Duration) Standing {
		return Standing{Episode: ep, Lock: lock(), Now: now.Add(after)}
	}
	if rows, changed := r.Due(in(4*time.Hour - 1)); len(rows) > 0 || changed != nil {
		t.Error("a reminder before its time")
	}
	quiet := in(4 * time.Hour)
	quiet.Quiet = true
	if rows, _ := r.Due(quiet); len(rows) > 0 {
		t.Error("a reminder while nobody is to be reminded")
	}
	silent := in(4 * time.Hour)
	silent.Silences = []store.Silence{{ID: "s", Match: map[string]string{"class": "breaking"}, Until: now.Add(5 * time.Hour)}}
	if rows, _ := r.Due(silent); len(rows) > 0 {
		t.Error("a reminder while silenced")
	}
	rows, next := r.Due(in(1000 * time.Hour)) // after a long downtime
	if len(rows) != 1 || rows[0].Ordinal != 1 || !strings.HasSuffix(rows[0].Key, "|reminder|breaking||1") {
		t.Fatalf("reminders %v, want one with ordinal 1", rows)
	}
	if got := next.Reminders["*:ops"]; got.Ordinal != 2 || !got.At.Equal(now.Add(1024*time.Hour)) {
		t.Errorf("the next is %v, want the second in 24 h", got)
	}
	if again, changed := r.Due(Standing{Episode: next, Lock: lock(), Now: now.Add(1000 * time.Hour)}); len(again) > 0 || changed != nil {
		t.Error("a second reminder at the same moment")
	}
	other := New(&config.Notify{Sinks: routes().Sinks, Routes: []config.Route{{Sinks: []string{"pager"}, Reminders: []time.Duration{time.Hour}}}})
	rows, moved := other.Due(in(4 * time.Hour))
	if got := moved.Reminders["*:pager"]; sinksOf(rows) != "pager" || len(moved.Reminders) != 1 || !got.At.Equal(now.Add(5*time.Hour)) {
		t.Errorf("after a reload %q is reminded, and then %v; want the new route's sink", sinksOf(rows), moved.Reminders)
	}
}

func TestGlob(t *testing.T) {
	tests := []struct {
		pattern, s string
		want       bool
	}{
		{"", "x", true},
		{"*", "", true},
		{"a*", "a", true},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "a-c-b", false},
		{"a*a", "a", false},
		{"*a", "ba", true},
		{"a", "A", false},
		{"**", "x", true},
		{"a?c", "abc", false},
	}
	for _, tt := range tests {
		if got := glob(tt.pattern, tt.s); got != tt.want {
			t.Errorf("glob(%q, %q) = %v, want %v", tt.pattern, tt.s, got, tt.want)
		}
	}
}
