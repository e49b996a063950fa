// Command a2alockd watches the agents that locks are about, around the clock:
// it answers orchestrators that ask whether they may delegate, and tells owners
// what has changed. docs/daemon.md says how to run it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/a2alock/a2alock/internal/daemon"
	"github.com/a2alock/a2alock/report"
	"github.com/a2alock/a2alock/store"
)

// The exit codes; docs/a2alockd.md says what each means for which command.
const (
	exitFail      = 1 // a sink did not take a message, a store is damaged, the daemon broke down
	exitUsage     = 2 // the command line, the configuration or the store's place is wrong
	exitUndrained = 3 // shutdown_grace ran out
)

// maxLine is how many characters of one error are printed.
const maxLine = 2000

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2) // of two in a row none gets lost
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		endBy(<-signals)
	}()
	os.Exit(run(ctx, os.Stdout, os.Stderr, os.Args[1:]))
}

// endBy ends the process at once, as if nobody had listened for the signal.
func endBy(s os.Signal) {
	signal.Reset(s)
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s)
	}
	if err != nil { // where a process cannot do that
		os.Exit(exitFail)
	}
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
	a := &app{stdout: stdout, stderr: stderr}
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	for line := range strings.SplitSeq(err.Error(), "\n") { // joined errors have a line each
		line = report.Excerpt(line, maxLine)
		if a.log != nil {
			a.log.Error(line)
			continue
		}
		fmt.Fprintf(stderr, "a2alockd: %s\n", line)
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
	network, ok := errors.AsType[*net.OpError](err)
	if file || record || ok && network.Op == "listen" { // a busy port is let go of some time
		return exitFail
	}
	return exitUsage
}
