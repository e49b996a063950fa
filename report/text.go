package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
)

// TextOptions say how text is written.
type TextOptions struct {
	Color bool // with ANSI colours; for a terminal
}

// The widths, in characters, at which text is cut.
const (
	valueWidth   = 240
	messageWidth = 400
	nameWidth    = 120
)

// Text writes the report for people: the verdict, then each lock with its
// findings, the worst first, and the verdict with its level as the last line.
// Long values are cut here; JSON has them whole.
func (r *Report) Text(w io.Writer, o TextOptions) error {
	t := &page{color: o.Color}
	t.line("%s: %s", t.word(r.Status), r.summary())
	locks := r.ranked()
	for i := range locks {
		t.lock(&locks[i])
	}
	if len(r.Errors) > 0 {
		t.line("")
	}
	for _, e := range r.Errors {
		t.line("%s  %s", t.word("error"), cut(Line(e), messageWidth))
	}
	t.line("")
	t.line("%s: %s (fails on %s)", t.word(r.Status), r.tally(), r.FailOn)
	_, err := w.Write(t.Bytes())
	return err
}

// ranked are the locks, the worst first.
func (r *Report) ranked() []Lock {
	locks := slices.Clone(r.Locks)
	slices.SortStableFunc(locks, func(a, b Lock) int { return cmp.Compare(b.rank(), a.rank()) })
	return locks
}

// rank orders locks: undecided ones between breaking and review.
func (l *Lock) rank() int {
	if l.Class == nil {
		return 2*int(diff.Review) + 1
	}
	return 2 * int(*l.Class)
}

