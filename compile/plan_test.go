package compile

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/golden"
)

// A sketch is a card, a client and a call that a row of a table changes.
type sketch struct {
	card *card.Card
	cl   *Client
	call Call
}

func (s *sketch) plan() (*Route, *Refusal) {
	p, _ := Compile(s.card, s.cl)
	s.call.Client = s.cl
	return Plan(p, s.call)
}

// planned is the plan of a call that works, after change.
func planned(change func(s *sketch)) (*Route, *Refusal) {
	s := &sketch{card: plain(), cl: usual(), call: Call{Skill: "quote"}}
	if change != nil {
		change(s)
	}
	return s.plan()
}

// locked puts the call under a lock that requires what it does.
func (s *sketch) locked(change func(l *Limit)) {
	s.call.Lock = &Limit{Skills: []string{"quote"}, Input: []string{"text/plain"}, Output: []string{"application/json"}}
	if change != nil {
		change(s.call.Lock)
	}
}

// secured has the skill ask for one of the alternatives, each its schemes with
// their scopes.
func (s *sketch) secured(alternatives ...map[string][]string) {
	s.card.SecuritySchemes = map[string]card.SecurityScheme{
		"key":   {Kind: card.KindAPIKey, Location: "header", Name: "X-Key"},
		"oauth": {Kind: card.KindOAuth2, Flows: map[string]card.Flow{"clientCredentials": {TokenURL: "https://id.example/token"}}},
		"gate":  {Kind: card.KindMutualTLS},
	}
	s.card.Security.Declared = true
	for _, a := range alternatives {
		s.card.Security.Alternatives = append(s.card.Security.Alternatives, card.Alternative{Schemes: a})
	}
}

func (s *sketch) extensions(required bool, uris ...string) {
	for _, uri := range uris {
		s.card.Capabilities.Extensions = append(s.card.Capabilities.Extensions, card.Extension{URI: uri, Required: required})
	}
}

