package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/a2alock/a2alock/internal/gitrepo"
	"github.com/a2alock/a2alock/internal/pairing"
	"github.com/a2alock/a2alock/lockfile"
)

// ofRepository is the change between the commit where the branch left the base
// and what is reviewed, of the locks that args limit it to.
func (r *reviewing) ofRepository(ctx context.Context, args []string) (*change, error) {
	for _, ref := range []struct{ flag, value string }{{"--base", r.base}, {"--head", r.head}} {
		if strings.HasPrefix(ref.value, "-") {
			return nil, usage(fmt.Errorf("%s %q: no ref begins with -", ref.flag, ref.value))
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
	was, now := side{repo: repo, at: start, base: true}, side{repo: repo, at: base.head}
	scope := pairing.NewScope(paths)
	for _, s := range []*side{&was, &now} {
		if err := s.read(ctx, scope); err != nil {
			return nil, gitExit(ctx, err)
		}
	}
	if err := met(repo, scope, args, paths); err != nil {
		return nil, err
	}
	c := &change{since: gitrepo.Commit{Name: base.name, ID: start.ID}.String()}
	c.sort(pairing.Of(was.locks, now.locks), scope)
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
			err:  fmt.Errorf("%s is the commit under review itself, in a history that is cut off: there is nothing to compare with", b.name),
			hint: "this brings the rest (with actions/checkout, fetch-depth: 0):\ngit fetch --unshallow origin\nand --base REF names what the change is for",
		}
	}
	r.note(b.name + " is the commit under review itself, so only what is not committed could show; --base REF names another")
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
	for _, p := range pairs {
		if p.Now != nil && p.Now.Lock != nil && !changed[p.Now.Real] {
			c.standing = append(c.standing, p.Now.Lock)
		}
	}
}

// A based is what a change is compared with, and the commit that is reviewed.
type based struct {
	name string
	head gitrepo.Commit // zero: the working tree
	tip  string         // id of the commit that is reviewed, or that the working tree is of
}

// bases finds the base, and the commit where the branch left it.
func (r *reviewing) bases(ctx context.Context, repo *gitrepo.Repo) (b based, start gitrepo.Commit, err error) {
	tip := "HEAD"
	if r.head != "" {
		tip = r.head
	}
	head, err := repo.Commit(ctx, tip)
	if err != nil {
		return b, start, gitExit(ctx, err)
	}
	b.tip = head.ID
	if r.head != "" {
		b.head = head
	}
	var base gitrepo.Commit
	if r.base == "" {
		base, err = repo.Default(ctx)
	} else {
		base, err = repo.Commit(ctx, r.base)
	}
	if ref, ok := errors.AsType[*gitrepo.RefError](err); ok && !ref.Ambiguous {
		return b, start, &exit{code: exitUndecided, err: fmt.Errorf("--base %w", err), hint: bringBase(ref.Ref, repo.Shallow)}
	}
	if err != nil {
		return b, start, gitExit(ctx, err)
	}
	b.name = base.Name
	start, err = repo.MergeBase(ctx, base, head)
	if errors.Is(err, gitrepo.ErrUnrelated) {
		return b, start, unrelated(b.name, tip, repo.Shallow)
	}
	if err != nil {
		return b, start, gitExit(ctx, err)
	}
	if r.base == "" {
		a := gitrepo.Commit{Name: b.name, ID: start.ID}
		r.note("compared with " + a.String() + "; --base REF names another")
	}
	if repo.Shallow {
		r.note("the history here is cut off; were the branch to have left " + b.name + " later than " + gitrepo.Commit{ID: start.ID}.Short() +
			", git fetch --unshallow origin would tell")
	}
	return b, start, nil
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
		l := pairing.Lock{Side: read(f.Text, shown, f.Err), File: f.Path, Real: f.Real}
		if s.base && l.Err != nil {
			l.Err = s.unreadable(shown, f.Err, l.Err)
		} else if f.Err != nil {
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
		return fmt.Errorf("%s: %w: git fetch --refetch --no-filter origin brings it", at, lost)
	}
	if lost != nil {
		return fmt.Errorf("%s: %w; --base REF compares with another commit", at, lost)
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("%s:%s; --base REF compares with a commit in which it is a lock", s.at.Short(), first)
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

// plainRef is a ref that can stand in a command as it is.
var plainRef = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)

// digits is what may be the beginning of a commit's id.
var digits = regexp.MustCompile(`^[0-9a-f]{4,40}$`)

// bringBase is the command that brings a base which is not here.
func bringBase(ref string, shallow bool) string {
	branch := strings.TrimPrefix(ref, "origin/")
	if !plainRef.MatchString(branch) || strings.HasPrefix(branch, "refs/") {
		return "git fetch origin brings what is missing; --base REF names another"
	}
	deepen := ""
	if shallow {
		deepen = "--unshallow "
	}
	hint := fmt.Sprintf("if it is a branch of origin, this brings it:\ngit fetch %sorigin %s:refs/remotes/origin/%s", deepen, branch, branch)
	if branch == ref {
		hint += "\na2alock review --base origin/" + branch
	}
	return hint
}

// unrelated is how the command ends where the base and the branch have no common
// commit.
func unrelated(base, tip string, shallow bool) error {
	err := fmt.Errorf("%s and %s: %w", base, tip, gitrepo.ErrUnrelated)
	if shallow {
		return &exit{
			code: exitUndecided,
			err:  fmt.Errorf("%w in the history that is here, which is cut off", err),
			hint: "this brings the rest (with actions/checkout, fetch-depth: 0):\ngit fetch --unshallow origin",
		}
	}
	return &exit{code: exitUndecided, err: err, hint: "--base REF names the branch that it was made from"}
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
	switch {
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
	case errors.Is(err, gitrepo.ErrNoBase):
		x.hint = "--base REF names one; git remote set-head origin --auto asks origin for its own"
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
