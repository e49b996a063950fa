package compile

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/card"
)

// usual is a client that speaks JSON-RPC and REST at 1.0.
func usual() *Client {
	return &Client{
		Interfaces: []Transport{{"JSONRPC", "1.0"}, {"HTTP+JSON", "1.0"}},
		Accepts:    []string{"application/json", "text/plain"},
		Sends:      []string{"application/json", "text/plain"},
		Aliases:    DefaultAliases(),
		Streaming:  true,
	}
}

// plain is a card that usual can call.
func plain() *card.Card {
	return &card.Card{
		Shape:              card.Shape10,
		Name:               "Pricing",
		Version:            "3.2.0",
		Interfaces:         []card.Interface{entry("JSONRPC", "1.0", "https://a.example/rpc")},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"application/json"},
		Skills:             []card.Skill{{ID: "quote", Pointer: "/skills/0"}},
		Sources:            map[string]card.Source{"interfaces": card.Declared},
	}
}

func entry(binding, version, url string) card.Interface {
	return card.Interface{ProtocolBinding: binding, Version: version, URL: url, Pointer: "/supportedInterfaces/0"}
}

// compiled compiles the card after change.
func compiled(t *testing.T, change func(c *card.Card, cl *Client)) (*Profile, []card.Finding) {
	t.Helper()
	c, cl := plain(), usual()
	if change != nil {
		change(c, cl)
	}
	return Compile(c, cl)
}

func TestCompilePlain(t *testing.T) {
	p, findings := compiled(t, nil)
	if !p.Usable || p.Reason != "" || len(findings) != 0 {
		t.Errorf("usable %v, reason %q, findings %v, want a usable profile without findings", p.Usable, p.Reason, findings)
	}
	want := Skill{
		Input: []string{"text/plain"}, Output: []string{"application/json"},
		Security: []Alternative{}, SecurityFrom: "none", Tags: []string{},
	}
	if diff := cmp.Diff(want, p.Skills["quote"]); diff != "" {
		t.Errorf("skill (-want +got):\n%s", diff)
	}
	if p.Name != "Pricing" || p.AgentVersion != "3.2.0" || p.Provider != nil || p.Sources["interfaces"] != card.Declared {
		t.Errorf("name %q, version %q, provider %v, sources %v", p.Name, p.AgentVersion, p.Provider, p.Sources)
	}
}

