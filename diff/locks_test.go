package diff

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// A removed lock and one that comes in its place are held together, whatever the
// workflow is called.
func TestLockUnderAnotherWorkflow(t *testing.T) {
	was, _ := revision(t, Example{
		Was: `{"capabilities":{"streaming":true}}`, Lock: `{"workflow":"travel","requires":{"streaming":true}}`, Only: "was",
	}, exampleClient())
	for _, tt := range []struct {
		name, agent string
		want        []string
	}{
		{"the same agent", "https://agent.example/.well-known/agent-card.json", []string{"lock-added", "lock-weakened-to-fit"}},
		{"another agent", "https://other.example/.well-known/agent-card.json", []string{"lock-added"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, _ := revision(t, Example{Lock: `{"workflow":"travel-2","agent":"` + tt.agent + `"}`, Only: "now"}, exampleClient())
			got := Locks([]Revision{was, now}, nil)
			if said := said(got[0]); !slices.Equal(said, []string{"lock-removed"}) {
				t.Errorf("removed: %q", said)
			}
			if said := said(got[1]); !slices.Equal(said, tt.want) {
				t.Errorf("added: %q, want %q", said, tt.want)
			}
		})
	}
}

// Two locks that come in one change are twins as well.
func TestTwinsOfOneChange(t *testing.T) {
	one, _ := revision(t, Example{Lock: `{"workflow":"travel"}`, Only: "now"}, exampleClient())
	other := one
	other.Now = side(t, "other.a2a.lock.json", one.Now.Text)
	for _, r := range Locks([]Revision{one, other}, nil) {
		if said := said(r); !slices.Equal(said, []string{"lock-added", "lock-duplicate"}) {
			t.Errorf("%s: %q", r.Lock.Path, said)
		}
	}
	nameless, _ := revision(t, Example{Only: "now"}, exampleClient())
	if said := said(Locks([]Revision{nameless, nameless}, nil)[0]); !slices.Equal(said, []string{"lock-added"}) {
		t.Errorf("locks without a workflow: %q", said)
	}
}

// Without an answer of the agent, or an earlier self, nothing is decided unless
// something is breaking all the same.
func TestUndecidedRevision(t *testing.T) {
	away := &compile.Reading{Err: &card.DocumentError{State: card.NotJSON, Msg: "an HTML page"}}
	for _, tt := range []struct {
		name   string
		e      Example
		edit   func(*Revision)
		state  card.State
		detail string
		class  Class
	}{
		{"the agent is away", Example{Now: `{"version":"2.0.0"}`}, func(r *Revision) { r.Live = away }, card.NotJSON, "HTML", Compatible},
		{"the agent is away, and it is breaking", Example{Change: `{"requires":{"push":true}}`}, func(r *Revision) { r.Live = away }, Checked, "", Breaking},
		{
			"the lock before is broken",
			Example{},
			func(r *Revision) { r.Was = &Side{Path: "a", Text: []byte("x"), Err: errors.New("a: no\nlock")} },
			NoBase, "a: no lock", Compatible,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := revision(t, tt.e, exampleClient())
			tt.edit(&r)
			got := Locks([]Revision{r}, nil)[0]
			if got.State != tt.state || got.Decided != (tt.state == Checked) || got.Class != tt.class || !strings.Contains(got.Detail, tt.detail) {
				t.Errorf("%s %v %s %q\n%s", got.State, got.Decided, got.Class, got.Detail, show(got))
			}
		})
	}
}

