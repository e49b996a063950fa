package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
)

// A Listing is a result item by item, for the formats of other tools: what they
// show, they take from here. Its texts are one line each and show what cannot
// be seen (see [Line]); paths are as they came.
type Listing struct {
	// Verdict ends a report for people: the status, and on how many locks.
	Verdict  string
	Subjects []Subject
	// Errors are what kept the command from its work.
	Errors []Item
}

// A Subject is what a part of a result is about: a lock, or the card that was
// validated.
type Subject struct {
	Name string // for people; never empty
	// File is the path of the file, slashed; "" for a URL or standard input.
	File string
	// Fine is what holds of a subject without items.
	Fine string
	// Open is why nothing could be decided; nil where something was.
	Open  *Item
	Items []Item // the worst first
}

// A Level is how much an item weighs.
type Level int

// The levels. What is waived is a Note.
const (
	Note    Level = iota // compatible, or a warning about a card
	Warning              // review, or a gap in a card
	Failure              // breaking, an error, or undecided
)

// An Item is one finding, or one reason why there is none.
type Item struct {
	// Rule is the id of a rule, the code of a fault in a card, or the state of an
	// undecided lock; "error" for what kept the command from its work.
	Rule  string
	Level Level
	// Word says the same in the words of the command: breaking, gap, undecided.
	Word string
	// Fails is whether the run fails on the item.
	Fails   bool
	Message string
	Details []Detail // at, was, now and the like, in order
	Help    string   // what a person does about it; "" where nobody knows

	// File is where the item stands, as in [Subject.File]; Line and Column begin
	// with 1, and are 0 until somebody finds Pointer in the file.
	File         string
	Line, Column int
	// Pointer is the member of the file that it is about, and Path the place in
	// the profile or the document that was judged (RFC 6901).
	Pointer, Path string

	Fingerprint string // names the item across runs; "" for none
	Waived      *diff.Waived
}

// A Detail is a labelled text.
type Detail struct{ Label, Text string }

// Text is the item in lines: the message, the details and the help.
func (i *Item) Text() string {
	var b strings.Builder
	b.WriteString(i.Message)
	for _, d := range i.Details {
		fmt.Fprintf(&b, "\n%s: %s", d.Label, d.Text)
	}
	if i.Help != "" {
		fmt.Fprintf(&b, "\ndo: %s", i.Help)
	}
	return b.String()
}

// Listing returns the report item by item.
func (r *Report) Listing() *Listing {
	l := &Listing{
		Verdict: fmt.Sprintf("%s: %s (fails on %s)", r.Status, r.tally(), r.FailOn),
		Errors:  faults(r.Errors),
	}
	for i := range r.Locks {
		l.Subjects = append(l.Subjects, r.subject(&r.Locks[i]))
	}
	return l
}

func (r *Report) subject(l *Lock) Subject {
	s := Subject{
		Name: Excerpt(cmp.Or(l.Lock, l.Agent, "(no lock)"), messageWidth),
		File: l.Lock,
		Fine: "offers what the lock needs",
	}
	if l.Class == nil {
		s.Open = &Item{
			Rule: Line(string(l.State)), Level: Failure, Word: Undecided, Fails: true,
			Message: cut(strings.TrimSuffix(Line(string(l.State)+": "+redact.Text(l.Detail)), ": "), messageWidth),
			Details: agentOf(l), Help: whenUndecided(l), File: l.Lock, Pointer: "/agent",
		}
	}
	for _, f := range l.worstFirst() {
		s.Items = append(s.Items, r.item(l, &f))
	}
	return s
}

// agentOf says whom an item is about and who cares.
func agentOf(l *Lock) []Detail {
	var ds []Detail
	if l.Lock != "" && l.Agent != "" {
		ds = append(ds, Detail{"agent", cut(Line(l.Agent), messageWidth)})
	}
	if l.Owner != "" {
		ds = append(ds, Detail{"owner", cut(Line(l.Owner), nameWidth)})
	}
	return ds
}

func (r *Report) item(l *Lock, f *diff.Finding) Item {
	i := Item{
		Rule: Line(f.Rule), Level: Level(f.Class), Word: f.Class.String(), Fails: f.Class >= r.FailOn,
		Message: cut(Line(redact.Text(f.Message)), messageWidth),
		File:    l.Lock, Pointer: diff.LockPointer(*f), Path: f.Path,
		Fingerprint: Line(f.Fingerprint), Waived: f.Waived,
	}
	if f.Path != "" {
		i.Details = append(i.Details, Detail{"at", cut(Line(f.Path), messageWidth)})
	}
	if f.Was != nil || f.Now != nil {
		i.Details = append(i.Details, Detail{"was", display(f.Was)}, Detail{"now", display(f.Now)})
	}
	if len(f.Skills) > 1 {
		i.Details = append(i.Details, Detail{"skills", display(f.Skills)})
	}
	i.Details = append(i.Details, agentOf(l)...)
	if rule, ok := diff.Lookup(f.Rule); ok && f.Class > diff.Compatible {
		i.Help = rule.Do
	}
	if w := f.Waived; w != nil {
		i.Level, i.Fails, i.Help = Note, false, ""
		i.Details = append(i.Details, Detail{"waived", Justification(w)})
	} else if l.Fallback != "" && f.Class == diff.Breaking {
		i.Details = append(i.Details, Detail{"fallback", cut(Line(l.Fallback), messageWidth)})
	}
	return i
}

// Justification says in one line why a finding may stand.
func Justification(w *diff.Waived) string {
	return fmt.Sprintf("until %s, by %s: %s",
		cut(Line(w.Until), nameWidth), cut(Line(w.Owner), nameWidth), cut(Line(w.Reason), messageWidth))
}

// faults are errors as items.
func faults(errs []string) []Item {
	items := make([]Item, len(errs))
	for i, e := range errs {
		items[i] = Item{
			Rule: "error", Level: Failure, Word: "error", Fails: true,
			Message: cut(Line(redact.Text(e)), messageWidth),
		}
	}
	return items
}

// Listing returns the validation item by item.
func (v *Validation) Listing() *Listing {
	s := Subject{Name: Excerpt(cmp.Or(v.File, "(no card)"), messageWidth), Fine: "is a valid card"}
	if v.File != "-" && !strings.Contains(v.File, "://") {
		s.File = v.File
	}
	l := &Listing{Verdict: fmt.Sprintf("%s: %s", s.Name, v.verdict()), Errors: faults(v.Errors)}
	if len(v.Errors) > 0 {
		return l // nobody got to look at the card
	}
	for _, f := range v.sorted() {
		s.Items = append(s.Items, Item{
			Rule: Line(f.Code), Level: severity(f.Severity), Word: string(f.Severity), Fails: f.Severity == card.Error,
			Message: cut(Line(redact.Text(cmp.Or(f.Message, f.Code))), messageWidth) + disables(f),
			Details: slices.DeleteFunc([]Detail{{"at", cut(Line(f.Path), messageWidth)}}, func(d Detail) bool { return d.Text == "" }),
			File:    s.File, Pointer: f.Path, Path: f.Path,
		})
	}
	l.Subjects = []Subject{s}
	return l
}

func severity(s card.Severity) Level {
	switch s {
	case card.Error:
		return Failure
	case card.Gap:
		return Warning
	}
	return Note
}
