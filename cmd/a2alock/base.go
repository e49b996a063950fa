package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/gitrepo"
	"github.com/a2alock/a2alock/internal/pairing"
)

// A based is what a change is compared with, and the commit that is reviewed.
type based struct {
	base gitrepo.Commit // as it is now
	head gitrepo.Commit // zero: the working tree
	// others are the further commits where the branch left it.
	others []gitrepo.Commit
	tip    string // id of the commit that is reviewed, or that the working tree is of
}

// bases finds the base, and the commit where the branch left it.
func (r *reviewing) bases(ctx context.Context, repo *gitrepo.Repo) (b based, start gitrepo.Commit, err error) {
	tip := "HEAD"
	if r.head != "" {
		tip = r.head
	}
	head, err := repo.Commit(ctx, tip)
	if ref, ok := errors.AsType[*gitrepo.RefError](err); ok && !ref.Ambiguous && r.head != "" {
		return b, start, &exit{code: exitUndecided, err: fmt.Errorf("--head %w", err), hint: bring(ctx, repo, "--head", ref.Ref)}
	}
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
		return b, start, &exit{code: exitUndecided, err: fmt.Errorf("--base %w", err), hint: bring(ctx, repo, "--base", ref.Ref)}
	}
	if errors.Is(err, gitrepo.ErrNoBase) {
		return b, start, &exit{code: exitUndecided, err: err, hint: bringDefault(ctx, repo)}
	}
	if err != nil {
		return b, start, gitExit(ctx, err)
	}
	b.base = base
	bases, err := repo.MergeBases(ctx, base, head)
	if errors.Is(err, gitrepo.ErrUnrelated) {
		return b, start, unrelated(b.base.Name, tip, repo.Shallow)
	}
	if err != nil {
		return b, start, gitExit(ctx, err)
	}
	start, b.others = bases[0], bases[1:]
	switch certain, err := repo.IsCertain(ctx, base, head); {
	case err != nil:
		return b, start, gitExit(ctx, err)
	case !certain && start.ID != base.ID: // what is before HEAD is where it left that
		return b, start, &exit{
			code: exitUndecided,
			err:  fmt.Errorf("where the branch left %s is not certain: the history here is cut off after %s", b.base.Name, start.Short()),
			hint: wholeHistory,
		}
	}
	if r.base == "" {
		r.note("compared with " + gitrepo.Commit{Name: base.Name, ID: start.ID}.String() + "; --base REF names another")
	}
	return b, start, nil
}

// oneAnswer wants that it does not matter which of several places the branch left the
// base at: branches that were merged into each other have more than one. A lock that
// differs between them has to be what the base itself has.
func (r *reviewing) oneAnswer(ctx context.Context, b based, scope *pairing.Scope, was, now *side) error {
	if len(b.others) == 0 {
		return nil
	}
	sides := []*side{was}
	for _, at := range append(slices.Clone(b.others), b.base) {
		s := &side{repo: was.repo, at: at, base: true}
		if err := s.read(ctx, scope); err != nil {
			return gitExit(ctx, err)
		}
		sides = append(sides, s)
	}
	sides, tip := sides[:len(sides)-1], sides[len(sides)-1].byFile()
	first, here := was.byFile(), now.byFile()
	for _, s := range sides[1:] {
		other := s.byFile()
		for file := range union(first, other) {
			if same(first[file], other[file]) || same(here[file], tip[file]) || !scope.Covers(file) {
				continue
			}
			return &exit{
				code: exitUndecided,
				err: fmt.Errorf("%s: the branch left %s in %d places, as they were merged into each other, and the lock differs between %s and %s",
					shownFrom(was.repo.Prefix, file), b.base.Name, len(sides), was.at.Short(), s.at.Short()),
				hint: "merged into the branch, it leaves one:\ngit merge " + shellWord(b.base.Name) + "\nand --base COMMIT names one of those there are",
			}
		}
	}
	return nil
}

