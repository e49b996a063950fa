package agenttest

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed shapes
var shapes embed.FS

// Shapes are the names that [Shape] knows, sorted. Each is one form of the
// same travel card, as servers really put it on the wire:
//
//   - travel: 1.0 as the specification has it ([TravelCard])
//   - go: 1.0 from a2a-go, with scopes as a bare array
//   - go-compat: a2a-go's union of 0.3 and 1.0; schemes are flat, with an inner
//     object named apiKey, http, …
//   - js-case: a2a-js's typed form ($case), with every empty member there
//   - js-blended: 0.3 plus supportedInterfaces alone (a2a-js and a2a-dotnet)
//   - python-hybrid: 0.3 merged into 1.0; schemes are wrapped and flat at once
//   - dotnet-nulls: 1.0 with unset members as null
//   - java: 1.0 with 0.3 endpoints beside it and all flags written out
//   - java-alpha: requirements without "schemes", schemes without a wrapper
//   - v03, v03-proto: 0.3 from a JSON and from a protobuf server
//   - v02: 0.2.0, which has neither transport nor protocol version
//   - v01: 0.1.0, with the authentication object
func Shapes() []string {
	entries, err := shapes.ReadDir("shapes")
	if err != nil {
		panic(fmt.Sprintf("agenttest: %v", err))
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}

// Shape is the card of that name for an agent at base. It panics for a name
// that is not in [Shapes].
func Shape(name, base string) []byte {
	data, err := shapes.ReadFile("shapes/" + name + ".json")
	if err != nil {
		panic(fmt.Sprintf("agenttest: no shape %q; there are %s", name, strings.Join(Shapes(), ", ")))
	}
	return at(string(data), base)
}
