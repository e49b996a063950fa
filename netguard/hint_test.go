package netguard

import (
	"errors"
	"net/url"
	"testing"
)

// A URL is judged as far as no resolver is needed, and a refusal names the line
// that would allow it.
func TestCheck(t *testing.T) {
	g := &Guard{Allow: []string{"10.0.0.1"}}
	for text, want := range map[string]string{
		"https://agent.example/card.json":     "",
		"https://10.0.0.1/card.json":          "",
		"https://10.0.0.2/card.json":          `network: {allow: ["10.0.0.2:443"]}`,
		"http://agent.example/card.json":      `network: {http: ["agent.example"]}`,
		"http://127.0.0.1:8080/card.json":     `network: {allow: ["127.0.0.1:8080"], http: ["127.0.0.1"]}`,
		"https://u:p@agent.example/card.json": "refused for good",
		"ftp://agent.example/card.json":       "refused for good",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := g.Check(u); err != nil {
			r, ok := errors.AsType[*Refused](err)
			if !ok {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if got = r.Lines(); got == "" {
				got = "refused for good"
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %q", text, got, want)
		}
	}
	if got := (&Refused{Kind: KindPlain, Host: "a.example", Redirected: true}).Lines(); got != "" {
		t.Errorf("a redirect's target: %q", got)
	}
}
