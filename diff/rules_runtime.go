package diff

import (
	"slices"

	"github.com/a2alock/a2alock/internal/say"
)

// Rules about what was seen over time: by whoever keeps asking the agent, and
// by its callers. A single look at a card never speaks of them.
var runtimeRules = []Rule{
	{
		ID:     "replicas-disagree",
		Class:  Review,
		Title:  "the agent answers with different cards in turn",
		Why:    "Which promise holds depends on which replica takes the call.",
		Do:     "Ask the agent's owner whether a rollout hangs; the verdict is that of the worse card until they agree.",
		Design: "Watching",
		Example: Example{Replicas: []string{
			"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
			"sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
		}},
		Check: replicasDisagree,
	},
	{
		ID:      "validator-unreliable",
		Class:   Review,
		Title:   "the server's validators do not tell one card from another",
		Why:     "A 304 from it says nothing, so changes may stay unseen until the next unconditional fetch.",
		Do:      "Tell the agent's owner: an ETag has to change with the content. The agent is asked without conditions from now on.",
		Spec:    "RFC 9110 8.8",
		Example: Example{Unreliable: "one ETag came with two contents"},
		Check:   validatorUnreliable,
	},
}

// claimRefutedRule stands with the evidence, whose subject it shares.
var claimRefutedRule = Rule{
	ID:    "claim-refuted",
	Class: Breaking,
	Title: "a claim of the card does not hold when it is tried",
	Why:   "Calls that rest on the claim fail, whatever the card says. What callers alone report is review.",
	Do:    "Ask the agent's owner. What was refused is left out of plans meanwhile; probe the claim, or pin without it.",
	Spec:  "3.3.4",
	Example: Example{
		Was:     `{"capabilities":{"streaming":true}}`,
		Now:     `{"capabilities":{"streaming":true}}`,
		Reports: []Report{{Error: "UnsupportedOperationError", Method: "SendStreamingMessage", Path: "/streaming"}},
		Mild:    true,
	},
	Check: claimRefuted,
}

// A Report is what a caller of the agent met, and a claim of the card that it
// speaks against.
type Report struct {
	Error  string `json:"error"` // the specification's name (A2A 5.4)
	Method string `json:"method,omitzero"`
	Skill  string `json:"skill,omitzero"` // "" where the claim is the agent's
	Detail string `json:"detail,omitzero"`
	// Path is the place of the claim in the profile, Value what it says there; ""
	// where the report speaks against none.
	Path  string `json:"path"`
	Value any    `json:"value,omitzero"`
}

func replicasDisagree(c *Comparison) []Finding {
	digests := slices.Compact(slices.Sorted(slices.Values(c.Seen.Replicas)))
	if len(digests) < 2 {
		return nil
	}
	return []Finding{found("", nil, digests, "the agent answers with %d different cards in turn", len(digests))}
}

func validatorUnreliable(c *Comparison) []Finding {
	if c.Seen.Unreliable == "" {
		return nil
	}
	return []Finding{found("", nil, nil, "the server's validators cannot be relied on: %s", say.OneLine(c.Seen.Unreliable))}
}

// claimRefuted speaks of reports alone, whose class is review: what one caller
// met may have been its own fault.
func claimRefuted(c *Comparison) []Finding {
	var out []Finding
	for _, r := range c.Seen.Reports {
		switch {
		case r.Path == "":
			continue // what the caller met is no fault of the card
		case r.Skill != "" && !c.requires(r.Skill):
			continue // no call of this workflow
		}
		what := say.Quote(r.Error)
		if r.Method != "" {
			what = say.Quote(r.Method) + " met " + what
		}
		f := found(r.Path, r.Value, nil, "a caller reported that %s", what)
		f.Class = Review
		if r.Skill != "" {
			f = f.of(r.Skill)
		}
		out = append(out, f)
	}
	return out
}
