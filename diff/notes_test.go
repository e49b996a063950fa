package diff

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/lockfile"
)

// A member that this version does not know may be a slip, and is named once,
// wherever it stands.
func TestNotesUnknownMembers(t *testing.T) {
	lock, err := lockfile.Parse([]byte(`{
		"agent": "https://agent.example/.well-known/agent-card.json", "agnt": 1, "a/b\nc": 2,
		"interface": {"binding": "JSONRPC", "version": "1.0", "uri": "x"},
		"requires": {
			"skill": {},
			"skills": {"quote": {"input": ["application/json"], "output": ["application/json"], "scope": []}},
			"extension": []
		},
		"verified": {"quote": {"result": "ok", "when": "x"}, "streaming": "probe ok"},
		"trust": {"allowed_origin": []},
		"policy": {"rule": {}},
		"waivers": [{"rule": "agent-renamed", "untill": "2027-01-01"}]
	}`), "x.a2a.lock.json")
	if err != nil {
		t.Fatal(err)
	}
	c := comparison(t, Example{}, exampleClient())
	c.Lock = lock
	want := "the lock has members that this version does not know: /a~1b c, /agnt, /interface/uri, /requires/extension, /requires/skill, " +
		"/requires/skills/quote/scope, /verified/quote/when, /trust/allowed_origin, /policy/rule, /waivers/0/untill (they are kept)"
	if notes := Compare(c).Notes; !slices.Contains(notes, want) {
		t.Errorf("notes = %q\nwant among them %q", notes, want)
	}

	// Many are counted.
	lock.Extra = append(lock.Extra[:len(lock.Extra)-1], `,"zz":1}`...)
	if notes := Compare(c).Notes; !strings.Contains(strings.Join(notes, "\n"), "/policy/rule, and 1 more (they are kept)") {
		t.Errorf("notes = %q, want ten members and a count", notes)
	}

	// What the profile has of a newer version is no slip of a person's.
	c = comparison(t, Example{}, exampleClient())
	c.Lock.Profile.Extra = []byte(`{"new": 1}`)
	if notes := Compare(c).Notes; len(notes) > 0 {
		t.Errorf("notes of a newer profile = %q, want none", notes)
	}
}

// A lock that does not say when it was pinned is never stale, which a policy of
// ages should know.
func TestNotesUnknownAge(t *testing.T) {
	c := comparison(t, Example{}, exampleClient())
	c.Lock.PinnedAt = ""
	if notes := Compare(c).Notes; len(notes) > 0 {
		t.Errorf("notes without max_lock_age = %q, want none", notes)
	}
	c.Policy.MaxLockAge = 24 * time.Hour
	if notes := Compare(c).Notes; len(notes) != 1 || !strings.Contains(notes[0], "age is not known") {
		t.Errorf("notes = %q, want that the age is not known", notes)
	}
	c.Lock.PinnedAt = "2026-10-02T08:00:00Z"
	if notes := Compare(c).Notes; len(notes) > 0 {
		t.Errorf("notes of a young lock = %q, want none", notes)
	}
}

// What the lock requires and our own client cannot do is told, since no card
// can be at fault for it.
func TestNotesBeyondTheClient(t *testing.T) {
	cl := exampleClient()
	c := comparison(t, Example{Was: `{"capabilities":{"streaming":true}}`, Now: `{"capabilities":{"streaming":true}}`, Lock: `{"requires":{"streaming":true}}`}, cl)
	cl.Streaming = true
	if notes := Compare(c).Notes; len(notes) > 0 {
		t.Errorf("notes for a client that streams = %q, want none", notes)
	}
	cl.Streaming = false
	want := []string{"the lock requires streaming, and the client cannot stream: see client.streaming in a2alock.yaml"}
	if notes := Compare(c).Notes; !slices.Equal(notes, want) {
		t.Errorf("notes = %q, want %q", notes, want)
	}
	c.Client = nil
	if notes := Compare(c).Notes; len(notes) > 0 {
		t.Errorf("notes without a client = %q, want none", notes)
	}
}
