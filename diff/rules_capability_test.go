package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

func lost(c *Comparison)     { c.Seen.Lost = "none is configured" }
func extended(c *Comparison) { c.Seen.Extended = true }
func unrecord(c *Comparison) { c.Lock.Profile = nil }

// One cause gives one finding, which names it, and a note.
func TestLostCardIsNotJudged(t *testing.T) {
	c := comparison(t, Example{
		Was: `{"capabilities":{"extendedAgentCard":true}}`, Now: `{"skills":[{"id":"quote","name":"q","description":"d","tags":["t"],"inputModes":1},{"id":"other","name":"o","description":"d","tags":["t"]}]}`, Lock: `{"identity":"reader"}`,
	}, exampleClient())
	c.Seen.Lost = "none is\nconfigured"
	r := Compare(c)
	if !r.Decided || r.Class != Breaking || len(r.Findings) != 1 {
		t.Fatalf("result = %s", show(r))
	}
	if want := "the lock was pinned from the extended card, which is gone: none is configured"; r.Findings[0].Message != want {
		t.Errorf("message = %q, want %q", r.Findings[0].Message, want)
	}
	if !slices.Contains(r.Notes, "the card that came is the public one: what the lock requires was not held against it") {
		t.Errorf("notes = %q", r.Notes)
	}
}

// The public card is to do where a person lets the loss stand: what it lacks is
// said of it, and no loss is compatible by itself.
func TestLostCardThatIsWaived(t *testing.T) {
	const waiver = `{"identity":"reader","waivers":[{"rule":"extended-card-lost","reason":"r","owner":"o","until":"2026-12-31"}]}`
	const ended = `{"identity":"reader","waivers":[{"rule":"extended-card-lost","reason":"r","owner":"o","until":"2026-01-01"}]}`
	const other = `{"skills":[{"id":"other","name":"o","description":"d","tags":["t"]}]}`
	lower := func(c *Comparison) { lost(c); c.Policy.Rules = map[string]Class{"extended-card-lost": Compatible} }
	for _, tt := range []struct {
		name, now, lock string
		edit            func(*Comparison)
		class           Class
		want            []string
	}{
		{"waived, the skill gone", other, waiver, lost, Breaking, []string{"extended-card-lost", "skill-gained", "skill-removed"}},
		{"waived, the skill there", `{}`, waiver, lost, Compatible, []string{"extended-card-lost"}},
		{"a waiver that has ended", other, ended, lost, Breaking, []string{"extended-card-lost", "waiver-expired"}},
		{"lowered", other, `{"identity":"reader"}`, lower, Breaking, []string{"extended-card-lost compatible", "skill-gained", "skill-removed"}},
		{"lowered, the skill there", `{}`, `{"identity":"reader"}`, lower, Compatible, []string{"extended-card-lost compatible"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := comparison(t, Example{Was: `{"capabilities":{"extendedAgentCard":true}}`, Now: tt.now, Lock: tt.lock}, exampleClient())
			tt.edit(&c)
			r := Compare(c)
			if got := said(r); !r.Decided || r.Class != tt.class || !slices.Equal(got, tt.want) {
				t.Errorf("%s with %q, want %s with %q\n%s", r.Class, got, tt.class, tt.want, show(r))
			}
		})
	}
}

// unspoken is a public card of other skills that no client of these tests can call.
const unspoken = `{"skills":[{"id":"other","name":"o","description":"d","tags":["t"]}],"capabilities":{"extendedAgentCard":true},` +
	`"supportedInterfaces":[{"url":"https://agent.example/v2","protocolBinding":"JSONRPC","protocolVersion":"2.0"}]}`

// What could not be asked for is said in the notes, with what was not looked at.
func TestNoteOfWhatWasNotAsked(t *testing.T) {
	c := comparison(t, Example{Was: `{"capabilities":{"extendedAgentCard":true}}`, Now: unspoken, Lock: `{"identity":"reader"}`}, exampleClient())
	c.Seen.Lost = "the extended card cannot be asked for: no interface is usable"
	const want = "the card that came is the public one: what the lock requires was not held against it (the extended card cannot be asked for: no interface is usable)"
	if r := Compare(c); r.Class != Breaking || !r.Decided || !slices.Contains(r.Notes, want) {
		t.Errorf("Compare = %s\nwant the note %q", show(r), want)
	}
}

