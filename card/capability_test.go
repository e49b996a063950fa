package card

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestCapabilities(t *testing.T) {
	c := mustParse(t, card10("capabilities", `{"streaming":true,"pushNotifications":false,"extendedAgentCard":true,"stateTransitionHistory":true,
		"x":{"b":2,"a":1e2},
		"extensions":[
			{"uri":"urn:a","description":"A","required":true,"params":{"z":1,"b":[1.0]},"since":"2026"},
			{"uri":"urn:b","required":false}
		]}`))
	want := Capabilities{
		Streaming:         true,
		ExtendedAgentCard: true,
		Extensions: []Extension{
			{URI: "urn:a", Description: "A", Required: true, Params: jsontext.Value(`{"b":[1],"z":1}`), Unknown: map[string]jsontext.Value{"since": jsontext.Value(`"2026"`)}},
			{URI: "urn:b"},
		},
		Unknown: map[string]jsontext.Value{"x": jsontext.Value(`{"a":100,"b":2}`)},
	}
	if diff := cmp.Diff(want, c.Capabilities); diff != "" {
		t.Errorf("Capabilities (-want +got):\n%s", diff)
	}
	if len(c.Findings) != 0 {
		t.Errorf("findings = %v", found(c))
	}
}

// What is spelled in another case is unknown, and is no member.
func TestVariantsAreUnknown(t *testing.T) {
	c := mustParse(t, card10("capabilities", `{"Streaming":true,"extensions":[{"uri":"urn:a","Required":true}]}`,
		"supportedInterfaces", `[{"url":"https://a.example/","protocolBinding":"JSONRPC","protocolVersion":"1.0","Tenant":"t"}]`))
	for name, unknown := range map[string]map[string]jsontext.Value{
		"Streaming": c.Capabilities.Unknown, "Required": c.Capabilities.Extensions[0].Unknown, "Tenant": c.Interfaces[0].Unknown,
	} {
		if len(unknown) != 1 || unknown[name] == nil {
			t.Errorf("unknown members %v, want %s", unknown, name)
		}
	}
}

func TestExtensionFindings(t *testing.T) {
	with := func(extensions string) string { return card10("capabilities", `{"extensions":`+extensions+`}`) }
	const x = "/capabilities/extensions"
	tests := []struct {
		name string
		doc  string
		want []string
		uris []string // that are left
	}{
		{"no list", with(`{}`), []string{"error wrong-type " + x + " document"}, nil},
		{"no object", with(`["urn:a",{"uri":"urn:b"}]`), []string{"error wrong-type " + x + "/0 extension"}, []string{"urn:b"}},
		{"no uri", with(`[{"description":"x"}]`), []string{"error missing " + x + "/0/uri extension"}, nil},
		{"required, and no uri", with(`[{"required":true}]`), []string{"error missing " + x + "/0/uri document"}, nil},
		{"required is a string", with(`[{"uri":"urn:a","required":"false"}]`), []string{"error wrong-type " + x + "/0/required document"}, []string{"urn:a"}},
		{"params is a list", with(`[{"uri":"urn:a","params":[]}]`), []string{"gap wrong-type " + x + "/0/params"}, []string{"urn:a"}},
		{"big number", with(`[{"uri":"urn:a","params":{"n":9007199254740993}}]`), []string{"gap number-precision " + x + "/0/params/n"}, []string{"urn:a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, tt.doc)
			if diff := cmp.Diff(tt.want, found(c)); diff != "" {
				t.Errorf("findings of %s (-want +got):\n%s", tt.doc, diff)
			}
			var uris []string
			for _, x := range c.Capabilities.Extensions {
				uris = append(uris, x.URI)
			}
			if diff := cmp.Diff(tt.uris, uris); diff != "" {
				t.Errorf("extensions of %s (-want +got):\n%s", tt.doc, diff)
			}
		})
	}
}

func TestExtendedAgentCard(t *testing.T) {
	tests := []struct {
		name  string
		doc   string
		want  bool
		from  Source
		finds []string
	}{
		{"nowhere", card10(), false, Assumed, []string{}},
		{"1.0", card10("capabilities", `{"extendedAgentCard":true}`), true, Declared, []string{}},
		{"0.3", card10("supportsAuthenticatedExtendedCard", "true"), true, Legacy, []string{}},
		{"the draft", card10("supportsExtendedAgentCard", "true"), true, Legacy, []string{}},
		{"snake_case", card10("supports_authenticated_extended_card", "true"), true, Legacy, []string{"warning snake-case /supports_authenticated_extended_card"}},
		{"both", card10("capabilities", `{"extendedAgentCard":true}`, "supportsAuthenticatedExtendedCard", "true"), true, Declared, []string{}},
		{
			"contradiction", card10("capabilities", `{"extendedAgentCard":false}`, "supportsAuthenticatedExtendedCard", "true"), false, Declared,
			[]string{"warning mirror-differs /supportsAuthenticatedExtendedCard"},
		},
		{"a string", card10("supportsAuthenticatedExtendedCard", `"true"`), false, Legacy, []string{"error wrong-type /supportsAuthenticatedExtendedCard document"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, tt.doc)
			if c.Capabilities.ExtendedAgentCard != tt.want || c.Sources["extended_card"] != tt.from {
				t.Errorf("ExtendedAgentCard = %t from %s, want %t from %s", c.Capabilities.ExtendedAgentCard, c.Sources["extended_card"], tt.want, tt.from)
			}
			if diff := cmp.Diff(tt.finds, found(c)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
