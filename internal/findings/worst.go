package findings

import (
	"slices"

	"github.com/a2alock/a2alock/diff"
)

// Most is how many findings a [Worst] gives: hostile cards make thousands.
const Most = 200

// A Worst gathers findings, each once, and keeps the worst. A waived one counts
// as compatible. The zero Worst is empty.
type Worst struct {
	kept  [diff.Breaking + 1][]*diff.Finding // the first Most of each class
	order []*diff.Finding                    // all of these, as they came
	have  map[mark]bool
}

type mark struct{ rule, fingerprint string }

// Add takes a finding in, and holds on to it.
func (w *Worst) Add(f *diff.Finding) {
	class, m := min(max(f.Class, diff.Compatible), diff.Breaking), mark{f.Rule, f.Fingerprint}
	if f.Waived != nil {
		class = diff.Compatible
	}
	if len(w.kept[class]) == Most || w.have[m] {
		return
	}
	if w.have == nil {
		w.have = map[mark]bool{}
	}
	w.have[m] = true
	w.kept[class], w.order = append(w.kept[class], f), append(w.order, f)
}

// All is what was added, as it came; of more than [Most] the worst, and those
// first.
func (w *Worst) All() []diff.Finding {
	list := w.order
	if len(list) > Most {
		list = slices.Concat(w.kept[diff.Breaking], w.kept[diff.Review], w.kept[diff.Compatible])[:Most]
	}
	out := slices.Grow([]diff.Finding(nil), len(list))
	for _, f := range list {
		out = append(out, *f)
	}
	return out
}
