package laws_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/lockfile"
)

// Parts of the cards below.
const (
	keyDefinition    = `{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}`
	bearerDefinition = `{"httpAuthSecurityScheme":{"scheme":"bearer"}}`
	oauthDefinition  = `{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://auth.example/token","scopes":{}}}}}`
)

// What the witness taught: changes about which the verdict was once wrong, each
// as small as it gets. The verdict, the rules that speak, and the witness agree.
func TestWitnessCases(t *testing.T) {
	tests := []struct {
		name           string
		schemes        [2]string // then and now
		quote, book    [2]string // the requirements of the two skills
		requires       []string  // the skills that are pinned; nil is quote alone
		holds          []compile.Credential
		verdict, rules string
	}{
		{
			name:    "a scope more, and anonymous is enough",
			schemes: [2]string{`{"oauth":` + oauthDefinition + `}`},
			quote:   [2]string{`[{"oauth":["read"]}]`, `[{"oauth":["read","write"]},{}]`},
			verdict: "review", rules: "alternative-switched security-weakened",
		},
		{
			name:    "a scope more, and another way that the client holds",
			schemes: [2]string{`{"oauth":` + oauthDefinition + `,"key":` + keyDefinition + `}`},
			quote:   [2]string{`[{"oauth":["read"]},{"key":[]}]`, `[{"oauth":["read","write"]},{"key":[]}]`},
			holds:   []compile.Credential{{Kind: compile.OAuth2, Scopes: []string{"read"}}, {Kind: compile.APIKey}},
			verdict: "review", rules: "alternative-switched",
		},
		{
			name:    "a scope more, which the client holds and the lock does not record",
			schemes: [2]string{`{"oauth":` + oauthDefinition + `}`},
			quote:   [2]string{`[{"oauth":["read"]}]`, `[{"oauth":["read","write"]}]`},
			holds:   []compile.Credential{{Kind: compile.OAuth2, Scopes: []string{"read", "write"}}},
			verdict: "breaking", rules: "scope-required",
		},
		{
			name:    "the old scopes are left at another origin alone, and the client holds one of the kind",
			schemes: [2]string{`{"a":` + oauthDefinition + `}`, `{"a":` + oauthDefinition + `,"b":` + strings.Replace(oauthDefinition, "auth.", "login.", 1) + `}`},
			quote:   [2]string{`[{"a":["read"]}]`, `[{"a":["read","write"]},{"b":["read"]}]`},
			holds:   []compile.Credential{{Kind: compile.OAuth2, Scopes: []string{"read"}}},
			verdict: "breaking", rules: "alternative-switched scheme-endpoint-origin-changed",
		},
		{
			name:    "two definitions change names, and the lock records both",
			schemes: [2]string{`{"a":` + keyDefinition + `,"b":` + oauthDefinition + `}`, `{"b":` + keyDefinition + `,"a":` + oauthDefinition + `}`},
			quote:   [2]string{`[{"a":[]}]`}, book: [2]string{`[{"b":[]}]`}, requires: []string{"quote", "book"},
			verdict: "review", rules: "alternative-switched security-weakened",
		},
		{
			name:    "another kind under its name, which the client holds for others",
			schemes: [2]string{`{"a":` + keyDefinition + `}`, `{"a":` + bearerDefinition + `}`},
			quote:   [2]string{`[{"a":[]}]`},
			holds:   []compile.Credential{{Kind: compile.APIKey}, {Kind: compile.Bearer}},
			verdict: "breaking", rules: "scheme-changed",
		},
		{
			name:    "another kind under another name, which the client holds",
			schemes: [2]string{`{"a":` + keyDefinition + `}`, `{"b":` + bearerDefinition + `}`},
			quote:   [2]string{`[{"a":[]}]`, `[{"b":[]}]`},
			holds:   []compile.Credential{{Kind: compile.APIKey}, {Kind: compile.Bearer}},
			verdict: "review", rules: "alternative-switched",
		},
		{
			name:    "a credential that the lock records for a skill that is gone",
			schemes: [2]string{`{"a":` + keyDefinition + `,"b":` + oauthDefinition + `}`},
			quote:   [2]string{`[{"a":[]}]`, `[{"b":[]}]`}, book: [2]string{`[{"b":[]}]`, "gone"}, requires: []string{"quote", "book"},
			verdict: "breaking", rules: "alternative-switched skill-removed",
		},
		{
			name:    "the first way cannot be read, and the second, which is pinned, asks for more",
			schemes: [2]string{`{"oauth":` + oauthDefinition + `}`},
			quote:   [2]string{`[{"undeclared":[]},{"oauth":["read"]}]`, `[{"undeclared":[]},{"oauth":["read","write"]}]`},
			verdict: "breaking", rules: "scope-required",
		},
		{
			name:    "a member that nobody knows, of a scheme that nothing asks for",
			schemes: [2]string{`{"a":` + keyDefinition + `}`, `{"a":` + keyDefinition + `,"b":{"apiKeySecurityScheme":{"location":"query","name":"k","x":1}}}`},
			quote:   [2]string{`[{"a":[]}]`},
			verdict: "compatible", rules: "card-changed",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var cards [2][]byte
			for i := range cards {
				cards[i] = caseCard(side(tt.schemes, i), side(tt.quote, i), side(tt.book, i))
			}
			cl := config.Default().Client
			cl.Credentials = tt.holds
			o := lockfile.PinOptions{Skills: tt.requires, Agent: agentURL, At: at}
			if o.Skills == nil {
				o.Skills = []string{"quote"}
			}
			was := compile.Read(cards[0], &cl, card.Options{})
			o.CardDigest = was.Digest
			l, _, err := lockfile.Pin(was.Profile, &cl, o)
			if err != nil {
				t.Fatal(err)
			}
			w, err := newTrial(cards[0], cards[1], &cl, l)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.check(); err != nil {
				t.Error(err)
			}
			var rules []string
			for _, f := range w.result.Findings {
				rules = append(rules, f.Rule)
			}
			slices.Sort(rules)
			if got := strings.Join(slices.Compact(rules), " "); got != tt.rules || w.result.Class.String() != tt.verdict {
				t.Errorf("%s: %s; want %s: %s", w.result.Class, got, tt.verdict, tt.rules)
			}
		})
	}
}

// side is the value of one side; what is not said of now is as it was.
func side(v [2]string, i int) string {
	if v[i] == "" {
		return v[0]
	}
	return v[i]
}

// caseCard is a card of two skills; one is left out where its requirements are
// "gone".
func caseCard(schemes, quote, book string) []byte {
	skill := func(id, requirements string) map[string]any {
		s := map[string]any{"id": id, "name": id, "description": "Does it.", "tags": []string{"travel"}}
		if requirements != "" {
			s["securityRequirements"] = json.RawMessage(requirements)
		}
		return s
	}
	skills := []any{skill("quote", quote)}
	if book != "gone" {
		skills = append(skills, skill("book", book))
	}
	data, err := json.Marshal(map[string]any{
		"name": "Pricing", "description": "Prices.", "version": "1.0.0", "capabilities": map[string]any{},
		"supportedInterfaces": []any{map[string]any{"url": "https://agent.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
		"defaultInputModes":   []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
		"securitySchemes": json.RawMessage(schemes), "skills": skills,
	})
	if err != nil {
		panic(err)
	}
	return data
}
