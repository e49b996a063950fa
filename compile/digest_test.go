package compile

import (
	"maps"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
)

// priced is a card that uses everything a digest covers.
func priced() *card.Card {
	c := plain()
	c.Description = "Prices."
	c.Capabilities.Streaming = true
	c.Capabilities.Extensions = []card.Extension{{URI: "urn:x", Required: true}, {URI: "urn:y"}}
	c.SecuritySchemes = map[string]card.SecurityScheme{
		"key": {Kind: card.KindAPIKey, Location: "header", Name: "X-Key"},
		"oauth": {Kind: card.KindOAuth2, Flows: map[string]card.Flow{
			"clientCredentials": {TokenURL: "https://ID.example:443/token", Scopes: []string{"a", "b"}},
		}},
		"spare": {Kind: card.KindMutualTLS},
	}
	c.Security = card.Security{Declared: true, Alternatives: []card.Alternative{
		{Schemes: map[string][]string{"oauth": {"a"}}}, {Schemes: map[string][]string{"key": nil}}, {Unreadable: "a number"},
	}}
	c.Skills = []card.Skill{
		{ID: "quote", Tags: []string{"t"}, Description: "q", Pointer: "/skills/0"},
		{ID: "book", InputModes: []string{"a/b"}, Description: "b", Pointer: "/skills/1"},
		{ID: "open", Security: card.Security{Declared: true, Alternatives: []card.Alternative{{}}}, Pointer: "/skills/2"},
	}
	return c
}

func extended() *Client {
	cl := usual()
	cl.Extensions = []string{"urn:x", "urn:y"}
	return cl
}

// The recipe of [Profile.Digest] by hand.
func TestDigestRecipe(t *testing.T) {
	p, _ := Compile(priced(), extended())
	const skill = `{"input":["text/plain"],"output":["application/json"],"security":[` +
		`{"schemes":{"":{"kind":"unknown","scopes":[]}}},` +
		`{"schemes":{"key":{"in":"header","kind":"apiKey","name":"X-Key","scopes":[]}}},` +
		`{"schemes":{"oauth":{"flows":{"clientCredentials":{"scopes":["a","b"],"token_url":"https://id.example/token"}},"kind":"oauth2","scopes":["a"]}}}]}`
	const whole = `{"extended_card":false,"extensions":["urn:x","urn:y"],` +
		`"interface":{"binding":"JSONRPC","tenant":"","url":"https://a.example/rpc","version":"1.0"},` +
		`"push":false,"required_extensions":["urn:x"],"skills":{"quote":` + skill + `},"streaming":true,"usable":true}`
	if got, want := p.Digest([]string{"quote", "gone"}), card.Sum([]byte(whole)); got != want {
		t.Errorf("Digest = %s, want %s", got, want)
	}
	if got, want := p.SkillDigest("quote"), card.Sum([]byte(skill)); got != want {
		t.Errorf("SkillDigest = %s, want %s", got, want)
	}
	if got := p.SkillDigest("gone"); got != "" {
		t.Errorf("SkillDigest of a skill that is not there = %q, want none", got)
	}
	if p.Digest(nil) != p.Digest([]string{"book", "open", "quote"}) || p.Digest(nil) == p.Digest([]string{}) {
		t.Error("nil must mean all skills, and an empty list none")
	}
}