// An identity that is shown the public card in place of what the lock was pinned
// from has lost its access; one that always was has not.
func TestAccessLostWithoutAWord(t *testing.T) {
	ids := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, fmt.Sprintf(`{"id":%q,"name":"n","description":"d","tags":["t"]}`, id))
		}
		return `{"capabilities":{"extendedAgentCard":true},"skills":[` + strings.Join(list, ",") + `]}`
	}
	const reader = `{"identity":"reader"}`
	for _, tt := range []struct {
		name, was, now, lock, needs string
		edit                        func(*Comparison)
		denied                      bool
	}{
		{name: "the required skill is not on it", was: ids("vip", "public"), now: ids("public"), lock: reader, needs: "vip", denied: true},
		{name: "another skill is not on it", was: ids("vip", "public"), now: ids("public"), lock: reader, needs: "public"},
		{
			name: "nothing recorded", was: ids("vip"), now: ids("public"), lock: reader, needs: "vip", denied: true,
			edit: func(c *Comparison) { c.Lock.Profile = nil },
		},
		{name: "it has all", was: ids("public"), now: ids("public", "more"), lock: reader, needs: "public"},
		{
			name: "the card that was pinned", was: ids("public"), now: ids("public"), lock: reader, needs: "gone",
			edit: func(c *Comparison) { c.Lock.CardDigest = "sha256:now" },
		},
		{
			name: "a card of its own", was: ids("vip"), now: ids("public"), lock: reader, needs: "vip",
			edit: func(c *Comparison) { c.Seen.Same = false },
		},
		{name: "a lock of the public card", was: ids("vip"), now: ids("public"), lock: `{}`, needs: "vip"},
	} {
		c := comparison(t, Example{Was: tt.was, Now: tt.now, Lock: tt.lock}, exampleClient())
		c.Seen.Same, c.Seen.Extended = true, true
		c.Lock.Requires.Skills = map[string]lockfile.Need{tt.needs: {}}
		if tt.edit != nil {
			tt.edit(&c)
		}
		lock, now := c.Lock, c.Now
		r := Judge(lock, &compile.Reading{Profile: now, Digest: "sha256:now"}, c)
		want := Undecided(lock, "auth-required", `the agent shows "reader" its public card, as it does to callers that it does not know`)
		if got := !r.Decided && r.State == want.State && r.Detail == want.Detail && len(r.Findings) == 0; got != tt.denied || !tt.denied && !r.Decided {
			t.Errorf("%s: %s\nwant that access is lost: %v", tt.name, show(r), tt.denied)
		}
	}
}

