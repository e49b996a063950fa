// Command a2alock pins what a workflow needs from a remote A2A agent and says
// whether the agent still offers it.
//
// The README shows it at work; `a2alock help` and docs/cli.md list its
// commands, and exit.go its exit codes.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

func main() {
	ctx := context.Background()
	if !prints(os.Args[1:]) {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop) // a second signal ends the process at once
	}
	os.Exit(run(ctx, osEnv(), os.Args[1:]))
}

// prints is whether a command line only prints what the program knows. A signal
// may end that at any moment; to listen for one starts threads, which takes a
// good part of the time of such a command.
func prints(args []string) bool {
	if len(args) == 0 {
		return true
	}
	switch args[0] {
	case "version", "--version", "help", "--help", "-h", "rules", "explain", "schema", "completion":
		return true
	}
	return false
}

// An env is what the command line meets: its streams, and what is a terminal.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// ask is whether a person can be asked: standard input and error are
	// terminals.
	ask bool
	// watched is whether a person sees what goes to standard error.
	watched bool
	// color is whether standard output may be coloured.
	color bool

	// workspace is the root of the repository, where a CI system names it, and
	// summary the file into which it wants the summary of a step.
	workspace, summary string
}

func osEnv() *env {
	isTerminal := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	return &env{
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		ask:    isTerminal(os.Stdin) && isTerminal(os.Stderr),

		watched: isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb",
		color: isTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "" &&
			os.Getenv("TERM") != "dumb",

		workspace: os.Getenv("GITHUB_WORKSPACE"),
		summary:   os.Getenv("GITHUB_STEP_SUMMARY"),
	}
}

// An output is a writer that remembers its first error, so that a command need
// not ask after every line, and whether anything was written.
type output struct {
	io.Writer
	begun bool
	err   error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(p)
	o.begun, o.err = true, err
	return n, err
}
