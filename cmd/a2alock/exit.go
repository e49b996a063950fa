package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/report"
)

// The exit codes. Every command keeps to them; docs/cli.md says what each
// means for which command.
const (
	exitOK        = 0
	exitFail      = 1 // at or above the fail level, or refused
	exitUsage     = 2 // the command line, the config or a lockfile is wrong
	exitUndecided = 3
)

// An exit is an error that knows its code. A nil err ends quietly: the result
// on standard output has said it all.
type exit struct {
	code int
	err  error
	hint string // what to do, printed on a line of its own
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// quietly ends with a code and no words; nil for 0.
func quietly(code int) error {
	if code == exitOK {
		return nil
	}
	return &exit{code: code}
}

func usage(err error) error   { return &exit{code: exitUsage, err: err} }
func refused(err error) error { return &exit{code: exitFail, err: err} }

// run is the whole program: it returns the exit code.
func run(ctx context.Context, e *env, args []string) int {
	root := newRoot(e)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	x, ok := errors.AsType[*exit](err)
	if !ok { // cobra's own: unknown command, flag or argument
		x = &exit{code: exitUsage, err: err, hint: "a2alock help says how"}
	}
	if x.err == nil {
		return x.code
	}
	printError(e.stderr, x.err)
	if x.hint != "" {
		hint(e.stderr, x.hint)
	}
	if x.code == exitUsage && wantsJSON(args) {
		_ = report.New(nil, diff.Breaking, lines(x.err)).JSON(e.stdout)
	}
	return x.code
}

// printError prints each of the joined errors on a line of its own.
func printError(w io.Writer, err error) {
	for _, line := range lines(err) {
		fmt.Fprintf(w, "a2alock: %s\n", report.Line(line))
	}
}

func hint(w io.Writer, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(w, "a2alock: %s\n", line)
	}
}

// lines takes an error of [errors.Join] apart.
func lines(err error) []string {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok && !strings.Contains(fmt.Sprintf("%T", err), "fmt.") {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, lines(e)...)
		}
		return all
	}
	return []string{err.Error()}
}

// wantsJSON looks for --format json in a command line that may not have parsed.
func wantsJSON(args []string) bool {
	i := slices.Index(args, "--format")
	return slices.Contains(args, "--format=json") || i >= 0 && i+1 < len(args) && args[i+1] == "json"
}
