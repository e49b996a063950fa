package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// What keeps commits from being compared.
var (
	// ErrNoCommit is a repository, or a branch, in which nothing was committed yet.
	ErrNoCommit = errors.New("there is no commit yet")
	// ErrNoBase is a repository without any of the refs that [Repo.Default] looks
	// for.
	ErrNoBase = errors.New("there is no default branch to compare with")
	// ErrUnrelated are two commits without a common ancestor in the history that is
	// there.
	ErrUnrelated = errors.New("no common ancestor")
)

// A RefError is a name that leads to no commit, or not to one alone.
type RefError struct {
	Ref       string
	Ambiguous bool
}

// Error names the ref.
func (e *RefError) Error() string {
	if e.Ambiguous {
		return fmt.Sprintf("%q names several refs", e.Ref)
	}
	return fmt.Sprintf("%q names no commit here", e.Ref)
}

// A Commit is one commit and the name it was found by.
type Commit struct{ Name, ID string }

// String is the name with the commit's short id.
func (c Commit) String() string { return c.Name + " (" + c.Short() + ")" }

// Short is the id as people write it.
func (c Commit) Short() string { return c.ID[:min(7, len(c.ID))] }

// Commit finds the commit that ref leads to. A name that fits several refs is
// refused: a tag could stand for the branch that is meant. Its error is then a
// [*RefError], or [ErrNoCommit] for a HEAD that is not born.
func (r *Repo) Commit(ctx context.Context, ref string) (Commit, error) {
	if strings.HasPrefix(ref, "-") || strings.HasPrefix(ref, "^") { // an option, or all but that
		return Commit{}, &RefError{Ref: ref}
	}
	out, said, err := r.warned(ctx, "rev-parse", "--verify", "--end-of-options", ref+"^{commit}")
	ambiguous := strings.Contains(said, "is ambiguous")
	switch _, failed := errors.AsType[*CommandError](err); {
	case ambiguous:
		return Commit{}, &RefError{Ref: ref, Ambiguous: true}
	case failed && ref == "HEAD":
		return Commit{}, ErrNoCommit
	case failed:
		return Commit{}, &RefError{Ref: ref}
	case err != nil:
		return Commit{}, err
	}
	id := strings.TrimSpace(string(out))
	if len(id) < 40 || strings.Trim(id, "0123456789abcdef") != "" {
		return Commit{}, fmt.Errorf("git rev-parse answered %q", out)
	}
	return Commit{Name: ref, ID: id}, nil
}

// Default finds the branch that changes are meant for, without the network: what
// refs/remotes/origin/HEAD leads to, else what main or master follows, else
// main or master of origin, else the local ones.
func (r *Repo) Default(ctx context.Context) (Commit, error) {
	const head = "refs/remotes/origin/HEAD"
	order := []string{head, "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"}
	out, err := r.git(ctx, append([]string{"for-each-ref", "--format=%(refname) %(symref) %(upstream)"}, order...)...)
	if err != nil {
		return Commit{}, err
	}
	leads, follows := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " ") // no ref has a space in its name
		if len(fields) != 3 || !slices.Contains(order, fields[0]) {
			continue
		}
		leads[fields[0]], follows[fields[0]] = fields[0], fields[2]
		if fields[1] != "" {
			leads[fields[0]] = fields[1]
		}
	}
	candidates := slices.Concat([]string{leads[head], follows["refs/heads/main"], follows["refs/heads/master"]}, order[1:])
	for _, ref := range candidates {
		if ref == "" {
			continue
		}
		c, err := r.Commit(ctx, ref)
		if _, none := errors.AsType[*RefError](err); none {
			continue // a branch that is followed, and was never fetched
		}
		c.Name = short(ref)
		return c, err
	}
	return Commit{}, ErrNoBase
}

// short is a ref as people write it.
func short(ref string) string {
	for _, prefix := range []string{"refs/remotes/", "refs/heads/", "refs/tags/"} {
		if name, ok := strings.CutPrefix(ref, prefix); ok {
			return name
		}
	}
	return ref
}

// Branch is the branch that is checked out; "" where there is none.
func (r *Repo) Branch(ctx context.Context) string {
	out, err := r.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(out), "\n")
}

// HasOrigin is whether there is a remote called origin.
func (r *Repo) HasOrigin(ctx context.Context) bool {
	out, err := r.git(ctx, "config", "--get", "remote.origin.url")
	return err == nil && len(out) > 0
}

// MergeBases finds the commits from which a and b went their ways, in git's order.
// Branches that were merged into each other crosswise have several. Its error is
// [ErrUnrelated] where the history that is there has none, which in a shallow clone
// says little.
func (r *Repo) MergeBases(ctx context.Context, a, b Commit) ([]Commit, error) {
	out, err := r.git(ctx, "merge-base", "--all", a.ID, b.ID)
	if x, ok := errors.AsType[*exec.ExitError](err); ok && x.ExitCode() == 1 {
		return nil, ErrUnrelated
	}
	if err != nil {
		return nil, err
	}
	var bases []Commit
	for id := range strings.FieldsSeq(string(out)) {
		c, err := r.Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		bases = append(bases, c)
	}
	return bases, nil
}

// IsCertain is whether the bases of a and b that [Repo.MergeBases] finds are those
// of the whole history. They are not where a branch is cut off behind them: what is
// missing could lead to a later one.
func (r *Repo) IsCertain(ctx context.Context, a, b Commit) (bool, error) {
	if !r.Shallow {
		return true, nil
	}
	where, err := r.git(ctx, "rev-parse", "--git-path", "shallow")
	if err != nil {
		return false, err
	}
	file := strings.TrimSuffix(string(where), "\n")
	if !filepath.IsAbs(file) {
		file = filepath.Join(r.dir, file)
	}
	list, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	cut := map[string]bool{}
	for id := range strings.FieldsSeq(string(list)) {
		cut[id] = true
	}
	// Where the history is cut off, a commit has no parents.
	ends, err := r.git(ctx, "rev-list", "--max-parents=0", a.ID+"..."+b.ID)
	if err != nil {
		return false, err
	}
	for id := range strings.FieldsSeq(string(ends)) {
		if cut[id] {
			return false, nil
		}
	}
	return true, nil
}
