// Package annotate writes a result as workflow commands, from which GitHub
// makes annotations: what is wrong, at its line of the file, in the view of a
// merge request.
//
//	::error file=locks/fare.a2a.lock.json,line=9,col=5,title=a2alock%3A breaking skill-removed::the skill is gone
//
// The runner of GitHub Actions looks for commands at the start of each line, so
// text from elsewhere stands escaped inside one, or behind a word of ours.
package annotate

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2alock/a2alock/report"
)

// PerLevel is how many annotations of one level GitHub shows for one step.
const PerLevel = 10

// The lengths, in bytes, that GitHub takes of a title and of a summary.
const (
	titleBytes   = 255
	SummaryBytes = 1 << 20
)

// Write writes the worst of the listing as commands, [PerLevel] of each level at
// most, then how many found no room, and the verdict as the last line. Errors
// and undecided locks come first in their level.
func Write(w io.Writer, l *report.Listing) error {
	var out bytes.Buffer
	var left [report.Failure + 1]int
	byLevel := sorted(l)
	for level := report.Failure; level >= report.Note; level-- {
		items := byLevel[level]
		left[level] = max(0, len(items)-PerLevel)
		for _, i := range items[:len(items)-left[level]] {
			command(&out, i)
		}
	}
	if more := left[report.Failure] + left[report.Warning] + left[report.Note]; more > 0 {
		fmt.Fprintf(&out, "a2alock: %d more than GitHub shows of one step (errors %d, warnings %d, notices %d): the job summary and --out json=FILE tell of them\n",
			more, left[report.Failure], left[report.Warning], left[report.Note])
	}
	fmt.Fprintf(&out, "%s\n", report.Line(l.Verdict))
	_, err := w.Write(out.Bytes())
	return err
}

// sorted are the items by level, what concerns the whole run first.
func sorted(l *report.Listing) [report.Failure + 1][]*report.Item {
	var items [report.Failure + 1][]*report.Item
	add := func(i *report.Item) { items[i.Level] = append(items[i.Level], i) }
	for i := range l.Errors {
		add(&l.Errors[i])
	}
	for _, s := range l.Subjects {
		if s.Open != nil {
			add(s.Open)
		}
	}
	for _, s := range l.Subjects {
		for i := range s.Items {
			add(&s.Items[i])
		}
	}
	// What is waived may stand, and so tells less than what is compatible.
	slices.SortStableFunc(items[report.Note], func(a, b *report.Item) int {
		return cmp.Compare(waived(a), waived(b))
	})
	return items
}

func waived(i *report.Item) int {
	if i.Waived != nil {
		return 1
	}
	return 0
}

func command(out *bytes.Buffer, i *report.Item) {
	var props []string
	prop := func(name, value string) { props = append(props, name+"="+Property(value)) }
	if i.File != "" {
		prop("file", report.Line(i.File)) // of an honest name that is the name
		if i.Line > 0 {
			prop("line", fmt.Sprint(i.Line))
			prop("col", fmt.Sprint(i.Column))
		}
	}
	prop("title", title(i))
	fmt.Fprintf(out, "::%s %s::%s\n", name(i.Level), strings.Join(props, ","), Data(i.Text()))
}

func name(l report.Level) string {
	switch l {
	case report.Failure:
		return "error"
	case report.Warning:
		return "warning"
	}
	return "notice"
}

// title is the word of the item with its rule, where that says more.
func title(i *report.Item) string {
	text := "a2alock: " + i.Word
	switch {
	case i.Waived != nil:
		text = "a2alock: waived " + i.Rule
	case i.Rule != i.Word:
		text += " " + i.Rule
	}
	return cut(text, titleBytes)
}

// cut shortens s to n bytes, and no character in two.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Data escapes s as the message of a command, as GitHub's own toolkit does.
func Data(s string) string { return data.Replace(s) }

// Property escapes s as the value of a command's property, likewise.
func Property(s string) string { return property.Replace(s) }

// Summary returns text, which is Markdown, as far as there is room for in a job
// summary that holds used bytes already. What is cut off is cut off at the end
// of a line, and a line says so; where not even that fits it is empty.
func Summary(text []byte, used int64) []byte {
	const note = "\n\n(The rest found no room in this summary; `--out json=FILE` has all.)\n"
	if used+int64(len(text)) <= SummaryBytes {
		return text
	}
	room := SummaryBytes - used - int64(len(note))
	if room <= 0 {
		return nil
	}
	kept := text[:room]
	kept = kept[:bytes.LastIndexByte(kept, '\n')+1]
	return slices.Concat(kept, []byte(note))
}
