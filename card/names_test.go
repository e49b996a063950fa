package card

import (
	"strings"
	"testing"
)

// Names that mean something to other readers are names like any other here.
func TestNamesOfOtherReaders(t *testing.T) {
	for _, name := range []string{"__proto__", "constructor", "toString", "$ref", "@type", "$case", "..", "%2e%2e", "-rf", "null", "true", "0"} {
		body := strings.NewReplacer("NAME", name).Replace(`{
			"name": "NAME", "description": "d", "version": "1",
			"supportedInterfaces": [{"url": "https://a.example/x", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
			"capabilities": {"NAME": {"NAME": 1}},
			"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
			"securitySchemes": {"NAME": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}},
			"securityRequirements": [{"schemes": {"NAME": {"list": []}}}],
			"skills": [{"id": "NAME", "name": "NAME", "description": "d", "tags": ["NAME"]}]
		}`)
		c, err := Parse([]byte(body), Options{})
		if err == nil {
			err = c.Err()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(c.Skills) != 1 || c.Skills[0].ID != name || c.Skills[0].Disabled != "" {
			t.Errorf("%s: skills %+v", name, c.Skills)
		}
		if s, ok := c.SecuritySchemes[name]; !ok || s.Kind != KindAPIKey {
			t.Errorf("%s: schemes %+v", name, c.SecuritySchemes)
		}
		if len(c.Security.Alternatives) != 1 || c.Security.Alternatives[0].Schemes[name] == nil {
			t.Errorf("%s: security %+v", name, c.Security)
		}
		if _, ok := c.Capabilities.Unknown[name]; !ok {
			t.Errorf("%s: unknown capabilities %+v", name, c.Capabilities.Unknown)
		}
	}
}
