package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/annotate"
	"github.com/a2alock/a2alock/internal/junit"
	"github.com/a2alock/a2alock/internal/sarif"
	"github.com/a2alock/a2alock/report"
)

// A printable is what a command comes to: a report or a validation.
type printable interface {
	Text(w io.Writer, o report.TextOptions) error
	JSON(w io.Writer) error
	Markdown(w io.Writer) error
	Listing() *report.Listing // for the formats of other tools
	Exit() int
}

// formats are the ways in which a result can be written.
var formats = []string{"text", "json", "markdown", "github", "sarif", "junit"}

// outputs is where a result goes: to standard output by --format, and into
// files by --out.
type outputs struct {
	format *format
	files  outFiles
	// failed is the result of a run that did not get to its work.
	failed func(c *cobra.Command, errs []string) printable
	// unparsed is whether the command line could not be read to its end.
	unparsed bool
	// shown is whether the result has been written wherever that went.
	shown bool

	// card is the card that the result is about, in place of locks; "" for locks.
	card string
	// text is the text of a file that the result is about; nil: as it lies there.
	text func(path string) ([]byte, error)
}

// addOutputs is for a command whose result has room for errors.
func (a *app) addOutputs(c *cobra.Command, failed func(*cobra.Command, []string) printable) *outputs {
	o := &outputs{format: a.addFormat(c, formats...), failed: failed}
	a.results[c] = o
	c.Flags().Var(&o.files, "out", "also write the result to a file, as in markdown=report.md (repeatable)")
	return o
}

// failedReport is that of check, diff and impact.
func failedReport(_ *cobra.Command, errs []string) printable {
	return report.New(nil, diff.Breaking, errs)
}

// failures is the result of a command that has none to show: the errors alone,
// for programs. People read them on standard error.
func failures(_ *cobra.Command, errs []string) printable { return failure{errs} }

type failure struct {
	Errors []string `json:"errors"`
}

func (f failure) JSON(w io.Writer) error                 { return report.WriteJSON(w, f) }
func (failure) Text(io.Writer, report.TextOptions) error { return nil }
func (failure) Markdown(io.Writer) error                 { return nil }
func (failure) Listing() *report.Listing                 { return &report.Listing{} }
func (failure) Exit() int                                { return exitUsage }

// read takes from args what the flags would have said, had they all been read.
func (o *outputs) read(args []string) {
	if !o.unparsed {
		return
	}
	for i, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok && i+1 < len(args) {
			value = args[i+1]
		}
		switch name {
		case "--":
			return
		case "--format":
			_ = o.format.Set(value) // of a wrong one the error tells
		case "--out":
			_ = o.files.Set(value)
		}
	}
}

// fail shows the failed form: for programs on standard output, unless a result
// stands there already, and in the files where an older result would pass for
// this run's.
func (a *app) fail(o *outputs, c *cobra.Command, x *exit, stdout *output) {
	r := o.failed(c, lines(x.err))
	if !o.shown {
		for _, f := range o.files {
			_ = a.writeFile(f, r, o) // that it cannot be written may be the very error
		}
	}
	if format := o.format.value; format != "text" && format != "markdown" && !stdout.begun {
		_ = a.write(stdout, r, format, o) // stdout keeps the error
		a.summarize(r, o)
	}
}

// An outFile is one --out.
type outFile struct{ format, path string }

// outFiles is the value of --out.
type outFiles []outFile

func (f *outFiles) String() string { return "" }

// Type is what the help calls the value.
func (f *outFiles) Type() string { return "FORMAT=FILE" }

// Set reads one FORMAT=FILE.
func (f *outFiles) Set(s string) error {
	format, path, ok := strings.Cut(s, "=")
	if !ok || path == "" || !slices.Contains(formats, format) {
		return fmt.Errorf("want FORMAT=FILE, with FORMAT %s", alternatives(formats))
	}
	switch {
	case path == "-":
		return errors.New("- is no file: --format is for standard output")
	case slices.ContainsFunc(*f, func(o outFile) bool { return filepath.Clean(o.path) == filepath.Clean(path) }):
		return fmt.Errorf("%s is named twice", path)
	case isLock(strings.ToLower(path)) || isLock(strings.ToLower(resolved(path))):
		return fmt.Errorf("%s: that is the name of a lock, and a report is none", path)
	}
	*f = append(*f, outFile{format, path})
	return nil
}

// print shows a result, and ends with its exit code.
func (a *app) print(r printable, o *outputs) error {
	if err := a.show(r, o); err != nil {
		return err
	}
	return quietly(r.Exit())
}

// show writes a result everywhere it is wanted. A file that cannot be written makes
// the run an error, and the result is everywhere else all the same.
func (a *app) show(r printable, o *outputs) error {
	var errs []error
	for _, f := range o.files {
		if err := a.writeFile(f, r, o); err != nil {
			errs = append(errs, fmt.Errorf("--out: %w", err))
		}
	}
	o.shown = true
	a.summarize(r, o)
	var err error
	if o.format.value == "text" {
		err = r.Text(a.stdout, a.text())
	} else {
		err = a.write(a.stdout, r, o.format.value, o)
	}
	if len(errs) == 0 {
		return err
	}
	if err != nil { // of which the run tells, and ends with
		printError(a.stderr, errors.Join(errs...))
		return err
	}
	return usage(errors.Join(errs...))
}

func (a *app) writeFile(f outFile, r printable, o *outputs) error {
	var text strings.Builder
	if err := a.write(&text, r, f.format, o); err != nil {
		return err
	}
	return os.WriteFile(f.path, []byte(text.String()), 0o666)
}

// write writes a result in a format, without colours.
func (a *app) write(w io.Writer, r printable, format string, o *outputs) error {
	switch format {
	case "json":
		return r.JSON(w)
	case "markdown":
		return r.Markdown(w)
	case "text":
		return r.Text(w, report.TextOptions{})
	}
	l := r.Listing()
	a.place(l, o)
	switch format {
	case "github":
		return annotate.Write(w, l)
	case "sarif":
		return sarif.Write(w, l, version())
	}
	return junit.Write(w, l)
}
