package a2alock_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/agenttest"
)

// The recorded cards are what a careful agent publishes: nothing is to be said
// about them.
func TestRecordedCardsAreClean(t *testing.T) {
	files, err := filepath.Glob("testdata/cards/*.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("testdata/cards has %d cards, %v; want the five of the story", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := card.Parse(data, card.Options{Strict: true})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if len(c.Findings) > 0 || c.Shape != card.Shape10 {
			t.Errorf("%s is %s with findings %+v, want 1.0 without any", file, c.Shape, c.Findings)
		}
		p, said := compile.Compile(c, &config.Default().Client)
		if !p.Usable || len(said) > 0 {
			t.Errorf("%s: usable %v (%s), findings %+v; want a usable card without any", file, p.Usable, p.Reason, said)
		}
	}
}

// Each shape is the same agent in the words of one SDK, so each compiles to the
// same skills and the same ways in.
func TestShapesMeanTheSame(t *testing.T) {
	client := config.Default().Client
	client.Interfaces = []compile.Transport{
		{Binding: "JSONRPC", Version: "1.0"},
		{Binding: "JSONRPC", Version: "0.3"},
	}
	for _, name := range agenttest.Shapes() {
		t.Run(name, func(t *testing.T) {
			c, err := card.Parse(agenttest.Shape(name, "https://agent.example"), card.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Err(); err != nil {
				t.Fatal(err)
			}
			p, _ := compile.Compile(c, &client)
			if !p.Usable || !p.Streaming || p.Push || p.AgentVersion != "3.2.0" {
				t.Errorf("usable %v (%s), streaming %v, push %v, version %q", p.Usable, p.Reason, p.Streaming, p.Push, p.AgentVersion)
			}
			pricing, ok := p.Skills["itinerary-pricing"]
			if !ok || len(p.Skills) != 2 || len(p.Disabled) > 0 {
				t.Fatalf("skills %v, disabled %v; want both skills", p.Skills, p.Disabled)
			}
			if want := []string{"application/json"}; !slices.Equal(pricing.Input, want) || !slices.Equal(pricing.Output, want) {
				t.Errorf("modes %q and %q, want %q for both", pricing.Input, pricing.Output, want)
			}
			checkWaysIn(t, name, pricing.Security)
			for _, f := range c.Findings {
				t.Logf("%s %s %q: %s", f.Severity, f.Code, f.Path, f.Message)
			}
		})
	}
}

// checkWaysIn wants an OAuth 2 token with pricing.quote, or else an API key; a
// 0.1 card can only say bearer.
func checkWaysIn(t *testing.T, shape string, ways []compile.Alternative) {
	t.Helper()
	want := []compile.Strength{compile.OAuth2, compile.APIKey}
	if shape == "v01" {
		want = []compile.Strength{compile.Bearer}
	}
	var got []compile.Strength
	for _, w := range ways {
		got = append(got, w.Strength())
	}
	if !slices.Equal(got, want) {
		t.Errorf("ways in %v, want %v", got, want)
		return
	}
	if shape == "v01" {
		return
	}
	if scheme := ways[0].Schemes["partner-oauth"]; !slices.Equal(scheme.Scopes, []string{"pricing.quote"}) {
		t.Errorf("scopes %q, want pricing.quote", scheme.Scopes)
	}
	if scheme := ways[1].Schemes["partner-key"]; scheme.In != "header" || scheme.Name != "X-Partner-Key" {
		t.Errorf("the key goes into %q %q, want the header X-Partner-Key", scheme.In, scheme.Name)
	}
}
