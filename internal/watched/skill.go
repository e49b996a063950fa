package watched

import (
	"fmt"
	"slices"

	"github.com/a2alock/a2alock/internal/nearest"
)

// mostNamed is how many skills an error names.
const mostNamed = 10

// Knows refuses a skill that the lock does not require: a report about it would
// take nothing out. A lock that requires none is about all of them.
func (d *Desk) Knows(w *Lock, skill string) error {
	l, err := d.Parse(w)
	if skill == "" || err != nil {
		return nil
	}
	ids := l.RequiredSkills()
	if len(ids) == 0 || slices.Contains(ids, skill) {
		return nil
	}
	ids = nearest.Sort(ids, skill)
	return fmt.Errorf("skill %q: the lock does not require it; it requires %q", skill, ids[:min(len(ids), mostNamed)])
}
