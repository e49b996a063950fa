package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/golden"
)

// documented are the commands that have a section and a man page: the root,
// and all below it that do something.
func documented() []*cobra.Command {
	root := newRoot(&app{stdout: io.Discard, stderr: io.Discard})
	root.InitDefaultHelpCmd()
	all := []*cobra.Command{root}
	var below func(c *cobra.Command)
	below = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.HasSubCommands() {
				all = append(all, sub)
			}
			below(sub)
		}
	}
	below(root)
	return all
}

// usageOf is how the command is typed.
func usageOf(c *cobra.Command) string {
	if !c.HasParent() {
		return "a2alockd COMMAND [flags]"
	}
	return c.UseLine()
}

// flagsOf are the flags to tell of, the root's being for all, in lines of at
// most width characters.
func flagsOf(c *cobra.Command, width int) string {
	flags := c.NonInheritedFlags()
	if !c.HasParent() {
		flags = c.PersistentFlags()
	}
	return strings.TrimRight(flags.FlagUsagesWrapped(width), "\n")
}

// aboutOf is the command's help, and that of a group that it is in.
func aboutOf(c *cobra.Command) string {
	if group := c.Parent(); group != nil && group.HasParent() && strings.HasSuffix(group.CommandPath(), "store") {
		return group.Long + "\n\n" + c.Long
	}
	return c.Long
}

// verbatim takes the two spaces off a paragraph of a help text that is to be
// kept as it is, and reports whether it is one.
func verbatim(paragraph string) (string, bool) {
	lines := strings.Split(paragraph, "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, "  ") {
			return paragraph, false
		}
		lines[i] = l[2:]
	}
	return strings.Join(lines, "\n"), true
}

func TestDocsCommandLine(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("# The commands of a2alockd\n\n" +
		"Made from the commands themselves by `make generate`; `a2alockd help COMMAND` says the same. The man pages in\n" +
		"[man/](man) are made alike: `man docs/man/a2alockd.8`. [daemon.md](daemon.md) says how to run it, and the commands\n" +
		"that talk to a running daemon are in [cli.md](cli.md).\n\n")
	commands := documented()
	for _, c := range commands[1:] {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", strings.TrimPrefix(c.CommandPath(), "a2alockd "), manName(c), c.Short)
	}
	for _, c := range commands {
		section(&b, c)
	}
	golden.Equal(t, "../../docs/a2alockd.md", b.Bytes())
}

func section(b *bytes.Buffer, c *cobra.Command) {
	fence := func(text string) { fmt.Fprintf(b, "\n```\n%s\n```\n", text) }
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", c.CommandPath(), c.Short)
	fence(usageOf(c))
	for paragraph := range strings.SplitSeq(aboutOf(c), "\n\n") {
		if text, ok := verbatim(paragraph); ok {
			fence(text)
			continue
		}
		fmt.Fprintf(b, "\n%s\n", strings.NewReplacer("*", `\*`, "<", "&lt;").Replace(paragraph))
	}
	if flags := flagsOf(c, 90); flags != "" {
		b.WriteString("\nFlags:\n")
		fence(flags)
	}
	if text, _ := verbatim(c.Example); text != "" {
		b.WriteString("\nExamples:\n")
		fence(text)
	}
}

// manDate is the date in the man pages: a constant, so that they change with
// the commands alone.
const manDate = "2026-11-29"

func TestDocsManPages(t *testing.T) {
	const dir = "../../docs/man"
	commands := documented()
	var names []string
	for _, c := range commands {
		names = append(names, manName(c))
	}
	for i, c := range commands {
		golden.Equal(t, filepath.Join(dir, names[i]+".8"), manPage(c, names))
	}
	files, err := filepath.Glob(dir + "/*.8")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, strings.TrimSuffix(filepath.Base(f), ".8")) {
			t.Errorf("%s: there is no such command any more", f)
		}
	}
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func manPage(c *cobra.Command, all []string) []byte {
	var b bytes.Buffer
	keep := func(text string) { fmt.Fprintf(&b, ".nf\n.RS\n%s\n.RE\n.fi\n", roff(text)) }
	name := manName(c)
	fmt.Fprintf(&b, ".TH %s 8 %s a2alock \"a2alock manual\"\n", strings.ToUpper(roff(name)), manDate)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n", roff(name), roff(c.Short), roff(usageOf(c)))
	for paragraph := range strings.SplitSeq(aboutOf(c), "\n\n") {
		b.WriteString(".PP\n")
		if text, ok := verbatim(paragraph); ok {
			keep(text)
			continue
		}
		b.WriteString(roff(paragraph) + "\n")
	}
	if flags := flagsOf(c, 70); flags != "" {
		b.WriteString(".SH OPTIONS\n")
		keep(flags)
	}
	if c.HasParent() {
		fmt.Fprintf(&b, ".PP\nThe options of %s(8) hold too.\n", roff(all[0]))
	}
	if text, _ := verbatim(c.Example); text != "" {
		b.WriteString(".SH EXAMPLES\n")
		keep(text)
	}
	b.WriteString(".SH SEE ALSO\n")
	others := []string{".BR a2alock (1)"}
	for _, other := range all {
		if other != name && (c.HasParent() == (other == all[0])) {
			others = append(others, fmt.Sprintf(".BR %s (8)", roff(other)))
		}
	}
	b.WriteString(strings.Join(others, ",\n") + "\n")
	return b.Bytes()
}

// roff escapes text for man: a backslash, a hyphen that is a minus, and a line
// that would be a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `\[u2026]`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

// What a command says of itself is complete, and fits a terminal.
func TestHelpIsComplete(t *testing.T) {
	for _, c := range documented() {
		if c.Short == "" || c.Long == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: want a Short without a full stop, and a Long", c.CommandPath())
		}
		if c.HasParent() && c.Name() != "help" && c.Name() != "version" && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.SplitSeq(c.Long, "\n") {
			if len([]rune(line)) > 90 {
				t.Errorf("%s: a line of its help is over 90 characters: %q", c.CommandPath(), line)
			}
		}
	}
}

var flagName = regexp.MustCompile(`(?m)^ +(--[a-z-]+)`)

// Each flag of each command stands in a line of a script that runs the command.
func TestEveryFlagIsInAScript(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var text strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	for _, c := range documented() {
		for _, m := range flagName.FindAllStringSubmatch(flagsOf(c, 90), -1) {
			runs := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "a2alockd"), " ")
			if runs == "run" {
				runs = "(run|daemon start)"
			}
			if !regexp.MustCompile(`(?m)^(code [0-9] |)` + runs + `.* ` + m[1] + ` `).MatchString(text.String()) {
				t.Errorf("%s: no script uses %s", c.CommandPath(), m[1])
			}
		}
	}
}
