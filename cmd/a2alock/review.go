package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/pairing"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

func newReview(a *app) *cobra.Command {
	r := &reviewing{app: a}
	var failOn string
	c := &cobra.Command{
		Use:   "review [PATH…]",
		Short: "Say what a change of locks means, for a merge request",
		Long: `review compares the locks of the working tree, or of --head, with those at the commit
where the branch left --base, and says of each lock that changed what the workflow
asks now, what it no longer asks, what the agent changed, and what became of evidence,
trust and waivers. It asks no agent, unless --live is there: each side is held against
the profile that it was pinned from. So a requirement that was dropped just where the
new card fails it is breaking, and the honest upgrade passes.

A lock is every file of the repository whose name ends in a2a.lock.json, tracked or
not, but what .gitignore leaves out, vendor, node_modules and submodules; and what
"locks" of a2alock.yaml names in the repository, whatever its name, or a link to a folder
leads to. Locks that a2alock check reads and git does not have here, as in a submodule,
are counted on standard error. PATH, a file or a folder that may be gone, limits the
review to some. A lock that moved is found by its agent and workflow; one that asks for
the same skill, in the same workflow or at the same host, takes its place.
--live tells where the live card is another by now; that is at most review, since
a2alock check is the gate on agents.

--base is, without the flag, where origin/HEAD leads, else what main or master
follows, else origin/main, origin/master, main or master. Nothing is ever fetched.

With --files OLD and NEW are the two sides, and - or /dev/null is none; this needs no
repository, and is what git difftool hands over.

Exit codes: as check; 0 also where no lock changed; 3 where there is nothing to
compare with: no repository, no such commit, a history that is cut off, or a lock
that could not be read before.`,
		Example: `  a2alock review
  a2alock review --base origin/release --out markdown=review.md
  a2alock review --base main --head topic locks/
  git difftool -y -x 'a2alock review --files' main -- locks/pricing.a2a.lock.json`,
		ValidArgsFunction: completeLocks,
	}
	o := a.addOutputs(c, failedReport)
	c.Flags().Var((*filled)(&r.base), "base", "compare with where the branch left this `REF` (default: the default branch)")
	c.Flags().Var((*filled)(&r.head), "head", "review the locks of this `REF`, not those of the working tree")
	c.Flags().BoolVar(&r.files, "files", false, "compare two files, OLD and NEW")
	c.Flags().BoolVar(&r.live, "live", false, "also fetch each changed lock's card, and say where the lock is older than it")
	addFailOn(c, &failOn)
	c.RunE = func(c *cobra.Command, args []string) error {
		level, err := a.level(failOn)
		if err != nil {
			return err
		}
		if err := apart(c, "files", "base", "head"); err != nil {
			return err
		}
		if r.files && len(args) != 2 {
			return misuse(c, "--files: want OLD and NEW, got %d arguments", len(args))
		}
		change, err := r.change(c.Context(), args)
		if err != nil {
			return err
		}
		results, err := r.judge(c.Context(), change)
		if err != nil {
			return err
		}
		o.text = change.text
		rep := report.New(results, level, nil)
		rep.Base = change.base
		return a.print(&report.Review{Report: rep}, o)
	}
	return c
}

// A reviewing is one run of `a2alock review`.
type reviewing struct {
	*app
	base, head  string
	files, live bool
}

// A change is what there is to review.
type change struct {
	pairs    []pairing.Pair
	again    []pairing.Pair   // further ones, whose locks of now are in pairs
	standing []*lockfile.Lock // those that did not change
	base     *report.Base     // what they are compared with; nil for two files
}

// change finds what there is to review: two files, or the locks of a
// repository.
func (r *reviewing) change(ctx context.Context, args []string) (*change, error) {
	if r.files {
		return r.twoFiles(args[0], args[1])
	}
	return r.ofRepository(ctx, args)
}

// twoFiles is the change from old to new, of which one may be no file.
func (r *reviewing) twoFiles(old, now string) (*change, error) {
	var p pairing.Pair
	var err error
	if p.Was, err = lockAt(old); err != nil {
		return nil, err
	}
	if p.Now, err = lockAt(now); err != nil {
		return nil, err
	}
	switch {
	case p.Was == nil && p.Now == nil:
		return nil, usage(errors.New("--files: neither OLD nor NEW is a file"))
	case p.Was != nil && p.Now != nil && p.Was.IsSame(p.Now.Side):
		return &change{}, nil
	case p.Was != nil && p.Was.Err != nil:
		p.Was.Err = fmt.Errorf("%w; name an OLD that is a lock, or - for none", p.Was.Err)
	}
	if p.Was != nil && p.Now != nil {
		p.Was.Path = p.Now.Path // that there are two files does not mean that the lock moved
	}
	return &change{pairs: []pairing.Pair{p}}, nil
}

