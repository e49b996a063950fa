package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// newRoot builds the tree of commands. Each command is one file.
func newRoot(e *env) *cobra.Command {
	a := &app{env: e}
	root := &cobra.Command{
		Use:   "a2alock",
		Short: "Lock what a workflow needs from remote A2A agents",
		Long: `a2alock is package-lock.json for the remote agents that a workflow delegates to.

  a2alock pin https://pricing.partner.example --skill itinerary-pricing
  a2alock check

pin writes down what the workflow needs and what the agent offers today; commit
the lock. check says on any later day whether the agent still offers it:
compatible, review or breaking.

Exit codes: 0 nothing at or above the fail level; 1 something is, or the command
was refused; 2 the command line, the config or a lockfile is wrong; 3 it could
not be decided (the agent did not answer with a card, say).`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &exit{code: exitUsage, err: err, hint: c.CommandPath() + " --help lists the flags"}
	})
	flags := root.PersistentFlags()
	flags.StringVar(&a.configPath, "config", "", "use this `FILE` instead of the nearest a2alock.yaml")
	flags.BoolVar(&a.noColor, "no-color", false, "never colour the output")
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)

	root.AddCommand(
		newInit(a), newPin(a), newCheck(a), newCompile(a), newValidate(a),
		newLs(a), newFmt(a), newRules(a), newExplain(a), newVersion(a),
	)
	return root
}

// A format is the value of a --format flag: one of a few words.
type format struct {
	value   string
	allowed []string
}

func addFormat(c *cobra.Command, allowed ...string) *format {
	f := &format{value: allowed[0], allowed: allowed}
	c.Flags().Var(f, "format", "how to print the result")
	completeWith(c, "format", allowed)
	return f
}

func (f *format) String() string { return f.value }
func (f *format) Type() string   { return alternatives(f.allowed) }

func (f *format) Set(s string) error {
	for _, a := range f.allowed {
		if s == a {
			f.value = s
			return nil
		}
	}
	return fmt.Errorf("want %s", alternatives(f.allowed))
}

func alternatives(words []string) string {
	s := words[0]
	for _, w := range words[1:] {
		s += "|" + w
	}
	return s
}

// completeWith offers words for a flag's value in the shell.
func completeWith(c *cobra.Command, flag string, words []string) {
	// The error is for a flag that does not exist, a mistake that every run of
	// the tests would show.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(toCompletions(words), cobra.ShellCompDirectiveNoFileComp))
}

func toCompletions(words []string) []cobra.Completion {
	out := make([]cobra.Completion, len(words))
	copy(out, words)
	return out
}