func TestCapabilityRules(t *testing.T) {
	caps := func(members string) string { return `{"capabilities":{` + members + `}}` }
	const needStream, needPush = `{"requires":{"streaming":true}}`, `{"requires":{"push":true}}`
	runRows(t, []row{
		// streaming-lost
		{name: "streaming stays", was: caps(`"streaming":true`), now: caps(`"streaming":true`), lock: needStream},
		{name: "streaming was never there", lock: needStream, want: []string{"streaming-lost"}},
		{name: "streaming not required", was: caps(`"streaming":true`), want: []string{"capability-lost-unused"}},
		{name: "absent is false", was: caps(`"streaming":false`), now: caps(``), want: []string{"card-changed"}},
		{
			name: "the client cannot stream itself", was: caps(`"streaming":true`), now: caps(`"streaming":true`), lock: needStream,
			client: func(cl *compileClient) { cl.Streaming = false },
		},
		{
			name: "required though not recorded", now: caps(``), lock: needStream, want: []string{"streaming-lost"},
			edit: func(c *Comparison) { c.Lock.Profile = nil },
		},
		// push-lost
		{name: "push stays", was: caps(`"pushNotifications":true`), now: caps(`"pushNotifications":true`), lock: needPush},
		{name: "push not required", was: caps(`"pushNotifications":true`), want: []string{"capability-lost-unused"}},
		{
			name: "streaming lost, push required and there",
			was:  caps(`"pushNotifications":true,"streaming":true`), now: caps(`"pushNotifications":true`), lock: needPush,
			want: []string{"capability-lost-unused"},
		},
		// extended-card-lost
		{name: "pinned from the public card", was: caps(`"extendedAgentCard":true`), want: []string{"capability-lost-unused"}},
		{
			name: "extended card stays", was: caps(`"extendedAgentCard":true`), now: caps(`"extendedAgentCard":true`),
			lock: `{"identity":"reader"}`,
		},
		{
			name: "from the 0.3 place to the 1.0 place", was: `{"supportsAuthenticatedExtendedCard":true}`,
			now: caps(`"extendedAgentCard":true`), lock: `{"identity":"reader"}`, want: []string{"card-changed"},
		},
		{name: "the extended card says nothing of itself", was: caps(`"extendedAgentCard":true`), lock: `{"identity":"reader"}`, edit: extended, want: []string{"card-changed"}},
		{name: "the flag went, and nobody asked", was: caps(`"extendedAgentCard":true`), lock: `{"identity":"reader"}`, want: []string{"extended-card-lost"}},
		{name: "the flag went, nothing recorded", lock: `{"identity":"reader"}`, edit: unrecord, want: []string{"extended-card-lost"}},
		{name: "the identity reads the only card there is", lock: `{"identity":"reader"}`},
		{name: "nor is there another", lock: `{"identity":"reader"}`, edit: lost},
		{
			name: "the only card changes", lock: `{"identity":"reader"}`, was: caps(`"streaming":true`), edit: lost,
			want: []string{"capability-lost-unused"},
		},
		{name: "nobody's lock", was: caps(`"extendedAgentCard":true`), now: caps(`"extendedAgentCard":true`), edit: lost},
		{
			name: "none is configured", was: caps(`"extendedAgentCard":true`), now: caps(`"extendedAgentCard":true`),
			lock: `{"identity":"reader"}`, edit: lost, want: []string{"extended-card-lost"},
		},
		{
			name: "none is configured, nothing recorded", now: caps(`"extendedAgentCard":true`),
			lock: `{"identity":"reader"}`, edit: func(c *Comparison) { lost(c); unrecord(c) }, want: []string{"extended-card-lost"},
		},
		{
			name: "the public card is another, and that alone is said",
			was:  caps(`"extendedAgentCard":true,"streaming":true`),
			now:  `{"name":"Other","version":"0.1","skills":[{"id":"other","name":"o","description":"d","tags":["t"]}],"capabilities":{},"supportedInterfaces":[{"url":"https://other.example/","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`,
			lock: `{"identity":"reader","requires":{"streaming":true}}`, edit: lost, want: []string{"extended-card-lost"},
		},
		{
			name: "beside what is not of the card", was: caps(`"extendedAgentCard":true`), offsite: true, seen: "https://other.example/card.json",
			lock: `{"identity":"reader","pinned_at":"2026-01-01T00:00:00Z","policy":{"max_lock_age":"90d"},` +
				`"waivers":[{"rule":"skill-removed","reason":"r","owner":"o","until":"2026-12-31"}]}`,
			edit: func(c *Comparison) {
				lost(c)
				c.Seen.Replicas, c.Seen.Unreliable = []string{"sha256:a", "sha256:b"}, "two contents"
			},
			want: []string{"card-moved-offsite", "lock-stale", "replicas-disagree", "validator-unreliable"},
		},
		{
			name: "not asked for on the word of an origin that is trusted", was: caps(`"extendedAgentCard":true`), now: caps(`"extendedAgentCard":true`),
			offsite: true, seen: "https://other.example/card.json", lock: `{"identity":"reader","trust":{"allowed_origins":["https://other.example"]}}`,
			edit: lost, want: []string{"card-moved-offsite review", "extended-card-lost"},
		},
		{
			name: "not asked for, since no interface is the client's", was: caps(`"extendedAgentCard":true`), now: unspoken,
			lock: `{"identity":"reader"}`, edit: lost, want: []string{"interface-none-usable"},
		},
		{
			name: "nor promised", was: caps(`"extendedAgentCard":true`), now: strings.Replace(unspoken, "true", "false", 1),
			lock: `{"identity":"reader"}`, edit: lost, want: []string{"extended-card-lost"},
		},
		{
			name: "that is waived", was: caps(`"extendedAgentCard":true`), now: unspoken,
			lock: `{"identity":"reader","waivers":[{"rule":"interface-none-usable","reason":"r","owner":"o","until":"2026-12-31"}]}`,
			edit: lost, want: []string{"extended-card-lost", "interface-none-usable"},
		},
		{
			name: "that is lowered", was: caps(`"extendedAgentCard":true`), now: unspoken, lock: `{"identity":"reader"}`,
			edit: func(c *Comparison) { lost(c); c.Policy.Rules = map[string]Class{"interface-none-usable": Compatible} },
			want: []string{"extended-card-lost", "interface-none-usable compatible"},
		},
		// capability-lost-unused, capability-gained
		{name: "all came", now: caps(`"streaming":true,"pushNotifications":true,"extendedAgentCard":true`), want: []string{"capability-gained", "capability-gained", "capability-gained"}},
		{name: "false came", now: caps(`"streaming":false`), want: []string{"card-changed"}},
		{
			name: "nothing recorded", now: caps(`"streaming":true`), want: []string{"card-changed"},
			edit: func(c *Comparison) { c.Lock.Profile = nil },
		},
		{name: "gained what is required", now: caps(`"streaming":true`), lock: needStream, want: []string{"capability-gained"}},
	})
}