// lockAt reads one of two files; nil for what stands for none.
func lockAt(path string) (*pairing.Lock, error) {
	if path == "-" || path == os.DevNull || path == "/dev/null" {
		return nil, nil
	}
	if err := noLock(path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, usage(fmt.Errorf("--files %s: that is a folder", path))
	}
	text, err := lockfile.ReadBytes(path)
	if _, odd := errors.AsType[*lockfile.Fault](err); err != nil && !odd {
		if errors.Is(err, fs.ErrNotExist) {
			err = &exit{code: exitUsage, err: err, hint: "- stands for a file that is not there"}
			return nil, err
		}
		return nil, usage(err)
	}
	side := read(text, display([]string{path})[0], err)
	if len(text) > lockfile.MaxBytes { // not all of it
		side.Text = nil
	}
	return &pairing.Lock{Side: side, File: side.Path, Real: side.Path}, nil
}

// read makes a side of a text, or of why there is none.
func read(text []byte, path string, err error) *diff.Side {
	s := &diff.Side{Path: path, Text: text, Err: err}
	if err == nil {
		s.Lock, s.Err = lockfile.Parse(text, path)
	}
	return s
}

// text is the text of a changed lock, for the lines of its findings.
func (c *change) text(path string) ([]byte, error) {
	for _, p := range c.pairs {
		if p.Now != nil && p.Now.Path == path {
			return p.Now.Text, nil
		}
	}
	return nil, fs.ErrNotExist
}

// judge holds each changed lock against its earlier self.
func (r *reviewing) judge(ctx context.Context, c *change) ([]*diff.Result, error) {
	answers, err := r.liveOf(ctx, c.pairs)
	if err != nil {
		return nil, err
	}
	came := map[*pairing.Lock]*live{}
	for i, p := range c.pairs {
		came[p.Now] = answers[i]
	}
	results := diff.Locks(r.revisions(c.pairs, came), c.standing)
	// What a lock takes over counts where that is worse than what its file was.
	for i, result := range diff.Locks(r.revisions(c.again, came), nil) {
		n := slices.IndexFunc(c.pairs, func(p pairing.Pair) bool { return p.Now == c.again[i].Now })
		if was := results[n]; was.Decided && result.Decided && result.Class > was.Class {
			result.Notes = append(result.Notes, "held against "+c.again[i].Was.Path+" of before, which was of this workflow and agent")
			results[n] = result
		}
	}
	return results, nil
}

// revisions are what package diff judges of pairs, with what their agents answer.
func (r *reviewing) revisions(pairs []pairing.Pair, came map[*pairing.Lock]*live) []diff.Revision {
	revisions := make([]diff.Revision, len(pairs))
	for i, p := range pairs {
		revisions[i] = diff.Revision{
			Client: &r.cfg.Client, Policy: r.policy, MaxWaiver: r.cfg.Policy.MaxWaiver, At: time.Now(),
		}
		if got := came[p.Now]; got != nil {
			revisions[i].Live, revisions[i].Seen = got.Reading, got.seen()
		}
		if p.Was != nil {
			revisions[i].Was = p.Was.Side
		}
		if p.Now != nil {
			revisions[i].Now = p.Now.Side
		}
	}
	return revisions
}

// liveOf is what the agents of the changed locks answer, in the order of the
// pairs; nil where nobody is asked.
func (r *reviewing) liveOf(ctx context.Context, pairs []pairing.Pair) ([]*live, error) {
	out := make([]*live, len(pairs))
	if !r.live {
		return out, nil
	}
	var locks []*lockfile.Lock
	var of []int
	var errs []error
	for i, p := range pairs {
		if p.Now == nil || p.Now.Lock == nil {
			continue
		}
		if err := p.Now.Lock.Unsupported(); err != nil {
			errs = append(errs, err)
		}
		locks, of = append(locks, p.Now.Lock), append(of, i)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, usage(err)
	}
	answers, err := r.asked(ctx, locks, "")
	if err != nil {
		return nil, err
	}
	for n, got := range answers {
		out[of[n]] = judged(locks[n], got)
	}
	return out, nil
}

// judged is an agent's answer; one that did not come, or came from an origin
// that the lock does not trust, is no card.
func judged(l *lockfile.Lock, got *live) *live {
	err := got.err
	if err == nil {
		err = strayed(l, got.offsite, got.url, "")
	}
	if err == nil && got.Profile != nil {
		c := diff.Comparison{Lock: l, Now: got.Profile, Seen: got.seen()}
		if denied := c.Denied(); denied != "" {
			err = &fetch.Error{URL: l.Agent, State: fetch.AuthRequired, Err: errors.New(denied)}
		}
	}
	if err == nil {
		return got
	}
	why := undecided(l, err)
	return &live{Reading: &compile.Reading{Err: &card.DocumentError{State: why.State, Msg: why.Detail}}}
}

// shownFrom is a path of the repository as it is from the folder below its top
// in which the command runs.
func shownFrom(prefix, path string) string {
	rel, err := filepath.Rel("/"+prefix, "/"+path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}
