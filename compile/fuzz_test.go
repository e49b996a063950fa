package compile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/card"
)

// Whatever is a card compiles: the profile reads back as it was written, its
// digests do not depend on that, and a lock's part of it has the same ones.
func FuzzCompile(f *testing.F) {
	cards, err := filepath.Glob("testdata/cards/*.json")
	if err != nil || len(cards) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range cards {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	cl := &Client{
		Interfaces: []Transport{{"JSONRPC", "1.0"}, {"HTTP+JSON", "1.0"}, {"JSONRPC", "0.3"}, {"GRPC", "1.0"}},
		Accepts:    []string{"application/json", "text/plain"},
		Sends:      []string{"application/json", "text/plain"},
		Aliases:    DefaultAliases(),
		Extensions: []string{"https://ext.example/citations/v1"},
		Streaming:  true,
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Read(data, cl, card.Options{})
		if (r.Profile == nil) != (r.Err != nil) {
			t.Fatalf("profile %v beside error %v", r.Profile, r.Err)
		}
		if r.Profile == nil {
			return
		}
		p := r.Profile
		if p.Usable != (p.Reason == "") || p.Usable && p.Interface == nil {
			t.Fatalf("usable %v, reason %q, interface %v", p.Usable, p.Reason, p.Interface)
		}
		text, err := json.Marshal(p, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		var back Profile
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		again, err := json.Marshal(&back, json.Deterministic(true))
		if err != nil || !bytes.Equal(text, again) {
			t.Fatalf("%s reads back as %s, %v", text, again, err)
		}
		ids := []string{}
		for id := range p.Skills {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		if a, b := p.Digest(nil), back.Digest(nil); a != b {
			t.Fatalf("digest %s, and read back %s", a, b)
		}
		some := ids[:len(ids)/2]
		if a, b := p.Digest(some), p.ForLock(some).Digest(some); a != b {
			t.Fatalf("digest of %q %s, and in a lock %s", some, a, b)
		}
		for _, id := range ids {
			Plan(p, Call{Client: cl, Skill: id})
		}
	})
}