func TestDigestCovers(t *testing.T) {
	base, _ := Compile(priced(), extended())
	tests := []struct {
		name   string
		differ bool
		change func(c *card.Card)
	}{
		{"description", false, func(c *card.Card) { c.Description = "new" }},
		{"name", false, func(c *card.Card) { c.Name = "new" }},
		{"agent version", false, func(c *card.Card) { c.Version = "9" }},
		{"tags", false, func(c *card.Card) { c.Skills[0].Tags = nil }},
		{"URL case and port", false, func(c *card.Card) { c.Interfaces[0].URL = "https://A.example:443/rpc" }},
		{"URL path", true, func(c *card.Card) { c.Interfaces[0].URL += "/" }},
		{"tenant", true, func(c *card.Card) { c.Interfaces[0].Tenant = "t" }},
		{"another interface", false, func(c *card.Card) {
			c.Interfaces = append(c.Interfaces, entry("GRPC", "1.0", "a.example:443"))
		}},
		{"streaming", true, func(c *card.Card) { c.Capabilities.Streaming = false }},
		{"push", true, func(c *card.Card) { c.Capabilities.PushNotifications = true }},
		{"extended card", true, func(c *card.Card) { c.Capabilities.ExtendedAgentCard = true }},
		{"extension", true, func(c *card.Card) { c.Capabilities.Extensions = c.Capabilities.Extensions[:1] }},
		{"extension required", true, func(c *card.Card) { c.Capabilities.Extensions[1].Required = true }},
		{"usable", true, func(c *card.Card) { c.Capabilities.Extensions[0].URI = "urn:unknown" }},
		{"alternatives in another order", false, func(c *card.Card) { slices.Reverse(c.Security.Alternatives) }},
		{"an alternative less", true, func(c *card.Card) { c.Security.Alternatives = c.Security.Alternatives[:2] }},
		{"the wording of a reason", false, func(c *card.Card) { c.Security.Alternatives[2].Unreadable = "odd" }},
		{"token URL's case", false, func(c *card.Card) {
			c.SecuritySchemes["oauth"].Flows["clientCredentials"] = card.Flow{TokenURL: "https://id.example/token", Scopes: []string{"a", "b"}}
		}},
		{"token URL", true, func(c *card.Card) {
			c.SecuritySchemes["oauth"].Flows["clientCredentials"] = card.Flow{TokenURL: "https://evil.example/token", Scopes: []string{"a", "b"}}
		}},
		{"a scheme that is not used", false, func(c *card.Card) { delete(c.SecuritySchemes, "spare") }},
		{"another skill", false, func(c *card.Card) { c.Skills[1].InputModes = nil }},
		{"input", true, func(c *card.Card) { c.Skills[0].InputModes = []string{"a/b"} }},
		{"input unknown", true, func(c *card.Card) { c.DefaultInputModes = nil }},
		{"where security comes from", false, func(c *card.Card) { c.Skills[0].Security = c.Security }},
		{"skill gone", true, func(c *card.Card) { c.Skills = c.Skills[1:] }},
	}
	for _, tt := range tests {
		c := priced()
		tt.change(c)
		p, _ := Compile(c, extended())
		if differ := p.Digest([]string{"quote"}) != base.Digest([]string{"quote"}); differ != tt.differ {
			t.Errorf("%s: the digest differs: %v, want %v", tt.name, differ, tt.differ)
		}
	}
}

