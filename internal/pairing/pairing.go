// Package pairing finds which lock of one side of a change became which lock of
// the other.
//
// A lock stays the same under its path, whatever else in it changes: a file that
// code refers to is the one that code will read. What is left on both sides is
// the same lock where it is about the same agent for the same workflow, whoever
// reads the card; and where it asks for a skill that the one before asked for,
// and the workflow or the host of the agent stays. So nobody takes a requirement,
// trust, an identity or an owner out by moving a file and changing what it says
// with it.
package pairing

import (
	"cmp"
	"crypto/sha256"
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
	// ID is equal where what git has of the file is, whether it is here or not; ""
	// where nobody knows.
	ID string
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
	if p.Was == nil || p.Now == nil || p.Was.File != p.Now.File {
		return false
	}
	return p.Was.IsSame(p.Now.Side) || p.Was.ID != "" && p.Was.ID == p.Now.ID
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
	for _, keys := range passes {
		came = match(left, came, keys, func(old, l *Lock) {
			pairs[l.File].Was = old
			delete(pairs, old.File)
		})
		left = slices.DeleteFunc(left, func(l *Lock) bool { return pairs[l.File] == nil })
	}
	var list []Pair
	for _, p := range pairs {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Pair) int { return cmp.Compare(a.File(), b.File()) })
	return list
}

// aliases are the links among locks that lead to others of them, or to where an
// earlier one leads already, by their paths.
func aliases(locks []Lock) map[string]bool {
	files := map[string]bool{}
	for _, l := range locks {
		files[l.File] = true
	}
	first := map[string]string{} // link to a file that is no lock by its name
	for _, l := range locks {
		if at, ok := first[l.Real]; l.Real != l.File && (!ok || l.File < at) {
			first[l.Real] = l.File
		}
	}
	found := map[string]bool{}
	for _, l := range locks {
		found[l.File] = l.Real != l.File && (files[l.Real] || first[l.Real] != l.File)
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

// keys are what a lock has to share with another one to be the same: one of those
// in the list.
type keys func(*lockfile.Lock, []byte) []key

type key [4]string

// passes are tried one by one, the surest first. The workflow counts for more
// than the agent, since that is whose requirements a lock has; and who reads the
// card for less than either.
var passes = []keys{
	// To the letter.
	func(l *lockfile.Lock, text []byte) []key {
		sum := sha256.Sum256(text)
		return []key{{l.Workflow, l.Agent, l.Identity, string(sum[:])}}
	},
	// The same agent for the same workflow, or one at another URL of its origin,
	// however that is spelled.
	func(l *lockfile.Lock, _ []byte) []key {
		list := forSkills(l, l.Workflow, l.Agent)
		for i := range list {
			list[i][3] = l.Identity
		}
		return list
	},
	func(l *lockfile.Lock, _ []byte) []key { return []key{{l.Workflow, l.Agent, l.Identity}} },
	func(l *lockfile.Lock, _ []byte) []key {
		return []key{{l.Workflow, compile.Origin("", l.Agent), l.Identity}}
	},
	// Another identity; of several locks, the one that asks for the same skill first.
	func(l *lockfile.Lock, _ []byte) []key { return forSkills(l, l.Workflow, l.Agent) },
	func(l *lockfile.Lock, _ []byte) []key { return []key{{l.Workflow, l.Agent}} },
	func(l *lockfile.Lock, _ []byte) []key { return []key{{l.Workflow, compile.Origin("", l.Agent)}} },
	// Another agent in its workflow.
	func(l *lockfile.Lock, _ []byte) []key { return forSkills(l, l.Workflow, l.Identity) },
	func(l *lockfile.Lock, _ []byte) []key { return forSkills(l, l.Workflow, "") },
	// The same agent in another workflow, or one of the same host.
	func(l *lockfile.Lock, _ []byte) []key { return forSkills(l, l.Agent, l.Identity) },
	func(l *lockfile.Lock, _ []byte) []key { return forSkills(l, l.Agent, "") },
	func(l *lockfile.Lock, _ []byte) []key { return forSkills(l, hostOf(l.Agent), l.Identity) },
	func(l *lockfile.Lock, _ []byte) []key { return forSkills(l, hostOf(l.Agent), "") },
}

// forSkills are keys that locks share which require a skill of one id.
func forSkills(l *lockfile.Lock, a, b string) []key {
	var list []key
	for _, id := range l.RequiredSkills() {
		list = append(list, key{a, b, id})
	}
	return list
}

// match calls found for each lock of left with the first of came that shares a key
// with it and is not taken yet, and returns those that nobody took.
func match(left, came []*Lock, of keys, found func(old, l *Lock)) []*Lock {
	if len(left) == 0 || len(came) == 0 {
		return came
	}
	by := map[key][]int{}
	for n, l := range came {
		if l.Lock == nil {
			continue
		}
		for _, k := range of(l.Lock, l.Text) {
			by[k] = append(by[k], n)
		}
	}
	taken := make([]bool, len(came))
	for _, old := range left {
		if old.Lock == nil {
			continue
		}
		first := -1
		for _, k := range of(old.Lock, old.Text) {
			for len(by[k]) > 0 && taken[by[k][0]] {
				by[k] = by[k][1:]
			}
			if list := by[k]; len(list) > 0 && (first < 0 || list[0] < first) {
				first = list[0]
			}
		}
		if first >= 0 {
			taken[first] = true
			found(old, came[first])
		}
	}
	var rest []*Lock
	for n, l := range came {
		if !taken[n] {
			rest = append(rest, l)
		}
	}
	return rest
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
