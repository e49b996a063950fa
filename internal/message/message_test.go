package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

var at = time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)

// hostile is what a card could say.
const hostile = "\x1b]52;c;x\a\u202e\u200b<!channel>\n::error::`*_~|"

func telling(kind verdict.Kind, class diff.Class, was verdict.Verdict) *Telling {
	findings := []diff.Finding{
		{Rule: "agent-version-changed", Class: diff.Review, Was: "3.2.0", Now: "3.3.0", Message: "the agent has another version"},
		{Rule: "streaming-lost", Class: diff.Breaking, Path: "/streaming", Was: true, Now: false, Message: "the agent no longer streams"},
		{Rule: "skill-text-changed", Class: diff.Review, Message: "waived", Waived: &diff.Waived{}},
	}
	t := &Telling{
		Row: store.Row{Lock: "trips/pricing", Episode: 3, Seq: 4, Kind: kind, Class: class, CreatedAt: at},
		Lock: &store.Lock{
			ID: "trips/pricing", Path: "locks/trip planner.a2a.lock.json", URL: "https://pricing.example/card.json?token=canary",
			Workflow: "trips", Owner: "team-travel", Fallback: "https://other.example/card.json",
			State: verdict.State{Verdict: verdict.Breaking, Findings: findings, DecidedAt: at},
		},
		Episode:    &store.Episode{Start: 3, OpenedAt: at, Class: class, Worst: diff.Breaking},
		Transition: &store.Transition{Event: verdict.Event{Kind: kind, At: at, Class: class, Was: was}, Findings: findings},
		Now:        at.Add(4*time.Hour + 12*time.Minute),
	}
	switch kind {
	case verdict.Resolved:
		t.Episode.ClosedAt = t.Now
		t.Transition.Findings = nil
	case verdict.WentAway:
		t.Transition.Detail = "unreachable: dialing https://u:canary@pricing.example/: refused"
		t.Transition.Findings = nil
	}
	return t
}

