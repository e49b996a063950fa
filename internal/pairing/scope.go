package pairing

import (
	"path"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/lockfile"
)

// A Scope is the part of a tree that somebody named: files and folders, slashed,
// from its top, "." being all of it. It keeps count of those that it met.
type Scope struct {
	// Files are locks whatever their names, and Below folders in which no lock is
	// passed over, beside what was named. They limit nothing.
	Files, Below []string

	named []string
	met   map[string]bool
}

// NewScope returns the scope of paths; without one it is everything.
func NewScope(paths []string) *Scope {
	return &Scope{named: paths, met: map[string]bool{".": true}}
}

// Keep is whether the file at name is a lock: by its name, unless it lies in a
// folder that [lockfile.Find] passes over, or because it was named itself. What
// lies below a folder that was named is passed over only for a folder further
// down, as there.
func (s *Scope) Keep(name string) bool {
	isLock := strings.HasSuffix(name, lockfile.Suffix)
	keep := isLock && !isPassedOver(name) || slices.Contains(s.Files, name)
	for _, dir := range s.Below {
		rest, below := within(dir, name)
		keep = keep || below && name != dir && isLock && !isPassedOver(rest)
	}
	for _, n := range s.named {
		rest, below := within(n, name)
		if !below {
			continue
		}
		s.met[n] = true
		keep = keep || n == name || isLock && !isPassedOver(rest)
	}
	return keep
}

// Covers is whether the file at name is in the scope.
func (s *Scope) Covers(name string) bool {
	return len(s.named) == 0 || slices.ContainsFunc(s.named, func(n string) bool {
		_, below := within(n, name)
		return below
	})
}

// Unmet are the paths that no file was seen at or below.
func (s *Scope) Unmet() []string {
	return slices.DeleteFunc(slices.Clone(s.named), func(n string) bool { return s.met[n] })
}

// within is whether name is at or below dir, and what is left of it there.
func within(dir, name string) (rest string, below bool) {
	if dir == "." || dir == name {
		return name, true
	}
	return strings.CutPrefix(name, dir+"/")
}

// isPassedOver is whether a folder of the path is one that nobody searches.
func isPassedOver(name string) bool {
	dir := path.Dir(name)
	return slices.ContainsFunc(strings.Split(dir, "/"), lockfile.IsSkipped)
}
