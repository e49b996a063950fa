package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/visible"
)

// A Review is a [Report] on changed locks for whoever reviews them: its text and
// Markdown say of each lock what the workflow asks now, what it no longer asks,
// what the agent changed, what became of evidence, trust and waivers, and what to
// do. Its JSON and exit code are the report's.
type Review struct{ *Report }

// reviewWidth is how long the lines of a review get; longer ones are broken
// between words.
const reviewWidth = 100

// maxQuiet is how many compatible findings of a section are told, and quietWidth
// how much each may say.
const (
	maxQuiet   = 3
	quietWidth = 140
)

// headings are those of the sections, in the order of [diff.Section].
var headings = []struct {
	title string
	none  string // what is said where there is nothing; "": the section is left out
}{
	diff.Asked:     {"asks now", "nothing that it did not"},
	diff.Dropped:   {"no longer asks", "nothing is dropped"},
	diff.Agent:     {"the agent changed", ""},
	diff.Assurance: {"evidence, trust and waivers", ""},
	diff.File:      {"the file", ""},
}

// headline is what was found, and against what; show makes a name harmless.
func (r *Review) headline(show func(s string, n int) string) string {
	since := show(r.Base.String(), nameWidth)
	switch {
	case len(r.Locks) == 0 && r.Base == nil:
		return "no lock changed"
	case len(r.Locks) == 0:
		return "no lock changed since " + since
	case r.Base == nil:
		return r.summary()
	}
	return r.summary() + ", compared with " + since
}

// Text writes the review for people, the worst lock first, and the verdict with
// its level as the last line.
func (r *Review) Text(w io.Writer, o TextOptions) error {
	t := &page{color: o.Color}
	t.line("%s: %s", t.word(r.Status), r.headline(Excerpt))
	locks := r.ranked()
	for i := range locks {
		t.reviewed(&locks[i])
	}
	if len(locks) > 0 {
		t.line("")
		t.line("%s: %s (fails on %s)", t.word(r.Status), r.tally(), r.FailOn)
	}
	_, err := w.Write(t.Bytes())
	return err
}

func (t *page) reviewed(l *Lock) {
	t.line("")
	t.line("%s  %s", t.word(l.verdict()), cut(Line(cmp.Or(l.Lock, l.Agent)), messageWidth))
	t.facts(l)
	sections := l.sections()
	for s, heading := range headings {
		switch found := sections[s]; {
		case len(found) > 0:
			t.line("  %s", t.paint("1", heading.title))
			t.section(diff.Section(s), found)
		case heading.none != "" && l.isCompared():
			t.line("  %s: %s", t.paint("1", heading.title), heading.none)
		}
	}
	for _, n := range l.Notes {
		t.wrapped("  note      ", cut(Line(n), messageWidth))
	}
	if do := l.toDo(); len(do) > 0 {
		t.line("  %s", t.paint("1", "to do"))
		for _, d := range do {
			t.wrapped("    - ", d.rules+": "+d.text)
		}
	}
}

// isCompared is whether both sides could be read, so that what no finding tells
// of did not change.
func (l *Lock) isCompared() bool {
	return l.Class != nil && !slices.ContainsFunc(l.Findings, func(f diff.Finding) bool { return f.Rule == "lock-invalid" })
}

// sections are the findings of the lock by section, the worst first.
func (l *Lock) sections() [][]diff.Finding {
	sections := make([][]diff.Finding, len(headings))
	for _, f := range l.worstFirst() {
		s := diff.SectionOf(f)
		sections[s] = append(sections[s], f)
	}
	return sections
}

// section writes findings, each with its class; of compatible ones only some.
// Those that are about the file itself say where in it, as people know it by
// little else.
func (t *page) section(s diff.Section, found []diff.Finding) {
	quiet := 0
	for _, f := range found {
		word := f.Class.String()
		if f.Waived != nil {
			word = "waived"
		}
		width := messageWidth
		if isShort(&f) {
			width = quietWidth
		}
		at := ""
		if s >= diff.Assurance && f.Path != "" {
			at = " at " + cut(Line(f.Path), nameWidth)
		}
		text := Line(f.Rule) + at + ": " + cut(Line(redact.Text(f.Message)), width)
		if w := f.Waived; w != nil {
			text += fmt.Sprintf(" (%s, until %s by %s: %s)", f.Class, cut(Line(w.Until), nameWidth), cut(Line(w.Owner), nameWidth), cut(Line(w.Reason), messageWidth))
		}
		if isShort(&f) {
			if quiet++; quiet > maxQuiet {
				continue
			}
		}
		if f.Class == diff.Breaking && f.Fingerprint != "" {
			text += " (id=" + Line(f.Fingerprint) + ")"
		}
		t.painted(word, "    "+visible.Pad(word, len("compatible"))+"  ", text)
	}
	if more := quiet - maxQuiet; more > 0 {
		t.line("    compatible  and %d more, which --format json has", more)
	}
}

