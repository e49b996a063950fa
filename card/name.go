package card

import (
	"fmt"
	"strings"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// A draft is what the members of an object say about what it is.
type draft struct {
	url, listed, added, capabilities, skills, marks bool
}

// draft looks at n as if it were a card. Marks are members that only Agent
// Cards have.
func (r *reader) draft(n jsondoc.Ref) draft {
	var d draft
	for c := range r.Children(n) {
		v := r.At(c)
		if v.Kind == 'n' {
			continue
		}
		switch v.Name {
		case "url":
			d.url = true
		case "supportedInterfaces", "supported_interfaces":
			d.listed = true
		case "additionalInterfaces", "additional_interfaces":
			d.added = true
		case "capabilities":
			d.capabilities = true
		case "skills":
			d.skills = true
		case "protocolVersion", "protocol_version", "preferredTransport", "preferred_transport",
			"defaultInputModes", "default_input_modes", "defaultOutputModes", "default_output_modes":
			d.marks = true
		}
	}
	return d
}

func (d draft) hasEndpoint() bool { return d.url || d.listed || d.added }

// isWhole reports the three things that make a card, whatever else it is.
func (d draft) isWhole() bool { return d.hasEndpoint() && d.capabilities && d.skills }

// isPart reports what was meant as a card and lacks one of the three.
func (d draft) isPart() bool {
	switch {
	case d.listed:
		return d.capabilities || d.skills || d.marks
	case d.url || d.added:
		return d.skills || d.capabilities && d.marks
	}
	return false
}

// name says whether the document is a card, and else what it is.
func (r *reader) name() *DocumentError {
	refuse := func(format string, args ...any) *DocumentError {
		return &DocumentError{State: NotACard, Msg: fmt.Sprintf(format, args...)}
	}
	switch k := r.At(jsondoc.Root).Kind; {
	case k == '[':
		if n := r.cards(jsondoc.Root); n > 0 {
			return refuse("a list of Agent Cards (%d), and not one of them", n)
		}
		return refuse("a JSON list, and no object")
	case k != '{':
		return refuse("a JSON %s, and no object", strings.TrimPrefix(jsondoc.KindName(k), "a "))
	}
	d := r.draft(jsondoc.Root)
	if d.isWhole() {
		return nil
	}
	if kind := r.foreign(); kind != "" {
		return refuse("%s", kind)
	}
	if d.isPart() || !d.hasEndpoint() && d.skills && d.capabilities && r.Member(jsondoc.Root, "protocolVersion") != 0 {
		return nil // a card, and its faults are findings
	}
	for c := range r.Children(jsondoc.Root) {
		wrapper := jsondoc.Fold(r.At(c).Name) == "agentcard" && r.At(c).Kind == '{'
		if wrapper || r.isCard(c) {
			return refuse("an Agent Card inside the member %s", jsondoc.Quote(r.At(c).Name))
		}
		if n := r.cards(c); n > 0 {
			return refuse("a list of Agent Cards (%d) inside the member %s", n, jsondoc.Quote(r.At(c).Name))
		}
	}
	var lacks []string
	for _, part := range []struct {
		has  bool
		name string
	}{
		{d.hasEndpoint(), "an endpoint (supportedInterfaces or url)"},
		{d.capabilities, "capabilities"},
		{d.skills, "skills"},
	} {
		if !part.has {
			lacks = append(lacks, part.name)
		}
	}
	return refuse("an object without %s", strings.Join(lacks, ", "))
}

func (r *reader) isCard(n jsondoc.Ref) bool {
	d := r.draft(n)
	return d.isWhole() || d.isPart()
}

// cards counts the cards in a list.
func (r *reader) cards(n jsondoc.Ref) int {
	if r.At(n).Kind != '[' {
		return 0
	}
	count := 0
	for c := range r.Children(n) {
		if r.isCard(c) {
			count++
		}
	}
	return count
}

// foreign names the kinds of document that are served where cards are
// expected; "" for none of them.
func (r *reader) foreign() string {
	has := func(names ...string) bool {
		for _, name := range names {
			if r.Member(jsondoc.Root, name) == 0 {
				return false
			}
		}
		return true
	}
	text := func(name string) string { return strings.ToLower(r.At(r.Member(jsondoc.Root, name)).Str) }
	typ, schema := text("type"), text("$schema")
	switch {
	case strings.Contains(typ, "eip-8004"), strings.Contains(typ, "erc-8004"),
		has("services", "registrations"), has("services", "supportedTrust"), has("endpoints", "registrations"):
		return "an ERC-8004 registration file"
	case has("lock_version"), has("agent", "requires"):
		return "a lock of a2alock"
	case has("openapi", "paths"), has("openapi", "info"), has("swagger", "paths"):
		return "an OpenAPI document"
	case has("name_for_model"):
		return "a plugin manifest"
	case strings.Contains(schema, "modelcontextprotocol"), typ == "mcp", has("mcpServers"), has("serverInfo"), has("mcp_endpoint"),
		has("tools", "transport") && !has("skills"):
		return "an MCP server card"
	case has("keys") && r.At(r.Member(jsondoc.Root, "keys")).Kind == '[':
		return "a key set (JWKS)"
	case has("jsonrpc", "error"):
		return "a JSON-RPC error"
	case has("error") && !has("name"), has("detail") && !has("name"):
		return "an error message"
	}
	return ""
}
