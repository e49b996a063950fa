package compile

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/golden"
)

// everything is a client that speaks what the golden cards offer; 1.0 before
// 0.x where the card leaves the choice.
func everything() *Client {
	cl := usual()
	for _, version := range []string{"0.3", "0.2"} {
		cl.Interfaces = append(cl.Interfaces, Transport{"JSONRPC", version}, Transport{"HTTP+JSON", version})
	}
	cl.Extensions = []string{"https://example.com/ext/quota/v2"}
	return cl
}

func goldenCards(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/cards/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("golden cards: %v, %v", paths, err)
	}
	cards := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cards[filepath.Base(path)] = data
	}
	return cards
}

func compileText(t interface{ Fatal(...any) }, data []byte, cl *Client) string {
	c, err := card.Parse(data, card.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	p, findings := Compile(c, cl)
	var b strings.Builder
	options := []json.Options{json.Deterministic(true), jsontext.WithIndent("  ")}
	if err := json.MarshalWrite(&b, p, options...); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "\nprofile_digest %s\n", p.Digest(nil))
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s %s: %s\n", f.Severity, f.Code, f.Path, f.Message)
	}
	return b.String()
}

func TestGoldenProfiles(t *testing.T) {
	for name, data := range goldenCards(t) {
		t.Run(name, func(t *testing.T) {
			golden.Equal(t, "testdata/profiles/"+strings.TrimSuffix(name, ".json")+".txt", []byte(compileText(t, data, everything())))
		})
	}
}

// A card's text may be written in many ways: members in any order, sets in any
// order. The profile must not tell.
func TestCompileIgnoresMemberOrder(t *testing.T) {
	for name, data := range goldenCards(t) {
		var tree any
		if err := json.Unmarshal(data, &tree); err != nil {
			t.Fatal(err)
		}
		want := profileOnly(compileText(t, data, everything()))
		rapid.Check(t, func(rt *rapid.T) {
			var b bytes.Buffer
			write(rt, &b, tree, "")
			if diff := cmp.Diff(want, profileOnly(compileText(rt, b.Bytes(), everything()))); diff != "" {
				rt.Fatalf("%s shuffled (-want +got):\n%s\n%s", name, diff, b.Bytes())
			}
		})
	}
}

// profileOnly leaves the findings out: their pointers do have indexes.
func profileOnly(text string) string {
	profile, _, _ := strings.Cut(text, "\nwarning")
	return strings.TrimSpace(profile)
}

// write writes v with members, and the elements of sets, in a drawn order.
// The order of interfaces and of requirements counts.
func write(t *rapid.T, b *bytes.Buffer, v any, member string) {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v)) // sorted, so that a failure can be drawn again
		b.WriteByte('{')
		for i, name := range rapid.Permutation(names).Draw(t, "members") {
			if i > 0 {
				b.WriteByte(',')
			}
			write(t, b, name, "")
			b.WriteByte(':')
			write(t, b, v[name], name)
		}
		b.WriteByte('}')
	case []any:
		switch member {
		case "supportedInterfaces", "additionalInterfaces", "securityRequirements", "security":
		default:
			v = rapid.Permutation(v).Draw(t, member)
		}
		b.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(t, b, element, "")
		}
		b.WriteByte(']')
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(raw)
	}
}
