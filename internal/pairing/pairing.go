// Package pairing finds which lock of one side of a change became which lock of
// the other.
//
// A lock stays the same under its path, whatever else in it changes: a file that
// code refers to is the one that code will read. What is left on both sides is
// the same lock where it is about the same agent, read by the same identity for
// the same workflow; and where it asks for a skill that the one before asked for,
// and the workflow or the host of the agent stays. So nobody takes a requirement,
// trust or an owner out by moving a file and changing what it says with it.
package pairing

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/hostname"
	"github.com/a2alock/a2alock/lockfile"
)

// A Lock is a lock file on one side.
type Lock struct {
	*diff.Side
	// File is the path by which the two sides are held together, and Real the one
	// that it leads to where it is a symbolic link; else that is File.
	File, Real string
}

// A Pair is one lock on both sides; nil where it is not there.
type Pair struct{ Was, Now *Lock }

// File is the path of the pair, that of now where there is one.
func (p Pair) File() string {
	if p.Now != nil {
		return p.Now.File
	}
	return p.Was.File
}

// IsEqual is whether nothing changed, the path neither.
func (p Pair) IsEqual() bool {
	return p.Was != nil && p.Now != nil && p.Was.File == p.Now.File &&
		p.Was.Text != nil && p.Now.Text != nil && bytes.Equal(p.Was.Text, p.Now.Text)
}

// Of pairs the locks of two sides, in the order of their paths. A link to another
// lock of its side is left out: what becomes of that lock is told of it. It is
// there only where the other side has another lock by its name.
func Of(was, now []Lock) []Pair {
	pairs := map[string]*Pair{}
	var left, came []*Lock
	for i := range was {
		pairs[was[i].File] = &Pair{Was: &was[i]}
	}
	for i := range now {
		if p := pairs[now[i].File]; p != nil {
			p.Now = &now[i]
			continue
		}
		pairs[now[i].File] = &Pair{Now: &now[i]}
	}
	wasAlias, nowAlias := aliases(was), aliases(now)
	for file, p := range pairs {
		if isTold(p, wasAlias[file], nowAlias[file]) {
			delete(pairs, file)
			continue
		}
		switch {
		case p.Now == nil:
			left = append(left, p.Was)
		case p.Was == nil:
			came = append(came, p.Now)
		}
	}
	byFile := func(a, b *Lock) int { return cmp.Compare(a.File, b.File) }
	slices.SortFunc(left, byFile)
	slices.SortFunc(came, byFile)
	for _, same := range []func(a, b *Lock) bool{isCopy, isSame, isNear, isHeir, isElsewhere} {
		for _, old := range left {
			n := slices.IndexFunc(came, func(l *Lock) bool { return same(old, l) })
			if n < 0 || pairs[old.File] == nil {
				continue
			}
			pairs[came[n].File].Was = old
			delete(pairs, old.File)
			came = slices.Delete(came, n, n+1)
		}
	}
	var list []Pair
	for _, p := range pairs {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Pair) int { return cmp.Compare(a.File(), b.File()) })
	return list
}

// aliases are the links among locks that lead to others of them, by their paths.
func aliases(locks []Lock) map[string]bool {
	files := map[string]bool{}
	for _, l := range locks {
		files[l.File] = true
	}
	found := map[string]bool{}
	for _, l := range locks {
		found[l.File] = l.Real != l.File && files[l.Real]
	}
	return found
}

// isTold is whether all there is to say of a pair is said of the locks that its
// links lead to.
func isTold(p *Pair, wasAlias, nowAlias bool) bool {
	switch {
	case p.Was == nil:
		return nowAlias
	case p.Now == nil:
		return wasAlias
	}
	return wasAlias && nowAlias && p.Was.Real == p.Now.Real
}

// isCopy is whether b is a, to the letter.
func isCopy(a, b *Lock) bool { return isSame(a, b) && bytes.Equal(a.Text, b.Text) }

// isSame is whether a and b are about the same agent, identity and workflow.
func isSame(a, b *Lock) bool {
	return isKin(a, b, func(l *lockfile.Lock) string { return l.Agent })
}

// isNear is isSame for an agent at another URL of its origin, however that is
// spelled.
func isNear(a, b *Lock) bool {
	return isKin(a, b, func(l *lockfile.Lock) string { return compile.Origin("", l.Agent) })
}

// isHeir is whether b takes the place of a in its workflow, by another agent.
func isHeir(a, b *Lock) bool {
	return isKin(a, b, func(*lockfile.Lock) string { return "" }) && shareSkill(a, b)
}

// isElsewhere is whether b takes the place of a in another workflow, by an agent
// of the same host.
func isElsewhere(a, b *Lock) bool {
	return a.Lock != nil && b.Lock != nil && a.Lock.Identity == b.Lock.Identity &&
		hostOf(a.Lock.Agent) == hostOf(b.Lock.Agent) && shareSkill(a, b)
}

// shareSkill is whether both require a skill of one id.
func shareSkill(a, b *Lock) bool {
	return slices.ContainsFunc(a.Lock.RequiredSkills(), func(id string) bool {
		_, ok := b.Lock.Requires.Skills[id]
		return ok
	})
}

// hostOf is the host of an agent, in one spelling and without its port.
func hostOf(agent string) string {
	u, err := url.Parse(agent)
	if err != nil {
		return agent
	}
	host, err := hostname.Normalize(u.Hostname())
	if err != nil {
		return u.Hostname()
	}
	return host
}

func isKin(a, b *Lock, agent func(*lockfile.Lock) string) bool {
	return a.Lock != nil && b.Lock != nil && a.Lock.Identity == b.Lock.Identity &&
		a.Lock.Workflow == b.Lock.Workflow && agent(a.Lock) == agent(b.Lock)
}