func TestMessages(t *testing.T) {
	alone := telling(verdict.Resolved, diff.Compatible, verdict.Breaking)
	alone.Unheard = true
	stand := telling(verdict.Opened, diff.Breaking, verdict.Compatible)
	stand.Row.Via, stand.Row.Text = "travel", "sent here in place of sink travel: answered 400 Bad Request"
	bare := telling(verdict.WentAway, diff.Review, verdict.None)
	*bare.Lock = store.Lock{ID: "trips/pricing", URL: "https://pricing.example/card.json"}
	bare.Episode = nil
	other := telling(verdict.Changed, diff.Breaking, verdict.Breaking)
	list := []diff.Finding{
		{Rule: "streaming-lost", Class: diff.Breaking, Was: true, Now: false, Message: "the agent no longer streams", Fingerprint: "old"},
		{
			Rule: "input-narrowed", Class: diff.Breaking, Was: "text/plain", Now: nil, Skills: []string{"fares"},
			Message: "skill fares takes text/plain no longer", Fingerprint: "new",
		},
		{Rule: "agent-version-changed", Class: diff.Compatible, Was: "1", Now: "2", Message: "another version"},
		{Rule: "skill-gained", Class: diff.Compatible, Message: "one more skill"},
	}
	other.Transition.Findings, other.Transition.Seq = list, 7
	other.Lock.State.Episode = &verdict.Episode{Told: []string{"old", "new"}, News: 1, NewsBy: 7}
	named := telling(verdict.Opened, diff.Breaking, verdict.Compatible)
	named.Transition.Findings = list[1:3]
	back := telling(verdict.Resolved, diff.Compatible, verdict.Compatible)
	back.Episode.Worst, back.Transition.Detail = diff.Compatible, "was unreachable: connection refused"
	damped := telling(verdict.Flapping, diff.Compatible, verdict.Breaking)
	damped.Transition.Detail = "3 changes; until it settles, at the latest 2026-10-02 14:30 UTC, decisions use the worst seen, breaking"
	damped.Lock.State.Verdict = verdict.Compatible
	damped.Lock.State.Damping = &verdict.Damping{Since: at, Worst: verdict.Answer{Class: diff.Breaking, Findings: list[1:2]}}
	away := telling(verdict.WentAway, diff.Review, verdict.Compatible)
	away.Lock.State = verdict.State{Verdict: verdict.Compatible, DecidedAt: at, ValidatedAt: at.Add(-time.Hour), Unreachable: true}
	old := telling(verdict.RanOut, diff.Review, verdict.Compatible)
	old.Lock.State = verdict.State{Verdict: verdict.Compatible, DecidedAt: at, ValidatedAt: at.Add(-48 * time.Hour), Lapsed: true}
	sample := telling(store.KindSample, diff.Review, verdict.Compatible)
	sample.Lock.State.DecidedAt, sample.Episode = time.Time{}, nil
	daemon := &Telling{Row: store.Row{Kind: store.KindDaemon, Class: diff.Review, Text: "the store was damaged and begun anew, see https://x.example/?token=canary"}}
	tests := []struct {
		name string
		t    *Telling
	}{
		{"opened", telling(verdict.Opened, diff.Breaking, verdict.Compatible)},
		{"worsened", telling(verdict.Worsened, diff.Breaking, verdict.Review)},
		{"improved", telling(verdict.Improved, diff.Review, verdict.Breaking)},
		{"changed", telling(verdict.Changed, diff.Breaking, verdict.Breaking)},
		{"resolved", telling(verdict.Resolved, diff.Compatible, verdict.Breaking)},
		{"resolved alone", alone},
		{"unreachable", telling(verdict.WentAway, diff.Review, verdict.Breaking)},
		{"reachable", telling(verdict.CameBack, diff.Breaking, verdict.Breaking)},
		{"invalid", telling(verdict.WentInvalid, diff.Review, verdict.Breaking)},
		{"expired", telling(verdict.RanOut, diff.Review, verdict.Breaking)},
		{"stale", telling(verdict.Stale, diff.Breaking, verdict.Breaking)},
		{"flapping", telling(verdict.Flapping, diff.Review, verdict.Breaking)},
		{"settled", telling(verdict.Settled, diff.Breaking, verdict.Breaking)},
		{"reminder", telling(store.KindReminder, diff.Breaking, verdict.Breaking)},
		{"in place of another", stand},
		{"little known", bare},
		{"another reason beside an old one", other},
		{"of one skill", named},
		{"resolved, was unreachable", back},
		{"flapping, compatible now", damped},
		{"unreachable, compatible", away},
		{"expired, compatible", old},
		{"sample", sample},
		{"daemon", daemon},
	}
	var b strings.Builder
	for _, tt := range tests {
		m := Renderer{PublicURL: "https://daemon.example"}.Message(tt.t)
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", tt.name, m.Text())
		if m.Title == "" {
			t.Errorf("%s says nothing", tt.name)
		}
	}
	if strings.Contains(b.String(), "canary") {
		t.Error("a secret shows")
	}
	golden.Equal(t, "testdata/messages.txt", []byte(b.String()))
}

func TestNothingIsSaidOfOtherKinds(t *testing.T) {
	for _, kind := range []verdict.Kind{verdict.Flap, verdict.Closed, "new"} {
		if m := (Renderer{}).Message(telling(kind, diff.Review, verdict.Compatible)); m.Title != "" {
			t.Errorf("%s is told as %q", kind, m.Title)
		}
	}
	if m := (Renderer{}).Message(&Telling{}); m.Title != "" {
		t.Errorf("an empty row is told as %q", m.Title)
	}
}

