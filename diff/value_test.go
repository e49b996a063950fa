package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/lockfile"
)

// What is said of a card grows with the card and the lock, and not with their
// square, whatever they share.
func TestFindingsGrowWithTheCard(t *testing.T) {
	const n = 1500
	many := func(format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	uris := func(format string) []string { return strings.Split(many(format), ",") }
	skills := `"skills":[` + many(`{"id":"s%d"}`) + `]`
	scopes := withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":[`+many(`"a%d"`)+`]}}}`)
	needs := func(need func(i int) lockfile.Need) func(*Comparison) {
		return func(c *Comparison) {
			c.Lock.Requires.Skills = map[string]lockfile.Need{}
			for i := range n {
				c.Lock.Requires.Skills[fmt.Sprintf("s%d", i)] = need(i)
			}
		}
	}
	for _, tt := range []struct {
		name, now string
		edit      func(*Comparison)
		want      string // a rule that speaks
	}{
		{"extensions are gone", `{}`, func(c *Comparison) { c.Lock.Requires.Extensions = uris("urn:x%d") }, "extension-missing"},
		{
			"extensions have other versions", `{"capabilities":{"extensions":[` + many(`{"uri":"urn:x:2.%d"}`) + `]}}`,
			func(c *Comparison) { c.Lock.Requires.Extensions = uris("urn:x:1.%d") }, "extension-version-moved",
		},
		{"extensions are required", `{"capabilities":{"extensions":[` + many(`{"uri":"urn:x%d","required":true}`) + `]}}`, func(*Comparison) {}, "extension-required-unknown"},
		{
			"types are not accepted", `{` + skills + `,"defaultInputModes":[` + many(`"a/b%d"`) + `]}`,
			needs(func(i int) lockfile.Need { return lockfile.Need{Input: []string{fmt.Sprintf("x/y%d", i)}} }), "input-narrowed",
		},
		{
			"types are not offered", `{` + skills + `,"defaultOutputModes":[` + many(`"a/b%d"`) + `]}`,
			needs(func(i int) lockfile.Need { return lockfile.Need{Output: []string{fmt.Sprintf("x/y%d", i)}} }), "output-lost",
		},
		{
			"scopes are asked for", `{` + skills + `,` + strings.TrimPrefix(scopes, "{"),
			needs(func(i int) lockfile.Need { return lockfile.Need{Scopes: []string{fmt.Sprintf("b%d", i)}} }), "scope-required",
		},
		{
			"ways are asked for", `{` + skills + `,` + strings.TrimPrefix(withSchemes(oauthScheme, many(`{"schemes":{"oauth":{"list":["a%d"]}}}`)), "{"),
			needs(func(i int) lockfile.Need { return lockfile.Need{Scopes: []string{fmt.Sprintf("b%d", i)}} }), "scope-required",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := comparison(t, Example{Now: tt.now}, exampleClient())
			c.Lock.Profile = nil
			tt.edit(&c)
			r := Compare(c)
			data, err := json.Marshal(r.Findings)
			if err != nil {
				t.Fatal(err)
			}
			spoken := false
			for _, f := range r.Findings {
				spoken = spoken || f.Rule == tt.want
			}
			if most := 50 << 20; !spoken || len(data) > most {
				t.Errorf("%d findings take %d bytes, want %s among them and at most %d", len(r.Findings), len(data), tt.want, most)
			}
		})
	}
}

// A long value is told by its digest, one that is not as it is.
func TestLongValues(t *testing.T) {
	for _, tt := range []struct {
		items int
		long  bool
	}{{400, false}, {4000, true}} {
		c := comparison(t, Example{}, exampleClient())
		for i := range tt.items {
			c.Lock.Requires.Extensions = append(c.Lock.Requires.Extensions, fmt.Sprintf("urn:x:%d", i))
		}
		for _, f := range Compare(c).Findings {
			sum, isSum := f.Was.(string)
			if isSum != tt.long || isSum && !strings.HasPrefix(sum, "sha256:") {
				t.Errorf("%d items: was = %.80v", tt.items, f.Was)
			}
		}
	}
}
