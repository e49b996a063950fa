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
	"strings"
	"syscall"

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

// maxLine is how many characters of one error are printed.
const maxLine = 2000

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
	for line := range strings.SplitSeq(err.Error(), "\n") { // joined errors have a line each
		fmt.Fprintf(stderr, "a2alockd: %s\n", report.Excerpt(line, maxLine))
	}
	return codeOf(err)
}

func codeOf(err error) int {
	if e, ok := errors.AsType[*exit](err); ok {
		return e.code
	}
	if errors.Is(err, daemon.ErrGrace) {
		return exitUndrained
	}
	_, file := errors.AsType[*store.DamageError](err)
	_, record := errors.AsType[*store.RecordError](err)
	if file || record {
		return exitFail
	}
	return exitUsage
}