// docs/design.md, Compiling 3.
func TestCompileInterface(t *testing.T) {
	rpc := entry("JSONRPC", "1.0", "https://a.example/rpc")
	rest := entry("HTTP+JSON", "1.0", "https://a.example/rest")
	grpc := entry("GRPC", "1.0", "a.example:443")
	old := entry("JSONRPC", "0.3", "https://a.example/old")
	unknown := entry("JSONRPC", "", "https://a.example/unknown")
	disabled := entry("JSONRPC", "1.0", "/rpc")
	disabled.Disabled = "no absolute URL"
	tenant := entry("JSONRPC", "1.0", "https://a.example/t")
	tenant.Tenant = "acme"
	custom := entry("https://example.com/bindings/ws/v1", "1.0", "https://a.example/ws")
	odd := entry("json\u202erpc", "1.0", "https://a.example/x y")

	both := []Transport{{"HTTP+JSON", "1.0"}, {"JSONRPC", "1.0"}}
	tests := []struct {
		name   string
		card   []card.Interface
		client []Transport
		sel    string
		want   string // URL of the chosen one
		reason string
	}{
		{"first of the card that the client speaks", []card.Interface{grpc, rpc, rest}, both, "", rpc.URL, ""},
		{"card order is the default", []card.Interface{rest, rpc}, both, CardOrder, rest.URL, ""},
		{"client order", []card.Interface{grpc, rpc, rest}, both, ClientOrder, rest.URL, ""},
		{"client order, first of the card within one", []card.Interface{rpc, tenant}, both, ClientOrder, rpc.URL, ""},
		{"only GRPC", []card.Interface{rpc, grpc}, []Transport{{"GRPC", "1.0"}}, "", grpc.URL, ""},
		{"tenant comes from the entry", []card.Interface{tenant, rpc}, both, "", tenant.URL, ""},
		{"version must match", []card.Interface{old, rpc}, both, "", rpc.URL, ""},
		{"disabled entries are passed over", []card.Interface{disabled, rest}, both, "", rest.URL, ""},
		{"custom binding", []card.Interface{custom}, []Transport{{custom.ProtocolBinding, "1.0"}}, "", custom.URL, ""},
		{
			"custom binding of another version",
			[]card.Interface{custom},
			[]Transport{{"https://example.com/bindings/ws/v2", "1.0"}},
			"", "",
			"no interface that the client speaks: the card offers https://example.com/bindings/ws/v1 1.0 (https://a.example/ws)",
		},
		{
			"bindings match exactly",
			[]card.Interface{entry("jsonrpc", "1.0", "https://a.example/")},
			both, "", "",
			"no interface that the client speaks: the card offers jsonrpc 1.0 (https://a.example/)",
		},
		{
			"only 0.3",
			[]card.Interface{old},
			both, "", "",
			"no interface that the client speaks: the card offers JSONRPC 0.3 (https://a.example/old)",
		},
		{
			"unknown version is never chosen",
			[]card.Interface{unknown},
			[]Transport{{"JSONRPC", ""}, {"JSONRPC", "1.0"}},
			ClientOrder, "",
			"no interface that the client speaks: the card offers JSONRPC of unknown version (https://a.example/unknown)",
		},
		{
			"none that can be read",
			[]card.Interface{disabled},
			both, "", "",
			"no interface can be called: /supportedInterfaces/0: no absolute URL",
		},
		{"none at all", nil, both, "", "", "no interface can be called: the card lists none"},
		{"a client without interfaces", []card.Interface{rpc}, nil, "", "", "no interface that the client speaks: the card offers JSONRPC 1.0 (https://a.example/rpc)"},
		{
			"odd names are quoted",
			[]card.Interface{odd},
			both, "", "",
			`no interface that the client speaks: the card offers "json\u202erpc" 1.0 ("https://a.example/x y")`,
		},
		{
			"a long list is cut",
			[]card.Interface{old, old, old, old, old, old, old},
			both, "", "",
			"no interface that the client speaks: the card offers " +
				strings.Repeat("JSONRPC 0.3 (https://a.example/old), ", 4) + "JSONRPC 0.3 (https://a.example/old) and 2 more",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := compiled(t, func(c *card.Card, cl *Client) {
				c.Interfaces, cl.Interfaces, cl.Select = tt.card, tt.client, tt.sel
			})
			if p.Reason != tt.reason || p.Usable != (tt.reason == "") {
				t.Errorf("usable %v, reason %q, want reason %q", p.Usable, p.Reason, tt.reason)
			}
			switch {
			case tt.want == "" && p.Interface != nil:
				t.Errorf("chosen %+v, want none", *p.Interface)
			case tt.want != "" && p.Interface == nil:
				t.Errorf("chosen none, want %s", tt.want)
			case tt.want != "":
				if p.Interface.URL != tt.want || !slices.ContainsFunc(p.Interfaces, func(i Interface) bool { return reflect.DeepEqual(i, *p.Interface) }) {
					t.Errorf("chosen %+v of %+v, want %s, whole", *p.Interface, p.Interfaces, tt.want)
				}
			}
			if len(p.Skills) != 1 {
				t.Errorf("%d skills, want 1: an unusable profile carries them too", len(p.Skills))
			}
		})
	}
}

