package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/gitrepo"
	"github.com/a2alock/a2alock/internal/pairing"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/lockfile"
)

// A waiving is one run of `a2alock waive`.
type waiving struct {
	*app
	lockfile.Waiver
	from       cards
	base, head string // of the review, as there
}

func newWaive(a *app) *cobra.Command {
	w := &waiving{app: a}
	c := &cobra.Command{
		Use:   "waive LOCK ID",
		Short: "Let one finding stand until a day",
		Long: `waive checks LOCK, takes the finding with this ID (the "id" of a report, in JSON its
"fingerprint") and writes a waiver for it into the lock: who lets it stand, why, and
until when. Until then the finding is listed as waived and counts for
nothing else; after that it is back. A waiver is the one way around a floor (†).

With --head the finding is one that a2alock review has of that REF. What a change does
to a lock, and what has a floor, only a waiver lets stand that was merged before: so
write it on a branch of the target, merge that, and bring REF up to date. Without
--head, and where check does not have the finding, it is one of the review of the
working tree.

--until is a day (the finding is back on the day after it, UTC) or an RFC 3339 time,
at most policy.max_waiver ahead. The owner is the lock's; without one, --owner is
required. Waiving the finding again replaces its waiver. A finding that names several
skills gets a waiver for each. What is said of a waiver itself cannot be waived: renew
that waiver, or take it out of the lock.

Exit codes: 0 written; 1 no finding has that id, or no waiver here lets it
stand; 2 the command line, the config or the lock is wrong; 3 the lock could not be
checked, or the review has nothing to compare with.`,
		Example: `  a2alock waive locks/pricing.a2a.lock.json 3f1c22d90a4b5e67 --until 2026-12-31 --reason "polling until 3.4 is out"
  a2alock waive locks/pricing.a2a.lock.json 3b060dc35ebbe4b6 --head topic --until 2026-12-31 --reason "we poll now"`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return misuse(c, "want LOCK and ID, got %d arguments", len(args))
			}
			return nil
		},
		ValidArgsFunction: completeLocks,
	}
	flags := c.Flags()
	flags.StringVar(&w.Until, "until", "", "the last `DATE` on which the waiver holds (required)")
	flags.StringVar(&w.Reason, "reason", "", "why the finding may stand: a `TEXT` for the reviewer (required)")
	flags.StringVar(&w.Owner, "owner", "", "who answers for it (default: the lock's owner)")
	flags.Var((*filled)(&w.from.file), "card", "judge this `FILE` (- is standard input) as if the agent had answered with it")
	flags.Var((*filled)(&w.head), "head", "waive a finding of the review of this `REF`")
	flags.Var((*filled)(&w.base), "base", "the review compares with where the branch left this `REF` (default: the default branch)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := apart(c, "card", "head"); err != nil {
			return err
		}
		if _, err := a.config(setup.Judging...); err != nil {
			return err
		}
		lock, err := readLock(args[0])
		if err != nil {
			return err
		}
		if err := w.complete(lock, time.Now()); err != nil {
			return usage(err)
		}
		return w.run(c.Context(), lock, args[1])
	}
	return c
}

// complete settles the owner and judges what was typed.
func (w *waiving) complete(lock *lockfile.Lock, now time.Time) error {
	var errs []error
	if w.Owner == "" {
		w.Owner = lock.Owner
	}
	if w.Owner == "" {
		errs = append(errs, fmt.Errorf("%s has no owner: say who answers for the waiver with --owner", lock.Path))
	}
	if strings.TrimSpace(w.Reason) == "" {
		errs = append(errs, errors.New("--reason: want why the finding may stand"))
	}
	limit := w.cfg.Policy.MaxWaiver
	switch end, ok := diff.Expiry(w.Until); {
	case !ok:
		errs = append(errs, fmt.Errorf("--until %q: want a day such as %s, or an RFC 3339 time", w.Until, now.AddDate(0, 0, 30).Format(time.DateOnly)))
	case !end.After(now):
		errs = append(errs, fmt.Errorf("--until %s is over", w.Until))
	case end.Sub(now) > limit+24*time.Hour: // the last day counts whole
		errs = append(errs, fmt.Errorf("--until %s is more than policy.max_waiver (%dd) ahead", w.Until, limit/(24*time.Hour)))
	}
	return errors.Join(errs...)
}

// run finds the finding and writes its waiver.
func (w *waiving) run(ctx context.Context, lock *lockfile.Lock, fingerprint string) error {
	f, of, err := w.find(ctx, lock, fingerprint)
	if err != nil {
		return err
	}
	switch rule, _ := diff.Lookup(f.Rule); {
	case rule.After:
		return &exit{
			code: exitFail,
			err:  fmt.Errorf("%s: %s cannot be waived: %s", lock.Path, f.Rule, f.Message),
			hint: "renew that waiver (waive its finding again), or take it out of waivers in the lock",
		}
	case rule.IsFirm():
		return &exit{
			code: exitFail,
			err:  fmt.Errorf("%s: %s cannot be waived: %s", lock.Path, f.Rule, f.Message),
			hint: rule.Do,
		}
	case of != nil && rule.IsWaivedBefore() && of.isIn(lock):
		return w.tooLate(ctx, lock, f, of)
	}
	w.add(lock, *f)
	if err := lock.WriteFile(lock.Path); err != nil {
		return usage(err)
	}
	w.note(fmt.Sprintf("wrote %s: %s stands until %s", lock.Path, f.Rule, w.Until))
	if of == nil || w.head == "" {
		return nil
	}
	then := ""
	if strings.HasPrefix(f.Rule, "lock-") { // it is about the change alone
		then = ", and may then be taken out there"
	}
	w.note(fmt.Sprintf("it counts once this is merged and %s has it (git merge %s)%s", w.head, shellWord(of.base.Ref), then))
	return nil
}

