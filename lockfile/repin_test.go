package lockfile_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// pinned is a lock of quote, with evidence of both forms.
func pinned(t *testing.T) *lockfile.Lock {
	t.Helper()
	l, _ := pin(t, newProfile(), newClient(), options("quote"))
	l.Verified = map[string]lockfile.Evidence{
		"streaming": {Text: "probe ok 2026-10-02"},
		"quote":     {Result: "ok", ProfileDigest: l.ProfileDigest},
		"push":      {Result: "ok", ProfileDigest: sum("another")},
	}
	return l
}

// again is a re-pin a day later.
func again(old *lockfile.Lock) lockfile.PinOptions {
	return lockfile.PinOptions{Old: old, CardDigest: old.CardDigest, At: at.AddDate(0, 0, 1)}
}

func TestRepinWithoutChange(t *testing.T) {
	old := pinned(t)
	delete(old.Verified, "push")
	want := format(t, old)
	for _, refresh := range []bool{false, true} {
		o := again(old)
		o.Refresh = refresh
		l, notes := pin(t, newProfile(), newClient(), o)
		got := format(t, l)
		if refresh {
			got = bytes.Replace(got, []byte("2026-10-03T08:30:00Z"), []byte("2026-10-02T08:30:00Z"), 1)
			if l.PinnedAt != "2026-10-03T08:30:00Z" {
				t.Errorf("pinned_at with Refresh = %s, want the next day", l.PinnedAt)
			}
		}
		if !bytes.Equal(got, want) || len(notes) > 0 {
			t.Errorf("a second pin (refresh %v) gives %q and\n%s\nwant\n%s", refresh, notes, got, want)
		}
	}
	o := again(old)
	o.CardDigest = sum("other card")
	if l, _ := pin(t, newProfile(), newClient(), o); l.PinnedAt != "2026-10-03T08:30:00Z" {
		t.Errorf("pinned_at of another card = %s, want the next day", l.PinnedAt)
	}
}

func TestRepinKeepsTheRest(t *testing.T) {
	old := pinned(t)
	x := jsontext.Value(`{"new":1}`)
	old.Workflow, old.Owner, old.Identity, old.Fallback, old.Extra = "w", "o", "partner", "human", x
	old.Interface.Extra, old.Requires.Extra, old.Profile.Extra = x, x, x
	need := old.Requires.Skills["quote"]
	need.Extra = x
	old.Requires.Skills["quote"] = need
	skill := old.Profile.Skills["quote"]
	skill.Extra, skill.Security[1].Extra = x, x
	use := skill.Security[0].Schemes["oauth"]
	use.Extra = x
	skill.Security[0].Schemes["oauth"] = use
	old.Profile.Skills["quote"] = skill
	old.Profile.Interfaces[0].Extra = x
	old.Trust = &lockfile.Trust{Signature: "if-present", Extra: x}
	old.Policy = &lockfile.Policy{TextPolicy: "review", Extra: x}
	old.Waivers = []lockfile.Waiver{{Rule: "agent-renamed", Extra: x}}
	delete(old.Verified, "push")
	before := format(t, old)
	l, _ := pin(t, newProfile(), newClient(), again(old))
	if got := format(t, l); !bytes.Equal(got, before) {
		t.Errorf("a re-pin gives\n%s\nwant\n%s", got, before)
	}

	o := again(old)
	o.Workflow, o.Owner, o.Agent, o.Skills, o.Streaming = "w2", "o2", "https://b.example/card.json", []string{"open"}, true
	l, _ = pin(t, newProfile(), newClient(), o)
	if l.Workflow != "w2" || l.Owner != "o2" || l.Agent != o.Agent || !l.Requires.Streaming || !slices.Equal(l.RequiredSkills(), []string{"open", "quote"}) {
		t.Errorf("a re-pin with flags gives %s", format(t, l))
	}
	if after := format(t, old); !bytes.Equal(before, after) {
		t.Errorf("Pin changed Old to\n%s\nfrom\n%s", after, before)
	}
}

