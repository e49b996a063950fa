// Package findings names sets of findings, so that one can be told from
// another across refreshes and restarts.
//
// Findings that were read back from a store have the names that they had before
// they went there.
package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
)

// Set is the digest of the unwaived findings: their classes, what they say and
// whom they concern, in no order. It is "" where there are none.
func Set(list []diff.Finding) string {
	var lines []string
	for i := range list {
		if f := &list[i]; f.Waived == nil {
			lines = append(lines, line(f))
		}
	}
	slices.Sort(lines)
	return digest(lines)
}

// Shown is the digest of all that a reader sees of the findings: the waived
// ones, wording and waivers too.
func Shown(list []diff.Finding) string {
	lines := make([]string, 0, len(list))
	for i := range list {
		f := &list[i]
		text := line(f) + " " + f.Message
		if w := f.Waived; w != nil {
			text += fmt.Sprintf(" %q %q %q", w.Reason, w.Owner, w.Until)
		}
		lines = append(lines, text)
	}
	return digest(lines)
}

// Marks names the unwaived findings above compatible, one by one, sorted: by
// fingerprint, and each skill after the first by a mark of its own, since a
// finding that spreads to another skill is news.
func Marks(list []diff.Finding) []string {
	var out []string
	for i := range list {
		f := &list[i]
		if f.Waived != nil || f.Class <= diff.Compatible {
			continue
		}
		out = append(out, f.Fingerprint)
		for _, skill := range f.Skills[min(1, len(f.Skills)):] {
			out = append(out, f.Fingerprint+" "+skill)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// IsFloor reports whether f counts, and no configuration can lower its rule.
func IsFloor(f *diff.Finding) bool {
	if f.Waived != nil {
		return false
	}
	rule, ok := diff.Lookup(f.Rule)
	return ok && rule.Floor
}

// Floor is the worst class of the findings for which [IsFloor] holds.
func Floor(list []diff.Finding) diff.Class {
	worst := diff.Compatible
	for i := range list {
		if f := &list[i]; f.Class > worst && IsFloor(f) {
			worst = f.Class
		}
	}
	return worst
}

func line(f *diff.Finding) string {
	return fmt.Sprintf("%s %d %s %q", f.Rule, f.Class, f.Fingerprint, f.Skills)
}

// digest is 16 hex digits: enough within one lock, and short in keys.
func digest(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimPrefix(card.Sum([]byte(strings.Join(lines, "\n"))), "sha256:")[:16]
}
