package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/report"
)

func newRules(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "rules",
		Short: "List the rules with their classes",
		Long: `rules lists every rule that check knows: its id, its class, and what it says. A †
marks a class that configuration cannot lower. docs/rules.md has them at length, and
a2alock explain RULE tells one.`,
		Example: "  a2alock rules\n  a2alock rules --format json",
		Args:    none,
	}
	f := a.addFormat(c, "text", "json")
	c.RunE = func(*cobra.Command, []string) error {
		if f.value == "json" {
			rules := []ruleInfo{}
			for _, r := range diff.Rules() {
				rules = append(rules, info(r))
			}
			return report.WriteJSON(a.stdout, rules)
		}
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		for _, r := range diff.Rules() {
			fmt.Fprintf(w, "%s\t%s\t%s\n", r.ID, r.Mark(), r.Title)
		}
		return w.Flush()
	}
	return c
}

// A ruleInfo is what rules and explain print of a rule as JSON.
type ruleInfo struct {
	ID    string     `json:"id"`
	Class diff.Class `json:"class"`
	Floor bool       `json:"floor"`
	Title string     `json:"title"`
	Why   string     `json:"why"`
	Do    string     `json:"do"`
	Spec  string     `json:"spec"` // a clause of A2A; "" for a rule about the lock
	// Reference is what the rule rests on, for people.
	Reference string `json:"reference"`

	Example exampleInfo `json:"example"`
}

// An exampleInfo has the parts of an example that there are.
type exampleInfo struct {
	Was  jsontext.Value `json:"was,omitzero"`
	Now  jsontext.Value `json:"now,omitzero"`
	Lock jsontext.Value `json:"lock,omitzero"`
	// AnsweredFrom is the URL that the card comes from now.
	AnsweredFrom string `json:"answered_from,omitzero"`
	// The next three were seen over time, see [diff.Seen].
	AnsweredInTurn []string      `json:"answered_in_turn,omitzero"`
	Validators     string        `json:"validators,omitzero"`
	Reported       []diff.Report `json:"reported,omitzero"`

	Also []string `json:"also,omitzero"` // rules that speak of it too
}

func info(r diff.Rule) ruleInfo {
	e := r.Example
	return ruleInfo{
		r.ID, r.Class, r.Floor, r.Title, r.Why, r.Do, r.Spec, r.Reference(),
		exampleInfo{
			Was: fragment(e.Was), Now: fragment(e.Now), Lock: fragment(e.Lock), AnsweredFrom: e.Seen,
			AnsweredInTurn: e.Replicas, Validators: e.Unreliable, Reported: e.Reports, Also: e.Also,
		},
	}
}

// fragment is the JSON of an example; nil where there is none.
func fragment(text string) jsontext.Value {
	if text == "" {
		return nil
	}
	return jsontext.Value(text)
}
