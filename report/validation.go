package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/visible"
)

// A Validation is what reading one card came to (a2alock validate).
type Validation struct {
	File string `json:"file"` // path or URL; "-" for standard input
	// Shape is "" where the document is no card.
	Shape card.Shape `json:"shape"`
	State card.State `json:"state"`
	// Valid is whether no finding is an error.
	Valid    bool           `json:"valid"`
	Counts   SeverityCounts `json:"counts"`
	Findings []card.Finding `json:"findings"` // in document order
	// Errors are what kept the command from its work, as in a [Report].
	Errors []string `json:"errors"`
}

// SeverityCounts count findings.
type SeverityCounts struct {
	Error   int `json:"error"`
	Gap     int `json:"gap"`
	Warning int `json:"warning"`
}

// NewValidation is the validation of the document that file names, as r read
// it: what is said of the card, then what is said of it for our client. Bytes
// that are no card have one finding, which says why.
func NewValidation(file string, r *compile.Reading) *Validation {
	v := &Validation{File: file, State: diff.Checked, Findings: append([]card.Finding{}, r.Findings...), Errors: []string{}}
	if r.Card != nil {
		v.Shape = r.Card.Shape
	}
	if e := r.Err; e != nil {
		v.State = e.State
		if !slices.ContainsFunc(v.Findings, invalidates) {
			v.Findings = append(v.Findings, card.Finding{
				Code: string(e.State), Severity: card.Error, Path: e.Path, Scope: card.ScopeDocument, Message: e.Msg,
			})
		}
	}
	for _, f := range v.Findings {
		switch f.Severity {
		case card.Error:
			v.Counts.Error++
		case card.Gap:
			v.Counts.Gap++
		case card.Warning:
			v.Counts.Warning++
		}
	}
	v.Valid = v.Counts.Error == 0
	return v
}

// InvalidRun is the validation of a document that nobody got to look at, since
// the command line or the config is wrong.
func InvalidRun(file string, errs []string) *Validation {
	return &Validation{File: file, State: "never-checked", Findings: []card.Finding{}, Errors: append([]string{}, errs...)}
}

func invalidates(f card.Finding) bool {
	return f.Severity == card.Error && f.Scope == card.ScopeDocument
}

// Exit is 2 when the validation holds errors, else 0 for a valid card and 1
// for another.
func (v *Validation) Exit() int {
	switch {
	case len(v.Errors) > 0:
		return 2
	case v.Valid:
		return 0
	}
	return 1
}

// JSON writes the validation as indented JSON with a final newline.
func (v *Validation) JSON(w io.Writer) error { return WriteJSON(w, v) }

// Text writes the verdict, the findings with the errors first, and the counts
// as the last line.
func (v *Validation) Text(w io.Writer, o TextOptions) error {
	t := &page{color: o.Color}
	t.line("%s: %s", cut(Line(v.File), messageWidth), v.verdict())
	fs := v.sorted()
	paths := make([]string, len(fs))
	for i, f := range fs {
		paths[i] = cut(Line(f.Path), nameWidth)
		if f.Path == "" {
			paths[i] = "(document)"
		}
	}
	width := visible.Widest(48, paths...)
	for i, f := range fs {
		t.line("  %s  %s  %s%s", t.paint(ansi(string(f.Severity)), visible.Pad(string(f.Severity), 7)),
			visible.Pad(paths[i], width), cut(Line(said(f)), messageWidth), disables(f))
	}
	for _, e := range v.Errors {
		t.line("  %s    %s", t.word("error"), cut(Line(e), messageWidth))
	}
	t.line("%s, %s, %s", plural(v.Counts.Error, "error"), plural(v.Counts.Gap, "gap"), plural(v.Counts.Warning, "warning"))
	_, err := w.Write(t.Bytes())
	return err
}

// verdict is what the document is, in a few words.
func (v *Validation) verdict() string {
	shape := strings.TrimSpace(string(v.Shape) + " card")
	switch {
	case v.State != diff.Checked && v.State != card.Invalid:
		return Line(string(v.State))
	case v.State == card.Invalid:
		return "invalid " + shape
	case !v.Valid:
		return shape + " with errors"
	case v.Counts.Gap > 0:
		return shape + ", usable, with gaps"
	}
	return "valid " + shape
}

// said is the finding's message. A message stands alone, and so it begins with
// the name that ends the path: beside the path, that is said already.
func said(f card.Finding) string {
	name := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
	return strings.TrimPrefix(cmp.Or(f.Message, f.Code), name+": ")
}

// disables says what an error costs.
func disables(f card.Finding) string {
	if f.Severity != card.Error || f.Scope == "" || f.Scope == card.ScopeDocument {
		return ""
	}
	if f.Scope == card.ScopeSecurity {
		return " (disables this requirement)"
	}
	return " (disables this " + string(f.Scope) + ")"
}
