package diff

import (
	"iter"
	"strings"
	"time"
)

// An Example is a change that a rule reports: fragments of JSON, laid over the
// card and the lock of [ExampleCard] and [ExampleLock] by RFC 7396 (a member
// replaces the one of its name; null takes it out). An empty fragment changes
// nothing.
type Example struct {
	Was, Now string // the card when it was pinned, and the card now
	Lock     string // what the lock has beyond what pinning wrote
	Seen     string // the URL that the card is answered from now; "" is the pinned one
	Offsite  bool   // whether a redirect to another origin led there
	// What was seen over time, see [Seen].
	Replicas   []string
	Unreliable string
	Reports    []Report
	// Mild is set where the example shows the rule at review, below its class.
	Mild bool
	// Also are the rules that speak of the same change beside this one.
	Also []string
}

// Lines are the parts of e that there are, each with what it is: "was" and its
// fragment. The rules of Also are none.
func (e *Example) Lines() iter.Seq2[string, string] {
	var reports []string
	for _, r := range e.Reports {
		reports = append(reports, strings.TrimSpace(r.Method+" "+r.Error))
	}
	mild := ""
	if e.Mild {
		mild = Review.String()
	}
	return func(yield func(name, text string) bool) {
		for _, line := range [][2]string{
			{"was", e.Was},
			{"now", e.Now},
			{"lock", e.Lock},
			{"answered from", e.Seen},
			{"answered in turn", strings.Join(e.Replicas, ", ")},
			{"validators", e.Unreliable},
			{"reported", strings.Join(reports, ", ")},
			{"class here", mild},
		} {
			if line[1] != "" && !yield(line[0], line[1]) {
				return
			}
		}
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
