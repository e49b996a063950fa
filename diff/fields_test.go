package diff

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// unruled are the members of a profile that may change unseen, with the
// reason. A line that ends in a dot speaks for all members below.
var unruled = map[string]string{
	"Usable":               "follows from interface and required_extensions, whose rules speak",
	"Reason":               "says in words what Usable says",
	"Extensions":           "follows from declared_extensions and the client",
	"Schemes.":             "counts where a skill asks for it, and stands there in full",
	"Interfaces.Tenant":    "binding, version and URL identify an interface; the chosen one's tenant has a rule",
	"Disabled":             "a required one makes the lock undecided (TestDisabledSkill), another is a skill that went or came",
	"Sources":              "where a concept was read; what was read has rules",
	"Skills.SecurityFrom":  "the level that it came from; the effective requirement has rules",
	"Skills.Tags":          "its digest is among the texts",
	"Skills.Refused":       "what callers met, which no card has; claim-refuted speaks of their reports",
	"Extra":                "members that this version does not know, of a lock that a newer one wrote",
	"Interface.Extra":      "as Extra",
	"Interfaces.Extra":     "as Extra",
	"Skills.Extra":         "as Extra",
	"Texts.Extra":          "as Extra",
	alternative + ".Extra": "as Extra",
	use + ".Extra":         "as Extra",
	use + ".Flows.Extra":   "as Extra",
	use + ".Reason":        "a2alock's own words about a scheme that cannot be read",
	use + ".BearerFormat":  "a hint that no call depends on (A2A 4.5.3)",
	use + ".Flows.Scopes":  "what could be asked for; what is asked for has rules",

	"DeclaredExtensions.Extra": "as Extra",
}

const (
	alternative = "Skills.Security"
	use         = "Skills.Security.Schemes"
)

