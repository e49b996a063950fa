package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// pinnedAgain is a lock that was pinned again after the agent changed its
// description, with its profile edited by hand.
func pinnedAgain(t *testing.T, edit func(*compile.Profile)) Revision {
	t.Helper()
	was := wholeLock(t)
	now := *was
	p := *was.Profile
	p.Texts, p.Skills, p.Schemes = maps.Clone(p.Texts), maps.Clone(p.Skills), maps.Clone(p.Schemes)
	p.DeclaredExtensions, p.OtherSkills = maps.Clone(p.DeclaredExtensions), maps.Clone(p.OtherSkills)
	p.Unknown, p.Interfaces = maps.Clone(p.Unknown), slices.Clone(p.Interfaces)
	p.Texts["/description"] = compile.Text{Digest: "sha256:" + strings.Repeat("b", 64)}
	edit(&p)
	now.Profile, now.CardDigest = &p, "sha256:"+strings.Repeat("b", 64)
	now.ProfileDigest = p.Digest(now.RequiredSkills())
	text := func(l *lockfile.Lock) []byte { return written(t, l, "") }
	return Revision{
		Was: side(t, "example.a2a.lock.json", text(was)), Now: side(t, "example.a2a.lock.json", text(&now)),
		Client: exampleClient(), At: ExampleTime,
	}
}

// What a profile records beyond its digest cannot be made up behind a change
// that is told.
func TestProfileBehindAnHonestPin(t *testing.T) {
	const uri = "https://ext.example/citations/v1"
	for _, tt := range []struct {
		name string
		edit func(*compile.Profile)
		want string // where; "" for nothing
	}{
		{"nothing", func(*compile.Profile) {}, ""},
		{"schemes", func(p *compile.Profile) { p.Schemes = map[string]compile.Scheme{} }, "/profile/schemes"},
		{"sources", func(p *compile.Profile) { p.Sources = nil }, "/profile/sources"},
		{"tags", editSkill(func(s *compile.Skill) { s.Tags = []string{"z"} }), "/profile/skills"},
		{"the level of security", editSkill(func(s *compile.Skill) { s.SecurityFrom = "none" }), "/profile/skills"},
		{"an ambiguous skill", func(p *compile.Profile) { p.Ambiguous = []string{"zzz"} }, "/profile/ambiguous"},
		{"a disabled skill", func(p *compile.Profile) { p.Disabled = map[string]string{"zzz": "x"} }, "/profile/disabled"},
		{"a tenant", func(p *compile.Profile) { p.Interfaces[1].Tenant = "t9" }, "/profile/interfaces"},
		{"the order of interfaces", func(p *compile.Profile) { slices.Reverse(p.Interfaces) }, "/profile/interfaces"},
		{"an interface that the client does not speak", func(p *compile.Profile) {
			p.Interfaces = append(p.Interfaces, compile.Interface{URL: "https://evil.example", Binding: "SOAP", Version: "1.0"})
		}, "/profile/interfaces"},
		{"a required extension", func(p *compile.Profile) {
			e := p.DeclaredExtensions[uri]
			e.Required = true
			p.DeclaredExtensions[uri] = e
		}, "/profile/declared_extensions"},
		{"required, in the list alone", func(p *compile.Profile) { p.RequiredExtensions = []string{uri} }, "/profile/required_extensions"},
		{"active", func(p *compile.Profile) { p.Extensions = append(slices.Clone(p.Extensions), "https://x.example") }, "/profile/extensions"},
		{"why it is usable", func(p *compile.Profile) { p.Reason = "x" }, "/profile/reason"},
		{"a member of tomorrow", func(p *compile.Profile) { p.Extra = jsontext.Value(`{"x":1}`) }, "/profile/x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Locks([]Revision{pinnedAgain(t, tt.edit)}, nil)[0]
			var at []string
			for _, f := range got.Findings {
				if f.Rule == "change-unclassified" && strings.HasPrefix(f.Path, "/profile") {
					at = append(at, f.Path)
				}
			}
			if strings.Join(at, " ") != tt.want {
				t.Errorf("said of %q, want %q\n%s", at, tt.want, show(got))
			}
		})
	}
}

