package annotate_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/a2alock/a2alock/internal/annotate"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/internal/reporttest"
	"github.com/a2alock/a2alock/report"
)

func written(t testing.TB, l *report.Listing) string {
	t.Helper()
	var out bytes.Buffer
	if err := annotate.Write(&out, l); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A command is one as the runner of GitHub Actions reads it.
type command struct {
	name    string
	props   map[string]string
	message string
}

var (
	undata = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%")
	unprop = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
)

// run reads output as the runner does: it takes lines at CR and LF, skips spaces
// at the start of each, and acts on "::" there and on "##[" anywhere. It
// returns the commands, and the lines that are none.
func run(output string) (commands []command, lines []string) {
	for _, line := range strings.FieldsFunc(output, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if older.MatchString(line) {
			commands = append(commands, command{name: "older", message: line})
		}
		text, ok := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::")
		head, message, closed := strings.Cut(text, "::")
		if !ok || !closed {
			lines = append(lines, line)
			continue
		}
		name, rest, _ := strings.Cut(head, " ")
		c := command{name: name, props: map[string]string{}, message: undata.Replace(message)}
		for prop := range strings.SplitSeq(rest, ",") {
			key, value, _ := strings.Cut(prop, "=")
			c.props[strings.TrimSpace(key)] = unprop.Replace(value)
		}
		commands = append(commands, c)
	}
	return commands, lines
}

var older = regexp.MustCompile(`##[a-zA-Z]*\[`)

func TestWriteGolden(t *testing.T) {
	for _, c := range reporttest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			got := written(t, c.Listing)
			golden.Equal(t, "testdata/"+c.Name+".txt", []byte(got))
			harmless(t, got)
		})
	}
}

// harmless holds that the runner sees no command but annotations, and in those
// no property but ours.
func harmless(t testing.TB, output string) {
	t.Helper()
	commands, _ := run(output)
	for _, c := range commands {
		if c.name != "error" && c.name != "warning" && c.name != "notice" {
			t.Errorf("a command %q in %.300q", c.name, output)
		}
		for key := range c.props {
			if key != "file" && key != "line" && key != "col" && key != "title" {
				t.Errorf("a property %q in %.300q", key, output)
			}
		}
		if len(c.props["title"]) > 255 {
			t.Errorf("a title of %d bytes", len(c.props["title"]))
		}
	}
	if strings.Contains(output, "\x1b") || strings.Contains(output, "\x00") {
		t.Errorf("controls in %.300q", output)
	}
}

func TestItemsReachTheRunner(t *testing.T) {
	l := reporttest.Cases()[0].Listing
	commands, lines := run(written(t, l))
	if len(commands) != 9 {
		t.Fatalf("%d commands, want one for each finding and each undecided lock", len(commands))
	}
	first := commands[0]
	if first.name != "error" || first.props["file"] != "more locks/é:1,2.a2a.lock.json" || first.props["title"] != "a2alock: undecided unreachable" ||
		!strings.HasPrefix(first.message, "unreachable: https://pricing.partner.example/.well-known/agent-card.json answered 502 Bad Gateway\n") {
		t.Errorf("the first command is %+v", first)
	}
	if len(lines) != 1 || lines[0] != l.Verdict {
		t.Errorf("lines %q, want the verdict alone", lines)
	}
}

func TestWorstFirstAndTheRestCounted(t *testing.T) {
	commands, lines := run(written(t, reporttest.Many(100, 100)))
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	want := strings.Repeat("error ", 10) + strings.Repeat("warning ", 10) + strings.Repeat("notice ", 10)
	if got := strings.Join(names, " ") + " "; got != want {
		t.Errorf("commands %s", got)
	}
	if len(lines) != 2 || !strings.Contains(lines[0], "70 more than GitHub shows of one step (errors 24, warnings 23, notices 23)") ||
		lines[1] != "breaking: 1 of 1 lock (fails on breaking)" {
		t.Errorf("lines %q", lines)
	}
}

func TestManyAndLarge(t *testing.T) {
	for _, l := range []*report.Listing{reporttest.Many(10_000, 100), reporttest.Many(3, 1<<20)} {
		got := written(t, l)
		harmless(t, got)
		if len(got) > 200_000 {
			t.Errorf("%d bytes", len(got))
		}
	}
}

func TestSummary(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	whole := strings.Repeat(line, annotate.SummaryBytes/100)
	tests := []struct {
		name string
		text string
		used int64
		cut  bool
		none bool
	}{
		{name: "small", text: line, used: 0},
		{name: "at the limit", text: line, used: annotate.SummaryBytes - 100},
		{name: "one more", text: line, used: annotate.SummaryBytes - 99, cut: true},
		{name: "no room for a word", text: line, used: annotate.SummaryBytes - 9, none: true},
		{name: "full already", text: line, used: annotate.SummaryBytes + 1, none: true},
		{name: "large", text: whole + line, used: 0, cut: true},
		{name: "large on top of another", text: whole, used: 500_000, cut: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(annotate.Summary([]byte(tt.text), tt.used))
			kept, _, cut := strings.Cut(got, "\n\n(The rest found no room")
			if tt.used+int64(len(got)) > annotate.SummaryBytes && !tt.none || cut != tt.cut || tt.none != (got == "") {
				t.Fatalf("%d bytes on %d, cut %v", len(got), tt.used, cut)
			}
			if !cut && !tt.none && got != tt.text || cut && (len(kept)+1)%100 != 0 && len(kept)%100 != 0 {
				t.Errorf("kept %d bytes, not at the end of a line", len(kept))
			}
		})
	}
}

func FuzzCommands(f *testing.F) {
	f.Add(reporttest.Hostile, reporttest.Hostile)
	f.Add("a%0Ab%25", "x::y")
	f.Fuzz(func(t *testing.T, text, path string) {
		i := report.Item{Rule: report.Line(text), Word: "breaking", Level: report.Failure, Message: report.Line(text), File: path, Line: 3, Column: 4}
		i.Details = []report.Detail{{Label: "was", Text: report.Line(text)}}
		output := written(t, &report.Listing{Verdict: text, Subjects: []report.Subject{{Items: []report.Item{i}}}})
		commands, lines := run(output)
		var found *command
		for n := range commands {
			if commands[n].name == "error" {
				found = &commands[n]
			}
		}
		if len(commands) != 1 || found == nil || len(lines) > 1 {
			t.Fatalf("%d commands, %d lines in %.300q", len(commands), len(lines), output)
		}
		if found.message != i.Text() || path != "" && found.props["file"] != report.Line(path) {
			t.Errorf("message %q, file %q: want %q, %q", found.message, found.props["file"], i.Text(), path)
		}
		if title := found.props["title"]; utf8.ValidString(text) && !utf8.ValidString(title) {
			t.Errorf("a title cut inside a character: %q", title)
		}
	})
}
