package config

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/want"
)

//go:embed example.yaml
var example string

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of a2alock.yaml.
func Schema() []byte { return []byte(schema) }

// An sdk is a client library that [Example] knows.
type sdk struct {
	name string
	// about says what the choice means, one line an entry.
	about      []string
	interfaces []compile.Transport
	// optional are those that the library speaks only when it is set up so.
	optional []compile.Transport
}

var sdks = []sdk{
	{
		name: "a2a-go",
		about: []string{
			"What a2a-go v2 speaks. GRPC needs a2agrpc.WithGRPCTransport in your",
			"client: take its line out without it. 0.3 is spoken only with the",
			"compat transports (a2aclient.WithCompatTransport): add its lines then.",
		},
		interfaces: versions("1.0"),
		optional:   versions("0.3"),
	},
	{
		name: "a2a-js",
		about: []string{
			"What @a2a-js/sdk 1.x speaks. GRPC needs the packages @grpc/grpc-js and",
			"@bufbuild/protobuf: take its line out without them. 0.3 is spoken only",
			"with legacyCompat: add its lines then.",
		},
		interfaces: versions("1.0"),
		optional:   versions("0.3"),
	},
	{
		name: "a2a-python",
		about: []string{
			"What a2a-python 1.1 speaks. Its client takes part in a binding only when",
			"the client's config lists it, and GRPC needs the grpc extra: keep the",
			"lines that yours has.",
		},
		interfaces: append(versions("1.0"), versions("0.3")...),
	},
}

// versions are the core bindings at one version.
func versions(v string) []compile.Transport {
	return []compile.Transport{
		{Binding: "JSONRPC", Version: v},
		{Binding: "HTTP+JSON", Version: v},
		{Binding: "GRPC", Version: v},
	}
}

// Clients are the names that [Example] knows, sorted.
func Clients() []string {
	names := make([]string, len(sdks))
	for i, s := range sdks {
		names[i] = s.name
	}
	slices.Sort(names)
	return names
}

// Example returns a commented a2alock.yaml with every key, for a client built
// on one of [Clients]; for "" it says what [Default] does.
func Example(client string) ([]byte, error) {
	if client == "" {
		return []byte(example), nil
	}
	i := slices.IndexFunc(sdks, func(s sdk) bool { return s.name == client })
	if i < 0 {
		return nil, fmt.Errorf("client %q: want %s", client, strings.Join(Clients(), ", "))
	}
	return withInterfaces(sdks[i].about, sdks[i].interfaces, sdks[i].optional), nil
}

// ExampleWith returns the file of Example("") with the given interfaces, which
// were read from agents' cards, as proposed ones.
func ExampleWith(interfaces []compile.Transport) ([]byte, error) {
	if len(interfaces) == 0 {
		return nil, fmt.Errorf("interfaces to propose: want one at least")
	}
	for _, t := range interfaces {
		if err := nameable(t); err != nil {
			return nil, err
		}
	}
	about := []string{
		"Proposed from the agents' cards. Keep those that your client really",
		"speaks: a2alock takes this list at its word.",
	}
	return withInterfaces(about, interfaces, nil), nil
}

// CanName reports whether a2alock.yaml can name t: cards also hold bindings
// that are neither of the specification nor URIs, and no client speaks those.
func CanName(t compile.Transport) bool { return nameable(t) == nil }

func nameable(t compile.Transport) error {
	if err := want.Binding(t.Binding); err != nil {
		return fmt.Errorf("binding %q: %w", t.Binding, err)
	}
	if err := want.Version(t.Version); err != nil {
		return fmt.Errorf("version %q: %w", t.Version, err)
	}
	return nil
}

// InterfaceLines returns the lines of a2alock.yaml that name interfaces, each
// of which it can name ([CanName]), for a person to copy.
func InterfaceLines(interfaces []compile.Transport) string {
	var b strings.Builder
	b.WriteString("client:\n  interfaces:\n")
	for _, t := range interfaces {
		b.WriteString(entry(t))
	}
	return b.String()
}

// withInterfaces replaces the entries below interfaces: in the example.
func withInterfaces(about []string, interfaces, optional []compile.Transport) []byte {
	before, rest, _ := strings.Cut(example, "  interfaces:\n")
	_, after, _ := strings.Cut(rest, "\n\n")
	var b strings.Builder
	b.WriteString(before)
	for _, line := range about {
		b.WriteString("  # " + line + "\n")
	}
	b.WriteString("  interfaces:\n")
	for _, t := range interfaces {
		b.WriteString(entry(t))
	}
	for _, t := range optional {
		b.WriteString(strings.Replace(entry(t), "- ", "# - ", 1))
	}
	b.WriteString("\n" + after)
	return []byte(b.String())
}

// entry is one line below interfaces:.
func entry(t compile.Transport) string {
	return fmt.Sprintf("    - {binding: %s, version: %q}\n", scalar(t.Binding), t.Version)
}

// scalar writes a binding: as it is, or a URI in quotes, its dollar signs
// escaped.
func scalar(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	return fmt.Sprintf("'%s'", strings.NewReplacer("'", "''", "${", "$${").Replace(s))
}
