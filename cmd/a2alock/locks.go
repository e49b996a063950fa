package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/lockfile"
)

// locks reads the locks that LOCK arguments mean ([app.paths]).
func (a *app) locks(args []string) ([]*lockfile.Lock, error) {
	paths, err := a.paths(args)
	if err != nil {
		return nil, err
	}
	return readLocks(paths)
}

const neverPasses = "; a check of nothing never passes"

// paths resolves LOCK arguments (files or folders), or finds every lock under
// the configured roots. An empty set is an error: it never passes.
func (a *app) paths(args []string) ([]string, error) {
	for _, arg := range args {
		if err := noLock(arg); err != nil {
			return nil, err
		}
	}
	roots := args
	if len(roots) == 0 {
		cfg, err := a.config("/locks")
		if err != nil {
			return nil, err
		}
		roots = cfg.Roots()
	}
	paths, err := lockfile.Find(roots)
	if err != nil {
		return nil, &exit{code: exitUsage, err: plainly(err), hint: a.lockHint(args)}
	}
	if len(paths) == 0 {
		return nil, &exit{
			code: exitUsage,
			err:  fmt.Errorf("no *%s under %s", lockfile.Suffix, strings.Join(display(roots), ", ")),
			hint: "a2alock pin URL --skill ID writes one" + neverPasses,
		}
	}
	return display(paths), nil
}

// lockHint is the lock that may be meant by one of args that is no file: the
// daemon's commands know locks by their names alone. "" for none.
func (a *app) lockHint(args []string) string {
	for _, arg := range args {
		if _, err := os.Stat(arg); !errors.Is(err, os.ErrNotExist) || a.cfg == nil {
			continue
		}
		all, _ := lockfile.Find(a.cfg.Roots()) // ls says what cannot be searched
		for _, path := range display(all) {
			if lockfile.Name(path) == arg {
				return "did you mean " + path + "? a2alock ls lists the locks"
			}
		}
		return "a lock is named by its file, or its folder; a2alock ls lists the locks"
	}
	return ""
}

// plainly is the error of a file without the system's call in it, which means
// nothing to a person.
func plainly(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", display([]string{e.Path})[0], e.Err)
	}
	return err
}

// noLock says what is wrong with a LOCK that is none by its name alone.
func noLock(arg string) error {
	switch {
	case arg == "":
		return usage(errors.New("the name of the lock is empty (is a variable not set?)"))
	case isURL(arg):
		return &exit{
			code: exitUsage,
			err:  fmt.Errorf("%s: want a lock, a file or a folder, and this is a URL", redact.URL(arg)),
			hint: "a2alock pin URL --skill ID writes the lock of an agent",
		}
	}
	return nil
}

// takenFor says that the file at path, which is no lock, is a card; else it is
// err.
func takenFor(path string, err error) error {
	if isLock(path) {
		return err // by its name it is meant to be one
	}
	f, openErr := os.Open(path)
	if openErr != nil {
		return err
	}
	defer f.Close()
	if data, readErr := io.ReadAll(io.LimitReader(f, fetch.DefaultBytes)); readErr == nil {
		if _, parseErr := card.Parse(data, card.Options{}); parseErr == nil {
			return fmt.Errorf("%s: that is an agent's card, not a lock: a2alock pin CARD --agent URL --skill ID makes one, and a2alock check LOCK --card FILE judges a card", path)
		}
	}
	return err
}

// display shortens paths inside the working directory, with forward slashes.
func display(paths []string) []string {
	wd, _ := os.Getwd() // without one, nothing is inside it
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = filepath.ToSlash(p)
		abs, err := filepath.Abs(p)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(wd, abs); err == nil && filepath.IsLocal(rel) {
			out[i] = filepath.ToSlash(rel)
		}
	}
	return out
}

// readLocks reads the locks at paths; every fault of every file is reported.
func readLocks(paths []string) ([]*lockfile.Lock, error) {
	locks, errs := readable(paths)
	if len(errs) > 0 {
		return nil, usage(errors.Join(errs...))
	}
	return locks, nil
}

// readable reads those of the files at paths that are locks, and says what is wrong
// with each of the others.
func readable(paths []string) (locks []*lockfile.Lock, errs []error) {
	for _, p := range paths {
		l, err := lockfile.Read(p)
		if err == nil {
			err = l.Unsupported()
		}
		if err != nil {
			errs = append(errs, takenFor(p, err))
			continue
		}
		locks = append(locks, l)
	}
	return locks, errs
}

func readLock(path string) (*lockfile.Lock, error) {
	if err := noLock(path); err != nil {
		return nil, err
	}
	locks, err := readLocks([]string{path})
	if x, ok := errors.AsType[*exit](err); ok && errors.Is(err, fs.ErrNotExist) {
		x.err, x.hint = plainly(x.err), "LOCK is a lock's file; a2alock ls lists them"
	}
	if err != nil {
		return nil, err
	}
	return locks[0], nil
}

// isLock is whether a path has the name by which locks are found.
func isLock(path string) bool { return strings.HasSuffix(path, lockfile.Suffix) }

// completeLocks offers lock files in the shell.
func completeLocks(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{strings.TrimPrefix(lockfile.Suffix, ".")}, cobra.ShellCompDirectiveFilterFileExt
}
