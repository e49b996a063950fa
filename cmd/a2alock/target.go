package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/lockfile"
)

// target settles the file to write, and reads the lock that is there.
func (p *pinning) target(profile *compile.Profile) error {
	name := filepath.Base(lockfile.FileName(profile, p.Skills))
	named := p.out != ""
	if !named {
		if _, err := p.config("/locks"); err != nil {
			return err
		}
		p.out = display([]string{filepath.Join(p.pinDir(), name)})[0]
	}
	info, err := os.Stat(p.out)
	switch {
	case err == nil && info.IsDir():
		return &exit{
			code: exitUsage,
			err:  fmt.Errorf("-o %s: that is a folder", p.out),
			hint: "name the file: -o " + filepath.ToSlash(filepath.Join(p.out, name)),
		}
	case !isLock(p.out):
		return &exit{
			code: exitUsage,
			err:  fmt.Errorf("-o %s: the name of a lock ends in %s", p.out, lockfile.Suffix),
			hint: "locks are found by that name",
		}
	case errors.Is(err, os.ErrNotExist):
		p.Old = p.lock // its copy, renewed
		return nil
	}
	old, err := readLock(p.out)
	if err != nil {
		return err
	}
	if err := p.mayRenew(old, named); err != nil {
		return err
	}
	p.Old = old
	return nil
}

// mayRenew refuses to take the lock that is there for the one that is meant:
// another agent's, or another workflow's that happens to have the default name.
func (p *pinning) mayRenew(old *lockfile.Lock, named bool) error {
	if why := p.another(old); why != "" && !named {
		return &exit{
			code: exitFail,
			err:  fmt.Errorf("%s is there already, and %s", p.out, why),
			hint: "-o FILE writes another lock; -o " + p.out + " adds to that one",
		}
	}
	moved := compile.Origin("", old.Agent) != compile.Origin("", p.Agent)
	if (moved || !named && !sameURL(old.Agent, p.Agent)) && p.accept == "" {
		return &exit{
			code: exitFail,
			err:  fmt.Errorf("%s locks another agent, %s", p.out, redact.URL(old.Agent)),
			hint: "-o FILE writes another lock; --accept breaking moves this one to the new agent",
		}
	}
	return nil
}

// another says why old is not the lock that the flags speak of; "" when it may
// be.
func (p *pinning) another(old *lockfile.Lock) string {
	required := func(id string) bool { return slices.Contains(old.RequiredSkills(), id) }
	switch {
	case p.Workflow != "" && old.Workflow == "":
		return "it names no workflow"
	case p.Workflow != "" && p.Workflow != old.Workflow:
		return fmt.Sprintf("it is the lock of the workflow %q", old.Workflow)
	case p.Identity != "" && old.Identity == "":
		return "it is the lock of the public card"
	case p.Identity != "" && p.Identity != old.Identity:
		return fmt.Sprintf("it is the lock of the card that %q is shown", old.Identity)
	case len(p.Skills) > 0 && !slices.ContainsFunc(p.Skills, required):
		return "it requires none of the skills named"
	}
	return ""
}

// pinDir is where new locks go: the first configured folder, else locks/.
func (a *app) pinDir() string {
	if len(a.cfg.Locks) > 0 {
		for _, root := range a.cfg.Roots() {
			if filepath.Ext(root) != ".json" {
				return root
			}
		}
	}
	return filepath.Join(a.cfg.Root, "locks")
}

// isFound is whether a check without LOCK comes upon the lock just written.
func (p *pinning) isFound() bool {
	written, err := os.Stat(p.out)
	if err != nil || p.cfg.Require("/locks") != nil {
		return true // and nothing to be said of it
	}
	for _, root := range p.cfg.Roots() {
		paths, _ := lockfile.Find([]string{root}) // check says what cannot be searched
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil && os.SameFile(info, written) {
				return true
			}
		}
	}
	return false
}
