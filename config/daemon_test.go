package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fullDaemon and fullNotify are what testdata/valid/full.yaml says.

func fullDaemon() Daemon {
	const day = 24 * time.Hour
	return Daemon{
		Listen:      "[::]:9000",
		TokensFile:  "tokens",
		Store:       Store{BBolt: "/var/lib/a2alockd/a2alockd.db"},
		Schedule:    "0 6 * * 1-5",
		Timezone:    "Europe/Berlin",
		Spread:      20 * time.Minute,
		MinInterval: time.Minute,
		Agents: map[string]Agent{
			"https://pricing.example.com":                           {Schedule: "@every 15m", MinInterval: 5 * time.Minute},
			"https://pricing.example.com/.well-known/a.json?tenant": {Schedule: "30 2 * * *", Timezone: "America/New_York", MaxInterval: 6 * time.Hour},
			"https://own.example.com":                               {MinInterval: -1},
		},
		OwnHosts:           []string{"agents.internal", "127.0.0.1"},
		Flights:            128,
		HostFlights:        4,
		HostGap:            0,
		CatchupRate:        0.5,
		ConfirmAfter:       time.Minute,
		FailureThreshold:   5,
		FailureMinTime:     6 * time.Minute,
		RecoverThreshold:   3,
		MinStable:          11 * time.Minute,
		StaleHold:          0,
		RolloutGrace:       31 * time.Minute,
		FullRefetch:        2 * day,
		MaxStaleness:       8 * day,
		RuntimeEvidenceTTL: 36 * time.Hour,
		Review:             "deny-named",
		OnUnknown:          "deny",
		HistoryAge:         30 * day,
		HistoryCount:       50,
		CompactOver:        0,
		ShutdownGrace:      5 * time.Second,
		PerAgent:           true,
		PerAgentCap:        10,
		PublicURL:          "https://locks.example.com/a2alock",
		ContactURL:         "https://example.com/contact",
	}
}

