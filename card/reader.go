package card

import (
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/scheme"
)

// A reader turns a document into a card.
type reader struct {
	*jsondoc.Reader
	schemes *scheme.Reader
	limit   int // of skills
}

// findings returns what was found in document order.
func (r *reader) findings() []Finding {
	found := r.Findings()
	fs := make([]Finding, len(found))
	for i, f := range found {
		fs[i] = Finding(f)
	}
	return fs
}

// states are the states that a refused document leads to.
var states = [...]State{jsondoc.NotJSON: NotJSON, jsondoc.TooLarge: TooLarge, jsondoc.Ambiguous: Invalid}

// refused makes the error of a refusal.
func refused(f *jsondoc.Refusal) *DocumentError {
	return &DocumentError{State: states[f.Reason], Path: f.Path, Msg: f.Msg}
}
