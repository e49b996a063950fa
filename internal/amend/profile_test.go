package amend

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
)

func TestTold(t *testing.T) {
	told := Tell([]string{"/a/b", "/skills/x", "", "/a/b"})
	for at, want := range map[string][3]bool{ // of, at, in
		"/a/b":       {true, true, true},
		"/a/b/c":     {true, true, false},
		"/a":         {true, false, true},
		"/a/bc":      {},
		"/skills":    {true, false, true},
		"/skills/xy": {},
		"":           {},
	} {
		if got := [3]bool{told.Of(at), told.At(at), told.In(at)}; got != want {
			t.Errorf("%q: of, at, in = %v, want %v", at, got, want)
		}
	}
}

// profile makes one with something in each member.
func profile(edit func(*compile.Profile)) *compile.Profile {
	key := compile.Scheme{Kind: card.KindAPIKey, In: "header", Name: "X-Key"}
	use := compile.Alternative{Schemes: map[string]compile.SchemeUse{"key": {Scheme: key, Scopes: []string{}}}}
	p := &compile.Profile{
		Usable: true, Name: "Pricing", AgentVersion: "1.0.0",
		Interface:          &compile.Interface{URL: "https://a.example/rpc", Binding: "JSONRPC", Version: "1.0"},
		Interfaces:         []compile.Interface{{URL: "https://a.example/rpc", Binding: "JSONRPC", Version: "1.0"}, {URL: "https://a.example/rest", Binding: "HTTP+JSON", Version: "1.0"}},
		Extensions:         []string{"urn:x"},
		RequiredExtensions: []string{},
		DeclaredExtensions: map[string]compile.Extension{"urn:x": {}},
		Schemes:            map[string]compile.Scheme{"key": key},
		Skills: map[string]compile.Skill{
			"quote": {Input: []string{"a/b"}, Output: []string{"a/b"}, Security: []compile.Alternative{use, {}}, SecurityFrom: "card", Tags: []string{"t"}},
		},
		OtherSkills: map[string]string{"book": "sha256:0"},
		Texts:       map[string]compile.Text{"/name": {Digest: "sha256:1"}, "/skills/quote/tags": {Digest: "sha256:2"}},
		Sources:     map[string]card.Source{"security": card.Declared},
	}
	edit(p)
	return p
}

func skill(edit func(*compile.Skill)) func(*compile.Profile) {
	return func(p *compile.Profile) {
		s := p.Skills["quote"]
		edit(&s)
		p.Skills["quote"] = s
	}
}