func fullNotify() Notify {
	return Notify{
		Sinks: map[string]Sink{
			"travel": {Slack: &Slack{WebhookURL: "https://hooks.example.com/canary"}},
			"oncall": {Slack: &Slack{Token: "xoxb-1", Channel: "#on-call", APIURL: "http://slack.internal/api/"}},
			"ops":    {Webhook: &Webhook{URL: "http://LOCALHOST:8080/a2a", Secrets: []string{"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}},
			"log":    {Log: &Log{}},
		},
		Routes: []Route{
			{
				Match:       Match{Owner: "team-*", Workflow: "itinerary", Agent: "https://*.example.com/*", Class: "breaking", Rule: "skill-removed"},
				Sinks:       []string{"travel", "oncall"},
				MinClass:    "compatible",
				GroupBy:     []string{"owner", "rule"},
				GroupWindow: time.Minute,
				Reminders:   []time.Duration{8 * time.Hour, 4 * time.Hour},
				Continue:    true,
			},
			{Sinks: []string{"log"}, MinClass: "breaking", GroupBy: []string{"agent"}, GroupWindow: groupWindow, Reminders: []time.Duration{}, Resolve: true},
			{Sinks: []string{"ops"}, MinClass: "review", Reminders: []time.Duration{4 * time.Hour, 24 * time.Hour}, Resolve: true},
		},
		Fallback: "log",
	}
}

func TestDaemonFor(t *testing.T) {
	d := Daemon{Schedule: "@daily", Timezone: "UTC", MinInterval: time.Second, Agents: map[string]Agent{
		"https://a.example":            {Schedule: "@hourly", MinInterval: time.Minute},
		"https://a.example/card.json":  {Timezone: "Asia/Tokyo", MaxInterval: time.Hour},
		"https://b.example:8443/Card ": {Schedule: "@weekly"},
		"https://a.example/own.json":   {MinInterval: -1},
		"https://own.example":          {MinInterval: -1},
	}}
	for url, want := range map[string]Agent{
		"https://none.example/card.json":   {Schedule: "@daily", Timezone: "UTC", MinInterval: time.Second},
		"HTTPS://A.example:443/other":      {Schedule: "@hourly", Timezone: "UTC", MinInterval: time.Minute},
		"https://A.example/":               {Schedule: "@hourly", Timezone: "UTC", MinInterval: time.Minute},
		"https://a.example:443/card.json":  {Schedule: "@hourly", Timezone: "Asia/Tokyo", MinInterval: time.Minute, MaxInterval: time.Hour},
		"https://a.example/own.json":       {Schedule: "@hourly", Timezone: "UTC"},
		"https://own.example/card.json":    {Schedule: "@daily", Timezone: "UTC"},
		"https://a.example/Card.json":      {Schedule: "@hourly", Timezone: "UTC", MinInterval: time.Minute},
		"http://a.example/card.json":       {Schedule: "@daily", Timezone: "UTC", MinInterval: time.Second},
		"https://a.example:8443/card.json": {Schedule: "@daily", Timezone: "UTC", MinInterval: time.Second},
		"https://a.example.evil/card.json": {Schedule: "@daily", Timezone: "UTC", MinInterval: time.Second},
		"cards/pricing.json":               {Schedule: "@daily", Timezone: "UTC", MinInterval: time.Second},
	} {
		if got := d.For(url); got != want {
			t.Errorf("For(%q) = %+v, want %+v", url, got, want)
		}
	}
}

func TestOrLog(t *testing.T) {
	n := Default().Notify.OrLog()
	if len(n.Routes) != 1 || !n.Routes[0].catchesAll() || n.Sinks[n.Routes[0].Sinks[0]].Log == nil {
		t.Errorf("OrLog of nothing = %+v, want a log that gets everything", n)
	}
	if full := fullNotify(); !reflect.DeepEqual(full.OrLog(), full) {
		t.Errorf("OrLog changes what has sinks: %s", cmp.Diff(full, full.OrLog()))
	}
}

func TestFile(t *testing.T) {
	c := Default()
	must(t, c.Parse(nil, filepath.Join("etc", Name)))
	for path, want := range map[string]string{
		"": "", "tokens": filepath.Join("etc", "tokens"), "../tokens": "tokens", "/run/tokens": "/run/tokens",
	} {
		if got := c.File(path); got != want {
			t.Errorf("File(%q) = %q, want %q", path, got, want)
		}
	}
}

// A variable that is not set is no fault, and hides none of what follows from
// the values that are there.
func TestRequireOfTheDaemon(t *testing.T) {
	c := Default()
	c.Env = environment
	must(t, c.Parse([]byte(`daemon:
  listen: 0.0.0.0:8437
  tokens_file: ${NO_TOKENS}
  schedule: ${NO_SCHEDULE}
notify:
  sinks:
    a: {webhook: {url: "https://hooks.example.com/${NO_HOOK}", secrets: ["${NO_KEY}"]}}
    b: {slack: {token: "${NO_TOKEN}", channel: "${NO_CHANNEL}"}}
  routes: [{sinks: ["${NO_SINK}"], reminders: ["${NO_TIME}"], match: {owner: "${NO_OWNER}"}}]
  fallback: ${NO_SINK}
`), Name))
	if c.Daemon.Schedule != "@daily" {
		t.Errorf("schedule = %q, want the default", c.Daemon.Schedule)
	}
	err := c.Require("/daemon", "/notify")
	want := `a2alock.yaml:3:16: daemon.tokens_file: "${NO_TOKENS}": the environment variable NO_TOKENS is not set
a2alock.yaml:4:13: daemon.schedule: "${NO_SCHEDULE}": the environment variable NO_SCHEDULE is not set
a2alock.yaml:7:24: notify.sinks.a.webhook.url: a text that may be secret: the environment variable NO_HOOK is not set
a2alock.yaml:7:74: notify.sinks.a.webhook.secrets[0]: "${NO_KEY}": the environment variable NO_KEY is not set
a2alock.yaml:8:24: notify.sinks.b.slack.token: "${NO_TOKEN}": the environment variable NO_TOKEN is not set
a2alock.yaml:8:48: notify.sinks.b.slack.channel: "${NO_CHANNEL}": the environment variable NO_CHANNEL is not set
a2alock.yaml:9:21: notify.routes[0].sinks[0]: "${NO_SINK}": the environment variable NO_SINK is not set
a2alock.yaml:9:48: notify.routes[0].reminders[0]: "${NO_TIME}": the environment variable NO_TIME is not set
a2alock.yaml:9:78: notify.routes[0].match.owner: "${NO_OWNER}": the environment variable NO_OWNER is not set
a2alock.yaml:10:13: notify.fallback: "${NO_SINK}": the environment variable NO_SINK is not set`
	if err == nil || err.Error() != want {
		t.Errorf("Require = %v", err)
	}
	if err := c.Require("/client", "/policy", "/locks"); err != nil {
		t.Errorf("Require of what others need = %v", err)
	}
}

// What a value under daemon and notify means is the business of whoever needs
// it: keys and types are everybody's.
func TestWhatOnlyTheDaemonNeeds(t *testing.T) {
	const sinks = "notify: {sinks: {a: {log: {}}}, "
	for _, tt := range []struct {
		name, doc, pointer string // pointer: of whoever needs it; "" for everybody
	}{
		{"beyond loopback without tokens", "daemon: {listen: '0.0.0.0:8437'}", "/daemon/tokens_file"},
		{"a schedule", "daemon: {schedule: sometimes}", "/daemon/schedule"},
		{"a word", "daemon: {review: maybe}", "/daemon/review"},
		{"no URL of an agent", "daemon: {agents: {h: {}}}", "/daemon/agents"},
		{"one agent twice", "daemon: {agents: {'https://h.example': {}, 'https://h.example/': {}}}", "/daemon/agents"},
		{"a number from a variable", "daemon: {flights: '${EMPTY}'}", "/daemon/flights"},
		{"a secret that is none", "notify: {sinks: {a: {webhook: {url: 'https://h.example', secrets: ['${EMPTY}']}}}, routes: [{sinks: [a]}]}", "/notify/sinks/a/webhook/secrets/0"},
		{"no secret", "notify: {sinks: {a: {webhook: {url: 'https://h.example', secrets: []}}}, routes: [{sinks: [a]}]}", "/notify/sinks/a"},
		{"plain http", "notify: {sinks: {a: {slack: {webhook_url: 'http://h.example/'}}}, routes: [{sinks: [a]}]}", "/notify/sinks"},
		{"no catch-all", sinks + "routes: [{sinks: [a], min_class: breaking}]}", "/notify/routes/0"},
		{"no route", sinks + "}", "/notify/sinks"},
		{"an unknown sink", sinks + "routes: [{sinks: [b]}]}", "/notify/routes"},
		{"an unknown fallback", sinks + "routes: [{sinks: [a]}], fallback: b}", "/notify/fallback"},
		{"an unknown key", "daemon: {extra: 1}", ""},
		{"a repeated key", "daemon: {flights: 1, flights: 1}", ""},
		{"another type", "daemon: {flights: many}", ""},
		{"a list", "notify: {sinks: []}", ""},
		{"a missing key", sinks + "routes: [{}]}", ""},
		{"two kinds of sink", "notify: {sinks: {a: {log: {}, slack: {token: t, channel: c}}}, routes: [{sinks: [a]}]}", ""},
		{"a variable elsewhere", "limits: {depth: '${EMPTY}'}", ""},
	} {
		c := Default()
		c.Env = func(name string) (string, bool) { return "", name == "EMPTY" }
		err := c.Parse([]byte(tt.doc), Name)
		if tt.pointer == "" {
			if err == nil {
				t.Errorf("%s: no error", tt.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: Parse = %v, want none", tt.name, err)
			continue
		}
		needs, all := c.Require(tt.pointer), c.Besides()
		if needs == nil || all == nil || needs.Error() != all.Error() || !strings.HasPrefix(needs.Error(), Name+":1:") {
			t.Errorf("%s: Require(%q) = %v, Besides = %v; want one fault, with its place", tt.name, tt.pointer, needs, all)
		}
		if err := errors.Join(c.Require("/client", "/policy", "/locks", "/daemon/listen"), c.Besides(tt.pointer)); err != nil {
			t.Errorf("%s: for whoever does not need it: %v", tt.name, err)
		}
	}
	c := Default()
	err := c.Parse([]byte("strickt: 1\ndaemon: {schedule: sometimes}\n"), Name)
	if lines := strings.Split(fmt.Sprint(err), "\n"); len(lines) != 2 {
		t.Errorf("a file with two faults reports %q", lines)
	}
}

// No error shows a secret, however the file is wrong: as a mapping, as a list,
// under a key that is none, by an alias.
func TestSecretsStayHidden(t *testing.T) {
	for _, doc := range []string{
		"notify: {sinks: {a: CANARY}}",
		"notify: {sinks: CANARY}",
		"notify: {sinks: {a: {slack: CANARY}}}",
		"notify: {sinks: {a: {webhook: CANARY}}}",
		"notify: {sinks: {a: {slack: [CANARY]}}}",
		"notify: {sinks: {a: {slack: {webhook_url: CANARY}}}}",
		"notify: {sinks: {a: {slack: {webhook_url: 'http://h.example/CANARY'}}}}",
		"notify: {sinks: {a: {slack: {webhook_url: 'https://h.example/CANARY', token: CANARY}}}}",
		"notify: {sinks: {a: {slack: {token: 'CANARY CANARY', channel: 'a b'}}}}",
		"notify: {sinks: {a: {slack: {hook: CANARY}}}}",
		"notify: {sinks: {a: {webhook: {url: CANARY, secrets: CANARY}}}}",
		"notify: {sinks: {a: {webhook: {url: '${CANARY', secrets: [CANARY, CANARY, [CANARY]]}}}}",
		"notify: {sinks: {a: {webhook: {url: '${X}CANARY${Y}', secrets: ['${X}CANARY']}}}}",
		"notify: {sinks: {a: {webhook: {url: &x CANARY, secrets: [*x, {a: *x}]}}}}",
		"notify: {sinks: {a: {webhook: {url: !x CANARY, secrets: {a: CANARY}}}}}",
	} {
		c := Default()
		c.Env = environment
		err := c.Parse([]byte(doc), Name)
		if err == nil {
			err = c.Require("")
		}
		if err == nil || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %v; want an error without the secret", doc, err)
		}
	}
}
