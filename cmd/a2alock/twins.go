package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

// tellTwins notes which of the locks do the same work. A review stops the change that
// makes such, and no later one.
func (a *app) tellTwins(locks []*lockfile.Lock) {
	for _, group := range diff.Twins(locks) {
		var paths []string
		for _, l := range group {
			paths = append(paths, l.Path)
		}
		a.note(fmt.Sprintf("%d locks are of workflow %s for one agent, and one is enough, with what they all require: %s",
			len(group), say.Quote(group[0].Workflow), say.List(paths)))
	}
}

// tellTwin notes a lock of the tree that does the work of l, which is about to be
// written to path and was old before; nil for a new one. What cannot be read there is
// the business of check.
func (a *app) tellTwin(l, old *lockfile.Lock, path string) {
	if l.Workflow == "" || old != nil && len(diff.Twins([]*lockfile.Lock{l, old})) > 0 {
		return
	}
	here, _ := os.Stat(path)
	paths, _ := lockfile.Find(a.cfg.Roots())
	for _, p := range display(paths) {
		if info, err := os.Stat(p); err != nil || os.SameFile(info, here) {
			continue
		}
		text, err := lockfile.ReadBytes(p)
		if err != nil || !bytes.Contains(text, []byte(l.Workflow)) { // most locks need no parsing
			continue
		}
		other, err := lockfile.Parse(text, p)
		if err != nil || len(diff.Twins([]*lockfile.Lock{l, other})) == 0 {
			continue
		}
		var skills strings.Builder
		for _, id := range l.RequiredSkills() {
			skills.WriteString(" --skill " + shellWord(id))
		}
		a.note(fmt.Sprintf("%s is of workflow %s for the same agent, and review stops a second lock: instead, add to it with a2alock pin %s%s",
			p, say.Quote(l.Workflow), shellWord(p), skills.String()))
		return
	}
}
