package diff

import (
	"iter"
	"strings"
)

// An Example is a change that a rule reports: fragments of JSON, laid over the
// card and the lock at the end of docs/rules.md by RFC 7396 (a member replaces
// the one of its name; null takes it out). An empty fragment changes
// nothing.
type Example struct {
	Was, Now string // the card when it was pinned, and the card now
	Lock     string // what the lock has beyond what pinning wrote
	Seen     string // the URL that the card is answered from now; "" is the pinned one
	Offsite  bool   // whether a redirect to another origin led there
	// What was seen over time, see [Seen].
	Replicas   []string
	Unreliable string
	Reports    []Report
	// Of a change of a lock, which is pinned from Was, and from Now again: Change
	// is a fragment laid over what that wrote; Written is the whole text that was
	// written instead, or CRLF for the same with such line ends; Only is the side
	// that there is, "was" or "now"; Beside is laid over the lock before for one
	// that stands beside it; Live is the card that the agent answers with.
	Change, Written, Only, Beside, Live string
	// Mild is set where the example shows the rule at review, below its class.
	Mild bool
	// Also are the rules that speak of the same change beside this one.
	Also []string
}

// Lines are the parts of e that there are, each with what it is: "was" and its
// fragment. The rules of Also are none.
func (e *Example) Lines() iter.Seq2[string, string] {
	var reports []string
	for _, r := range e.Reports {
		reports = append(reports, strings.TrimSpace(r.Method+" "+r.Error))
	}
	mild := ""
	if e.Mild {
		mild = Review.String()
	}
	return func(yield func(name, text string) bool) {
		for _, line := range [][2]string{
			{"was", e.Was},
			{"now", e.Now},
			{"lock", e.Lock},
			{"change", e.Change},
			{"written", strings.ReplaceAll(e.Written, "\n", "⏎")},
			{"only there", map[string]string{"was": "before the change", "now": "after the change"}[e.Only]},
			{"another lock", e.Beside},
			{"the agent answers", e.Live},
			{"answered from", e.Seen},
			{"answered in turn", strings.Join(e.Replicas, ", ")},
			{"validators", e.Unreliable},
			{"reported", strings.Join(reports, ", ")},
			{"class here", mild},
		} {
			if line[1] != "" && !yield(line[0], line[1]) {
				return
			}
		}
	}
}