// No report spreads what it warns of.
func TestNoFindingShowsASecret(t *testing.T) {
	const raw = "Zk3v9Qp7Lw2x8Rt5Yb1n6Mc4"
	for _, tt := range []struct{ name, lock, change, written string }{
		{"in a member that no version knows", "", `{"api_key":"` + raw + `"}`, ""},
		{"in what went away", `{"fallback":"https://b.example/?token=` + raw + `"}`, `{"fallback":null}`, ""},
		{"in a name", "", `{"policy":{"rules":{"https://b.example/?token=` + raw + `":"review"}}}`, ""},
		{"in an agent's URL", "", `{"agent":"https://agent.example/card.json?token=` + raw + `"}`, ""},
		{"in a broken lock", "", "", `{"password":"` + raw + `","agent":"` + raw + `"`},
		{"in the wrong place", "", "", `{"agent":"https://me:` + raw + `@a.example/","card_digest":"token=` + raw + `","requires":{"skills":{}},"secret":"` + raw + `"}`},
		{"far into a text", "", `{"fallback":"https://b.example/` + strings.Repeat("x", 60) + `?token=` + strings.Repeat(raw, 6) + `"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := review(t, Example{Lock: tt.lock, Change: tt.change, Written: tt.written})
			text, err := json.Marshal(struct {
				F []Finding
				N []string
				D string
			}{got.Findings, got.Notes, got.Detail})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), raw[:8]) {
				t.Errorf("it shows the secret: %s", text)
			}
			if len(got.Findings) == 0 {
				t.Error("nothing is said")
			}
		})
	}
}

func TestSecretThatWasThere(t *testing.T) {
	const fallback = `"fallback":"https://b.example/?token=Zk3v9Qp7Lw2x8Rt5Yb1n6Mc4"`
	got := review(t, Example{Lock: `{` + fallback + `}`, Now: `{"description":"x"}`})
	if said := said(got); !slices.Equal(said, []string{"lock-secret review", "text-changed"}) {
		t.Errorf("rules = %q\n%s", said, show(got))
	}
}

func TestNotesOfRevisions(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    Example
		edit func(*Revision)
		want string
	}{
		{"no profile any more", Example{Change: `{"profile":null}`}, nil, "does not record a profile"},
		{"no profile before", Example{Now: `{"version":"2.0.0"}`}, func(r *Revision) {
			r.Was = side(t, r.Was.Path, written(t, r.Was.Lock, `{"profile":null}`))
		}, "the lock before did not record"},
		{"another path", Example{}, func(r *Revision) { r.Was = side(t, "old.a2a.lock.json", r.Was.Text) }, `"old.a2a.lock.json"`},
		{"another layout", Example{Written: "CRLF"}, nil, "says the same as before"},
		{"more than this version can check", Example{Change: `{"trust":{"signature":"require"}}`}, nil, "signatures are not verified yet"},
		{"more than the client can do", Example{Change: `{"requires":{"push":true}}`}, nil, "client.push_endpoint"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := revision(t, tt.e, exampleClient())
			if tt.edit != nil {
				tt.edit(&r)
			}
			got := Locks([]Revision{r}, nil)[0]
			if !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, tt.want) }) {
				t.Errorf("notes = %q, want one with %q", got.Notes, tt.want)
			}
		})
	}
}

// What an accepted finding says, and whom a broken lock is about.
func TestWordsOfRevisions(t *testing.T) {
	got := review(t, Example{Now: `{"securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header","name":"X"}}},"securityRequirements":[{"schemes":{"k":{"list":[]}}}]}`})
	if len(got.Findings) != 1 || !strings.HasSuffix(got.Findings[0].Message, "; accepted by this pin") {
		t.Errorf("%s", show(got))
	}
	broken := review(t, Example{Lock: `{"owner":"team-travel"}`, Written: `{"agent":1,"requires":{}}`})
	if broken.Lock.Owner != "team-travel" || broken.Lock.Path == "" {
		t.Errorf("lock = %+v", broken.Lock)
	}
	for _, f := range broken.Findings {
		if f.Rule != "lock-invalid" || f.Path == "" {
			t.Errorf("%+v, want the place of each fault", f)
		}
	}
}

func TestSectionOf(t *testing.T) {
	for _, tt := range []struct {
		rule, path string
		want       Section
	}{
		{"lock-requirement-added", "/requires/push", Asked},
		{"lock-weakened-to-fit", "/requires/push", Dropped},
		{"lock-waiver-added", "/waivers/0", Assurance},
		{"lock-secret", "/fallback", File},
		{"streaming-lost", "/streaming", Agent},
		{"change-unclassified", "/capabilities/x", Agent},
		{"change-unclassified", "/requires/skills/quote/schemes", Asked},
		{"change-unclassified", "/policy/rules/x", Assurance},
		{"change-unclassified", "/workflow", File},
		{"no-such-rule", "", Agent},
	} {
		if got := SectionOf(Finding{Rule: tt.rule, Path: tt.path}); got != tt.want {
			t.Errorf("SectionOf(%s %s) = %d, want %d", tt.rule, tt.path, got, tt.want)
		}
	}
}

// Whatever is found has a place in the lock.
func TestLockPointer(t *testing.T) {
	for _, tt := range []struct{ rule, path, want string }{
		{"skill-removed", "/skills/a~1b", "/requires/skills/a~1b"},
		{"input-narrowed", "/skills/quote/input", "/requires/skills/quote/input"},
		{"scope-required", "/skills/quote/security", "/requires/skills/quote/scopes"},
		{"security-required", "/skills/quote/security", "/requires/skills/quote/schemes"},
		{"skill-gained", "/skills/quote", "/profile/other_skills/quote"},
		{"text-changed", "/skills/quote/name", "/requires/skills/quote"},
		{"streaming-lost", "/streaming", "/requires/streaming"},
		{"capability-gained", "/streaming", "/profile/streaming"},
		{"interface-url-changed", "/interface/url", "/interface/url"},
		{"extension-missing", "/declared_extensions/x", "/requires/extensions"},
		{"card-changed", "", "/card_digest"},
		{"card-moved", "", "/agent"},
		{"agent-version-changed", "/agent_version", "/agent_version"},
		{"lock-key-changed", "/trust/keys", "/trust/keys"},
		{"lock-added", "", ""},
	} {
		if got := LockPointer(Finding{Rule: tt.rule, Path: tt.path}); got != tt.want {
			t.Errorf("LockPointer(%s %s) = %s, want %s", tt.rule, tt.path, got, tt.want)
		}
	}
	for _, rule := range Rules() {
		if rule.Check == nil {
			continue
		}
		c := comparison(t, rule.Example, exampleClient())
		text := written(t, c.Lock, "")
		for _, f := range Compare(c).Findings {
			if at := LockPointer(f); at != "" {
				if line, _, ok := lockfile.Position(text, at); !ok || line < 2 {
					t.Errorf("%s at %s: %s is at line %d of the lock", f.Rule, f.Path, at, line)
				}
			}
		}
	}
}
