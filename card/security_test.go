package card

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

const keyAndBearer = `{"key":{"apiKeySecurityScheme":{"location":"header","name":"X"}},"bearer":{"httpAuthSecurityScheme":{"scheme":"bearer"}}}`

type schemes = map[string][]string

func alternatives(list ...schemes) Security {
	s := Security{Declared: true}
	for _, m := range list {
		s.Alternatives = append(s.Alternatives, Alternative{Schemes: m})
	}
	return s
}

func TestSecurity(t *testing.T) {
	with := func(members ...string) string {
		return card10(append([]string{"securitySchemes", keyAndBearer}, members...)...)
	}
	const list = "securityRequirements"
	tests := []struct {
		name  string
		doc   string
		want  Security
		from  Source
		finds []string
	}{
		{"none", with(), Security{}, Assumed, nil},
		{"empty", with(list, "[]", "security", "[]"), Security{}, Assumed, nil},
		{"1.0", with(list, `[{"schemes":{"key":{"list":["b","a","b"]}}}]`), alternatives(schemes{"key": {"a", "b"}}), Declared, nil},
		{"1.0 without scopes", with(list, `[{"schemes":{"key":{}}},{"schemes":{"bearer":{"list":null}}}]`), alternatives(schemes{"key": {}}, schemes{"bearer": {}}), Declared, nil},
		{"both at once", with(list, `[{"schemes":{"key":{},"bearer":{}}}]`), alternatives(schemes{"key": {}, "bearer": {}}), Declared, nil},
		{"anonymous", with(list, `[{},{"schemes":{}},{"schemes":null}]`), alternatives(schemes{}, schemes{}, schemes{}), Declared, nil},
		{"bare lists (a2a-go)", with(list, `[{"schemes":{"key":["a"]}},{"schemes":{"bearer":[]}}]`), alternatives(schemes{"key": {"a"}}, schemes{"bearer": {}}), Declared, []string{"warning sdk-form /securityRequirements/0/schemes/key"}},
		{"0.x form under the 1.0 name", with(list, `[{"key":["a"]},{"bearer":[]}]`), alternatives(schemes{"key": {"a"}}, schemes{"bearer": {}}), Declared, []string{"warning requirement-form /securityRequirements/0"}},
		{"no wrapper (a2a-java)", with(list, `[{"key":{"list":["a"]}}]`), alternatives(schemes{"key": {"a"}}), Declared, []string{"warning requirement-form /securityRequirements/0"}},
		{"a name", with(list, `["key"]`), alternatives(schemes{"key": {}}), Declared, []string{"warning requirement-form /securityRequirements/0"}},
		{"0.x", with("security", `[{"key":["a"]},{"bearer":[]}]`), alternatives(schemes{"key": {"a"}}, schemes{"bearer": {}}), Legacy, nil},
		{"0.3 protobuf", with("security", `[{"schemes":{"key":{"list":["a"]}}}]`), alternatives(schemes{"key": {"a"}}), Legacy, nil},
		{"1.0 first", with(list, `[{"schemes":{"key":{}}}]`, "security", `[{"key":[]}]`), alternatives(schemes{"key": {}}), Declared, nil},
		{"1.0 first, and they differ", with(list, `[{"schemes":{"key":{}}}]`, "security", `[{"bearer":[]}]`), alternatives(schemes{"key": {}}), Declared, []string{"warning mirror-differs /security"}},
		{"a mirror's big number", with(list, `[{"schemes":{"key":{}}}]`, "security", `[{"key":[],"x":9007199254740993}]`), alternatives(schemes{"key": {}}), Declared, []string{"warning mirror-differs /security", "gap number-precision /security/0/x"}},
		{"an empty 1.0 list", with(list, `[]`, "security", `[{"key":[]}]`), alternatives(schemes{"key": {}}), Legacy, nil},
		{"undeclared", with(list, `[{"schemes":{"x":{}}},{"schemes":{"x":{}}}]`), alternatives(schemes{"x": {}}, schemes{"x": {}}), Declared, []string{"error undeclared-scheme /securityRequirements/0/schemes/x security"}},
		{"a scheme called schemes", card03("securitySchemes", `{"schemes":{"type":"mutualTLS"}}`, "security", `[{"schemes":["a"]}]`), alternatives(schemes{"schemes": {"a"}}), Legacy, nil},
		{"a scheme that needs nothing", card03("securitySchemes", `{"none":{"type":"none"},"k":{"type":"mutualTLS"}}`, "security", `[{"none":[]},{"none":[],"k":[]}]`), alternatives(schemes{}, schemes{"k": {}}), Legacy, nil},
		{
			"unknown members", with(list, `[{"schemes":{"key":{"list":[],"y":1}},"x":{}}]`),
			Security{Declared: true, Alternatives: []Alternative{{
				Schemes: schemes{"key": {}},
				Unknown: map[string]jsontext.Value{"x": jsontext.Value("{}"), "key/y": jsontext.Value("1")},
			}}},
			Declared, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, tt.doc)
			if diff := cmp.Diff(tt.want, c.Security); diff != "" {
				t.Errorf("Security of %s (-want +got):\n%s", tt.doc, diff)
			}
			if c.Sources["security"] != tt.from {
				t.Errorf("source = %s, want %s", c.Sources["security"], tt.from)
			}
			if tt.finds == nil {
				tt.finds = []string{}
			}
			if diff := cmp.Diff(tt.finds, found(c)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// What cannot be read asks for something unknown; it never asks for less.
func TestSecurityUnreadable(t *testing.T) {
	tests := []struct {
		name string
		list string
		want []string
	}{
		{"an object", `{"key":[]}`, []string{"error wrong-type /securityRequirements security"}},
		{"an empty object", `{}`, []string{"error wrong-type /securityRequirements security"}},
		{"a string", `"bearer"`, []string{"error wrong-type /securityRequirements security"}},
		{"false", `false`, []string{"error wrong-type /securityRequirements security"}},
		{"null in the list", `[null]`, []string{"error wrong-type /securityRequirements/0 security"}},
		{"an undeclared name", `["x"]`, []string{"error wrong-type /securityRequirements/0 security"}},
		{"a scheme that is null", `[{"schemes":{"key":null}}]`, []string{"error wrong-type /securityRequirements/0/schemes/key security"}},
		{"a scheme that is a string", `[{"key":"read"}]`, []string{"error wrong-type /securityRequirements/0/key security"}},
		{"schemes is a list", `[{"schemes":["key"]}]`, []string{"error wrong-type /securityRequirements/0/schemes security"}},
		{"list is a string", `[{"schemes":{"key":{"list":"read"}}}]`, []string{"error wrong-type /securityRequirements/0/schemes/key/list security"}},
		{"a scope is a number", `[{"schemes":{"key":{"list":["a",1]}}}]`, []string{"error wrong-type /securityRequirements/0/schemes/key/list/1 security"}},
		{"a scheme beside schemes", `[{"schemes":{"key":{}},"bearer":[]}]`, []string{"error mixed-forms /securityRequirements/0/bearer security"}},
		{"a scheme without a name", `[{"schemes":{"":{}}}]`, []string{"error undeclared-scheme /securityRequirements/0/schemes/ security"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, card10("securitySchemes", keyAndBearer, "securityRequirements", tt.list))
			if len(c.Security.Alternatives) != 1 || c.Security.Alternatives[0].Unreadable == "" || !c.Security.Declared {
				t.Errorf("Security of %s = %+v, want one unreadable alternative", tt.list, c.Security)
			}
			if diff := cmp.Diff(tt.want, found(c)); diff != "" {
				t.Errorf("findings of %s (-want +got):\n%s", tt.list, diff)
			}
			if err := c.Err(); err != nil {
				t.Errorf("Err() = %v", err)
			}
		})
	}
}

// The authentication of 0.1: words, any one of which is enough.
func TestAuthentication(t *testing.T) {
	unknown := Security{Declared: true, Alternatives: []Alternative{{Schemes: schemes{}, Unreadable: "x"}}}
	tests := []struct {
		value string
		want  Security
		kinds map[string]Kind
	}{
		{`null`, Security{}, map[string]Kind{}},
		{`{}`, Security{}, map[string]Kind{}},
		{`{"schemes":[],"description":"D"}`, Security{}, map[string]Kind{}},
		{`{"credentials":"x"}`, Security{}, map[string]Kind{}},
		{`"none"`, alternatives(schemes{}), map[string]Kind{}},
		{`{"schemes":["None"]}`, alternatives(schemes{}), map[string]Kind{}},
		{`{"type":"public"}`, alternatives(schemes{}), map[string]Kind{}},
		{`{"schemes":[{"type":"anonymous"}]}`, alternatives(schemes{}), map[string]Kind{}},
		{`{"schemes":["Bearer"],"credentials":null}`, alternatives(schemes{"Bearer": {}}), map[string]Kind{"Bearer": KindHTTP}},
		{`["basic","ed25519"]`, alternatives(schemes{"basic": {}}, schemes{"ed25519": {}}), map[string]Kind{"basic": KindHTTP, "ed25519": KindUnknown}},
		{`{"schemes":["none","apiKey"]}`, alternatives(schemes{}, schemes{"apiKey": {}}), map[string]Kind{"apiKey": KindUnknown}},
		{`{"type":"api_key","header":"X"}`, alternatives(schemes{"api_key": {}}), map[string]Kind{"api_key": KindUnknown}},
		{`{"schemes":[{"type":"bearer"}]}`, alternatives(schemes{"bearer": {}}), map[string]Kind{"bearer": KindHTTP}},
		{`{"required":true,"methods":[]}`, unknown, map[string]Kind{}},
		{`{"schemes":{"bearer":{}}}`, unknown, map[string]Kind{}},
		{`{"schemes":[{"name":"x"}]}`, unknown, map[string]Kind{}},
		{`true`, unknown, map[string]Kind{}},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			c := mustParse(t, card03("security", "[]", "authentication", tt.value))
			got := c.Security
			for i := range got.Alternatives {
				if got.Alternatives[i].Unreadable != "" {
					got.Alternatives[i].Unreadable = "x"
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Security of %s (-want +got):\n%s", tt.value, diff)
			}
			kinds := map[string]Kind{}
			unreadable := 0
			for name, s := range c.SecuritySchemes {
				kinds[name] = s.Kind
				if s.Kind == KindUnknown {
					unreadable++
				}
			}
			if diff := cmp.Diff(tt.kinds, kinds); diff != "" {
				t.Errorf("schemes of %s (-want +got):\n%s", tt.value, diff)
			}
			if tt.want.Declared && tt.want.Alternatives[0].Unreadable != "" {
				unreadable++
			}
			if len(c.Findings) != unreadable {
				t.Errorf("findings of %s = %v, want %d", tt.value, found(c), unreadable)
			}
			from := Assumed
			if tt.want.Declared {
				from = Legacy
			}
			if c.Sources["security"] != from {
				t.Errorf("source of %s = %s, want %s", tt.value, c.Sources["security"], from)
			}
		})
	}
}

func TestAuthenticationOfDeclaredScheme(t *testing.T) {
	c := mustParse(t, card03("securitySchemes", `{"apiKey":{"type":"apiKey","in":"query","name":"k"}}`, "authentication", `{"schemes":["apiKey"]}`))
	if diff := cmp.Diff(alternatives(schemes{"apiKey": {}}), c.Security); diff != "" {
		t.Errorf("Security (-want +got):\n%s", diff)
	}
	if c.SecuritySchemes["apiKey"].Kind != KindAPIKey || c.Sources["schemes"] != Declared || len(c.Findings) != 0 {
		t.Errorf("schemes %+v, findings %v", c.SecuritySchemes, found(c))
	}
}

func TestSkillSecurity(t *testing.T) {
	skill := func(more string) string {
		return card10("securitySchemes", keyAndBearer, "skills", `[{"id":"a","name":"A","description":"D","tags":["t"],`+more+`}]`)
	}
	tests := []struct {
		more string
		want Security
		from Source
	}{
		{`"x":1`, Security{}, Assumed},
		{`"security":[],"securityRequirements":[]`, Security{}, Assumed},
		{`"security":[{"key":[]}]`, alternatives(schemes{"key": {}}), Legacy},
		{`"securityRequirements":[{"schemes":{"bearer":{}}}]`, alternatives(schemes{"bearer": {}}), Declared},
		{`"securityRequirements":[{}]`, alternatives(schemes{}), Declared},
	}
	for _, tt := range tests {
		c := mustParse(t, skill(tt.more))
		if diff := cmp.Diff(tt.want, c.Skills[0].Security); diff != "" {
			t.Errorf("Security of %s (-want +got):\n%s", tt.more, diff)
		}
		if c.Sources["skill_security"] != tt.from {
			t.Errorf("source of %s = %s, want %s", tt.more, c.Sources["skill_security"], tt.from)
		}
	}
}
