// Package manual makes the documents of a command line from the commands
// themselves, for the tests that hold them to be current.
package manual

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/golden"
)

// A Manual is of one program.
type Manual struct {
	Root    *cobra.Command
	Section int      // of its man pages: 1 or 8
	Intro   string   // how its Markdown begins
	Also    []string // what its man pages point to beside each other: "a2alock (1)"
}

// commands are those that have a section and a man page: the root, and what it
// offers.
func (m *Manual) commands() []*cobra.Command {
	m.Root.InitDefaultHelpCmd()
	all := []*cobra.Command{m.Root}
	var add func(of *cobra.Command)
	add = func(of *cobra.Command) {
		for _, c := range of.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				all = append(all, c)
				add(c)
			}
		}
	}
	add(m.Root)
	return all
}

// usageOf is how the command is typed.
func usageOf(c *cobra.Command) string {
	if !c.HasParent() {
		return c.Name() + " COMMAND [flags]"
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

// Markdown holds the Markdown file at path to what the commands say.
func (m *Manual) Markdown(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(m.Intro)
	commands := m.commands()
	for _, c := range commands[1:] {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", strings.TrimPrefix(c.CommandPath(), m.Root.Name()+" "), manName(c), c.Short)
	}
	for _, c := range commands {
		section(&b, c)
	}
	golden.Equal(t, path, b.Bytes())
}

func section(b *bytes.Buffer, c *cobra.Command) {
	fence := func(text string) { fmt.Fprintf(b, "\n```\n%s\n```\n", text) }
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", c.CommandPath(), c.Short)
	fence(usageOf(c))
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
		if c.HasParent() && c.Parent() != c.Root() && flagsOf(c.Parent(), 90) != "" {
			fmt.Fprintf(b, "\nThe flags of `%s` hold too.\n", c.Parent().CommandPath())
		}
		b.WriteString("\nExamples:\n")
		fence(blocks(c.Example)[0].text)
	}
}

// manDate is the date in the man pages: a constant, so that they change with
// the commands alone.
const manDate = "2026-11-29"

// Pages holds the man pages in the folder to what the commands say.
func (m *Manual) Pages(t *testing.T, dir string) {
	t.Helper()
	ending := "." + strconv.Itoa(m.Section)
	var names []string
	for _, c := range m.commands() {
		names = append(names, manName(c))
		golden.Equal(t, filepath.Join(dir, manName(c)+ending), m.page(c))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, strings.TrimSuffix(filepath.Base(f), ending)) {
			t.Errorf("%s: there is no such command any more", f)
		}
	}
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func (m *Manual) page(c *cobra.Command) []byte {
	var b bytes.Buffer
	name := manName(c)
	fmt.Fprintf(&b, ".TH %s %d %s a2alock \"a2alock manual\"\n", strings.ToUpper(roff(name)), m.Section, manDate)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n", roff(name), roff(c.Short), roff(usageOf(c)))
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
		if flagsOf(p, 70) == "" {
			continue
		}
		fmt.Fprintf(&b, ".PP\nThe options of %s(%d) hold too.\n", roff(manName(p)), m.Section)
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + keep(blocks(c.Example)[0].text))
	}
	b.WriteString(".SH SEE ALSO\n")
	var others []string
	for _, other := range m.Also {
		others = append(others, ".BR "+other)
	}
	for _, other := range m.commands() {
		if c.Parent() == other || other.Parent() == c {
			others = append(others, fmt.Sprintf(".BR %s (%d)", roff(manName(other)), m.Section))
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

// Help holds what each command says of itself to be complete, and to fit a
// terminal.
func (m *Manual) Help(t *testing.T) {
	t.Helper()
	for _, c := range m.commands() {
		if c.Short == "" || c.Long == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: want a Short without a full stop, and a Long", c.CommandPath())
		}
		if c.RunE != nil && !c.HasSubCommands() && c.Name() != "help" && c.Name() != "version" && c.Example == "" {
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

// Scripts holds that each flag of each command stands in a line of a script in
// the folder that runs the command. By are other words that run one, by its name.
func (m *Manual) Scripts(t *testing.T, dir string, by map[string]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
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
	for _, c := range m.commands() {
		other, known := by[c.Name()]
		for _, flag := range flagName.FindAllStringSubmatch(flagsOf(c, 90), -1) {
			used := slices.ContainsFunc(lines, func(line string) bool {
				words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '=' })
				runs := slices.Contains(words, c.Name()) || !c.HasParent() || known && strings.HasPrefix(line, other)
				return runs && (slices.Contains(words, flag[2]) || flag[1] != "" && slices.Contains(words, flag[1]))
			})
			if !used {
				t.Errorf("%s: no script uses %s", c.CommandPath(), flag[2])
			}
		}
	}
}
