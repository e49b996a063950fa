package agenttest_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/internal/agenttest"
)

func TestMerge(t *testing.T) {
	tests := []struct{ name, card, patch, want string }{
		{"replace", `{"a": 1, "b": 2}`, `{"a": 3}`, `{"a":3,"b":2}`},
		{"add deep", `{"a": {"x": 1}}`, `{"a": {"y": {"z": 2}}}`, `{"a":{"x":1,"y":{"z":2}}}`},
		{"remove", `{"a": {"x": 1, "y": 2}}`, `{"a": {"x": null}}`, `{"a":{"y":2}}`},
		{"list replaces", `{"a": [1, 2]}`, `{"a": [3]}`, `{"a":[3]}`},
		{"object over value", `{"a": 1}`, `{"a": {"b": 2, "c": null}}`, `{"a":{"b":2}}`},
		{"big number stays", `{"n": 9007199254740993}`, `{}`, `{"n":9007199254740993}`},
		{"whole", `{"a": 1}`, `[]`, `[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := json.Compact(&got, agenttest.Merge([]byte(tt.card), tt.patch)); err != nil {
				t.Fatal(err)
			}
			if got.String() != tt.want {
				t.Errorf("Merge(%s, %s) = %s, want %s", tt.card, tt.patch, &got, tt.want)
			}
		})
	}
}

// Every shape is the same agent, so each must have the same name, skills and
// an endpoint on the agent, whatever form the rest has.
func TestShapes(t *testing.T) {
	const base = "http://127.0.0.1:1"
	for _, name := range agenttest.Shapes() {
		t.Run(name, func(t *testing.T) {
			raw := agenttest.Shape(name, base+"/")
			var card struct {
				Name, URL           string
				SupportedInterfaces []struct{ URL string }
				Skills              []struct{ ID string }
			}
			if err := json.Unmarshal(raw, &card); err != nil {
				t.Fatal(err)
			}
			if card.Name != "Travel Pricing Agent" || len(card.Skills) != 2 || card.Skills[0].ID != "itinerary-pricing" {
				t.Errorf("Shape(%q) is of another agent: %+v", name, card)
			}
			urls := []string{card.URL}
			for _, i := range card.SupportedInterfaces {
				urls = append(urls, i.URL)
			}
			if !strings.Contains(strings.Join(urls, " "), base+"/") {
				t.Errorf("Shape(%q) has no endpoint at %s: %q", name, base, urls)
			}
			if bytes.Contains(raw, []byte("agent.test")) {
				t.Errorf("Shape(%q) still names the placeholder", name)
			}
		})
	}
	if n := len(agenttest.Shapes()); n < 10 {
		t.Errorf("there are %d shapes, want all that the doc comment lists", n)
	}
}