// wrapped writes text behind the prefix, in lines of reviewWidth that begin below
// its start.
func (t *page) wrapped(prefix, text string) { t.painted("", prefix, text) }

// painted is wrapped, with a verdict in the prefix in its colour.
func (t *page) painted(word, prefix, text string) {
	first := prefix
	if word != "" {
		first = strings.Replace(prefix, word, t.word(word), 1)
	}
	for i, line := range visible.Wrap(text, reviewWidth-utf8.RuneCountInString(prefix)) {
		if i > 0 {
			first = strings.Repeat(" ", utf8.RuneCountInString(prefix))
			line = Line(line) // what stood within a line may be a command where it begins one
		}
		t.line("%s%s", first, line)
	}
}

// A deed is what rules want of a reviewer.
type deed struct{ rules, text string }

// accepts is for what the agent changed and this very pin accepts: to pin again
// would change nothing.
const accepts = "this pin accepts it: make sure that the workflow works with it."

// toDo is what the rules that want something say, each once, the worst first. What
// the agent changed where a requirement was dropped to fit wants nothing beside
// that: its own advice would be to drop it.
func (l *Lock) toDo() []deed {
	fitted := slices.ContainsFunc(l.Findings, func(f diff.Finding) bool { return f.Rule == "lock-weakened-to-fit" })
	var list []deed
	accepted := map[string]bool{}
	for _, f := range l.worstFirst() {
		rule, ok := diff.Lookup(f.Rule)
		drift := diff.SectionOf(f) == diff.Agent
		switch {
		case !ok || isShort(&f) || f.Waived != nil || drift && fitted && f.Class == diff.Breaking:
		case drift && f.Class == diff.Review && f.Rule != "lock-stale-pin": // which says that this pin is not enough
			accepted[f.Rule] = true
		case f.Rule == "change-unclassified": // of the lock's own members
			rule.Do = "Ask whoever changed it what for."
			fallthrough
		default:
			if d := (deed{f.Rule, rule.Do}); !slices.Contains(list, d) {
				list = append(list, d)
			}
		}
	}
	if len(accepted) > 0 {
		list = append(list, deed{strings.Join(slices.Sorted(maps.Keys(accepted)), ", "), accepts})
	}
	return list
}

// Markdown writes the review for a comment on a merge request. What exceeds the
// length of one is left out, and counted.
func (r *Review) Markdown(w io.Writer) error {
	m := &markdown{}
	m.line("### a2alock review: %s\n", r.Status)
	m.line("%s.", r.headline(code))
	locks := r.ranked()
	if len(locks) > 1 {
		m.line("")
		m.table(locks)
	}
	for i := range locks {
		m.reviewed(&locks[i])
	}
	if m.left > 0 {
		m.line("\n%s found no room here; `--format json` has all.", plural(m.left, "finding"))
	}
	if len(locks) > 0 {
		m.line("\n%s: %s (fails on %s)", r.Status, r.tally(), r.FailOn)
	}
	_, err := w.Write(m.Bytes())
	return err
}

func (m *markdown) reviewed(l *Lock) {
	if m.full() {
		m.left += len(l.Findings)
		return
	}
	m.heading(l)
	if l.Agent != "" {
		version := ""
		if l.AgentVersion != "" {
			version = ", version " + code(l.AgentVersion, nameWidth)
		}
		m.line("- agent: %s%s", code(l.Agent, messageWidth), version)
	}
	for _, who := range []struct{ label, name string }{{"workflow", l.Workflow}, {"owner", l.Owner}} {
		if who.name != "" {
			m.line("- %s: %s", who.label, code(who.name, nameWidth))
		}
	}
	sections := l.sections()
	for s, heading := range headings {
		found := sections[s]
		if len(found) == 0 && (heading.none == "" || !l.isCompared()) {
			continue
		}
		m.line("\n**%s**\n", strings.ToUpper(heading.title[:1])+heading.title[1:])
		if len(found) == 0 {
			m.line("%s.", strings.ToUpper(heading.none[:1])+heading.none[1:])
			continue
		}
		m.section(found)
	}
	for _, n := range l.Notes {
		m.line("\n> note: %s", code(n, messageWidth))
	}
	if do := l.toDo(); len(do) > 0 {
		m.line("\n**To do**\n")
		for _, d := range do {
			m.line("- %s: %s", Code(d.rules), d.text)
		}
	}
}

// section writes findings with what a reviewer compares, and folds those that
// want no action.
func (m *markdown) section(found []diff.Finding) {
	var short []diff.Finding
	for _, f := range found {
		switch {
		case isShort(&f) || f.Waived != nil:
			short = append(short, f)
			continue
		case m.full():
			m.left++
			continue
		}
		m.difference(&f)
		if f.Class == diff.Breaking && f.Fingerprint != "" {
			m.line("  - id: %s", Code(f.Fingerprint))
		}
	}
	m.folded(short)
}
