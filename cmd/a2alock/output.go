package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/report"
)

// A printable is what a command comes to: a report or a validation.
type printable interface {
	Text(w io.Writer, o report.TextOptions) error
	JSON(w io.Writer) error
	Markdown(w io.Writer) error
	Exit() int
}

// formats are the ways in which a result can be written.
var formats = []string{"text", "json", "markdown"}

// outputs is where a result goes: to standard output by --format, and into
// files by --out.
type outputs struct {
	format *format
	files  outFiles
}

func addOutputs(c *cobra.Command) *outputs {
	o := &outputs{format: addFormat(c, formats...)}
	c.Flags().Var(&o.files, "out", "also write the result to a file, as in markdown=report.md (repeatable)")
	return o
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
		return fmt.Errorf("want FORMAT=FILE, with FORMAT %s", strings.Join(formats, " or "))
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

// show writes a result everywhere it is wanted. Standard output comes last: a
// file that cannot be written makes the result an error, and there is one JSON
// value on standard output either way.
func (a *app) show(r printable, o *outputs) error {
	for _, f := range o.files {
		if err := f.write(r); err != nil {
			return usage(fmt.Errorf("--out: %w", err))
		}
	}
	return write(a.stdout, r, o.format.value, a.text())
}

func (f outFile) write(r printable) error {
	var text strings.Builder
	if err := write(&text, r, f.format, report.TextOptions{}); err != nil {
		return err
	}
	return os.WriteFile(f.path, []byte(text.String()), 0o666)
}

func write(w io.Writer, r printable, format string, o report.TextOptions) error {
	switch format {
	case "json":
		return r.JSON(w)
	case "markdown":
		return r.Markdown(w)
	}
	return r.Text(w, o)
}
