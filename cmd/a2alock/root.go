package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot builds the tree of commands. Each command is one file.
func newRoot(e *env) *cobra.Command {
	root, _ := newApp(e)
	return root
}

// newApp is newRoot, and what its commands share.
func newApp(e *env) (*cobra.Command, *app) {
	a := &app{env: e, results: map[*cobra.Command]*outputs{}}
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
was refused; 2 the command line, the config or a lock is wrong; 3 it could not be
decided (the agent did not answer with a card, say); 130 interrupted.`,
		Version:            version(),
		SilenceUsage:       true,
		SilenceErrors:      true,
		DisableSuggestions: true, // they would come as part of an error: see unread

		SuggestionsMinimumDistance: 2,
	}
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.SetVersionTemplate(versionLine() + "\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if o := a.results[c]; o != nil {
			o.unparsed = true
		}
		return &exit{code: exitUsage, err: err, hint: flagHint(c, err)}
	})
	flags := root.PersistentFlags()
	flags.Var((*filled)(&a.configPath), "config", "use this `FILE` instead of the nearest a2alock.yaml")
	flags.BoolVar(&a.noColor, "no-color", false, "never colour the output")
	_ = root.MarkPersistentFlagFilename("config", "yaml", "yml")
	root.CompletionOptions.DisableDefaultCmd = true
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)

	root.AddCommand(
		newInit(a), newPin(a), newCheck(a), newCompile(a), newValidate(a), newPlan(a),
		newDiff(a), newReview(a), newImpact(a), newWaive(a), newLs(a), newFmt(a), newRules(a), newExplain(a), newSchema(a),
		newStatus(a), newAck(a), newRefresh(a), newSilence(a), newOutbox(a), newVersion(a), newCompletion(a),
	)
	root.SetHelpCommand(newHelp())
	for _, c := range root.Commands() {
		c.Flags().SortFlags = false // as a person needs them
		for _, part := range c.Commands() {
			part.Flags().SortFlags = false
		}
	}
	return root, a
}

// group makes c a command that does nothing but hold others.
func group(c *cobra.Command, parts ...*cobra.Command) *cobra.Command {
	c.AddCommand(parts...)
	c.SuggestionsMinimumDistance = 2
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		hint := c.CommandPath() + " --help lists its commands"
		if near := near(c, args[0]); near != "" {
			hint = fmt.Sprintf("did you mean %s? %s", near, hint)
		}
		return &exit{code: exitUsage, err: fmt.Errorf("%q: %s has no such command", args[0], c.CommandPath()), hint: hint}
	}
	return c
}

// unread makes cobra's error kinder. What is left to cobra is a command that
// does not exist, and its name is in the words of the error alone.
func unread(c *cobra.Command, err error) *exit {
	var name string
	if _, scanErr := fmt.Sscanf(err.Error(), "unknown command %q", &name); scanErr != nil {
		return &exit{code: exitUsage, err: err, hint: "a2alock help says how"}
	}
	hint := "a2alock help lists the commands"
	if slices.Contains([]string{"run", "config", "notify", "store"}, name) {
		hint = "a2alockd " + name + " is the daemon's; " + hint
	} else if near := near(c.Root(), name); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return &exit{code: exitUsage, err: fmt.Errorf("%q: no such command", name), hint: hint}
}

// flagHint says where a flag is that somebody looked for under another name.
func flagHint(c *cobra.Command, err error) string {
	hint := c.CommandPath() + " --help lists the flags"
	asked := func(format string) bool { return strings.HasSuffix(err.Error(), "unknown flag: --"+format) }
	f := c.Flags().Lookup("format")
	if f != nil && (strings.Contains(err.Error(), "'f' in -f") || slices.ContainsFunc(formats, asked)) {
		return fmt.Sprintf("--format %s says how to print; %s", f.Value.Type(), hint)
	}
	return hint
}

// near names the commands of c that may be meant by name: one that says so of
// itself before those that are spelled alike. "" for none.
func near(c *cobra.Command, name string) string {
	for _, part := range c.Commands() {
		if slices.Contains(part.SuggestFor, name) {
			return part.Name()
		}
	}
	return strings.Join(c.SuggestionsFor(name), " or ")
}

// misuse is a command line that the command cannot work with.
func misuse(c *cobra.Command, format string, args ...any) error {
	return &exit{code: exitUsage, err: fmt.Errorf(format, args...), hint: "usage: " + c.UseLine()}
}

// lacking refuses a command line without the flags that it cannot do without:
// pairs of how a flag is written and what it was given.
func lacking(c *cobra.Command, pairs ...string) error {
	var missing []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			missing = append(missing, pairs[i])
		}
	}
	if len(missing) == 0 {
		return nil
	}
	last := len(missing) - 1
	text := missing[last]
	if last > 0 {
		text = strings.Join(missing[:last], ", ") + " and " + text
	}
	return misuse(c, "want %s", text)
}

// apart wants that a flag goes without the others.
func apart(c *cobra.Command, flag string, others ...string) error {
	for _, other := range others {
		if c.Flags().Changed(flag) && c.Flags().Changed(other) {
			return misuse(c, "--%s goes without --%s", flag, other)
		}
	}
	return nil
}

// none is for commands without arguments.
func none(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misuse(c, "%q: %s takes no argument", args[0], c.CommandPath())
	}
	return nil
}

// one is for commands with one argument, by the name that the usage line gives
// it.
func one(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return misuse(c, "%s: %s is missing", c.CommandPath(), name)
		case 1:
			return nil
		}
		return misuse(c, "%q: %s takes one %s", args[1], c.CommandPath(), name)
	}
}

// filled is the value of a flag that is given with a text or not at all. An
// empty one comes from a variable that nobody set, and must not pass for a flag
// that was not given: that could weaken a check in silence.
type filled string

func (f *filled) String() string { return string(*f) }

// Type is what the help calls the value.
func (f *filled) Type() string { return "string" }

// Set takes any text but the empty one.
func (f *filled) Set(s string) error {
	if s == "" {
		return errors.New("empty (is a variable not set?)")
	}
	*f = filled(s)
	return nil
}

// list is the value of a flag that may be repeated. That of pflag writes its
// empty default through a buffer of 4 KB, for each flag at every start.
type list []string

func (l *list) String() string { return strings.Join(*l, ", ") }

// Type is what the help calls the value; by its "Array" a shell offers the flag
// again.
func (l *list) Type() string { return "stringArray" }

// Set adds a text.
func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// completeWith offers words for a flag's value in the shell.
func completeWith(c *cobra.Command, flag string, words []string) {
	// The error is for a flag that does not exist, a mistake that every run of
	// the tests would show.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