func editSkill(edit func(*compile.Skill)) func(*compile.Profile) {
	return func(p *compile.Profile) {
		s := p.Skills["quote"]
		edit(&s)
		p.Skills["quote"] = s
	}
}

// What the agent serves is no forgery.
func TestProfileThatTheAgentServes(t *testing.T) {
	e := Example{Now: `{"description":"x","supportedInterfaces":[` +
		`{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},` +
		`{"url":"https://agent.example/x","protocolBinding":"SOAP","protocolVersion":"1.0"}]}`}
	if said := said(review(t, e)); !slices.Equal(said, []string{"change-unclassified", "text-changed"}) {
		t.Errorf("offline: %q", said)
	}
	e.Live = e.Now
	if said := said(review(t, e)); !slices.Equal(said, []string{"text-changed"}) {
		t.Errorf("live: %q", said)
	}
}

// What goes names what nobody can judge any more, and what comes where it leads.
func TestWordsOfRecords(t *testing.T) {
	for _, tt := range []struct{ name, before, change, want string }{
		{"the interface goes", "", `{"profile":null,"interface":null}`, "nobody can tell when they go to another address, tenant or origin"},
		{"its URL goes", "", `{"profile":null,"interface":{"url":null}}`, "nobody can tell when they go to another address, tenant or origin"},
		{"it goes, and the profile has it", "", `{"interface":null}`, `"/interface" went away`},
		{"it comes", `{"profile":null,"interface":null}`, `{"profile":null,"interface":{"url":"https://evil.example/a2a"}}`, `calls go to "https://evil.example/a2a", another origin than the card's`},
		{"it comes, at home", `{"profile":null,"interface":null}`, `{"profile":null}`, "recorded for the first time: interface"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := revision(t, Example{Change: tt.change}, exampleClient())
			if tt.before != "" {
				r.Was = side(t, r.Was.Path, written(t, r.Was.Lock, tt.before))
			}
			got := Locks([]Revision{r}, nil)[0]
			if got.Class != Review || !slices.ContainsFunc(got.Findings, func(f Finding) bool { return strings.Contains(f.Message, tt.want) }) {
				t.Errorf("no finding says %q\n%s", tt.want, show(got))
			}
		})
	}
}

// A waiver that waits says so.
func TestWordsOfNewWaivers(t *testing.T) {
	got := review(t, Example{
		Lock:   `{"trust":{"signature":"require"}}`,
		Change: `{"trust":{"signature":"ignore"},"waivers":[{"rule":"lock-trust-weakened","reason":"a","owner":"b","until":"2026-11-01"}]}`,
	})
	if len(got.Findings) == 0 || got.Findings[0].Rule != "lock-trust-weakened" || !strings.HasSuffix(got.Findings[0].Message, "counts from the next one on") {
		t.Errorf("%s", show(got))
	}
}

// Thousands of requirements, all of them moved, take no time that grows with
// their square: this would not end.
func TestThousandsOfRequirements(t *testing.T) {
	const many = 8000
	list := func(from int) string {
		var b strings.Builder
		for i := range many {
			fmt.Fprintf(&b, `,"https://ext.example/x%05d"`, from+i)
		}
		return `{"requires":{"extensions":[` + b.String()[1:] + `]},"password":"hunter22"}`
	}
	got := review(t, Example{Lock: list(0), Change: list(many)})
	count := map[string]int{}
	for _, f := range got.Findings {
		count[f.Rule]++
	}
	if count["lock-weakened-to-fit"] != many || count["lock-unsatisfied"] != many {
		t.Errorf("%v", count)
	}
}
