package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/diff"
)

func newExplain(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "explain RULE",
		Short:   "Tell what a rule means and what to do about it",
		Example: "  a2alock explain skill-removed",
		Args:    cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var ids []cobra.Completion
			for _, r := range diff.Rules() {
				ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Title))
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := addFormat(c, "text", "json")
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
			return writeJSON(a, info(r))
		}
		fmt.Fprintf(a.stdout, "%s (%s%s): %s\n\n%s\n\nWhat to do: %s\n", r.ID, r.Class, floorMark(r), r.Title, r.Why, r.Do)
		if r.Floor {
			fmt.Fprint(a.stdout, "\nThe class is a floor: configuration cannot lower it.\n")
		}
		if r.Spec != "" {
			fmt.Fprintf(a.stdout, "\nA2A specification: %s\n", r.Spec)
		}
		fmt.Fprintf(a.stdout, "\nExample, as fragments of a card:\n  was %s\n  now %s\n", r.Example.Was, r.Example.Now)
		return nil
	}
	return c
}