// Each step refuses what it should, and says why.
func TestPlanRefuses(t *testing.T) {
	oauth := []Credential{{Name: "partner", Kind: OAuth2, Scopes: []string{"a"}}}
	tests := []struct {
		name, step, reason string // reason: a part of it
		change             func(s *sketch)
	}{
		{"no interface", "interface", "the card offers JSONRPC 1.0", func(s *sketch) { s.cl.Interfaces = nil }},
		{"another origin", "interface", "https://evil.example/rpc", func(s *sketch) {
			s.card.Interfaces[0].URL = "https://evil.example/rpc"
			s.locked(func(l *Limit) { l.Origins = []string{"https://a.example"} })
		}},
		{"another port", "interface", "https://a.example:8443/rpc", func(s *sketch) {
			s.card.Interfaces[0].URL = "https://a.example:8443/rpc"
			s.locked(func(l *Limit) { l.Origins = []string{"https://a.example"} })
		}},
		{"required extension", "extensions", "urn:x", func(s *sketch) { s.extensions(true, "urn:x") }},
		{"locked extension not declared", "extensions", "the lock requires urn:x", func(s *sketch) {
			s.cl.Extensions = []string{"urn:x"}
			s.locked(func(l *Limit) { l.Extensions = []string{"urn:x"} })
		}},
		{"locked extension not implemented", "extensions", "the lock requires urn:x", func(s *sketch) {
			s.extensions(false, "urn:x")
			s.locked(func(l *Limit) { l.Extensions = []string{"urn:x"} })
		}},
		{"no such skill", "skill", "no skill qoute, but quote, zebra", func(s *sketch) {
			s.card.Skills = append(s.card.Skills, card.Skill{ID: "zebra", Pointer: "/skills/1"})
			s.call.Skill = "qoute"
		}},
		{"no skill at all", "skill", "no skill quote, but none", func(s *sketch) { s.card.Skills = nil }},
		{"hidden characters", "skill", `no skill "quote\u200b"`, func(s *sketch) { s.call.Skill = "quote\u200b" }},
		{"disabled", "skill", "disables the skill quote: inputModes is a number", func(s *sketch) {
			s.card.Skills[0].Disabled = "inputModes is a number"
		}},
		{"ambiguous", "skill", "quote more than once", func(s *sketch) { s.card.Skills = append(s.card.Skills, s.card.Skills[0]) }},
		{"beyond the lock", "skill", "the lock does not require the skill quote, but book", func(s *sketch) {
			s.locked(func(l *Limit) { l.Skills = []string{"book"} })
		}},
		{"a lock of nothing", "skill", "the lock does not require the skill quote", func(s *sketch) { s.call.Lock = &Limit{} }},
		{"no such credential", "credentials", "more than what the client holds: key; or gate and oauth with a", func(s *sketch) {
			s.secured(map[string][]string{"key": nil}, map[string][]string{"oauth": {"a"}, "gate": nil})
			s.cl.Credentials = oauth
		}},
		{"a scope too many", "credentials", "oauth with a, b", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"b", "a"}})
			s.cl.Credentials = oauth
		}},
		{"a credential for elsewhere", "credentials", "more than what the client holds for https://a.example, which is nothing: oauth with a", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}})
			s.cl.Credentials = []Credential{{Name: "partner", Kind: OAuth2, Scopes: []string{"a"}, Origins: []string{"https://b.example:443"}}}
		}},
		{"another credential for here", "credentials", "what the client holds for https://a.example, gate (API key), small (OAuth 2 with b): oauth with a", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}})
			s.cl.Credentials = []Credential{
				{Name: "gate", Kind: APIKey, Origins: []string{"https://a.example:443"}},
				{Name: "small", Kind: OAuth2, Scopes: []string{"b"}},
				{Name: "partner", Kind: OAuth2, Scopes: []string{"a"}, Origins: []string{"http://a.example:443", "https://a.example:8443"}},
			}
		}},
		{"a credential for elsewhere, under a lock", "credentials", "more than the lock allows, and what the client holds for https://a.example, which is nothing: key", func(s *sketch) {
			s.secured(map[string][]string{"key": nil})
			s.cl.Credentials = []Credential{{Name: "k", Kind: APIKey, Origins: []string{}}}
			s.locked(func(l *Limit) { l.Held = map[string][]string{} })
		}},
		{"unreadable", "credentials", "other", func(s *sketch) {
			s.secured(map[string][]string{"other": nil})
			s.cl.Credentials = oauth
		}},
		{"a scope beyond the lock", "credentials", "more than what the lock records: oauth with a, b", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a", "b"}})
			s.locked(func(l *Limit) { l.Held = map[string][]string{"oauth": {"a"}} })
		}},
		{"a scheme beyond the lock", "credentials", "more than what the lock records: key", func(s *sketch) {
			s.secured(map[string][]string{"key": nil})
			s.locked(func(l *Limit) { l.Held = map[string][]string{"oauth": {"a"}} })
		}},
		{"a lock of open calls", "credentials", "more than what the lock records: key", func(s *sketch) {
			s.secured(map[string][]string{"key": nil})
			s.locked(func(l *Limit) { l.Held = map[string][]string{} })
		}},
		{"secrets elsewhere", "credentials", "another origin", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}})
			s.locked(func(l *Limit) { l.Held, l.Moved = map[string][]string{"oauth": {"a"}}, []string{"oauth"} })
		}},
		{"secrets elsewhere, with a credential", "credentials", "another origin", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}})
			s.cl.Credentials = oauth
			s.locked(func(l *Limit) { l.Held, l.Moved = map[string][]string{"oauth": {"a"}}, []string{"oauth"} })
		}},
		{"a scope beyond the lock, which the client holds", "credentials", "more than the lock allows: oauth with a, b", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a", "b"}})
			s.cl.Credentials = []Credential{{Name: "partner", Kind: OAuth2, Scopes: []string{"a", "b"}}}
			s.locked(func(l *Limit) { l.Held, l.Own = map[string][]string{"oauth": {"a"}}, []int{0} })
		}},
		{"neither the lock's nor the client's", "credentials", "more than the lock allows: gate", func(s *sketch) {
			s.secured(map[string][]string{"gate": nil})
			s.cl.Credentials = oauth
			s.locked(func(l *Limit) { l.Held = map[string][]string{"key": {}} })
		}},
		{"breaking, with another way left", "credentials", "tokens come from elsewhere", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}}, map[string][]string{"key": nil})
			s.locked(func(l *Limit) {
				l.Held, l.Breaking = map[string][]string{"oauth": {"a"}, "key": {}}, "tokens come from elsewhere"
			})
		}},
		{"breaking, without a record", "credentials", "unreadable now", func(s *sketch) {
			s.secured(map[string][]string{"other": nil})
			s.locked(func(l *Limit) { l.Breaking = "unreadable now" })
		}},
		{"nothing accepted", "input", "accepts text/plain, and what would be sent is image/png", func(s *sketch) { s.cl.Sends = []string{"image/png"} }},
		{"nothing accepted of the call's", "input", "image/png", func(s *sketch) { s.call.Input = []string{"image/png"} }},
		{"nothing of the range", "input", "accepts image/*, and what would be sent is text/plain", func(s *sketch) {
			s.card.DefaultInputModes, s.cl.Sends = []string{"image/*"}, []string{"text/plain"}
		}},
		{"nothing sent", "input", "none", func(s *sketch) { s.cl.Sends = nil }},
		{"one of the lock's", "input", "requires application/json to be accepted", func(s *sketch) {
			s.locked(func(l *Limit) { l.Input = []string{"application/json", "text/plain"} })
		}},
		{"one of the lock's, though another is sent", "input", "requires application/json", func(s *sketch) {
			s.call.Input = []string{"text/plain"}
			s.locked(func(l *Limit) { l.Input = []string{"application/json", "text/plain"} })
		}},
		{"beyond the lock's input", "input", "the lock does not require application/json", func(s *sketch) {
			s.card.DefaultInputModes = []string{"application/json", "text/plain"}
			s.call.Input = []string{"text", "json"}
			s.locked(nil)
		}},
		{"nothing usable", "output", "answers in application/json, and what can be used is text/plain", func(s *sketch) { s.cl.Accepts = []string{"text"} }},
		{"nothing usable for the lock", "output", "text/csv", func(s *sketch) {
			s.locked(func(l *Limit) { l.Output = []string{"text/csv"} })
		}},
		{"nothing usable for the call", "output", "text/csv", func(s *sketch) {
			s.locked(nil)
			s.call.Accepts = []string{"text/csv"}
		}},
		{"wildcards promise nothing", "output", "*/*", func(s *sketch) { s.card.DefaultOutputModes = []string{"*/*"} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			route, refusal := planned(tt.change)
			if refusal == nil || route != nil || refusal.Step != tt.step || !strings.Contains(refusal.Reason, tt.reason) {
				t.Errorf("Plan = %v, %+v, want a refusal at %s: …%s…", route, refusal, tt.step, tt.reason)
			}
		})
	}
}