// Whatever an agent or a lock says, a message is of printable lines.
func TestForeignTextIsEscaped(t *testing.T) {
	tell := telling(verdict.Opened, diff.Breaking, verdict.Compatible)
	l := tell.Lock
	l.URL, l.Workflow, l.Owner, l.Fallback, l.ID, l.Path = "https://x.example/"+hostile, hostile, hostile, hostile, hostile, hostile
	tell.Transition.Detail = hostile
	tell.Transition.Findings = []diff.Finding{{Rule: hostile, Was: hostile, Now: []any{hostile, jsontext.Value("9007199254740993")}, Message: hostile}}
	m := Renderer{PublicURL: "https://daemon.example"}.Message(tell)
	payload, err := json.Marshal(NewPayload(tell, m))
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"text": m.Text(), "payload": string(payload)} {
		for _, bad := range []string{"\x1b", "\a", "\u202e", "\u200b", "\n::"} {
			if strings.Contains(text, bad) {
				t.Errorf("the %s holds %q", where, bad)
			}
		}
	}
	if !strings.Contains(string(payload), "9007199254740993]") {
		t.Errorf("a number lost its digits:\n%s", payload)
	}
	if !strings.Contains(m.Text(), "/v1/locks/%1B%5D52") {
		t.Errorf("the link holds what it should escape:\n%s", m.Text())
	}
}

func TestManyFindings(t *testing.T) {
	tell := telling(verdict.Opened, diff.Breaking, verdict.Compatible)
	tell.Transition.Findings = nil
	for i := range 400 {
		f := diff.Finding{Rule: "skill-changed", Class: diff.Review, Message: strings.Repeat("🧨", 20000)}
		if i == 399 {
			f.Class = diff.Breaking
		}
		tell.Transition.Findings = append(tell.Transition.Findings, f)
	}
	m := Renderer{}.Message(tell)
	if len(m.Findings) != mostFindings || m.More != 300 || m.Findings[0].Class != "breaking" {
		t.Errorf("%d findings, %d more, the first %s; want %d, 300, breaking", len(m.Findings), m.More, m.Findings[0].Class, mostFindings)
	}
	if n := len(m.Text()); n > 300_000 {
		t.Errorf("the text has %d bytes", n)
	}
}

func TestLine(t *testing.T) {
	tests := []struct{ name, s, want string }{
		{"short", "short", "short"},
		{"long", strings.Repeat("a", 100), strings.Repeat("a", 10) + " … 90 more"},
		{"huge", strings.Repeat("🧨", 1000), strings.Repeat("🧨", 10) + " … 10 more, and 3920 bytes"},
		{"no text", strings.Repeat("\x80", 1000), strings.Repeat("<0x80>", 1) + " … "},
		{"a secret behind the cut", "https://u:" + strings.Repeat("canary", 100) + "@h/", "https://RE … 9 more"},
	}
	for _, tt := range tests {
		if got := Line(tt.s, 10); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: Line = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSpan(t *testing.T) {
	tests := map[time.Duration]string{
		0: "less than a second", 4 * time.Second: "4 s", 4*time.Minute + 59*time.Second: "4 min",
		3*time.Hour + 12*time.Minute: "3 h 12 min", 3 * time.Hour: "3 h", 52 * time.Hour: "2 d 4 h", -time.Hour: "less than a second",
	}
	for d, want := range tests {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestPayload(t *testing.T) {
	tell := telling(verdict.Opened, diff.Breaking, verdict.Compatible)
	tell.Row.Key = "ops|*:ops|trips/pricing@3|4|opened|breaking|f|0"
	data, err := json.MarshalIndent(NewPayload(tell, Renderer{PublicURL: "https://daemon.example"}.Message(tell)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/payload.json", append(data, '\n'))
	if bytes.Contains(data, []byte("canary")) {
		t.Error("a secret shows")
	}
}

func TestSays(t *testing.T) {
	tests := []struct {
		text, value string
		want        bool
	}{
		{"version 3.2.0 became 3.3.0", "3.2.0", true},
		{"version 13.2.0", "3.2.0", false},
		{"takes text/plain", "text/plain", true},
		{"10 and 1", "1", true},
		{"10", "1", false},
		{"é1", "1", false},
		{"", "x", false},
		{"any", "", true},
		{"any", nothing, true},
	}
	for _, tt := range tests {
		if got := says(tt.text, tt.value); got != tt.want {
			t.Errorf("says(%q, %q) = %v, want %v", tt.text, tt.value, got, tt.want)
		}
	}
}
