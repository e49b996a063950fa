package card

import (
	"errors"
	"testing"
)

func TestParseNames(t *testing.T) {
	tests := []struct {
		name string
		doc  string
		want Shape  // of a card
		not  string // else the message
	}{
		{"1.0", card10(), Shape10, ""},
		{"1.0 with a card-level version", card10("protocolVersion", `"1.0"`), Shape10, ""},
		{"1.0 as a2a-java sends it", card10("preferredTransport", `"JSONRPC"`), Shape10, ""},
		{"1.0 with an empty mirror", card10("url", `""`, "additionalInterfaces", `[]`), Shape10, ""},
		{"1.0 with an empty list", card10("supportedInterfaces", `[]`), Shape10, ""},
		{"0.3", card03(), Shape03, ""},
		{"0.3 by its transport", card03("protocolVersion", ""), Shape03, ""},
		{"0.3 by its version", card03("preferredTransport", ""), Shape03, ""},
		{"0.3 with an empty list", card03("supportedInterfaces", `[]`), Shape03, ""},
		{"0.3 that says 1.0", card03("protocolVersion", `"1.0"`), Shape03, ""},
		{"0.3 without an address", card03("url", ""), Shape03, ""},
		{"0.2 by its version", card03("protocolVersion", `"0.2.6"`), Shape02, ""},
		{"0.2 by what it lacks", card03("protocolVersion", "", "preferredTransport", ""), Shape02, ""},
		{"hybrid", card10("url", `"https://a.example/rpc"`), ShapeHybrid, ""},
		{"snake_case", card10("supportedInterfaces", "", "supported_interfaces", `[{"url":"https://a.example","protocol_binding":"JSONRPC","protocol_version":"1.0"}]`), Shape10, ""},
		{"a card whatever else it is", card03("type", `"https://eips.ethereum.org/EIPS/eip-8004#registration-v1"`, "registrations", "[]", "openapi", `"3.1.0"`, "paths", "{}"), Shape03, ""},
		{"a card without skills", card10("skills", ""), Shape10, ""},

		{"name and description", `{"name":"a","description":"b"}`, "", "an object without an endpoint (supportedInterfaces or url), capabilities, skills"},
		{"no endpoint", card10("supportedInterfaces", ""), "", "an object without an endpoint (supportedInterfaces or url)"},
		{"a page's manifest", `{"name":"a","url":"https://a.example","version":"1"}`, "", "an object without capabilities, skills"},
		{"ERC-8004", `{"type":"https://eips.ethereum.org/EIPS/eip-8004#registration-v1","name":"a","services":[]}`, "", "an ERC-8004 registration file"},
		{"a lock", `{"agent":"https://a.example/card.json","requires":{"skills":{"quote":{}}}}`, "", "a lock of a2alock"},
		{"ERC-8004 without type", `{"name":"a","services":[],"registrations":[]}`, "", "an ERC-8004 registration file"},
		{"MCP", `{"$schema":"https://static.modelcontextprotocol.io/schemas/x.json","name":"a/b","url":"https://a.example"}`, "", "an MCP server card"},
		{"MCP with a transport", `{"serverInfo":{"name":"x"},"transport":{},"tools":[]}`, "", "an MCP server card"},
		{"OpenAPI", `{"openapi":"3.1.0","info":{},"paths":{}}`, "", "an OpenAPI document"},
		{"plugin", `{"schema_version":"v1","name_for_model":"x","api":{}}`, "", "a plugin manifest"},
		{"JWKS", `{"keys":[]}`, "", "a key set (JWKS)"},
		{"an error", `{"detail":"Not Found"}`, "", "an error message"},
		{"a JSON-RPC error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}`, "", "a JSON-RPC error"},
		{"wrapped", `{"agentCard":` + card10() + `,"attestations":[]}`, "", `an Agent Card inside the member "agentCard"`},
		{"wrapped in an answer", `{"jsonrpc":"2.0","result":` + card03() + `}`, "", `an Agent Card inside the member "result"`},
		{"a list", `[` + card10() + `,` + card03() + `,{}]`, "", "a list of Agent Cards (2), and not one of them"},
		{"a wrapped list", `{"agents":[` + card10() + `]}`, "", `a list of Agent Cards (1) inside the member "agents"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse([]byte(tt.doc), Options{})
			if tt.not == "" {
				if err != nil {
					t.Fatalf("Parse(%s) = %v, want shape %s", tt.doc, err, tt.want)
				}
				if c.Shape != tt.want {
					t.Errorf("Parse(%s).Shape = %s, want %s", tt.doc, c.Shape, tt.want)
				}
				return
			}
			de, ok := errors.AsType[*DocumentError](err)
			if !ok || de.State != NotACard || de.Msg != tt.not {
				t.Errorf("Parse(%s) = %v, want %s", tt.doc, err, tt.not)
			}
		})
	}
}
