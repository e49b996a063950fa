// Command a2alockd watches the agents that locks are about, around the clock:
// it answers orchestrators that ask whether they may delegate, and tells owners
// what has changed. docs/daemon.md says how to run it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/daemon"
	"github.com/a2alock/a2alock/report"
	"github.com/a2alock/a2alock/store"
)

// The exit codes, as docs/daemon.md lists them.
const (
	exitFail      = 1 // a sink did not take a message, a store is damaged
	exitUsage     = 2 // the command line, the configuration or the store's place is wrong
	exitUndrained = 3 // shutdown_grace ran out
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Stdout, os.Stderr, os.Args[1:]))
}

// An exit is an error that knows its code.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string { return e.err.Error() }
func (e *exit) Unwrap() error { return e.err }

// run is the whole program: it returns the exit code.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) int {
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "a2alockd: %s\n", report.Excerpt(err.Error(), 4000))
	if e, ok := errors.AsType[*exit](err); ok {
		return e.code
	}
	if errors.Is(err, daemon.ErrGrace) {
		return exitUndrained
	}
	if _, ok := errors.AsType[*store.DamageError](err); ok {
		return exitFail
	}
	return exitUsage
}

// An app is what the commands share.
type app struct {
	stdout, stderr io.Writer
	configPath     string
}

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	a := &app{stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use:   "a2alockd",
		Short: "Watch the agents that locks are about, and tell when they change",
		Long: `a2alockd refreshes every locked agent on schedule, compares its card with the locks,
answers orchestrators over HTTP whether they may delegate, and tells the owners of
locks what has changed, in Slack or over signed webhooks.

  a2alockd config check
  a2alockd run

It reads a2alock.yaml, the nearest one upwards or --config's. What needs the open
store is asked of the running daemon: a2alock status, ack, silence, outbox, refresh.

Exit codes: 0 done; 1 a message was not delivered, a store is damaged; 2 the command
line, the configuration or the store is wrong, or in use; 3 not everything ended
within shutdown_grace.`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetVersionTemplate(versionLine() + "\n")
	root.PersistentFlags().StringVar(&a.configPath, "config", "", "use this `FILE` instead of the nearest a2alock.yaml")
	_ = root.MarkPersistentFlagFilename("config", "yaml", "yml")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRun(a), newConfig(a), newNotify(a), newStore(a), newVersion(a))
	return root
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
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
