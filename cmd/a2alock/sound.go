package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

// sound are locks that can be checked, and what is wrong with the others: one lock
// that is broken, or whose credential is not here, is no reason to look at none.
type sound struct {
	locks  []*lockfile.Lock
	left   []string // paths of the others
	faults []error
	hint   string
}

// sound reads the locks that LOCK arguments mean. Its error is for all of them, and
// tells where none is sound.
func (a *app) sound(args []string, from cards) (*sound, error) {
	paths, err := a.paths(args)
	if err != nil {
		return nil, err
	}
	s := &sound{}
	read, faults := readable(paths)
	if s.faults = faults; len(faults) > 0 {
		s.hint = "mend the file, or take its last good version from git and pin that again"
	}
	names, good := identities(a.cfg), map[string]bool{}
	for _, l := range read {
		_, err := a.policyOf(l)
		if asks := from.file == "" && from.dir == "" && from.identity == ""; err == nil && asks {
			err = a.identified(l)
			if err != nil && slices.Contains(names, l.Identity) { // it speaks of a2alock.yaml alone
				err = fmt.Errorf("%s: %w", l.Path, err)
			}
		}
		if err == nil {
			s.locks = append(s.locks, l)
			good[l.Path] = true
			continue
		}
		s.faults = append(s.faults, err)
		if x, ok := errors.AsType[*exit](err); ok && s.hint == "" {
			s.hint = x.hint
		}
	}
	s.left = slices.DeleteFunc(paths, func(path string) bool { return good[path] })
	if len(s.locks) == 0 {
		return nil, &exit{code: exitUsage, err: errors.Join(s.faults...), hint: s.hint}
	}
	return s, nil
}

// errors are the lines of what is wrong, for the report.
func (s *sound) errors() []string {
	if len(s.faults) == 0 {
		return nil
	}
	return lines(errors.Join(s.faults...))
}

// end is how a command ends that told of the others; nil where there are none. Whoever
// reads the report as text has read there why.
func (s *sound) end(format string) error {
	switch {
	case len(s.faults) == 0:
		return nil
	case format != "text":
		return &exit{code: exitUsage, err: errors.Join(s.faults...), hint: s.hint}
	}
	n, all := len(s.left), len(s.left)+len(s.locks)
	return &exit{
		code: exitUsage,
		err:  fmt.Errorf("%d of %d locks %s not checked, and the report says why: %s", n, all, say.Verb(n, "was", "were"), strings.Join(s.left, ", ")),
		hint: s.hint,
	}
}