func TestOffered(t *testing.T) {
	p, _ := compiled(t, func(c *card.Card, _ *Client) {
		bad := entry("JSONRPC", "0.2", "x")
		bad.Disabled = "no address"
		c.Interfaces = []card.Interface{
			entry("GRPC", "1.0", "a.example:1"), entry("JSONRPC", "", "https://a.example/"), bad,
			entry("JSONRPC", "0.3", "https://a.example/1"), entry("GRPC", "1.0", "a.example:2"),
		}
	})
	want := []Transport{{"GRPC", "1.0"}, {"JSONRPC", "0.3"}}
	if diff := cmp.Diff(want, p.Offered()); diff != "" {
		t.Errorf("Offered (-want +got):\n%s", diff)
	}
	if len(p.Interfaces) != 4 {
		t.Errorf("%d interfaces, want the 4 that can be read", len(p.Interfaces))
	}
}

// docs/design.md, Compiling 6.
func TestCompileFlags(t *testing.T) {
	p, _ := compiled(t, func(c *card.Card, _ *Client) {
		c.Capabilities = card.Capabilities{Streaming: true, ExtendedAgentCard: true}
	})
	if !p.Streaming || p.Push || !p.ExtendedCard {
		t.Errorf("streaming %v, push %v, extended %v, want true, false, true", p.Streaming, p.Push, p.ExtendedCard)
	}
}

// docs/design.md, Compiling 7.
func TestCompileExtensions(t *testing.T) {
	p, _ := compiled(t, func(c *card.Card, cl *Client) {
		c.Capabilities.Extensions = []card.Extension{
			{URI: "urn:z", Required: true, Params: jsontext.Value(`{"a":1}`)},
			{URI: "urn:b"},
			{URI: "urn:a", Required: true},
			{URI: "urn:twice"},
			{URI: "urn:twice", Required: true, Params: jsontext.Value(`{}`)},
			{URI: "urn:differs", Params: jsontext.Value(`{"b":1}`)},
			{URI: "urn:differs", Params: jsontext.Value(`{"a":1}`)},
			{URI: "urn:differs", Params: jsontext.Value(`{"b":1}`)},
		}
		cl.Extensions = []string{"urn:z", "urn:b", "urn:a", "urn:twice", "urn:other"}
	})
	want := &Profile{
		Usable: true, Extensions: []string{"urn:a", "urn:b", "urn:twice", "urn:z"},
		RequiredExtensions: []string{"urn:a", "urn:twice", "urn:z"},
		DeclaredExtensions: map[string]Extension{
			"urn:a": {Required: true}, "urn:b": {}, "urn:z": {Required: true, Params: jsontext.Value(`{"a":1}`)},
			"urn:twice":   {Required: true, Params: jsontext.Value(`{}`)},
			"urn:differs": {Params: jsontext.Value(`[{"a":1},{"b":1}]`)},
		},
	}
	got := &Profile{
		Usable: p.Usable, Extensions: p.Extensions, RequiredExtensions: p.RequiredExtensions, DeclaredExtensions: p.DeclaredExtensions,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("extensions (-want +got):\n%s", diff)
	}
}

func TestCompileRequiredExtensionUnknown(t *testing.T) {
	one := func(c *card.Card, _ *Client) {
		c.Capabilities.Extensions = []card.Extension{{URI: "urn:x", Required: true}, {URI: "urn:optional"}}
	}
	p, _ := compiled(t, one)
	want := "the agent requires the extension urn:x, which the client does not implement"
	if p.Usable || p.Reason != want {
		t.Errorf("usable %v, reason %q, want %q", p.Usable, p.Reason, want)
	}
	if p.Interface == nil || len(p.Skills) != 1 {
		t.Errorf("interface %v, %d skills, want both in an unusable profile", p.Interface, len(p.Skills))
	}
	p, _ = compiled(t, func(c *card.Card, cl *Client) {
		c.Interfaces[0].Version = "0.3"
		c.Capabilities.Extensions = []card.Extension{{URI: "urn:y", Required: true}, {URI: "urn:x", Required: true}}
	})
	want = "no interface that the client speaks: the card offers JSONRPC 0.3 (https://a.example/rpc); " +
		"the agent requires extensions that the client does not implement: urn:x, urn:y"
	if p.Reason != want {
		t.Errorf("reason %q, want %q", p.Reason, want)
	}
}

