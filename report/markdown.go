package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
)

// markdownBytes is how long a report in Markdown gets: a comment on a merge
// request has room for about 65,000 bytes.
const markdownBytes = 60_000

// Code returns s as a Markdown code span, in which nothing is a link, a mention,
// an image or HTML, whatever s holds. It is one line ([Line]).
func Code(s string) string {
	s = Line(s)
	if strings.TrimSpace(s) == "" {
		return "(empty)"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " " // CommonMark 6.1 takes one space off each end
	}
	return fence + s + fence
}

// A markdown gathers lines; what comes from elsewhere is in code spans.
type markdown struct {
	bytes.Buffer
	left int // findings that found no room
}

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// full is whether there is room for no more than the end.
func (m *markdown) full() bool { return m.Len() > markdownBytes }

// code is a code span of at most n characters.
func code(s string, n int) string { return Code(cut(Line(s), n)) }

// Markdown writes the report for a comment on a merge request (GitHub and
// GitLab flavours): the verdict, a table of the locks, and for each its
// findings with what to do. Compatible and waived findings are folded. What
// exceeds the length of a comment is left out, and counted.
func (r *Report) Markdown(w io.Writer) error {
	m := &markdown{}
	m.line("### a2alock: %s\n", r.Status)
	m.line("%s.\n", r.summary())
	locks := r.ranked()
	m.table(locks)
	for i := range locks {
		m.lock(&locks[i])
	}
	for _, e := range r.Errors {
		m.line("- error: %s", code(e, messageWidth))
	}
	if m.left > 0 {
		m.line("\n%s found no room here; `--format json` has all.", plural(m.left, "finding"))
	}
	m.line("\n%s: %s (fails on %s)", r.Status, r.tally(), r.FailOn)
	_, err := w.Write(m.Bytes())
	return err
}

// verdict is the lock's class, or that it is undecided.
func (l *Lock) verdict() string {
	if l.Class == nil {
		return Undecided
	}
	return l.Class.String()
}

func (m *markdown) table(locks []Lock) {
	if len(locks) == 0 {
		return
	}
	m.line("| verdict | lock | agent | workflow | owner |\n|---|---|---|---|---|")
	for i := range locks {
		if m.Len() > markdownBytes/4 { // the worst come first, and want their findings told
			m.line("\n… and %d more locks.", len(locks)-i)
			return
		}
		l := &locks[i]
		m.line("| %s | %s | %s | %s | %s |", l.verdict(), cell(cmp.Or(l.Lock, l.Agent)), cell(l.Agent), cell(l.Workflow), cell(l.Owner))
	}
}

// cell is a code span in a table, where a bar ends the cell wherever it stands
// (GFM 4.10).
func cell(s string) string {
	if s == "" {
		return ""
	}
	return strings.ReplaceAll(code(s, nameWidth), "|", `\|`)
}

// lock writes a section for a lock that has something to say.
func (m *markdown) lock(l *Lock) {
	if l.Class != nil && len(l.Findings) == 0 && len(l.Notes) == 0 {
		return
	}
	if m.full() {
		m.left += len(l.Findings)
		return
	}
	m.heading(l)
	if l.Fallback != "" && l.worst() == diff.Breaking {
		m.line("- fallback: %s", code(l.Fallback, messageWidth))
	}
	var short []diff.Finding
	for _, f := range l.worstFirst() {
		switch {
		case isShort(&f) || f.Waived != nil:
			short = append(short, f)
		case m.full():
			m.left++
		default:
			m.finding(&f)
		}
	}
	m.folded(short)
	for _, n := range l.Notes {
		m.line("\n> note: %s", code(n, messageWidth))
	}
}

// heading names the lock and its verdict, and says why there is none.
func (m *markdown) heading(l *Lock) {
	m.line("\n#### %s: %s\n", l.verdict(), code(cmp.Or(l.Lock, l.Agent), messageWidth))
	if l.Class == nil {
		m.line("- why: %s %s", code(string(l.State), nameWidth), code(l.Detail, messageWidth))
		if do := whenUndecided(l); do != "" {
			m.line("- do: %s", do)
		}
	}
}

func (m *markdown) finding(f *diff.Finding) {
	m.difference(f)
	if rule, ok := diff.Lookup(f.Rule); ok {
		m.line("  - do: %s", rule.Do)
	}
	if f.Fingerprint != "" {
		m.line("  - id: %s", Code(f.Fingerprint))
	}
}

// difference says what was found where.
func (m *markdown) difference(f *diff.Finding) {
	m.line("- **%s** %s: %s", f.Class, Code(f.Rule), code(redact.Text(f.Message), messageWidth))
	if f.Path != "" {
		m.line("  - at: %s", code(f.Path, messageWidth))
	}
	if f.Was != nil || f.Now != nil {
		m.line("  - was: %s", Code(display(f.Was)))
		m.line("  - now: %s", Code(display(f.Now)))
	}
}

// folded writes findings that want no action, one line each, out of sight.
func (m *markdown) folded(fs []diff.Finding) {
	if len(fs) == 0 {
		return
	}
	m.line("\n<details><summary>%s without consequence</summary>\n", plural(len(fs), "finding"))
	for _, f := range fs {
		switch {
		case m.full():
			m.left++
		case f.Waived != nil:
			m.line("- waived until %s by %s: %s %s, %s", code(f.Waived.Until, nameWidth), code(f.Waived.Owner, nameWidth),
				f.Class, Code(f.Rule), code(f.Waived.Reason, messageWidth))
		default:
			m.line("- %s: %s", Code(f.Rule), code(redact.Text(f.Message), messageWidth))
		}
	}
	m.line("\n</details>")
}

// Markdown writes the validation for a comment: the verdict and a table of the
// findings, the errors first.
func (v *Validation) Markdown(w io.Writer) error {
	m := &markdown{}
	m.line("### a2alock validate: %s\n", code(v.File, messageWidth))
	m.line("%s: %s, %s, %s.", v.verdict(), plural(v.Counts.Error, "error"), plural(v.Counts.Gap, "gap"), plural(v.Counts.Warning, "warning"))
	for _, e := range v.Errors {
		m.line("\n- error: %s", code(e, messageWidth))
	}
	if len(v.Findings) > 0 {
		m.line("\n| severity | at | finding |\n|---|---|---|")
	}
	for _, f := range v.sorted() {
		if m.full() {
			m.left++
			continue
		}
		at := "(document)"
		if f.Path != "" {
			at = cell(f.Path)
		}
		m.line("| %s | %s | %s |", f.Severity, at, strings.ReplaceAll(code(redact.Text(f.Message), messageWidth), "|", `\|`))
	}
	if m.left > 0 {
		m.line("\n%s found no room here; `--format json` has all.", plural(m.left, "finding"))
	}
	_, err := w.Write(m.Bytes())
	return err
}

// sorted returns the findings with the errors first.
func (v *Validation) sorted() []card.Finding {
	order := []card.Severity{card.Error, card.Gap, card.Warning}
	fs := slices.Clone(v.Findings)
	slices.SortStableFunc(fs, func(a, b card.Finding) int {
		return slices.Index(order, a.Severity) - slices.Index(order, b.Severity)
	})
	return fs
}
