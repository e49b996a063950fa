package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/gitrepo"
	"github.com/a2alock/a2alock/internal/pairing"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

// ofRepository is the change between the commit where the branch left the base
// and what is reviewed, of the locks that args limit it to.
func (r *reviewing) ofRepository(ctx context.Context, args []string) (*change, error) {
	for _, ref := range []struct{ flag, value string }{{"--base", r.base}, {"--head", r.head}} {
		if err := oneCommit(ref.flag, ref.value); err != nil {
			return nil, err
		}
	}
	repo, err := gitrepo.Open(ctx, "")
	if err != nil {
		return nil, gitExit(ctx, err)
	}
	if repo.Top == "" && r.head == "" {
		return nil, &exit{code: exitUsage, err: errors.New("there is no working tree here"), hint: "--head REF reviews the locks of a commit"}
	}
	paths, err := inRepository(repo, args)
	if err != nil {
		return nil, err
	}
	base, start, err := r.bases(ctx, repo)
	if err != nil {
		return nil, err
	}
	reach, err := r.reach(ctx, repo, start)
	if err != nil {
		return nil, err
	}
	was, now := side{repo: repo, at: start, base: true}, side{repo: repo, at: base.head}
	scope := pairing.NewScope(paths)
	scope.Files, scope.Below = reach.files, reach.below
	for _, s := range []*side{&was, &now} {
		if err := s.read(ctx, scope); err != nil {
			return nil, gitExit(ctx, err)
		}
	}
	if err := met(repo, scope, args, paths); err != nil {
		return nil, err
	}
	r.passOver(args, paths, &was, &now)
	if err := r.oneAnswer(ctx, base, scope, &was, &now); err != nil {
		return nil, err
	}
	c := &change{base: &report.Base{Ref: base.base.Name, Commit: start.ID}}
	c.sort(pairing.Of(was.locks, now.locks), scope)
	if err := now.lost(c.pairs); err != nil {
		return nil, err
	}
	if r.head == "" {
		reach.tell(r.app, repo, now.locks, c.pairs)
	}
	if len(c.pairs) == 0 && start.ID == base.tip {
		return c, r.nothingBefore(repo, base)
	}
	return c, nil
}

// nothingBefore is for a base that is the very commit under review: that no lock
// changed says nothing then, and in a history that is cut off the base may well be
// another one.
func (r *reviewing) nothingBefore(repo *gitrepo.Repo, b based) error {
	if repo.Shallow {
		return &exit{
			code: exitUndecided,
			err:  fmt.Errorf("%s is the commit under review itself, in a history that is cut off: there is nothing to compare with", b.base.Name),
			hint: wholeHistory + "\nand --base REF names what the change is for",
		}
	}
	r.note(b.base.Name + " is the commit under review itself, so only what is not committed could show; --base REF names another")
	return nil
}

// sort keeps what changed in the scope, and the locks that stand beside it.
func (c *change) sort(pairs []pairing.Pair, scope *pairing.Scope) {
	changed := map[string]bool{} // by what the file really is
	for _, p := range pairs {
		if !p.IsEqual() && (p.Now != nil && scope.Covers(p.Now.File) || p.Was != nil && scope.Covers(p.Was.File)) {
			c.pairs = append(c.pairs, p)
			if p.Now != nil {
				changed[p.Now.Real] = true
			}
		}
	}
	for _, p := range pairing.Again(pairs) {
		if changed[p.Now.Real] {
			c.again = append(c.again, p)
		}
	}
	for _, p := range pairs {
		if p.Now != nil && p.Now.Lock != nil && !changed[p.Now.Real] {
			c.standing = append(c.standing, p.Now.Lock)
		}
	}
}

// A side is one side of a change in a repository.
type side struct {
	repo  *gitrepo.Repo
	at    gitrepo.Commit // zero: the working tree
	base  bool           // it is the earlier one
	locks []pairing.Lock
}

// read reads the locks of the side.
func (s *side) read(ctx context.Context, scope *pairing.Scope) error {
	var files []gitrepo.File
	var err error
	if s.at.ID == "" {
		files, err = s.repo.Working(ctx, scope.Keep, lockfile.MaxBytes)
	} else {
		files, err = s.repo.At(ctx, s.at, scope.Keep, lockfile.MaxBytes)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		shown := shownFrom(s.repo.Prefix, f.Path)
		l := pairing.Lock{Side: read(f.Text, shown, f.Err), File: f.Path, Real: f.Real, ID: f.ID}
		_, missing := errors.AsType[*gitrepo.MissingError](f.Err)
		switch {
		case s.base && l.Err != nil:
			l.Err = s.unreadable(shown, f.Err, l.Err)
		case f.Err != nil && !missing: // of which side.lost tells
			l.Err = &lockfile.Fault{Path: shown, Msg: f.Err.Error()}
		}
		s.locks = append(s.locks, l)
	}
	return nil
}