// The first step that fails is the one that is named.
func TestPlanOrder(t *testing.T) {
	faults := []struct {
		step  string
		spoil func(s *sketch)
	}{
		{"interface", func(s *sketch) { s.cl.Interfaces = nil }},
		{"extensions", func(s *sketch) { s.extensions(true, "urn:x") }},
		{"skill", func(s *sketch) { s.call.Skill = "gone" }},
		{"credentials", func(s *sketch) {
			s.secured(map[string][]string{"gate": nil})
			s.cl.Credentials = []Credential{{Name: "k", Kind: APIKey}}
		}},
		{"input", func(s *sketch) { s.cl.Sends = []string{"image/png"} }},
		{"output", func(s *sketch) { s.cl.Accepts = []string{"image/png"} }},
	}
	for i := range faults {
		_, refusal := planned(func(s *sketch) {
			for _, f := range slices.Backward(faults[i:]) {
				f.spoil(s)
			}
		})
		if refusal == nil || refusal.Step != faults[i].step {
			t.Errorf("all from %s on are wrong: %+v", faults[i].step, refusal)
		}
	}
}

// What a route says, member by member.
func TestPlanRoute(t *testing.T) {
	tests := []struct {
		name   string
		change func(s *sketch)
		want   func(r *Route) // changes what the plain call gives
	}{
		{"plain", nil, func(*Route) {}},
		{"tenant", func(s *sketch) { s.card.Interfaces[0].Tenant = "acme" }, func(r *Route) { r.Tenant = "acme" }},
		{"order of output modes is the client's", func(s *sketch) {
			s.card.DefaultOutputModes = []string{"text/plain", "application/pdf", "application/json"}
		}, func(r *Route) { r.AcceptedOutputModes = []string{"application/json", "text/plain"} }},
		{"order of output modes is the lock's", func(s *sketch) {
			s.card.DefaultOutputModes = []string{"text/plain", "application/json"}
			s.locked(func(l *Limit) { l.Output = []string{"text", "image/png", "json"} })
		}, func(r *Route) { r.AcceptedOutputModes = []string{"text/plain", "application/json"} }},
		{"extensions that both know", func(s *sketch) {
			s.extensions(false, "urn:z", "urn:y")
			s.extensions(true, "urn:x")
			s.cl.Extensions = []string{"urn:y", "urn:x", "urn:w"}
			s.locked(func(l *Limit) { l.Extensions = []string{"urn:y"} })
		}, func(r *Route) {
			r.Extensions = []string{"urn:x", "urn:y"}
			r.Headers["A2A-Extensions"] = []string{"urn:x", "urn:y"}
		}},
		{"0.3", func(s *sketch) {
			s.card.Interfaces[0].Version = "0.3"
			s.cl.Interfaces = []Transport{{"JSONRPC", "0.3"}}
			s.extensions(false, "urn:x")
			s.cl.Extensions = []string{"urn:x"}
		}, func(r *Route) {
			r.Version, r.Extensions = "0.3", []string{"urn:x"}
			r.Headers = map[string][]string{"A2A-Version": {"0.3"}, "X-A2A-Extensions": {"urn:x"}}
			r.Operations["ListTasks"] = Outcome{Error: "MethodNotFoundError", Code: -32601}
		}},
		{"streaming", func(s *sketch) { s.card.Capabilities.Streaming = true }, func(r *Route) {
			r.Delivery = "stream"
			r.Operations["SendStreamingMessage"], r.Operations["SubscribeToTask"] = Outcome{}, Outcome{}
		}},
		{"a lock that requires streaming still polls", func(s *sketch) { s.locked(nil) }, func(*Route) {}},
		{"the pinned origin", func(s *sketch) {
			s.locked(func(l *Limit) { l.Origins = []string{"https://b.example", "https://a.example"} })
		}, func(*Route) {}},
		{"undeclared modes", func(s *sketch) { s.card.DefaultInputModes, s.card.DefaultOutputModes = nil, nil }, func(r *Route) {
			r.AcceptedOutputModes = []string{"application/json", "text/plain"}
			r.Notes = []string{
				"the card does not say which media types the skill accepts: what is sent is taken for accepted",
				"the card does not say which media types the skill answers in: it is asked for all that can be used",
			}
		}},
		{"no credentials named", func(s *sketch) { s.secured(map[string][]string{"oauth": {"a"}}) }, func(r *Route) {
			r.Notes = []string{"the client names no credentials, so it is taken to hold what the skill asks for: oauth with a"}
		}},
		{"anonymous is enough", func(s *sketch) { s.secured(map[string][]string{"oauth": {"a"}}, map[string][]string{}) }, func(*Route) {}},
		{"the lock records it", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}})
			s.locked(func(l *Limit) { l.Held = map[string][]string{"oauth": {"a", "b"}} })
		}, func(r *Route) {
			r.Notes = []string{"the client names no credentials, so it is taken to hold what the skill asks for: oauth with a"}
		}},
		{"the client holds what the lock does not record", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}})
			s.cl.Credentials = []Credential{{Name: "partner", Kind: OAuth2, Scopes: []string{"a"}}}
			s.locked(func(l *Limit) { l.Held = map[string][]string{} })
		}, func(r *Route) { r.Credential = "partner" }},
		{"the lock records what the client does not name", func(s *sketch) {
			s.secured(map[string][]string{"key": nil})
			s.cl.Credentials = []Credential{{Name: "partner", Kind: OAuth2, Scopes: []string{"a"}}}
			s.locked(func(l *Limit) { l.Held, l.Own = map[string][]string{"key": {}}, []int{0} })
		}, func(*Route) {}},
		{"one of the lock, one of the client", func(s *sketch) {
			s.secured(map[string][]string{"key": nil, "oauth": {"a"}})
			s.cl.Credentials = []Credential{{Name: "partner", Kind: OAuth2, Scopes: []string{"a"}}}
			s.locked(func(l *Limit) { l.Held = map[string][]string{"key": {}} })
		}, func(r *Route) { r.Credential = "partner" }},
		{"the first that is met", func(s *sketch) {
			s.secured(map[string][]string{"gate": nil}, map[string][]string{"oauth": {"a"}}, map[string][]string{"key": nil}, map[string][]string{})
			s.cl.Credentials = []Credential{{Name: "k", Kind: APIKey}, {Name: "small", Kind: OAuth2}, {Name: "partner", Kind: OAuth2, Scopes: []string{"a"}}}
		}, func(r *Route) { r.Credential = "partner" }},
		{"the first that may go there", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}})
			s.cl.Credentials = []Credential{
				{Name: "elsewhere", Kind: OAuth2, Scopes: []string{"a"}, Origins: []string{"https://b.example:443"}},
				{Name: "partner", Kind: OAuth2, Scopes: []string{"a"}, Origins: []string{"https://b.example:443", "https://a.example:443"}},
			}
		}, func(r *Route) { r.Credential = "partner" }},
		{"the lock records it, and the credential stays away", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}})
			s.cl.Credentials = []Credential{{Name: "partner", Kind: OAuth2, Scopes: []string{"a"}, Origins: []string{"https://b.example:443"}}}
			s.locked(func(l *Limit) { l.Held, l.Own = map[string][]string{"oauth": {"a"}}, []int{0} })
		}, func(r *Route) {
			r.Notes = []string{"the credential partner does not go to https://a.example: its origins are https://b.example:443"}
		}},
		{"anonymous first", func(s *sketch) {
			s.secured(map[string][]string{}, map[string][]string{"key": nil})
			s.cl.Credentials = []Credential{{Name: "k", Kind: APIKey}}
		}, func(*Route) {}},
		{"two together", func(s *sketch) {
			s.secured(map[string][]string{"oauth": {"a"}, "gate": nil})
			s.cl.Credentials = []Credential{{Name: "partner", Kind: OAuth2, Scopes: []string{"a"}}, {Name: "cert", Kind: MutualTLS}}
		}, func(r *Route) { r.Credential = "cert+partner" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, refusal := planned(tt.change)
			if refusal != nil {
				t.Fatalf("refused: %+v", refusal)
			}
			unsupported, noPush := Outcome{Error: "UnsupportedOperationError", Code: -32004}, Outcome{Error: "PushNotificationNotSupportedError", Code: -32003}
			want := &Route{
				URL: "https://a.example/rpc", Binding: "JSONRPC", Version: "1.0",
				Headers:             map[string][]string{"A2A-Version": {"1.0"}},
				AcceptedOutputModes: []string{"application/json"},
				Delivery:            "poll",
				Extensions:          []string{},
				Operations: map[string]Outcome{
					"SendMessage": {}, "SendStreamingMessage": unsupported, "GetTask": {}, "ListTasks": {}, "CancelTask": {},
					"SubscribeToTask": unsupported, "CreateTaskPushNotificationConfig": noPush, "GetTaskPushNotificationConfig": noPush,
					"ListTaskPushNotificationConfigs": noPush, "DeleteTaskPushNotificationConfig": noPush, "GetExtendedAgentCard": unsupported,
				},
			}
			tt.want(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// docs/design.md, Compiling 8.
func TestPlanDelivery(t *testing.T) {
	const hook = "https://hooks.example/a2a"
	tests := []struct {
		order                  []string
		streaming, push, reads bool
		endpoint               string
		want                   string
	}{
		{nil, true, true, true, hook, "stream"},
		{nil, true, true, false, hook, "push"},
		{nil, false, true, true, hook, "push"},
		{nil, false, true, true, "", "poll"},
		{nil, false, false, true, hook, "poll"},
		{[]string{"push", "stream"}, true, true, true, hook, "push"},
		{[]string{"push", "stream"}, true, false, true, hook, "stream"},
		{[]string{"poll", "stream"}, true, true, true, hook, "poll"},
		{[]string{"stream"}, false, true, true, hook, "poll"},
		{[]string{}, true, true, true, hook, "poll"},
	}
	for _, tt := range tests {
		got, refusal := planned(func(s *sketch) {
			s.card.Capabilities.Streaming, s.card.Capabilities.PushNotifications = tt.streaming, tt.push
			s.cl.Streaming, s.cl.PushEndpoint, s.cl.Delivery = tt.reads, tt.endpoint, tt.order
		})
		if refusal != nil || got.Delivery != tt.want {
			t.Errorf("%+v: Plan = %+v, %+v, want %s", tt, got, refusal, tt.want)
		}
	}
}

// A plan owns what it holds, and a nil client is one that can do nothing.
func TestPlanSharesNothing(t *testing.T) {
	s := &sketch{card: plain(), cl: usual(), call: Call{Skill: "quote"}}
	s.extensions(false, "urn:x")
	s.cl.Extensions = []string{"urn:x"}
	p, _ := Compile(s.card, s.cl)
	r, _ := Plan(p, Call{Client: s.cl, Skill: "quote"})
	r.Extensions[0], r.Headers["A2A-Extensions"][0], r.AcceptedOutputModes[0] = "changed", "changed", "changed"
	again, _ := Plan(p, Call{Client: s.cl, Skill: "quote"})
	if again.Extensions[0] != "urn:x" || again.Headers["A2A-Extensions"][0] != "urn:x" || again.AcceptedOutputModes[0] != "application/json" {
		t.Errorf("a second plan is %+v", again)
	}
	if r, refusal := Plan(p, Call{Skill: "quote"}); r != nil || refusal.Step != "input" {
		t.Errorf("Plan without a client = %v, %+v, want a refusal at input", r, refusal)
	}
}

// Routes and refusals as JSON, for the cards of testdata.
func TestGoldenPlans(t *testing.T) {
	cl := everything()
	cl.PushEndpoint = "https://hooks.example/a2a"
	for name, data := range goldenCards(t) {
		t.Run(name, func(t *testing.T) {
			c, err := card.Parse(data, card.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, _ := Compile(c, cl)
			var b strings.Builder
			for _, id := range append(slices.Sorted(maps.Keys(p.Skills)), "no-such-skill") {
				var result any
				route, refusal := Plan(p, Call{Client: cl, Skill: id})
				if result = route; refusal != nil {
					result = refusal
				}
				if err := json.MarshalWrite(&b, map[string]any{id: result}, json.Deterministic(true), jsontext.WithIndent("  ")); err != nil {
					t.Fatal(err)
				}
				b.WriteByte('\n')
			}
			golden.Equal(t, "testdata/plans/"+strings.TrimSuffix(name, ".json")+".txt", []byte(b.String()))
		})
	}
}

// A range accepts what is of it, with a lock and without one.
func TestPlanOfRanges(t *testing.T) {
	p := &Profile{
		Usable: true, Interface: &Interface{URL: "https://agent.example/a2a", Binding: "JSONRPC", Version: "1.0"},
		Skills: map[string]Skill{"quote": {Input: []string{"application/*"}, Output: []string{"text/plain"}}},
	}
	cl := &Client{Sends: []string{"application/json"}, Accepts: []string{"text/plain"}}
	for name, lock := range map[string]*Limit{"no lock": nil, "a lock": {Skills: []string{"quote"}, Input: []string{"application/json"}}} {
		if _, refusal := Plan(p, Call{Client: cl, Skill: "quote", Lock: lock}); refusal != nil {
			t.Errorf("%s: refused: %+v", name, refusal)
		}
	}
}
