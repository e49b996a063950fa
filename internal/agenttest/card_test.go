package agenttest_test

import (
	"bytes"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

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

func TestServeShape(t *testing.T) {
	base := agenttest.ServeShape(t, "js-case")
	res, body := get(t, base+agenttest.WellKnown, nil)
	if res.StatusCode != 200 || body != string(agenttest.Shape("js-case", base)) {
		t.Errorf("GET = %d %q", res.StatusCode, body)
	}
}

func TestJavaCard(t *testing.T) {
	body := agenttest.Shape("java", "http://127.0.0.1:1")
	started := time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)
	s := agenttest.Raw(t, agenttest.JavaCard(body, started))
	etag := fmt.Sprintf(`"%x"`, md5.Sum(body))
	for _, ask := range []http.Header{nil, {"If-None-Match": {etag}}} {
		res, got := get(t, s.URL, ask)
		if res.StatusCode != 200 || got != string(body) || res.Header.Get("ETag") != etag {
			t.Errorf("GET with %v = %d, ETag %q; want 200 and %q, since a2a-java never says 304",
				ask, res.StatusCode, res.Header.Get("ETag"), etag)
		}
		if got := res.Header.Get("Last-Modified"); got != "Fri, 02 Oct 2026 08:30:00 GMT" {
			t.Errorf("Last-Modified = %q", got)
		}
	}
}

func TestJSCard(t *testing.T) {
	s := agenttest.Raw(t, agenttest.JSCard([]byte(`{}`)))
	res, body := get(t, s.URL, nil)
	etag := res.Header.Get("ETag")
	if body != "{}" || !strings.HasPrefix(etag, `W/"`) || len(etag) != len(`W/""`)+16 {
		t.Fatalf("GET = %q, ETag %q; want a weak ETag of 16 digits", body, etag)
	}
	if res, body := get(t, s.URL, http.Header{"If-None-Match": {etag}}); res.StatusCode != 304 || body != "" {
		t.Errorf("GET with If-None-Match = %d %q, want 304", res.StatusCode, body)
	}
	if res, _ := get(t, s.URL, http.Header{"If-None-Match": {`W/"0000000000000000"`}}); res.StatusCode != 200 {
		t.Errorf("GET with another If-None-Match = %d, want 200", res.StatusCode)
	}
}

func TestByVersion(t *testing.T) {
	s := agenttest.Raw(t, agenttest.ByVersion(map[string]http.Handler{
		"":    agenttest.JSON([]byte("blended")),
		"1.0": agenttest.JSON([]byte("pure")),
	}, true))
	for version, want := range map[string]string{"": "blended", "0.3": "blended", "1.0": "pure"} {
		header := http.Header{}
		if version != "" {
			header.Set("A2A-Version", version)
		}
		res, got := get(t, s.URL, header)
		if got != want || res.Header.Get("Vary") != "A2A-Version" {
			t.Errorf("GET with A2A-Version %q = %q, Vary %q; want %q", version, got, res.Header.Get("Vary"), want)
		}
	}
}