// find returns the finding of that fingerprint: one of the check, else one of the
// review of a change, and that change.
func (w *waiving) find(ctx context.Context, lock *lockfile.Lock, fingerprint string) (*diff.Finding, *change, error) {
	if w.head != "" {
		return w.reviewed(ctx, lock, fingerprint)
	}
	results, err := w.judge(ctx, []*lockfile.Lock{lock}, w.from)
	if err != nil {
		return nil, nil, err
	}
	r := results[0]
	if f := findingOf(r, fingerprint); f != nil {
		return f, nil, nil
	}
	f, c, err := w.reviewed(ctx, lock, fingerprint)
	switch stop := interrupted(ctx); {
	case stop != nil:
		return nil, nil, stop
	case err == nil || w.base != "":
		return f, c, err
	case !r.Decided:
		return nil, nil, &exit{code: exitUndecided, err: fmt.Errorf("%s: %s: %s", lock.Path, r.State, r.Detail)}
	}
	return nil, nil, notFound(lock, fingerprint, r)
}

// reviewed is the finding that the review has of that fingerprint, and the change
// that it is of.
func (w *waiving) reviewed(ctx context.Context, lock *lockfile.Lock, fingerprint string) (*diff.Finding, *change, error) {
	r := &reviewing{app: w.app, base: w.base, head: w.head}
	c, err := r.ofRepository(ctx, []string{lock.Path})
	if err != nil {
		return nil, nil, err
	}
	results, err := r.judge(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	for _, result := range results {
		if f := findingOf(result, fingerprint); f != nil {
			return f, c, nil
		}
	}
	if len(results) == 0 {
		return nil, nil, refused(fmt.Errorf("%s: nothing changed in it since %s", lock.Path, c.base))
	}
	return nil, nil, notFound(lock, fingerprint, results...)
}

// isIn is whether the lock under review is what the file of l says now.
func (c *change) isIn(l *lockfile.Lock) bool {
	text, err := os.ReadFile(l.Path)
	return err == nil && slices.ContainsFunc(c.pairs, func(p pairing.Pair) bool {
		return p.Now != nil && p.Now.Lock != nil && bytes.Equal(p.Now.Text, text)
	})
}

// tooLate is for a finding that only a waiver lets stand which was there before the
// change: it says how that is done.
func (w *waiving) tooLate(ctx context.Context, lock *lockfile.Lock, f *diff.Finding, of *change) error {
	id := f.Fingerprint[:8]
	branch, steps := w.head, []string{"commit the change, and let a waiver be merged before it:"}
	if repo, err := gitrepo.Open(ctx, ""); err == nil && branch == "" {
		branch = repo.Branch(ctx)
	}
	if of.base.Ref == branch || strings.HasSuffix(of.base.Ref, "/"+branch) { // also of no branch
		branch = "change-" + id
		steps = append(steps, "git switch -c "+branch)
	}
	again := []string{"a2alock waive", shellWord(lock.Path), f.Fingerprint, "--head", shellWord(branch), "--until", w.Until, "--reason", shellWord(w.Reason)}
	if w.base != "" {
		again = append(again, "--base", shellWord(w.base))
	}
	if w.Owner != lock.Owner {
		again = append(again, "--owner", shellWord(w.Owner))
	}
	steps = append(steps, "git commit -am 'the change'", "git switch -c waive-"+id+" "+shellWord(of.base.Ref), strings.Join(again, " "))
	return &exit{
		code: exitFail,
		err:  fmt.Errorf("%s: %s is of the change that the file has by now, and no waiver that comes with a change lets that stand", lock.Path, f.Rule),
		hint: strings.Join(steps, "\n"),
	}
}

// findingOf is the finding of that fingerprint; nil where there is none.
func findingOf(r *diff.Result, fingerprint string) *diff.Finding {
	for i := range r.Findings {
		if r.Findings[i].Fingerprint == fingerprint {
			return &r.Findings[i]
		}
	}
	return nil
}

// notFound is how the command ends where nothing has the fingerprint.
func notFound(lock *lockfile.Lock, fingerprint string, results ...*diff.Result) error {
	return &exit{
		code: exitFail,
		err:  fmt.Errorf("%s: no finding has the id %q", lock.Path, fingerprint),
		hint: fingerprints(results),
	}
}

// add puts the waiver into the lock, once for each of the findings that f was
// made of, in place of those that are there.
func (w *waiving) add(lock *lockfile.Lock, f diff.Finding) {
	w.Rule = f.Rule
	for _, part := range f.Parts {
		w.Path, w.Fingerprint = part.Path, part.Fingerprint
		lock.Waivers = slices.DeleteFunc(lock.Waivers, func(old lockfile.Waiver) bool { return old.Fingerprint == part.Fingerprint })
		lock.Waivers = append(lock.Waivers, w.Waiver)
	}
}

// fingerprints names the findings that could have been meant.
func fingerprints(results []*diff.Result) string {
	lines := []string{"its findings are:"}
	for _, r := range results {
		for _, f := range r.Findings {
			lines = append(lines, fmt.Sprintf("%s  %s %s", f.Fingerprint, f.Class, f.Rule))
		}
	}
	if len(lines) == 1 {
		return "the lock has no finding at all"
	}
	return strings.Join(lines, "\n")
}
