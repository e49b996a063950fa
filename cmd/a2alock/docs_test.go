package main

import (
	"bytes"
	"fmt"
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
// and what it offers.
func documented() []*cobra.Command {
	root := newRoot(&env{})
	root.InitDefaultHelpCmd()
	all := []*cobra.Command{root}
	var add func(of *cobra.Command)
	add = func(of *cobra.Command) {
		for _, c := range of.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				all = append(all, c)
				add(c)
			}
		}
	}
	add(root)
	return all
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

// A block is a paragraph of a help text, or lines to keep as they are.
type block struct {
	verbatim bool
	text     string
}

// blocks takes a help text apart: what is indented by two spaces is verbatim.
func blocks(text string) []block {
	var list []block
	for part := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(part, "\n")
		verbatim := !slices.ContainsFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "  ") })
		if verbatim {
			for i := range lines {
				lines[i] = lines[i][2:]
			}
		}
		list = append(list, block{verbatim, strings.Join(lines, "\n")})
	}
	return list
}

func TestDocsCommandLine(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("# The commands of a2alock\n\n" +
		"Made from the commands themselves by `make generate`; `a2alock help COMMAND` says the same. The man pages in\n" +
		"[man/](man) are made alike: `man docs/man/a2alock-pin.1`.\n\n")
	commands := documented()
	for _, c := range commands[1:] {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", strings.TrimPrefix(c.CommandPath(), "a2alock "), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	}
	for _, c := range commands {
		section(&b, c)
	}
	golden.Equal(t, "../../docs/cli.md", b.Bytes())
}

func section(b *bytes.Buffer, c *cobra.Command) {
	fence := func(text string) { fmt.Fprintf(b, "\n```\n%s\n```\n", text) }
	usage := c.UseLine()
	if !c.HasParent() {
		usage = "a2alock COMMAND [flags]"
	}
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", c.CommandPath(), c.Short)
	fence(usage)
	for _, p := range blocks(c.Long) {
		if p.verbatim {
			fence(p.text)
			continue
		}
		fmt.Fprintf(b, "\n%s\n", strings.NewReplacer("*", `\*`, "<", "&lt;").Replace(p.text))
	}
	if flags := flagsOf(c, 90); flags != "" {
		heading := "Flags:"
		if !c.HasParent() {
			heading = "Flags of every command:"
		}
		fmt.Fprintf(b, "\n%s\n", heading)
		fence(flags)
	}
	if c.Example != "" {
		if c.Parent() != c.Root() && c.HasParent() {
			fmt.Fprintf(b, "\nThe flags of `%s` hold too.\n", c.Parent().CommandPath())
		}
		b.WriteString("\nExamples:\n")
		fence(blocks(c.Example)[0].text)
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
		golden.Equal(t, filepath.Join(dir, names[i]+".1"), manPage(c, commands))
	}
	files, err := filepath.Glob(dir + "/*.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, strings.TrimSuffix(filepath.Base(f), ".1")) {
			t.Errorf("%s: there is no such command any more", f)
		}
	}
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func manPage(c *cobra.Command, all []*cobra.Command) []byte {
	var b bytes.Buffer
	name := manName(c)
	usage := c.UseLine()
	if !c.HasParent() {
		usage = "a2alock COMMAND [flags]"
	}
	fmt.Fprintf(&b, ".TH %s 1 %s a2alock \"a2alock manual\"\n", strings.ToUpper(roff(name)), manDate)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n", roff(name), roff(c.Short), roff(usage))
	for _, p := range blocks(c.Long) {
		if p.verbatim {
			b.WriteString(".PP\n" + keep(p.text))
			continue
		}
		fmt.Fprintf(&b, ".PP\n%s\n", roff(p.text))
	}
	if flags := flagsOf(c, 70); flags != "" {
		b.WriteString(".SH OPTIONS\n" + keep(blocks(flags)[0].text))
	}
	for p := c.Parent(); p != nil; p = p.Parent() {
		fmt.Fprintf(&b, ".PP\nThe options of %s(1) hold too.\n", roff(manName(p)))
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + keep(blocks(c.Example)[0].text))
	}
	b.WriteString(".SH SEE ALSO\n")
	var others []string
	for _, other := range all {
		if c.Parent() == other || other.Parent() == c {
			others = append(others, fmt.Sprintf(".BR %s (1)", roff(manName(other))))
		}
	}
	b.WriteString(strings.Join(others, ",\n") + "\n")
	return b.Bytes()
}

// keep sets lines as they are.
func keep(text string) string { return ".nf\n.RS\n" + roff(text) + "\n.RE\n.fi\n" }

// roff escapes text for man: a backslash, a hyphen that is a minus, and a line
// that would be a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `\[u2026]`, "†", `\[dg]`).Replace(text)
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
		if c.RunE != nil && c.Name() != "help" && c.Name() != "version" && c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.SplitSeq(c.Long, "\n") {
			if len([]rune(line)) > 90 {
				t.Errorf("%s: a line of its help is over 90 characters: %q", c.CommandPath(), line)
			}
		}
	}
}

var flagName = regexp.MustCompile(`(?m)^ +(?:(-[a-z]), )?(--[a-z-]+)`)

// An option arrives with the test that shows its effect: each flag of each
// command stands in a line of a script that runs the command.
func TestEveryFlagIsInAScript(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var lines []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(string(data), "\n")...)
	}
	for _, c := range documented() {
		for _, m := range flagName.FindAllStringSubmatch(flagsOf(c, 90), -1) {
			used := slices.ContainsFunc(lines, func(line string) bool {
				words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '=' })
				runs := slices.Contains(words, c.Name()) || !c.HasParent()
				return runs && (slices.Contains(words, m[2]) || m[1] != "" && slices.Contains(words, m[1]))
			})
			if !used {
				t.Errorf("%s: no script uses %s", c.CommandPath(), m[2])
			}
		}
	}
}