// ruled says for each other member which rule reports its change, and makes
// such a change to the profile now (or, where it says so, to the one then).
var ruled = map[string]struct {
	rule   string
	change func(was, now *compile.Profile)
}{
	"Shape":        {"card-shape-changed", func(_, p *compile.Profile) { p.Shape = card.ShapeHybrid }},
	"Name":         {"agent-renamed", func(_, p *compile.Profile) { p.Name = "Other" }},
	"AgentVersion": {"agent-version-changed", func(_, p *compile.Profile) { p.AgentVersion = "9.0.0" }},

	"Provider.Organization": {"provider-changed", func(_, p *compile.Profile) { p.Provider.Organization = "Other" }},
	"Provider.URL":          {"provider-changed", func(_, p *compile.Profile) { p.Provider.URL = "https://other.example" }},

	"Interface.URL":     {"interface-url-changed", func(_, p *compile.Profile) { p.Interface.URL += "/x" }},
	"Interface.Binding": {"interface-changed", func(_, p *compile.Profile) { p.Interface.Binding = "HTTP+JSON" }},
	"Interface.Version": {"interface-changed", func(_, p *compile.Profile) { p.Interface.Version = "1.1" }},
	"Interface.Tenant":  {"interface-tenant-changed", func(_, p *compile.Profile) { p.Interface.Tenant = "t" }},

	"Interfaces.URL":     {"fallback-lost", func(_, p *compile.Profile) { p.Interfaces[1].URL += "/x" }},
	"Interfaces.Binding": {"fallback-lost", func(_, p *compile.Profile) { p.Interfaces[1].Binding = "GRPC" }},
	"Interfaces.Version": {"fallback-lost", func(_, p *compile.Profile) { p.Interfaces[1].Version = "2.0" }},

	"Streaming":    {"capability-gained", func(_, p *compile.Profile) { p.Streaming = true }},
	"Push":         {"capability-lost-unused", func(_, p *compile.Profile) { p.Push = false }},
	"ExtendedCard": {"capability-gained", func(_, p *compile.Profile) { p.ExtendedCard = true }},

	"RequiredExtensions": {"extension-required-known", func(_, p *compile.Profile) {
		p.RequiredExtensions = []string{"https://ext.example/citations/v1"}
	}},
	"DeclaredExtensions.Required": {"extension-no-longer-required", func(was, _ *compile.Profile) {
		was.DeclaredExtensions["https://ext.example/citations/v1"] = compile.Extension{Required: true, Params: jsontext.Value(`{"a":1}`)}
	}},
	"DeclaredExtensions.Params": {"extension-params-changed", func(_, p *compile.Profile) {
		p.DeclaredExtensions["https://ext.example/citations/v1"] = compile.Extension{Params: jsontext.Value(`{"a":2}`)}
	}},

	"Skills.Input":  {"input-narrowed", changeSkill(func(s *compile.Skill) { s.Input = []string{"a/b"} })},
	"Skills.Output": {"output-lost", changeSkill(func(s *compile.Skill) { s.Output = []string{"a/b"} })},
	"OtherSkills":   {"skill-changed-unused", func(was, _ *compile.Profile) { was.OtherSkills["book"] = "sha256:0" }},
	"Ambiguous": {"skill-ambiguous", func(_, p *compile.Profile) {
		delete(p.Skills, "quote")
		p.Ambiguous = []string{"quote"}
	}},

	use + ".Scopes": {"scope-required", changeUse("oauth", func(u *compile.SchemeUse) { u.Scopes = []string{"read", "write"} })},
	use + ".Kind":   {"scheme-changed", changeUse("oauth", func(u *compile.SchemeUse) { u.Kind = card.KindMutualTLS })},
	use + ".In":     {"scheme-changed", changeUse("key", func(u *compile.SchemeUse) { u.In = "query" })},
	use + ".Name":   {"scheme-changed", changeUse("key", func(u *compile.SchemeUse) { u.Name = "X-Other" })},

	use + ".HTTPScheme":        {"scheme-changed", changeUse("http", func(u *compile.SchemeUse) { u.HTTPScheme = "digest" })},
	use + ".OAuth2MetadataURL": {"scheme-endpoint-changed", changeUse("oauth", func(u *compile.SchemeUse) { u.OAuth2MetadataURL += "x" })},
	use + ".OpenIDConnectURL":  {"scheme-endpoint-changed", changeUse("oidc", func(u *compile.SchemeUse) { u.OpenIDConnectURL += "x" })},

	use + ".Flows.AuthorizationURL": {"scheme-endpoint-changed", changeFlow(func(f *compile.Flow) { f.AuthorizationURL += "x" })},
	use + ".Flows.TokenURL":         {"scheme-endpoint-changed", changeFlow(func(f *compile.Flow) { f.TokenURL += "x" })},
	use + ".Flows.RefreshURL":       {"scheme-endpoint-changed", changeFlow(func(f *compile.Flow) { f.RefreshURL += "x" })},
	use + ".Flows.DeviceAuthorizationURL": {
		"scheme-endpoint-origin-changed",
		changeFlow(func(f *compile.Flow) { f.DeviceAuthorizationURL = "https://evil.example/" }),
	},
	use + ".Flows.PKCERequired": {"change-unclassified", changeFlow(func(f *compile.Flow) { f.PKCERequired = true })},

	"Texts.Digest": {"text-changed", func(_, p *compile.Profile) { p.Texts["/description"] = compile.Text{Digest: "sha256:0"} }},
	"Texts.Hidden": {"text-hidden-characters", func(_, p *compile.Profile) {
		text := p.Texts["/description"]
		text.Hidden = []string{"U+200B"}
		p.Texts["/description"] = text
	}},
	"Unknown": {"change-unclassified", func(_, p *compile.Profile) { p.Unknown["/capabilities/x"] = jsontext.Value("2") }},
}

func changeSkill(change func(*compile.Skill)) func(was, now *compile.Profile) {
	return func(_, p *compile.Profile) {
		s := p.Skills["quote"]
		change(&s)
		p.Skills["quote"] = s
	}
}

func changeUse(name string, change func(*compile.SchemeUse)) func(was, now *compile.Profile) {
	return changeSkill(func(s *compile.Skill) {
		u := s.Security[0].Schemes[name]
		change(&u)
		s.Security[0].Schemes[name] = u
	})
}

func changeFlow(change func(*compile.Flow)) func(was, now *compile.Profile) {
	return changeUse("oauth", func(u *compile.SchemeUse) {
		f := u.Flows["deviceCode"]
		change(&f)
		u.Flows["deviceCode"] = f
	})
}

// everyMember lists the members of a type, slices and maps by what is in them.
func everyMember(t reflect.Type, at string, emit func(string)) {
	switch t.Kind() {
	case reflect.Pointer:
		everyMember(t.Elem(), at, emit)
	case reflect.Slice, reflect.Map:
		if e := t.Elem(); e.Kind() == reflect.Struct {
			everyMember(e, at, emit)
			return
		}
		emit(at)
	case reflect.Struct:
		for f := range t.Fields() {
			name := strings.TrimPrefix(at+"."+f.Name, ".")
			if f.Anonymous {
				name = at
			}
			everyMember(f.Type, name, emit)
		}
	default:
		emit(at)
	}
}