// unreadable is why the earlier lock cannot be read, and what helps.
func (s *side) unreadable(shown string, lost, err error) error {
	at := s.at.Short() + ":" + shown
	if _, missing := errors.AsType[*gitrepo.MissingError](lost); missing {
		return fmt.Errorf("%s: %w: %s brings it", at, lost, refetch)
	}
	if lost != nil {
		return fmt.Errorf("%s: %w; --base REF compares with another commit", at, lost)
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s:%s; --base REF compares with a commit in which it is a lock", s.at.Short(), first)
}

// refetch brings what a partial clone lacks.
const (
	refetch = "git fetch --refetch --no-filter origin"
	partial = "this brings what a partial clone lacks:\n" + refetch
)

// lost is how the command ends where a lock under review is one that git has and
// that is not here, so that nobody can tell what it says.
func (s *side) lost(pairs []pairing.Pair) error {
	var errs []error
	for _, p := range pairs {
		if p.Now == nil {
			continue
		}
		if _, missing := errors.AsType[*gitrepo.MissingError](p.Now.Err); missing {
			errs = append(errs, fmt.Errorf("%s: %w", p.Now.Path, p.Now.Err))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return &exit{code: exitUndecided, err: errors.Join(errs...), hint: partial}
}

// inRepository are the paths that args mean, from the top.
func inRepository(repo *gitrepo.Repo, args []string) ([]string, error) {
	paths := make([]string, len(args))
	for i, arg := range args {
		if err := noLock(arg); err != nil {
			return nil, err
		}
		p := path.Join(repo.Prefix, filepath.ToSlash(arg))
		if filepath.IsAbs(arg) {
			p = fromTop(repo.Top, arg)
		}
		if p == ".." || strings.HasPrefix(p, "../") || path.IsAbs(p) {
			return nil, usage(fmt.Errorf("%s: outside the repository", arg))
		}
		paths[i] = p
	}
	return paths, nil
}

// fromTop is an absolute path from the top of the repository. What it names may
// be gone, and either may go through links.
func fromTop(top, abs string) string {
	if rel, err := filepath.Rel(top, abs); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	rest := ""
	for dir := filepath.Clean(abs); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			rel, err := filepath.Rel(resolved(top), filepath.Join(real, rest))
			if err != nil {
				return ".."
			}
			return filepath.ToSlash(rel)
		}
		if dir == filepath.Dir(dir) {
			return ".."
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// met wants each of the paths on one of the sides; a folder without a file may
// be in the working tree.
func met(repo *gitrepo.Repo, scope *pairing.Scope, args, paths []string) error {
	var errs []error
	for _, unmet := range scope.Unmet() {
		if repo.Top != "" {
			if info, err := os.Stat(filepath.Join(repo.Top, filepath.FromSlash(unmet))); err == nil && info.IsDir() {
				continue
			}
		}
		for i, p := range paths {
			if p == unmet {
				errs = append(errs, fmt.Errorf("%s: there is no such file or folder, neither before nor now", args[i]))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return usage(err)
	}
	return nil
}

// passOver leaves out the files that were named, by another name than a lock's,
// and are none on any side: who hands over all that a branch changed means the
// locks among it.
func (r *reviewing) passOver(args, paths []string, sides ...*side) {
	for i, p := range paths {
		is := func(l pairing.Lock) bool { return l.File == p }
		named, locks := 0, 0
		for _, s := range sides {
			if n := slices.IndexFunc(s.locks, is); n >= 0 {
				named++
				if s.locks[n].Lock != nil {
					locks++
				}
			}
		}
		if isLock(p) || named == 0 || locks > 0 {
			continue
		}
		for _, s := range sides {
			s.locks = slices.DeleteFunc(s.locks, is)
		}
		r.note(args[i] + " is passed over: it is no lock, neither before nor now; the name of one ends in " + lockfile.Suffix)
	}
}

// gitExit turns what went wrong with the repository into an exit code, and says
// what mends it.
func gitExit(ctx context.Context, err error) error {
	if stop := interrupted(ctx); stop != nil {
		return stop
	}
	const two = "a2alock review --files OLD NEW compares two files without it"
	x := &exit{code: exitUndecided, err: err}
	unsafe, isUnsafe := errors.AsType[*gitrepo.UnsafeError](err)
	ref, isRef := errors.AsType[*gitrepo.RefError](err)
	failed, isFailed := errors.AsType[*gitrepo.CommandError](err)
	switch {
	case isFailed && failed.Command == "ls-tree": // it has the commit, and not all of its folders
		x.hint = partial
	case isUnsafe:
		x.hint = "if you trust what is in it:\ngit config --global --add safe.directory " + shellWord(unsafe.Dir)
	case isRef && ref.Ambiguous && digits.MatchString(ref.Ref):
		x.code, x.hint = exitUsage, "several commits begin so: write more digits of the one that is meant"
	case isRef && ref.Ambiguous:
		x.code, x.hint = exitUsage, "say which: refs/heads/… is a branch, refs/remotes/… one of a remote, refs/tags/… a tag"
	case isRef:
		x.hint = "git fetch origin brings what is missing"
	case errors.Is(err, gitrepo.ErrNoGit):
		x.hint = "install git; " + two
	case errors.Is(err, gitrepo.ErrNoRepository):
		x.hint = "run it in the repository that holds the locks; " + two
	case errors.Is(err, gitrepo.ErrNoCommit):
		x.hint = "commit first; " + two
	}
	return x
}

// shellWord quotes a text for a shell, where it needs that.
func shellWord(s string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_./-]+$`).MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
