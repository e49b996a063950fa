package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/visible"
)

// An Impact is a [Report] for whoever publishes a card: its text and Markdown
// begin with whom the card breaks, by workflow and owner. Its JSON and exit
// code are the report's.
type Impact struct{ *Report }

// A dependent is a workflow with its owner, and what a card does to its locks.
type dependent struct {
	workflow, owner string
	locks           []string
	rank            int
	verdict         string
}

// dependents are the workflows in the report, the hardest hit first.
func (r *Report) dependents() []*dependent {
	var out []*dependent
	for i := range r.Locks {
		l := &r.Locks[i]
		n := slices.IndexFunc(out, func(d *dependent) bool { return d.workflow == l.Workflow && d.owner == l.Owner })
		if n < 0 {
			n = len(out)
			out = append(out, &dependent{workflow: l.Workflow, owner: l.Owner, rank: -1})
		}
		d := out[n]
		d.locks = append(d.locks, l.Lock)
		if l.rank() > d.rank {
			d.rank, d.verdict = l.rank(), l.verdict()
		}
	}
	slices.SortStableFunc(out, func(a, b *dependent) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.workflow, b.workflow), cmp.Compare(a.owner, b.owner))
	})
	return out
}

// Text writes whom the card breaks, and then the report.
func (r *Impact) Text(w io.Writer, o TextOptions) error {
	t := &page{color: o.Color}
	all := r.dependents()
	workflows := make([]string, len(all))
	owners := make([]string, len(all))
	for i, d := range all {
		workflows[i], owners[i] = shown(d.workflow, "no workflow named"), shown(d.owner, "no owner named")
	}
	wide, wider := visible.Widest(nameWidth, workflows...), visible.Widest(nameWidth, owners...)
	for i, d := range all {
		// Padded before it is painted, since colours have no width.
		verdict := t.paint(ansi(d.verdict), visible.Pad(d.verdict, len(diff.Compatible.String())))
		t.line("%s  %s  %s  %s", verdict, visible.Pad(workflows[i], wide), visible.Pad(owners[i], wider), plural(len(d.locks), "lock"))
	}
	t.line("")
	if _, err := w.Write(t.Bytes()); err != nil {
		return err
	}
	return r.Report.Text(w, o)
}

// shown is a name for people; what stands for none is in brackets.
func shown(name, none string) string {
	if strings.TrimSpace(name) == "" {
		return "(" + none + ")"
	}
	return cut(Line(name), nameWidth)
}

// Markdown writes whom the card breaks as a table, and then the report.
func (r *Impact) Markdown(w io.Writer) error {
	m := &markdown{}
	m.line("| verdict | workflow | owner | locks |\n|---|---|---|---|")
	all := r.dependents()
	for i, d := range all {
		if m.Len() > markdownBytes/8 {
			m.line("\n… and %d more workflows.", len(all)-i)
			break
		}
		m.line("| %s | %s | %s | %d |", d.verdict, cell(d.workflow), cell(d.owner), len(d.locks))
	}
	m.line("")
	if _, err := w.Write(m.Bytes()); err != nil {
		return err
	}
	return r.Report.Markdown(w)
}
