package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/a2alock/a2alock/card"
)

// One card held against another needs all that the other offered.
func TestCards(t *testing.T) {
	two := `"securityRequirements":[{"schemes":{"key":{"list":[]}}},{"schemes":{"oauth":{"list":["read"]}}}]`
	schemes := `"securitySchemes":{` + keyScheme + `,` + oauthScheme + `},`
	tests := []struct{ name, was, now, want string }{
		{"nothing", ``, ``, `[]`},
		{"an icon", ``, `{"iconUrl":"https://agent.example/i.png"}`, `[card-changed]`},
		{
			"a skill goes", `{"skills":[{"id":"quote","name":"Q","description":"d","tags":["t"]},{"id":"book","name":"B","description":"d","tags":["t"]}]}`,
			`{"skills":[{"id":"quote","name":"Q","description":"d","tags":["t"]}]}`, `[skill-removed]`,
		},
		{"a skill comes", ``, `{"skills":[{"id":"quote","name":"Quote","description":"Quotes a price.","tags":["pricing"]},{"id":"book","name":"B","description":"d","tags":["t"]}]}`, `[skill-gained]`},
		{"streaming goes", `{"capabilities":{"streaming":true}}`, `{"capabilities":{"streaming":false}}`, `[streaming-lost]`},
		{"push goes", `{"capabilities":{"pushNotifications":true}}`, `{"capabilities":{"pushNotifications":null}}`, `[push-lost]`},
		{"an optional extension goes", `{"capabilities":{"extensions":[{"uri":"https://ext.example/x"}]}}`, `{"capabilities":{"extensions":[]}}`, `[extension-missing]`},
		{"a required extension comes", ``, `{"capabilities":{"extensions":[{"uri":"https://ext.example/x","required":true}]}}`, `[extension-required-unknown]`},
		{
			"an old extension is required", `{"capabilities":{"extensions":[{"uri":"https://ext.example/x"}]}}`,
			`{"capabilities":{"extensions":[{"uri":"https://ext.example/x","required":true}]}}`, `[extension-required-known]`,
		},
		{"the second way goes", `{` + schemes + two + `}`, `{"securityRequirements":[{"schemes":{"key":{"list":[]}}}]}`, `[alternative-lost]`},
		{"the first way goes", `{` + schemes + two + `}`, `{"securityRequirements":[{"schemes":{"oauth":{"list":["read"]}}}]}`, `[alternative-switched]`},
		{"the second way asks for more", `{` + schemes + two + `}`, `{"securityRequirements":[{"schemes":{"oauth":{"list":["read","write"]}}}]}`, `[security-unsatisfiable]`},
		{"an interface of another binding comes first", ``, `{"supportedInterfaces":[{"url":"agent.example:443","protocolBinding":"GRPC","protocolVersion":"1.0"},{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, `[card-changed]`},
		{"the only interface is of another version", ``, `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"2.0"}]}`, `[interface-none-usable]`},
		{"modes declared nowhere", `{"defaultInputModes":null,"defaultOutputModes":null}`, `{"version":"1.0.1"}`, `[agent-version-changed]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			was := overlay(t, ExampleCard, tt.was)
			r, err := Cards(was, overlay(t, string(was), tt.now), card.Options{}, Comparison{At: ExampleTime})
			if err != nil {
				t.Fatal(err)
			}
			got := said(r)
			// Texts of the skills that a row writes anew are not its theme.
			rest := got[:0]
			for _, rule := range got {
				if rule != "text-changed" {
					rest = append(rest, rule)
				}
			}
			if s := fmt.Sprint(rest); s != tt.want {
				t.Errorf("findings = %s, want %s\n%s", s, tt.want, show(r))
			}
		})
	}
}

func TestCardsThatCannotBeCompared(t *testing.T) {
	good := []byte(ExampleCard)
	for name, was := range map[string][]byte{
		"no JSON":      []byte("<html>"),
		"no card":      []byte("{}"),
		"no version":   overlay(t, ExampleCard, `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC"}]}`),
		"invalid card": overlay(t, ExampleCard, `{"capabilities":[]}`),
	} {
		if r, err := Cards(was, good, card.Options{}, Comparison{}); err == nil {
			t.Errorf("%s: %s, want an error", name, show(r))
		}
	}
	r, err := Cards(good, []byte("<html>"), card.Options{}, Comparison{})
	if err != nil || r.Decided || r.State != card.NotJSON {
		t.Errorf("a new card that is none: %+v, %v", r, err)
	}
}

// Whatever a real card says, it is no change to itself.
func TestRealCardsAreNoChangeToThemselves(t *testing.T) {
	files, _ := filepath.Glob("../../shared/corpus/cards/*.json")
	if len(files) == 0 {
		t.Skip("no corpus of real cards here")
	}
	compared := 0
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Cards(body, body, card.Options{}, Comparison{At: ExampleTime})
		if err != nil {
			continue
		}
		compared++
		if len(r.Findings) > 0 || !r.Decided {
			t.Errorf("%s: %s", file, show(r))
		}
	}
	t.Logf("%d of %d files compared", compared, len(files))
	if compared < len(files)/2 {
		t.Errorf("%d of %d files could be compared", compared, len(files))
	}
}