func TestForLock(t *testing.T) {
	p, _ := Compile(priced(), extended())
	before, _ := Compile(priced(), extended())
	lock := p.ForLock([]string{"quote", "gone"})
	if diff := cmp.Diff(before, p); diff != "" {
		t.Errorf("ForLock changed the profile (-was +now):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]Skill{"quote": p.Skills["quote"]}, lock.Skills); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"book": p.SkillDigest("book"), "open": p.SkillDigest("open")}, lock.OtherSkills); diff != "" {
		t.Errorf("other skills (-want +got):\n%s", diff)
	}
	if got := slices.Sorted(maps.Keys(lock.Schemes)); !slices.Equal(got, []string{"key", "oauth"}) {
		t.Errorf("schemes %v, want those that quote uses", got)
	}
	if got := slices.Sorted(maps.Keys(lock.Texts)); !slices.Equal(got, []string{"/description", "/name", "/skills/quote/description", "/skills/quote/tags"}) {
		t.Errorf("texts %v, want those of the agent and of quote", got)
	}
	if lock.SkillDigest("book") != p.SkillDigest("book") {
		t.Error("a lock's profile must know the digest of the skills it left out")
	}
	if diff := cmp.Diff(lock, lock.ForLock([]string{"quote"})); diff != "" {
		t.Errorf("ForLock of a lock's profile (-want +got):\n%s", diff)
	}
	lock.Skills, lock.OtherSkills, lock.Schemes, lock.Texts = p.Skills, nil, p.Schemes, p.Texts
	if diff := cmp.Diff(p, lock); diff != "" {
		t.Errorf("all else must stay whole (-want +got):\n%s", diff)
	}
}

// anyCard draws a card from few names, so that they meet.
func anyCard(t *rapid.T) *card.Card {
	words := func(label string, names ...string) []string {
		return rapid.SliceOfN(rapid.SampledFrom(names), 0, 3).Draw(t, label)
	}
	word := func(label string, names ...string) string { return rapid.SampledFrom(names).Draw(t, label) }
	security := func(label string) card.Security {
		s := card.Security{Declared: rapid.Bool().Draw(t, label)}
		for range rapid.IntRange(0, 3).Draw(t, label+" alternatives") {
			a := card.Alternative{Schemes: map[string][]string{}}
			for _, name := range words(label+" schemes", "key", "oauth", "gone") {
				a.Schemes[name] = words(label+" scopes", "a", "b", "c")
			}
			if rapid.IntRange(0, 9).Draw(t, label+" odd") == 0 {
				a.Unreadable = "odd"
			}
			s.Alternatives = append(s.Alternatives, a)
		}
		return s
	}
	c := priced()
	c.Interfaces = nil
	for range rapid.IntRange(0, 3).Draw(t, "interfaces") {
		c.Interfaces = append(c.Interfaces, entry(word("binding", "JSONRPC", "GRPC"), word("version", "1.0", "0.3", ""), word("url", "https://A.example/", "http://b.example:80/x\u200b")))
	}
	c.Capabilities.Extensions = nil
	for _, uri := range words("extensions", "urn:x", "urn:y", "urn:z") {
		e := card.Extension{URI: uri, Required: rapid.Bool().Draw(t, "required")}
		if rapid.Bool().Draw(t, "has params") {
			e.Params = jsontext.Value(word("params", `{"a":1}`, `{"b":2}`))
		}
		e.Unknown = map[string]jsontext.Value{"u": jsontext.Value(word("u", "1", "2"))}
		c.Capabilities.Extensions = append(c.Capabilities.Extensions, e)
	}
	c.Security = security("card")
	c.DefaultInputModes = words("default input", "text", "a/b", "A/B")
	c.Skills = nil
	for _, id := range words("skills", "quote", "book", "a/b~", "x\u200b") {
		c.Skills = append(c.Skills, card.Skill{
			ID: id, Description: word("description", "", "d", "e\u200b"), Tags: words("tags", "t", "u", "v\u202e"),
			Examples: words("examples", "e", "f"), InputModes: words("input", "text", "a/c", "a/d; x=1"),
			Security: security("skill"), Disabled: word("disabled", "", "", "", "broken"),
		})
	}
	return c
}

// shuffled returns c with the order of everything changed that is a set.
func shuffled(t *rapid.T, c *card.Card) *card.Card {
	out := *c
	set := func(s []string) []string { return rapid.Permutation(s).Draw(t, "order") }
	out.DefaultInputModes, out.DefaultOutputModes = set(c.DefaultInputModes), set(c.DefaultOutputModes)
	out.Capabilities.Extensions = rapid.Permutation(c.Capabilities.Extensions).Draw(t, "extensions")
	out.Skills = rapid.Permutation(c.Skills).Draw(t, "skills")
	for i := range out.Skills {
		s := &out.Skills[i]
		s.Tags, s.Examples, s.InputModes = set(s.Tags), set(s.Examples), set(s.InputModes)
	}
	return &out
}

func TestCompileLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, cl := anyCard(t), extended()
		p, _ := Compile(c, cl)
		text := func(p *Profile) string {
			raw, err := json.Marshal(p, json.Deterministic(true))
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		again, _ := Compile(shuffled(t, c), cl)
		if diff := cmp.Diff(text(p), text(again)); diff != "" {
			t.Fatalf("a shuffled card compiles to another profile (-want +got):\n%s", diff)
		}

		required := rapid.SliceOf(rapid.SampledFrom([]string{"quote", "book", "a/b~", "x\u200b", "gone"})).Draw(t, "required")
		lock := p.ForLock(required)
		if p.Digest(required) != lock.Digest(required) || lock.Digest(required) != lock.Digest(nil) && len(required) > 0 {
			t.Fatalf("digest over %q: %s of the profile, %s and %s in a lock", required, p.Digest(required), lock.Digest(required), lock.Digest(nil))
		}
		for id := range p.Skills {
			if lock.SkillDigest(id) != p.SkillDigest(id) {
				t.Fatalf("digest of skill %q differs in a lock", id)
			}
		}
		var back Profile
		if err := json.Unmarshal([]byte(text(lock)), &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lock, &back); diff != "" {
			t.Fatalf("read back from JSON (-want +got):\n%s", diff)
		}
		if p.Usable != (p.Reason == "") || p.Usable && p.Interface == nil {
			t.Fatalf("usable %v, reason %q, interface %v", p.Usable, p.Reason, p.Interface)
		}
	})
}
