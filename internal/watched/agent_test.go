package watched

import (
	"net/netip"
	"testing"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/internal/lockset"
	"github.com/a2alock/a2alock/store"
)

// What a request is to be is what the network is asked for.
func TestRequest(t *testing.T) {
	addr := netip.MustParseAddrPort("93.184.215.14:443")
	key := lockset.Key{URL: "https://a.example.com/card.json", Identity: "partner"}
	a := NewAgent(key, store.Agent{Addr: addr, Memory: fetch.Memory{Ignored: 1}}, store.Seen{})
	for _, tt := range []struct{ plain, fresh, elsewhere, unconditional bool }{
		{},
		{plain: true, unconditional: true},
		{fresh: true, unconditional: true},
		{fresh: true, elsewhere: true, unconditional: true},
	} {
		r := a.Request(nil, tt.plain, tt.fresh, tt.elsewhere)
		if r.URL != key.URL || r.Identity != key.Identity || r.Memory.Ignored != 1 {
			t.Errorf("%+v: %+v", tt, r)
		}
		if r.Unconditional != tt.unconditional || r.Fresh != tt.fresh || (r.Avoid == addr) != tt.elsewhere {
			t.Errorf("%+v: unconditional %v, fresh %v, avoiding %v", tt, r.Unconditional, r.Fresh, r.Avoid)
		}
	}
}

func TestPauses(t *testing.T) {
	now := time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)
	const url = "https://a.example.com/card.json"
	for _, tt := range []struct {
		fault fetch.Error
		want  *store.Pause
	}{
		{fetch.Error{Final: url, Code: 429, RetryAfter: time.Hour}, &store.Pause{URL: url, Host: true, Until: now.Add(time.Hour)}},
		{fetch.Error{Final: url, Code: 503, RetryAfter: time.Hour}, &store.Pause{URL: url, Until: now.Add(time.Hour)}},
		{fetch.Error{Final: url, Code: 503}, nil},
		{fetch.Error{Final: url, RetryAfter: time.Hour}, nil}, // it was paused, and not asked
	} {
		got := PauseOf(&tt.fault, now)
		if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("PauseOf(%+v) = %+v, want %+v", tt.fault, got, tt.want)
		}
	}

	var gates gate.Gates
	Keep(&gates, map[string]store.Agent{
		"none": {},
		"host": {Pause: &store.Pause{URL: url, Host: true, Until: now.Add(time.Hour)}},
		"url":  {Pause: &store.Pause{URL: "https://b.example.com/1", Until: now.Add(1000 * time.Hour)}},
		"over": {Pause: &store.Pause{URL: "https://c.example.com/", Host: true, Until: now}},
	}, now)
	for url, want := range map[string]time.Duration{
		"https://a.example.com/": time.Hour, "https://b.example.com/1": 24 * time.Hour, "https://b.example.com/2": 0, "https://c.example.com/": 0,
	} {
		if _, got := gates.Paused(url, time.Now()); got < want-time.Minute || got > want {
			t.Errorf("%s is paused for %s, want %s", url, got, want)
		}
	}
}