// summary is what was found, in numbers.
func (r *Report) summary() string {
	var parts []string
	total := 0
	for _, c := range []struct {
		n    int
		word string
	}{
		{r.Counts.Breaking, "breaking"},
		{r.Counts.Review, "review"},
		{r.Counts.Compatible, "compatible"},
	} {
		if total += c.n; c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	if total == 0 {
		parts = []string{"no"}
	}
	noun := "findings"
	if total == 1 {
		noun = "finding"
	}
	s := fmt.Sprintf("%s %s in %s", strings.Join(parts, ", "), noun, plural(len(r.Locks), "lock"))
	if r.Counts.Waived > 0 {
		s += fmt.Sprintf(", %d waived", r.Counts.Waived)
	}
	if r.Counts.Undecided > 0 {
		s += fmt.Sprintf(", %d undecided", r.Counts.Undecided)
	}
	if len(r.Errors) > 0 {
		s += ", " + plural(len(r.Errors), "error")
	}
	return s
}

// tally says how many locks fail, or have the verdict where none does.
func (r *Report) tally() string {
	n := 0
	for _, l := range r.Locks {
		switch {
		case r.isFailed() && l.worst() >= r.FailOn,
			!r.isFailed() && (l.Class == nil && r.Status == Undecided || l.worst().String() == r.Status):
			n++
		}
	}
	s := fmt.Sprintf("%d of %s", n, plural(len(r.Locks), "lock"))
	if r.Counts.Undecided > 0 && r.Status != Undecided {
		s += fmt.Sprintf(", %d undecided", r.Counts.Undecided)
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// A page gathers lines of text. Each begins with a word or a label of ours, so
// that no text from elsewhere stands where a CI system looks for commands.
type page struct {
	bytes.Buffer
	color bool
}

func (t *page) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

// ansi is the colour of a verdict or severity; "" for another word.
func ansi(word string) string {
	switch word {
	case "breaking", "error":
		return "1;31"
	case "review", "gap":
		return "33"
	case "compatible":
		return "32"
	case Undecided:
		return "35"
	case "warning":
		return "36"
	case "waived":
		return "2"
	}
	return ""
}

// word paints a verdict.
func (t *page) word(s string) string { return t.paint(ansi(s), s) }

func (t *page) paint(code, s string) string {
	if !t.color || code == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// labelled writes one line of details. The label is padded before it is
// painted, since colours have no width.
func (t *page) labelled(indent, label, text string) {
	t.line("%s%s  %s", indent, t.paint("2", fmt.Sprintf("%-8s", label)), text)
}

func (t *page) lock(l *Lock) {
	t.line("")
	t.line("%s  %s", t.word(l.verdict()), cut(Line(cmp.Or(l.Lock, l.Agent)), messageWidth))
	t.facts(l)
	short := false
	for i, f := range l.worstFirst() {
		if i == 0 || !short || !isShort(&f) {
			t.line("")
		}
		short = isShort(&f)
		t.finding(&f)
	}
	if len(l.Notes) > 0 {
		t.line("")
	}
	for _, n := range l.Notes {
		t.labelled("  ", "note", cut(Line(n), messageWidth))
	}
}

// facts are the lines under a lock's name: the agent and who depends on it,
// where that matters to whoever reads on.
func (t *page) facts(l *Lock) {
	const indent = "  "
	if l.Class == nil {
		why := Line(string(l.State))
		if l.Detail != "" {
			why += ": " + Line(l.Detail)
		}
		t.labelled(indent, "why", cut(why, messageWidth))
		if do := whenUndecided(l); do != "" {
			t.labelled(indent, "do", do)
		}
	}
	if l.Lock != "" && l.Agent != "" {
		agent := cut(Line(l.Agent), messageWidth)
		if l.AgentVersion != "" {
			agent += ", version " + cut(Line(l.AgentVersion), nameWidth)
		}
		if l.Identity != "" {
			agent += ", read as " + cut(Line(l.Identity), nameWidth)
		}
		t.labelled(indent, "agent", agent)
	}
	if l.Workflow != "" {
		t.labelled(indent, "workflow", cut(Line(l.Workflow), nameWidth))
	}
	if l.Owner != "" {
		t.labelled(indent, "owner", cut(Line(l.Owner), nameWidth))
	}
	if l.Fallback != "" && l.worst() == diff.Breaking {
		t.labelled(indent, "fallback", cut(Line(l.Fallback), messageWidth))
	}
}

func (l *Lock) worstFirst() []diff.Finding {
	fs := slices.Clone(l.Findings)
	slices.SortStableFunc(fs, func(a, b diff.Finding) int { return cmp.Compare(rank(&b), rank(&a)) })
	return fs
}

// rank orders findings; what is waived comes last.
func rank(f *diff.Finding) int {
	if f.Waived != nil {
		return int(diff.Compatible) - 1
	}
	return int(f.Class)
}

// isShort is whether one line says enough.
func isShort(f *diff.Finding) bool { return f.Class == diff.Compatible && f.Waived == nil }

// finding writes a compatible finding on one line, another one with all that
// helps to decide.
func (t *page) finding(f *diff.Finding) {
	const indent = "    "
	if w := f.Waived; w != nil {
		t.line("  %s  %s %s: %s", t.word("waived"), f.Class, Line(f.Rule), cut(Line(redact.Text(f.Message)), messageWidth))
		t.labelled(indent, "until", fmt.Sprintf("%s, by %s: %s", cut(Line(w.Until), nameWidth),
			cut(Line(w.Owner), nameWidth), cut(Line(w.Reason), messageWidth)))
		return
	}
	t.line("  %s  %s: %s", t.word(f.Class.String()), Line(f.Rule), cut(Line(redact.Text(f.Message)), messageWidth))
	if isShort(f) {
		return
	}
	if f.Path != "" {
		t.labelled(indent, "at", cut(Line(f.Path), messageWidth))
	}
	if f.Was != nil || f.Now != nil {
		t.labelled(indent, "was", display(f.Was))
		t.labelled(indent, "now", display(f.Now))
	}
	if len(f.Skills) > 1 {
		t.labelled(indent, "skills", display(f.Skills))
	}
	if rule, ok := diff.Lookup(f.Rule); ok {
		t.labelled(indent, "do", rule.Do)
	}
	if f.Fingerprint != "" {
		t.labelled(indent, "id", Line(f.Fingerprint))
	}
}
