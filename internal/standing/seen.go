package standing

import (
	"fmt"

	"github.com/a2alock/a2alock/internal/verdict"
)

// Seen is what a person saw of a lock, as its [View] shows it. What is zero the
// person did not look at.
type Seen struct {
	Episode    uint64 // the number that it started with
	Class      verdict.Verdict
	FindingSet *string
}

// Fits reports whether s is what was seen.
func (n *Seen) Fits(s *verdict.State) bool {
	return (n.Episode == 0 || s.Episode != nil && s.Episode.Start == n.Episode) &&
		(n.Class == "" || n.Class == Class(s)) &&
		(n.FindingSet == nil || *n.FindingSet == s.FindingSet)
}

// Told says in a few words what there is to see of s.
func Told(s *verdict.State) string {
	if s.Episode == nil {
		return fmt.Sprintf("it is %s, and no episode is open", Class(s))
	}
	return fmt.Sprintf("it is %s, with episode %d and finding_set %q", Class(s), s.Episode.Start, s.FindingSet)
}
