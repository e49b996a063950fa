package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/report"
)

// The exit codes. Every command keeps to them; docs/cli.md says what each
// means for which command.
const (
	exitOK          = 0
	exitFail        = 1 // at or above the fail level, or refused
	exitUsage       = 2 // the command line, the config or a lockfile is wrong
	exitUndecided   = 3
	exitInterrupted = 130 // by a signal, as shells say it
)

// maxLine is how many characters of one error, hint or note are printed. They
// quote cards, whose texts may have any length.
const maxLine = 2000

// An exit is an error that knows its code. A nil err ends quietly: the result
// on standard output has said it all.
type exit struct {
	code int
	err  error
	hint string // what to do; a block of lines below the first is for copying
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

// interrupted is how a command ends that a signal stopped; nil otherwise.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &exit{code: exitInterrupted, err: errors.New("interrupted")}
}

// run is the whole program: it returns the exit code.
func run(ctx context.Context, e *env, args []string) (code int) {
	defer func() {
		if v := recover(); v != nil {
			code = crashed(e.stderr, v)
		}
	}()
	out := &output{Writer: e.stdout}
	inner := *e
	inner.stdout = out
	root, a := newApp(&inner)
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	code = a.conclude(c, args, err, out)
	if out.err != nil { // nobody has the result, whatever it was
		printError(e.stderr, fmt.Errorf("writing the result: %w", out.err))
		return exitUndecided
	}
	return code
}

// conclude says what the command c ended with.
func (a *app) conclude(c *cobra.Command, args []string, err error, stdout *output) int {
	switch {
	case err == nil:
		return exitOK
	case stdout.err != nil && errors.Is(err, stdout.err):
		return exitUndecided // of which run tells
	}
	x, ok := errors.AsType[*exit](err)
	if !ok { // cobra's own: its words for what it could not read
		x = unread(c, err)
	}
	if x.err == nil {
		return x.code
	}
	printError(a.stderr, x.err)
	printHint(a.stderr, x.hint)
	if o := a.results[c]; o != nil && (x.code == exitUsage || x.code == exitUndecided) {
		o.read(args)
		a.fail(o, c, x, stdout)
	}
	return x.code
}

// crashed tells of a bug: of the panic's text, which may hold a card's, no
// more than one harmless line, and a stack that shows no values.
func crashed(w io.Writer, v any) int {
	fmt.Fprintf(w, "a2alock: a bug in a2alock: %s\n", report.Excerpt(fmt.Sprint(v), maxLine))
	fmt.Fprintf(w, "a2alock: please report it, with these lines:\n%s", debug.Stack())
	return exitUndecided
}

// printError prints each line of err as one of ours: joined errors have a line
// each, and foreign text is quoted.
func printError(w io.Writer, err error) {
	for _, line := range lines(err) {
		fmt.Fprintf(w, "a2alock: %s\n", report.Excerpt(line, maxLine))
	}
}

// printHint prints the first line as ours and the others, which are for
// copying, as they are.
func printHint(w io.Writer, text string) {
	prefix := "a2alock: "
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "%s%s\n", prefix, report.Excerpt(strings.TrimSuffix(line, "\n"), maxLine))
		prefix = "  "
	}
}

func lines(err error) []string { return strings.Split(err.Error(), "\n") }
