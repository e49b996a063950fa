package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/report"
)

func newExplain(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "explain RULE",
		Short: "Tell what a rule means and what to do about it",
		Long: `explain tells one rule at length: what it says, why that matters, what a person does
about it, the clause of the specification it rests on, and an example.

Exit codes: 0 told; 2 there is no such rule.`,
		Example: "  a2alock explain skill-removed",
		Args:    one("RULE"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var ids []cobra.Completion
			for _, r := range diff.Rules() {
				if len(args) == 0 {
					ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Title))
				}
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := a.addFormat(c, "text", "json")
	c.RunE = func(_ *cobra.Command, args []string) error {
		r, ok := diff.Lookup(args[0])
		if !ok {
			hint := "a2alock rules lists them"
			if s := diff.Suggest(args[0]); s != "" {
				hint = fmt.Sprintf("did you mean %s? %s", s, hint)
			}
			return &exit{code: exitUsage, err: fmt.Errorf("%q: no such rule", args[0]), hint: hint}
		}
		if f.value == "json" {
			return report.WriteJSON(a.stdout, info(r))
		}
		a.tell(r)
		return nil
	}
	return c
}

// tell prints a rule for people.
func (a *app) tell(r diff.Rule) {
	fmt.Fprintf(a.stdout, "%s (%s): %s\n\n%s\n\nWhat to do: %s\n", r.ID, r.Mark(), r.Title, r.Why, r.Do)
	if r.Floor {
		fmt.Fprint(a.stdout, "\nThe class is a floor: configuration cannot lower it.\n")
	}
	fmt.Fprintf(a.stdout, "\nIt rests on %s.\n", r.Reference())
	fmt.Fprint(a.stdout, "\nExample, as fragments of a card, a lock, or what was seen of the agent:\n")
	for name, text := range r.Example.Lines() {
		fmt.Fprintf(a.stdout, "  %s  %s\n", name, text)
	}
	if len(r.Example.Also) > 0 {
		fmt.Fprintf(a.stdout, "  also  %s\n", strings.Join(r.Example.Also, ", "))
	}
}
