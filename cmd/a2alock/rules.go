package main

import (
	"fmt"
	"text/tabwriter"

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
	f := addFormat(c, "text", "json")
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
			fmt.Fprintf(w, "%s\t%s%s\t%s\n", r.ID, r.Class, floorMark(r), r.Title)
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
	Spec  string     `json:"spec"`
}

func info(r diff.Rule) ruleInfo {
	return ruleInfo{r.ID, r.Class, r.Floor, r.Title, r.Why, r.Do, r.Spec}
}

func floorMark(r diff.Rule) string {
	if r.Floor {
		return " †"
	}
	return ""
}