// Every member of a profile has a rule that reports its change, or a reason
// why it needs none: "no change" is never said of something that no rule
// covered.
func TestEveryFieldHasARule(t *testing.T) {
	var members []string
	everyMember(reflect.TypeFor[compile.Profile](), "", func(m string) { members = append(members, m) })
	covered := func(m string) bool {
		if _, ok := unruled[m]; ok {
			return true
		}
		first, _, _ := strings.Cut(m, ".")
		_, ok := unruled[first+"."]
		return ok
	}
	for _, m := range members {
		entry, ok := ruled[m]
		switch {
		case ok && covered(m):
			t.Errorf("%s: has a rule, and a reason to have none", m)
		case !ok && !covered(m):
			t.Errorf("%s: no rule reports its change; write one, or a line in unruled that says why it may change unseen", m)
		case ok:
			was, now := richProfile(t), richProfile(t)
			c := richComparison(was, now)
			if r := Compare(c); len(r.Findings) > 0 {
				t.Fatalf("the profile differs from itself: %s", show(r))
			}
			entry.change(was, now)
			if r := Compare(richComparison(was, now)); !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == entry.rule }) {
				t.Errorf("%s: changed, and %s does not speak:\n%s", m, entry.rule, show(r))
			}
		}
	}
	for m := range ruled {
		if !slices.Contains(members, m) {
			t.Errorf("ruled names %s, which no profile has", m)
		}
	}
	for m := range unruled {
		if !strings.HasSuffix(m, ".") && !slices.Contains(members, m) {
			t.Errorf("unruled names %s, which no profile has", m)
		}
	}
}

// richProfile has a value in every member that a rule reads.
func richProfile(t testing.TB) *compile.Profile {
	t.Helper()
	body := overlay(t, ExampleCard, `{
		"provider": {"organization": "Partner", "url": "https://partner.example"},
		"supportedInterfaces": [
			{"url": "https://agent.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
			{"url": "https://agent.example/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}],
		"capabilities": {"pushNotifications": true, "x": 1,
			"extensions": [{"uri": "https://ext.example/citations/v1", "params": {"a": 1}}]},
		"securitySchemes": {
			"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}},
			"http": {"httpAuthSecurityScheme": {"scheme": "bearer", "bearerFormat": "JWT"}},
			"oidc": {"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://id.example/c"}},
			"oauth": {"type": "oauth2", "oauth2MetadataUrl": "https://auth.example/m", "flows": {
				"deviceCode": {"deviceAuthorizationUrl": "https://auth.example/d", "tokenUrl": "https://auth.example/t",
					"authorizationUrl": "https://auth.example/a", "refreshUrl": "https://auth.example/r", "scopes": {"read": ""}}}}},
		"securityRequirements": [{"schemes": {"key": {}, "http": {}, "oidc": {}, "oauth": {"list": ["read"]}}}],
		"skills": [{"id": "quote", "name": "Quote"}, {"id": "book", "name": "Book"}]}`)
	p := read(t, body, exampleClient()).Profile
	// Not all flows have all addresses; for this test they do.
	for _, s := range p.Skills {
		f := s.Security[0].Schemes["oauth"].Flows["deviceCode"]
		f.AuthorizationURL, f.DeviceAuthorizationURL = "https://auth.example/a", "https://auth.example/d"
		f.TokenURL, f.RefreshURL = "https://auth.example/t", "https://auth.example/r"
		s.Security[0].Schemes["oauth"].Flows["deviceCode"] = f
	}
	return clone(t, p)
}

// clone makes a copy that shares nothing.
func clone(t testing.TB, p *compile.Profile) *compile.Profile {
	t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	out := new(compile.Profile)
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func richComparison(was, now *compile.Profile) Comparison {
	l := *exampleLock
	pinned := was
	if pinned.OtherSkills == nil {
		pinned = was.ForLock([]string{"quote"})
	}
	*was = *pinned // so that a change to the pinned profile finds what a lock holds
	l.Profile = was
	l.AgentVersion = was.AgentVersion
	return Comparison{Lock: &l, Now: now, Client: exampleClient()}
}

var exampleLock = func() *lockfile.Lock {
	l, err := lockfile.Parse([]byte(ExampleLock), "")
	if err != nil {
		panic(err)
	}
	return l
}()
