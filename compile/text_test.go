package compile

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/card"
)

func TestCompileTexts(t *testing.T) {
	p, _ := compiled(t, func(c *card.Card, _ *Client) {
		c.Description = "hello\u200b \u202eworld"
		c.Provider = &card.Provider{Organization: "Acme", URL: "https://acme.example"}
		c.Skills = []card.Skill{{
			ID: "a/b~c", Name: "A", Description: "d", Tags: []string{"x", "y\u200b"}, Examples: []string{"e"},
		}}
	})
	want := map[string]Text{
		"/name":                    {Digest: card.Sum([]byte("Pricing"))},
		"/description":             {Digest: card.Sum([]byte("hello\u200b \u202eworld")), Hidden: []string{"U+200B", "U+202E"}},
		"/skills/a~1b~0c/name":     {Digest: card.Sum([]byte("A"))},
		"/skills/a~1b~0c/tags":     {Digest: card.Sum([]byte("[\"x\",\"y\u200b\"]")), Hidden: []string{"U+200B"}},
		"/skills/a~1b~0c/examples": {Digest: card.Sum([]byte(`["e"]`))},

		"/skills/a~1b~0c/description": {Digest: card.Sum([]byte("d"))},
	}
	if diff := cmp.Diff(want, p.Texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, p.ForLock([]string{"a/b~c"}).Texts); diff != "" {
		t.Errorf("texts in a lock that needs the skill (-want +got):\n%s", diff)
	}
	other := p.ForLock([]string{"a", "a/b"})
	if got := slices.Sorted(maps.Keys(other.Texts)); !slices.Equal(got, []string{"/description", "/name", "/skills/a~1b~0c/tags"}) {
		t.Errorf("texts in a lock that needs other skills: %q, want of theirs what holds invisible characters", got)
	}
	if diff := cmp.Diff(other, other.ForLock(nil)); diff != "" {
		t.Errorf("trimmed twice (-once +twice):\n%s", diff)
	}
}

func TestCompileTextsOfHiddenCharacters(t *testing.T) {
	const h = "\u200b"
	p, _ := compiled(t, func(c *card.Card, _ *Client) {
		c.Name, c.Version = "", "1"+h
		c.IconURL, c.DocumentationURL = "https://a.example/icon"+h, "https://a.example/docs"+h
		c.Provider = &card.Provider{Organization: "Acme" + h, URL: "https://acme.example/" + h}
		c.Interfaces = []card.Interface{
			entry("JSONRPC", "1.0", "https://a.example/1"+h), entry("JSONRPC", "1.0", "https://a.example/2\u202e"),
			entry("GRPC", "1.0", "a.example:443"),
		}
		c.Capabilities.Extensions = []card.Extension{{URI: "urn:x/" + h, Description: "d" + h}, {URI: "urn:y"}}
		c.SecuritySchemes = map[string]card.SecurityScheme{
			"key" + h: {Kind: card.KindAPIKey, Name: "X" + h},
			"oauth": {Kind: card.KindOAuth2, OAuth2MetadataURL: "https://id.example/" + h, Flows: map[string]card.Flow{
				"clientCredentials": {TokenURL: "https://id.example/t" + h},
			}},
		}
		c.Skills = []card.Skill{{ID: "s" + h}}
	})
	want := []string{
		"/agent_version", "/declared_extensions/urn:x~1" + h + "/description", "/declared_extensions/urn:x~1" + h + "/uri",
		"/documentation_url", "/icon_url", "/interfaces/JSONRPC+1.0/url", "/provider/organization", "/provider/url",
		"/schemes/key" + h + "/id", "/schemes/key" + h + "/name",
		"/schemes/oauth/flows/clientCredentials/token_url", "/schemes/oauth/oauth2_metadata_url", "/skills/s" + h + "/id",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(p.Texts))); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	url := p.Texts["/interfaces/JSONRPC+1.0/url"]
	if !slices.Equal(url.Hidden, []string{"U+200B", "U+202E"}) {
		t.Errorf("hidden %v, want those of both addresses", url.Hidden)
	}
}

func TestCompileUnknown(t *testing.T) {
	const most = 200 // bytes of a value that is repeated
	long := jsontext.Value(`"` + strings.Repeat("x", most-1) + `"`)
	limit := jsontext.Value(`"` + strings.Repeat("x", most-2) + `"`)
	member := func(name, value string) map[string]jsontext.Value {
		return map[string]jsontext.Value{name: jsontext.Value(value)}
	}
	p, _ := compiled(t, func(c *card.Card, _ *Client) {
		c.Capabilities.Unknown = map[string]jsontext.Value{"a/b": jsontext.Value(`{"x":1}`), "long": long, "limit": limit}
		one, two := entry("JSONRPC", "1.0", "https://a.example/1"), entry("JSONRPC", "1.0", "https://a.example/2")
		one.Unknown, two.Unknown = member("region", `"us"`), member("region", `"eu"`)
		unused := entry("GRPC", "1.0", "a.example:443")
		unused.Unknown = member("region", `"asia"`)
		off := entry("JSONRPC", "1.0", "x")
		off.Disabled, off.Unknown = "no address", member("region", `"off"`)
		c.Interfaces = []card.Interface{one, two, unused, off}
		c.Capabilities.Extensions = []card.Extension{{URI: "urn:x", Unknown: member("min", "2")}}
		c.SecuritySchemes = map[string]card.SecurityScheme{"k": {Kind: card.KindAPIKey, Unknown: member("rotate", "true")}}
		asks := func(unknown map[string]jsontext.Value, names ...string) card.Security {
			a := card.Alternative{Schemes: map[string][]string{}, Unknown: unknown}
			for _, n := range names {
				a.Schemes[n] = nil
			}
			return card.Security{Declared: true, Alternatives: []card.Alternative{a}}
		}
		c.Security = asks(member("note", `"n"`), "k", "j")
		c.Skills[0].Security = asks(member("note", "null"))
	})
	want := map[string]jsontext.Value{
		"/capabilities/a~1b":             jsontext.Value(`{"x":1}`),
		"/capabilities/limit":            limit,
		"/capabilities/long":             jsontext.Value(`"` + card.Sum(long) + `"`),
		"/interfaces/JSONRPC+1.0/region": jsontext.Value(`["us","eu"]`),
		"/declared_extensions/urn:x/min": jsontext.Value(`2`),
		"/schemes/k/rotate":              jsontext.Value(`true`),
		"/security/j+k/note":             jsontext.Value(`"n"`),
		"/skills/quote/security//note":   jsontext.Value(`null`),
	}
	if diff := cmp.Diff(want, p.Unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
}