// byFile are the locks of a side by their paths.
func (s *side) byFile() map[string]*pairing.Lock {
	files := map[string]*pairing.Lock{}
	for i := range s.locks {
		files[s.locks[i].File] = &s.locks[i]
	}
	return files
}

// union are the paths of both.
func union(a, b map[string]*pairing.Lock) map[string]bool {
	files := map[string]bool{}
	for _, side := range []map[string]*pairing.Lock{a, b} {
		for file := range side {
			files[file] = true
		}
	}
	return files
}

// same is whether a file is the same on two sides, or on neither.
func same(a, b *pairing.Lock) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.IsSame(b.Side) || a.ID != "" && a.ID == b.ID
}

// oneCommit wants that the value of a flag could be a REF.
func oneCommit(flag, ref string) error {
	switch {
	case strings.HasPrefix(ref, "-"):
		return usage(fmt.Errorf("%s %q: no ref begins with -", flag, ref))
	case strings.HasPrefix(ref, "^"):
		return &exit{code: exitUsage, err: fmt.Errorf("%s %q: want one commit", flag, ref), hint: "leave the ^ out: REF is what the branch is compared with"}
	case ranges.MatchString(ref):
		return &exit{
			code: exitUsage,
			err:  fmt.Errorf("%s %q: want one commit, and that is a range", flag, ref),
			hint: "--base A --head B compares B with where it left A",
		}
	}
	return nil
}

// ranges is what no name of one commit looks like.
var ranges = regexp.MustCompile(`^[^:{]*\.\.`)

// commitID is a whole id.
var commitID = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// plainRef is a ref that can stand in a command as it is.
var plainRef = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)

// digits is what may be the beginning of a commit's id.
var digits = regexp.MustCompile(`^[0-9a-f]{4,40}$`)

// bring is the command that brings a ref which is not here, named by the flag.
func bring(ctx context.Context, repo *gitrepo.Repo, flag, ref string) string {
	if !repo.HasOrigin(ctx) {
		return "there is no remote called origin to bring it from: " + flag + " REF names a commit that is here"
	}
	branch := strings.TrimPrefix(ref, "origin/")
	if !plainRef.MatchString(branch) || strings.HasPrefix(branch, "refs/") {
		return "git fetch origin brings what is missing; " + flag + " REF names another"
	}
	deepen := ""
	if repo.Shallow {
		deepen = "--unshallow "
	}
	if commitID.MatchString(ref) {
		return fmt.Sprintf("if it is a commit of origin, this brings it:\ngit fetch %sorigin %s", deepen, ref)
	}
	hint := fmt.Sprintf("if it is a branch of origin, this brings it:\ngit fetch %sorigin %s:refs/remotes/origin/%s", deepen, branch, branch)
	if branch == ref {
		hint += "\na2alock review " + flag + " origin/" + branch
	}
	return hint
}

// bringDefault is what brings the default branch. A clone of one branch has no other,
// and does not know which is the default.
func bringDefault(ctx context.Context, repo *gitrepo.Repo) string {
	if !repo.HasOrigin(ctx) {
		return "--base REF names the branch that changes are meant for"
	}
	deepen := ""
	if repo.Shallow {
		deepen = "--unshallow "
	}
	return "--base REF names one that is here; this brings those of origin, and its default:\n" +
		"git fetch " + deepen + "origin '+refs/heads/*:refs/remotes/origin/*'\n" +
		"git remote set-head origin --auto"
}

// wholeHistory is what helps where a clone is shallow.
const wholeHistory = "this brings the rest (with actions/checkout, fetch-depth: 0):\ngit fetch --unshallow origin"

// unrelated is how the command ends where the base and the branch have no common
// commit.
func unrelated(base, tip string, shallow bool) error {
	err := fmt.Errorf("%s and %s: %w", base, tip, gitrepo.ErrUnrelated)
	if shallow {
		return &exit{
			code: exitUndecided,
			err:  fmt.Errorf("%w in the history that is here, which is cut off", err),
			hint: wholeHistory,
		}
	}
	return &exit{code: exitUndecided, err: err, hint: "--base REF names the branch that it was made from"}
}
