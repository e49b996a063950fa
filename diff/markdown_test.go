package diff

import (
	"fmt"
	"strings"
	"time"
)

// markdown returns the catalogue as docs/rules.md, one section a rule.
func markdown() []byte {
	var b strings.Builder
	b.WriteString(`# Rules

What a2alock says of a change, and how bad it is. ` + "`a2alock explain RULE`" + ` prints the same.

**Compatible** changes are remembered and nothing else; **review** asks an owner to look; **breaking** stops new
delegations. † marks a floor: configuration (` + "`policy.rules`" + `) cannot lower that class, only a waiver can.

This file is generated from the catalogue in diff/: ` + "`UPDATE=1 go test ./diff`" + `.

| rule | class | when |
|---|---|---|
`)
	for _, r := range catalogue() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, r.ID, r.Mark(), r.Title)
	}
	subject := ""
	for _, r := range catalogue() {
		if r.Subject != subject {
			subject = r.Subject
			fmt.Fprintf(&b, "\n## %s\n", subject)
		}
		fmt.Fprintf(&b, "\n### %s\n\n", r.ID)
		fmt.Fprintf(&b, "**%s** · %s · %s\n\n", r.Mark(), r.Title, r.Reference())
		fmt.Fprintf(&b, "%s\n\n*What to do:* %s\n\n", r.Why, r.Do)
		writeExample(&b, &r)
	}
	fmt.Fprintf(&b, "\n## The card and the lock of the examples\n\n"+
		"Fragments are laid over these by RFC 7396; pinning then adds what it records. The client speaks JSONRPC and\n"+
		"HTTP+JSON at 1.0 and implements the extension `https://ext.example/citations/v1`. A change of a lock is one that was\n"+
		"pinned from the card of then, pinned again from that of now; \"change\" is laid over what that wrote.\n\n"+
		"```json\n%s\n```\n\n```json\n%s\n```\n", ExampleCard, ExampleLock)
	return []byte(b.String())
}

func writeExample(b *strings.Builder, r *Rule) {
	b.WriteString("| example | |\n|---|---|\n")
	for name, text := range r.Example.Lines() {
		fmt.Fprintf(b, "| %s | `%s` |\n", name, strings.ReplaceAll(text, "|", `\|`))
	}
	if len(r.Example.Also) > 0 {
		fmt.Fprintf(b, "| also | %s |\n", strings.Join(r.Example.Also, ", "))
	}
}

// ExampleCard is the card that examples change. The client that reads it
// speaks JSONRPC and HTTP+JSON at 1.0 and implements the extension
// https://ext.example/citations/v1.
const ExampleCard = `{
  "name": "Pricing",
  "description": "Prices itineraries.",
  "version": "1.0.0",
  "supportedInterfaces": [
    {"url": "https://agent.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
  ],
  "capabilities": {},
  "defaultInputModes": ["application/json"],
  "defaultOutputModes": ["application/json"],
  "skills": [
    {"id": "quote", "name": "Quote", "description": "Quotes a price.", "tags": ["pricing"]}
  ]
}`

// ExampleTime is the moment at which the examples are judged.
var ExampleTime = time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)

// ExampleLock is the lock that examples change, before pinning adds what it
// records.
const ExampleLock = `{
  "agent": "https://agent.example/.well-known/agent-card.json",
  "requires": {
    "streaming": false,
    "push": false,
    "skills": {
      "quote": {"input": ["application/json"], "output": ["application/json"]}
    },
    "extensions": []
  }
}`