func TestRepinDropsEvidence(t *testing.T) {
	plain := func(l *lockfile.Lock) { l.ProfileDigest = "" }
	tests := []struct {
		name string
		old  func(*lockfile.Lock)
		o    func(*lockfile.PinOptions)
		want []string // the claims that stay
		note string
	}{
		{
			name: "of another profile", want: []string{"quote", "streaming"},
			note: `dropped the evidence for "push": it was made for another profile, or does not say for which`,
		},
		{
			name: "all, when the profile moves", o: func(o *lockfile.PinOptions) { o.Skills = []string{"open"} },
			note: `dropped the evidence for "push", "quote", "streaming": it was made for another profile, or does not say for which`,
		},
		{
			name: "same card, profile not recorded", old: plain, want: []string{"quote", "streaming"},
			note: `dropped the evidence for "push": it was made for another profile, or does not say for which`,
		},
		{
			name: "other card, profile not recorded", old: plain, o: func(o *lockfile.PinOptions) { o.CardDigest = sum("x") }, want: []string{"quote"},
			note: `dropped the evidence for "push", "streaming": it was made for another profile, or does not say for which`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old := pinned(t)
			if tt.old != nil {
				tt.old(old)
			}
			o := again(old)
			if tt.o != nil {
				tt.o(&o)
			}
			l, notes := pin(t, newProfile(), newClient(), o)
			var got []string
			for claim := range l.Verified {
				got = append(got, claim)
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) || !slices.Equal(notes, []string{tt.note}) {
				t.Errorf("verified %q, notes %q, want %q, %q", got, notes, tt.want, tt.note)
			}
		})
	}
}