func TestCompileFindings(t *testing.T) {
	_, findings := compiled(t, func(c *card.Card, _ *Client) {
		c.Interfaces = []card.Interface{
			entry("JSONRPC", "1.0", "http://a.example/"),
			{ProtocolBinding: "GRPC", Version: "1.0", URL: "10.0.0.4:50051", Pointer: "/supportedInterfaces/1"},
			{ProtocolBinding: "JSONRPC", Version: "0.3", URL: "http://localhost:9999", Pointer: "/url", Legacy: true},
			{ProtocolBinding: "HTTP+JSON", Version: "1.0", URL: "https://a.example/", Pointer: "/supportedInterfaces/2"},
		}
		c.DefaultInputModes = []string{"text", "application/pdf", "JSON"}
		c.Skills[0].OutputModes = []string{"json"}
	})
	var got []string
	for _, f := range findings {
		got = append(got, f.Code+" "+f.Path)
		if f.Severity != card.Warning || f.Scope != "" || f.Message == "" {
			t.Errorf("finding %+v, want a warning with a message", f)
		}
	}
	want := []string{
		"insecure-interface /supportedInterfaces/0/url", "unreachable-interface /supportedInterfaces/1/url", "unreachable-interface /url",
		"mode-alias /defaultInputModes", "mode-alias /skills/0/outputModes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// A profile is written whole: no member may hide because it is empty, and none
// may read as null but those that say so.
func TestProfileIsWrittenWhole(t *testing.T) {
	p, _ := Compile(&card.Card{Skills: []card.Skill{{ID: "quote"}}}, &Client{})
	raw, err := json.Marshal(p, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	absent := []string{"OtherSkills", "Extra"} // of locks alone
	null := []string{"provider", "interface"}
	v := reflect.ValueOf(*p)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if slices.Contains(absent, f.Name) {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if m, ok := members[name]; !ok || m.Kind() == 'n' != slices.Contains(null, name) {
			t.Errorf("member %q is written %q", name, m)
		}
		if k := f.Type.Kind(); (k == reflect.Slice || k == reflect.Map) && v.Field(i).IsNil() {
			t.Errorf("%s is nil", f.Name)
		}
	}
	s := reflect.ValueOf(p.Skills["quote"])
	for i := range s.NumField() {
		f := s.Type().Field(i)
		if f.Type.Kind() == reflect.Slice && s.Field(i).IsNil() != slices.Contains([]string{"Input", "Output", "Refused", "Extra"}, f.Name) {
			t.Errorf("Skill.%s: nil is %v", f.Name, s.Field(i).IsNil())
		}
	}
	var back Profile
	if err := json.Unmarshal(raw, &back, json.RejectUnknownMembers(false)); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(back.Skills)); !slices.Equal(got, []string{"quote"}) || back.Extra != nil {
		t.Errorf("read back: skills %v, extra %s", got, back.Extra)
	}
}

// Many skills that inherit long lists must not multiply them.
func TestCompileSharesWhatSkillsInherit(t *testing.T) {
	p, _ := compiled(t, func(c *card.Card, _ *Client) {
		asks := card.Alternative{Schemes: map[string][]string{"gone": {"a"}}}
		c.Security = card.Security{Declared: true, Alternatives: []card.Alternative{asks}}
		c.Skills = []card.Skill{{ID: "a"}, {ID: "b"}}
	})
	a, b := p.Skills["a"], p.Skills["b"]
	if &a.Input[0] != &b.Input[0] || &a.Output[0] != &b.Output[0] || &a.Security[0] != &b.Security[0] {
		t.Error("skills hold copies of what they inherit")
	}
}
