package findings

import (
	"fmt"
	"testing"

	"github.com/a2alock/a2alock/diff"
)

func TestWorst(t *testing.T) {
	var w Worst
	if got := w.All(); got != nil {
		t.Errorf("All of nothing = %v", got)
	}
	add := func(class diff.Class, what string) *diff.Finding {
		f := &diff.Finding{Rule: "r", Class: class, Fingerprint: what}
		w.Add(f)
		return f
	}
	w.Add(&diff.Finding{Rule: "r", Class: diff.Breaking, Fingerprint: "waived", Waived: &diff.Waived{}})
	for i := range Most - 2 {
		add(diff.Compatible, fmt.Sprint(i))
	}
	w.Add(add(diff.Breaking, "late"))
	if got := w.All(); len(got) != Most || got[0].Fingerprint != "waived" || got[Most-1].Fingerprint != "late" {
		t.Errorf("All of %d = %d, %q to %q, want them as they came", Most, len(got), got[0].Fingerprint, got[len(got)-1].Fingerprint)
	}
	add(diff.Review, "later")
	if got := w.All(); len(got) != Most || got[0].Fingerprint != "late" || got[1].Fingerprint != "later" || got[2].Fingerprint != "waived" {
		t.Errorf("All of %d = %d, from %q and %q on, want the worst first", Most+1, len(got), got[0].Fingerprint, got[1].Fingerprint)
	}
}