func TestRepinSecurity(t *testing.T) {
	key := []compile.Credential{{Name: "k", Kind: compile.APIKey}}
	tests := []struct {
		name            string
		security        []compile.Alternative
		held            []compile.Credential
		schemes, scopes []string // recorded
		wantSchemes     []string
		wantScopes      []string
		wantNote        bool
	}{
		{"stays though another can be met", newProfile().Skills["quote"].Security, key, []string{"oauth"}, []string{"quote", "read"}, []string{"oauth"}, []string{"quote", "read"}, false},
		{"fewer scopes stay recorded", []compile.Alternative{alternative("oauth", oauth("read"))}, nil, []string{"oauth"}, []string{"quote", "read"}, []string{"oauth"}, []string{"quote", "read"}, false},
		{"more scopes", []compile.Alternative{alternative("oauth", oauth("admin", "read"))}, nil, []string{"oauth"}, []string{"read"}, []string{"oauth"}, []string{"admin", "read"}, true},
		{"gone", []compile.Alternative{alternative("key", apiKey())}, nil, []string{"oauth"}, []string{"read"}, []string{"key"}, []string{}, true},
		{"none needed any more", nil, nil, []string{"oauth"}, []string{"read"}, []string{}, []string{}, true},
		{"was open, stays open", []compile.Alternative{alternative("key", apiKey()), alternative()}, key, []string{}, []string{}, []string{}, []string{}, false},
		{"not recorded", newProfile().Skills["quote"].Security, nil, nil, nil, []string{"oauth"}, []string{"quote", "read"}, false},
		{"schemes alone", newProfile().Skills["quote"].Security, nil, []string{"key"}, nil, []string{"key"}, []string{}, false},
		{"scopes alone", []compile.Alternative{alternative("key", apiKey()), alternative("oauth", oauth("read"))}, nil, nil, []string{"quote", "read"}, []string{"oauth"}, []string{"quote", "read"}, false},
		{"scopes alone, one can be met", []compile.Alternative{alternative("oauth", oauth("read")), alternative("key", apiKey())}, key, nil, []string{"read"}, []string{"key"}, []string{"read"}, false},
		{"unreadable now", []compile.Alternative{alternative("", unreadable())}, nil, []string{"oauth"}, []string{"read"}, nil, []string{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old := pinned(t)
			old.Verified = nil
			n := old.Requires.Skills["quote"]
			n.Schemes, n.Scopes = tt.schemes, tt.scopes
			old.Requires.Skills["quote"] = n
			p, cl := newProfile(), newClient()
			s := p.Skills["quote"]
			s.Security = tt.security
			p.Skills["quote"] = s
			cl.Credentials = tt.held
			l, notes := pin(t, p, cl, again(old))
			n.Schemes, n.Scopes = tt.wantSchemes, tt.wantScopes
			sameNeed(t, l.Requires.Skills["quote"], n)
			if said := strings.Contains(strings.Join(notes, "\n"), "now pinned to"); said != tt.wantNote {
				t.Errorf("notes = %q, want a change told: %v", notes, tt.wantNote)
			}
			second, _ := pin(t, p, cl, again(l))
			if got, want := format(t, second), format(t, l); !bytes.Equal(got, want) {
				t.Errorf("a second re-pin gives\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRepinKeepsWhatIsNoLongerMet(t *testing.T) {
	o := options("quote", "open", "images", "bare")
	o.Streaming, o.Extensions = true, []string{"https://x.example/e"}
	o.Input, o.Output = nil, nil
	p, cl := newProfile(), newClient()
	cl.Sends, cl.Accepts = append(cl.Sends, "image/png"), append(cl.Accepts, "image/png")
	bare := p.Skills["bare"]
	bare.Input, bare.Output = []string{"text/plain"}, []string{"text/plain"}
	p.Skills["bare"] = bare
	old, _ := pin(t, p, cl, o)

	now := newProfile() // bare declares no media types
	now.Streaming = false
	now.DeclaredExtensions = map[string]compile.Extension{}
	delete(now.Skills, "open")
	now.Disabled["images"] = "id repeated"
	delete(now.Skills, "images")
	quote := now.Skills["quote"]
	quote.Input, quote.Output = []string{"application/json"}, []string{"application/pdf"}
	now.Skills["quote"] = quote
	l, notes := pin(t, now, cl, again(old))
	want := []string{
		`the lock still requires input "text/plain" of skill "bare", for which the card no longer declares media types`,
		`the lock still requires output "text/plain" of skill "bare", for which the card no longer declares media types`,
		`the lock still requires skill "images": disabled: id repeated`,
		`the lock still requires skill "open": the agent no longer has it`,
		`the lock still requires input "text/plain" of skill "quote", which has "application/json"`,
		`the lock still requires output "text/plain", "application/json" of skill "quote", which has "application/pdf"`,
		`the lock still requires streaming, which the card no longer declares`,
		`the lock still requires extension "https://x.example/e", which the card no longer declares`,
	}
	if !slices.Equal(notes, want) {
		t.Errorf("notes =\n%s\nwant\n%s", strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
	if !l.Requires.Streaming || !slices.Equal(l.Requires.Extensions, o.Extensions) || len(l.Requires.Skills) != 4 {
		t.Errorf("a re-pin dropped requirements: %+v", l.Requires)
	}
	for id, n := range old.Requires.Skills {
		sameNeed(t, l.Requires.Skills[id], n)
	}
}

func TestRepinAddsTypes(t *testing.T) {
	old, _ := pin(t, newProfile(), newClient(), options("quote", "open"))
	o := again(old)
	o.Skills, o.Output = []string{"quote"}, []string{"application/pdf", "text"}
	l, _ := pin(t, newProfile(), newClient(), o)
	if got := l.Requires.Skills["quote"].Output; !slices.Equal(got, []string{"text/plain", "application/json", "application/pdf"}) {
		t.Errorf("output of the named skill = %q", got)
	}
	if got := l.Requires.Skills["open"].Output; !slices.Equal(got, []string{"text/plain"}) {
		t.Errorf("output of the other skill = %q", got)
	}
	o.Skills = nil // all: and open has no PDF
	_, _, err := lockfile.Pin(newProfile(), newClient(), o)
	if err == nil || err.Error() != `skill "open": output: not offered: asked for "application/pdf", the skill has "text/plain"` {
		t.Errorf("Pin of a type for all = %v", err)
	}

	p := newProfile()
	delete(p.Skills, "open")
	o.Skills = []string{"open"}
	if _, _, err := lockfile.Pin(p, newClient(), o); !isA[*lockfile.SkillError](err) {
		t.Errorf("Pin of a type for a skill that is gone = %v, want a SkillError", err)
	}
}

func TestRepinOfThePlainForm(t *testing.T) {
	data, err := os.ReadFile("testdata/golden/plain.json")
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte(`"itinerary-pricing"`), []byte(`"quote"`))
	data = bytes.ReplaceAll(data, []byte(`"pricing.quote"`), []byte(`"quote", "read"`))
	old, err := lockfile.Parse(data, "")
	if err != nil {
		t.Fatal(err)
	}
	o := again(old)
	o.CardDigest = sum("card")
	l, notes := pin(t, newProfile(), newClient(), o)
	sameNeed(t, l.Requires.Skills["quote"], lockfile.Need{
		Input: []string{"application/json"}, Output: []string{"application/json"}, Schemes: []string{"oauth"}, Scopes: []string{"quote", "read"},
	})
	if want := []string{`dropped the evidence for "quote", "streaming": it was made for another profile, or does not say for which`}; !slices.Equal(notes, want) {
		t.Errorf("notes = %q, want %q", notes, want)
	}
	if l.LockVersion != 1 || l.Profile == nil || l.ProfileDigest == "" || l.Interface.URL != "https://a.example/rpc" || l.PinnedAt != at.AddDate(0, 0, 1).UTC().Format(time.RFC3339) {
		t.Errorf("a re-pin of the plain form gives\n%s", format(t, l))
	}
}

// Fewer media types than the lock requires take none out, and the note says so.
func TestRepinTakesNothingOut(t *testing.T) {
	old, _ := pin(t, newProfile(), newClient(), options("quote"))
	want := `skill "quote": the lock already requires output "text/plain", and "application/json" too: pin takes nothing out; edit requires in the lock for that`
	for _, tt := range []struct {
		output []string
		want   []string
		need   []string
	}{
		{[]string{"text"}, []string{want}, []string{"text/plain", "application/json"}},
		{[]string{"text", "application/json"}, nil, []string{"text/plain", "application/json"}},
		{[]string{"application/pdf"}, nil, []string{"text/plain", "application/json", "application/pdf"}},
	} {
		o := again(old)
		o.Output = tt.output
		l, notes := pin(t, newProfile(), newClient(), o)
		if got := l.Requires.Skills["quote"].Output; !slices.Equal(got, tt.need) || !slices.Equal(notes, tt.want) {
			t.Errorf("--output %q gives %q with notes %q, want %q with %q", tt.output, got, notes, tt.need, tt.want)
		}
	}
	o := again(old)
	o.Input = []string{"text/plain"}
	if _, notes := pin(t, newProfile(), newClient(), o); len(notes) != 1 || !strings.Contains(notes[0], `requires input "text/plain", and "application/json" too`) {
		t.Errorf("a narrower --input gives the notes %q", notes)
	}
}

// What the workflow could not use although the agent offers it is told.
func TestPinBeyondTheClient(t *testing.T) {
	p, cl, o := newProfile(), newClient(), options("open")
	p.Push, o.Streaming, o.Push, o.Extensions = true, true, true, []string{"https://x.example/e"}
	cl.Streaming, cl.Extensions = false, nil
	_, notes := pin(t, p, cl, o)
	want := []string{
		"the lock requires streaming, and the client cannot stream: see client.streaming in a2alock.yaml",
		"the lock requires push, and the client has no client.push_endpoint in a2alock.yaml",
		`the lock requires extension "https://x.example/e", which client.extensions in a2alock.yaml does not name`,
	}
	if !slices.Equal(notes, want) {
		t.Errorf("notes = %q\nwant %q", notes, want)
	}
	cl.Streaming, cl.PushEndpoint, cl.Extensions = true, "https://c.example/push", o.Extensions
	if _, notes = pin(t, p, cl, o); len(notes) > 0 {
		t.Errorf("notes = %q, want none for a client that can", notes)
	}
}