func TestUntold(t *testing.T) {
	for _, tt := range []struct {
		name  string
		edit  func(*compile.Profile)
		told  string // pointers; a skill whose security is told, behind a !
		texts bool
		want  string
	}{
		{"nothing", func(*compile.Profile) {}, "", false, ""},
		{"a version", func(p *compile.Profile) { p.AgentVersion = "2" }, "", false, "/agent_version"},
		{"a version that is told", func(p *compile.Profile) { p.AgentVersion = "2" }, "/agent_version", false, ""},
		{"a version beside what is told", func(p *compile.Profile) { p.AgentVersion = "2" }, "/name", false, "/agent_version"},
		{"a text", func(p *compile.Profile) { p.Texts["/name"] = compile.Text{Digest: "x"} }, "", false, "/texts/~1name"},
		{"a text that is told", func(p *compile.Profile) { p.Texts["/name"] = compile.Text{Digest: "x"} }, "/name", false, ""},
		{"a text that nobody asks for", func(p *compile.Profile) { p.Texts["/name"] = compile.Text{Digest: "x"} }, "", true, ""},
		{"tags that nobody asks for", skill(func(s *compile.Skill) { s.Tags = nil }), "", true, ""},
		{"tags", skill(func(s *compile.Skill) { s.Tags = nil }), "/skills/quote/input", false, "/skills/quote/tags"},
		{"the skill as a whole", skill(func(s *compile.Skill) { s.Tags = nil }), "/skills/quote", false, ""},
		{"another skill", func(p *compile.Profile) { p.OtherSkills["book"] = "sha256:1" }, "/skills/quote", false, "/other_skills/book"},
		{"another skill that is told", func(p *compile.Profile) { p.OtherSkills["book"] = "sha256:1" }, "/skills/book", false, ""},
		{"alternatives in another order", skill(func(s *compile.Skill) { slices.Reverse(s.Security) }), "", false, ""},
		{"an alternative less", skill(func(s *compile.Skill) { s.Security = s.Security[:1] }), "/skills/quote/input", false, "/skills/quote/security"},
		{"an alternative less, told", skill(func(s *compile.Skill) { s.Security = s.Security[:1] }), "!quote", false, ""},
		{"a scheme that is used", func(p *compile.Profile) { delete(p.Schemes, "key") }, "!quote", false, "/schemes/key"},
		{"a scheme that is used otherwise", func(p *compile.Profile) { p.Schemes["key"] = compile.Scheme{Kind: card.KindMutualTLS} }, "!quote", false, "/schemes/key"},
		{"a scheme that nobody uses", func(p *compile.Profile) { p.Schemes["new"] = compile.Scheme{Kind: card.KindMutualTLS} }, "!quote", false, "/schemes/new"},
		{"a scheme that went with its use", func(p *compile.Profile) {
			delete(p.Schemes, "key")
			skill(func(s *compile.Skill) { s.Security = nil })(p)
		}, "!quote", false, ""},
		{"a URL spelled otherwise", func(p *compile.Profile) {
			p.Interfaces[0].URL, p.Interface.URL = "https://A.example:443/rpc", "https://A.example:443/rpc"
		}, "", false, ""},
		{"the chosen one", func(p *compile.Profile) {
			p.Interfaces[0].URL = "https://b.example/"
			p.Interface.URL = "https://b.example/"
		}, "/interface", false, ""},
		{"another one beside it", func(p *compile.Profile) { p.Interfaces[1].Tenant = "t" }, "/interface/url", false, "/interfaces/HTTP+JSON+1.0"},
		{"their order", func(p *compile.Profile) { slices.Reverse(p.Interfaces) }, "/name", false, "/interfaces"},
		{"required, and declared so", func(p *compile.Profile) {
			p.RequiredExtensions = []string{"urn:x"}
			p.DeclaredExtensions["urn:x"] = compile.Extension{Required: true}
		}, "/declared_extensions/urn:x/required", false, ""},
		{"required, and declared otherwise", func(p *compile.Profile) { p.RequiredExtensions = []string{"urn:x"} }, "/declared_extensions/urn:x", false, "/required_extensions/urn:x"},
		{"active", func(p *compile.Profile) { p.Extensions = nil }, "/name", false, "/extensions/urn:x"},
		{"unusable", func(p *compile.Profile) { p.Usable, p.Reason = false, "x" }, "/name", false, "/reason /usable"},
		{"unusable, with an interface", func(p *compile.Profile) { p.Usable, p.Reason = false, "x" }, "/interface", false, ""},
		{"a source", func(p *compile.Profile) { p.Sources = nil }, "/name", false, "/sources/security"},
		{"a source, of another shape", func(p *compile.Profile) { p.Sources = nil }, "/shape", false, ""},
		{"ambiguous", func(p *compile.Profile) { p.Ambiguous = []string{"a/b"} }, "/name", false, "/ambiguous/a~1b"},
		{"disabled", func(p *compile.Profile) { p.Disabled = map[string]string{"z": "x"} }, "/skills/z", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said := &Card{Secured: map[string]bool{}, Texts: tt.texts}
			var pointers []string
			for word := range strings.FieldsSeq(tt.told) {
				if id, ok := strings.CutPrefix(word, "!"); ok {
					said.Secured[id] = true
					continue
				}
				pointers = append(pointers, word)
			}
			said.Told = Tell(pointers)
			was, now := profile(func(*compile.Profile) {}), profile(tt.edit)
			var got []string
			for _, gap := range Untold(was, now, said) {
				got = append(got, gap.At...)
				if len(gap.Was) == 0 && len(gap.Now) == 0 {
					t.Errorf("%s: neither side", gap.Member)
				}
			}
			if joined := strings.Join(got, " "); joined != tt.want {
				t.Errorf("untold = %q, want %q", joined, tt.want)
			}
		})
	}
}
