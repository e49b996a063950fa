package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// exampleClient is the one that ExampleCard's comment describes.
func exampleClient() *compile.Client {
	return &compile.Client{
		Interfaces: []compile.Transport{{Binding: "JSONRPC", Version: "1.0"}, {Binding: "HTTP+JSON", Version: "1.0"}},
		Accepts:    []string{"application/json", "text/plain"},
		Sends:      []string{"application/json", "text/plain"},
		Aliases:    compile.DefaultAliases(),
		Extensions: []string{"https://ext.example/citations/v1"},
		Streaming:  true,
	}
}

// overlay lays a fragment over a document (RFC 7396).
func overlay(t testing.TB, document, fragment string) []byte {
	t.Helper()
	var doc any
	if err := json.Unmarshal([]byte(document), &doc); err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	if fragment != "" {
		var patch any
		if err := json.Unmarshal([]byte(fragment), &patch); err != nil {
			t.Fatalf("%s: %v", fragment, err)
		}
		doc = mergePatch(doc, patch)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mergePatch(doc, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	d, ok := doc.(map[string]any)
	if !ok {
		d = map[string]any{}
	}
	for k, v := range p {
		if v == nil {
			delete(d, k)
		} else {
			d[k] = mergePatch(d[k], v)
		}
	}
	return d
}

// read takes a card through the whole pipeline.
func read(t testing.TB, body []byte, cl *compile.Client) *compile.Reading {
	t.Helper()
	r := compile.Read(body, cl, card.Options{})
	if r.Err != nil {
		t.Fatalf("card %s: %v", body, r.Err)
	}
	return r
}

// pinTo makes the lock that a pin of the card would write, from the skeleton
// given, and takes it through the file format.
func pinTo(t testing.TB, skeleton []byte, r *compile.Reading) *lockfile.Lock {
	t.Helper()
	l, err := lockfile.Parse(skeleton, "example.a2a.lock.json")
	if err != nil {
		t.Fatalf("lock %s: %v", skeleton, err)
	}
	for id, need := range l.Requires.Skills {
		s, ok := r.Profile.Skills[id]
		if !ok {
			continue
		}
		if need.Schemes == nil {
			need.Schemes, need.Scopes = []string{}, []string{}
			if len(s.Security) > 0 {
				for name, use := range s.Security[0].Schemes {
					need.Schemes = append(need.Schemes, name)
					need.Scopes = append(need.Scopes, use.Scopes...)
				}
			}
			l.Requires.Skills[id] = need
		}
	}
	if i := r.Profile.Interface; i != nil && l.Interface == nil {
		l.Interface = &lockfile.Interface{Binding: i.Binding, Version: i.Version, URL: i.URL, Tenant: i.Tenant}
	}
	l.AgentVersion, l.CardDigest = r.Profile.AgentVersion, r.Digest
	l.ProfileDigest = r.Profile.Digest(l.RequiredSkills())
	l.Profile = r.Profile.ForLock(l.RequiredSkills())
	data, err := lockfile.Format(l)
	if err != nil {
		t.Fatal(err)
	}
	if l, err = lockfile.Parse(data, "example.a2a.lock.json"); err != nil {
		t.Fatalf("lock %s: %v", data, err)
	}
	return l
}

// comparison makes of an example what Compare is asked.
func comparison(t testing.TB, e Example, cl *compile.Client) Comparison {
	t.Helper()
	was := read(t, overlay(t, ExampleCard, e.Was), cl)
	now := read(t, overlay(t, ExampleCard, e.Now), cl)
	l := pinTo(t, overlay(t, ExampleLock, e.Lock), was)
	seen := Seen{
		CardDigest: now.Digest, URL: e.Seen, Offsite: e.Offsite,
		Replicas: e.Replicas, Unreliable: e.Unreliable, Reports: e.Reports,
	}
	if seen.URL == "" {
		seen.URL = l.Agent
	}
	policy, err := Policy{}.With(l.Policy)
	if err != nil {
		t.Fatal(err)
	}
	return Comparison{Lock: l, Now: now.Profile, Client: cl, Policy: policy, Seen: seen, At: ExampleTime}
}

// said lists "rule class" of a result's findings, in their order; the class
// only where it is not the rule's own.
func said(r *Result) []string {
	out := []string{}
	for _, f := range r.Findings {
		if f.Class == byID()[f.Rule].Class {
			out = append(out, f.Rule)
			continue
		}
		out = append(out, f.Rule+" "+f.Class.String())
	}
	slices.Sort(out)
	return out
}

// show is a result in full, for a failure.
func show(r *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s decided=%v %s %s\n", r.State, r.Decided, r.Class, r.Detail)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %s %s %s %v: %s\n    was %v\n    now %v\n", f.Class, f.Rule, f.Path, f.Skills, f.Message, f.Was, f.Now)
	}
	return b.String()
}

// A quiet row says all that one change reports, and nothing else: near misses
// of many rules at once.
type row struct {
	name           string
	was, now, lock string
	seen           string
	offsite        bool
	client         func(*compile.Client)
	edit           func(*Comparison)
	want           []string // as said gives it
}

func runRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			cl := exampleClient()
			if r.client != nil {
				r.client(cl)
			}
			c := comparison(t, Example{Was: r.was, Now: r.now, Lock: r.lock, Seen: r.seen, Offsite: r.offsite}, cl)
			if r.edit != nil {
				r.edit(&c)
			}
			result := Compare(c)
			want := append([]string{}, r.want...)
			slices.Sort(want)
			if got := said(result); !slices.Equal(got, want) {
				t.Errorf("rules = %q, want %q\n%s", got, want, show(result))
			}
			for _, f := range result.Findings {
				if strings.Contains(f.Message, "%!") {
					t.Errorf("message %q", f.Message)
				}
			}
		})
	}
}

// compileClient is what a row changes.
type compileClient = compile.Client

func transportOf(binding, version string) compile.Transport {
	return compile.Transport{Binding: binding, Version: version}
}
