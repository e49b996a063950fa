package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
)

// An app is what the commands share.
type app struct {
	stdout, stderr io.Writer
	configPath     string
	log            *slog.Logger // where not nil, errors go there: whoever reads it wants JSON alone
}

// newRoot builds the tree of commands.
func newRoot(a *app) *cobra.Command {
	root := group(&cobra.Command{
		Use:   "a2alockd",
		Short: "Watch the agents that locks are about, and tell when they change",
		Long: `a2alockd refreshes every locked agent on schedule, compares its card with the locks,
answers orchestrators over HTTP whether they may delegate, and tells the owners of
locks what has changed, in Slack or over signed webhooks.

  a2alockd config check
  a2alockd run

It reads a2alock.yaml, the nearest one upwards or --config's. What needs the open
store is asked of the running daemon: a2alock status, ack, silence, outbox, refresh.

Exit codes: 0 done; 1 a message was not delivered, a store is damaged, the daemon broke
down, or its port is busy; 2 the command line, the configuration or the store is wrong,
or the store is in use; 3 not everything ended within shutdown_grace.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		// A path that comes from a variable which nobody set must not pass for none.
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if a.configPath == "" && c.Flags().Changed("config") {
				return errors.New("--config: empty (is a variable not set?)")
			}
			return nil
		},
	})
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetVersionTemplate(versionLine() + "\n")
	root.PersistentFlags().StringVar(&a.configPath, "config", "", "use this `FILE` instead of the nearest a2alock.yaml")
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newRun(a), newConfig(a), newNotify(a), newStore(a), newVersion(a))
	root.SetHelpCommand(newHelp())
	return root
}

// group makes a command that leads to others: alone it tells of them, and a
// word behind it that is none of them is a mistake.
func group(c *cobra.Command) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknown(c, args[0])
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	return c
}

// asking are commands of a2alock, which ask the running daemon or judge without it.
var asking = []string{"ack", "check", "init", "outbox", "pin", "plan", "refresh", "silence", "status", "validate"}

func unknown(c *cobra.Command, name string) error {
	c.SuggestionsMinimumDistance = 2
	near := ""
	if slices.Contains(asking, name) && !c.HasParent() {
		near = ": it is a2alock " + name
	} else if name == "start" {
		near = " (did you mean run?)"
	} else if list := c.SuggestionsFor(name); len(list) > 0 {
		near = fmt.Sprintf(" (did you mean %s?)", list[0])
	} else if !c.HasParent() {
		near = ": a2alockd help lists them"
	}
	return fmt.Errorf("%q: %s has no such command%s", name, c.CommandPath(), near)
}

// none is for commands without arguments.
func none(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q: %s takes no argument", args[0], c.CommandPath())
	}
	return nil
}

// newHelp takes the place of cobra's command, which ends with 0 on a topic
// that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Tell about a command",
		Long:  "help tells about a command, as COMMAND --help does, or lists the commands.",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknown(about, append(rest, args...)[0])
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "version prints the version, and what it was built with and for.",
		Args:  none,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, versionLine())
			return err
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("a2alockd %s (%s %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is the module's version, or one made of the commit that it was built
// from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
