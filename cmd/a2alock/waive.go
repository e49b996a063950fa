package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/lockfile"
)

// A waiving is one run of `a2alock waive`.
type waiving struct {
	*app
	lockfile.Waiver
	from cards
}

func newWaive(a *app) *cobra.Command {
	w := &waiving{app: a}
	c := &cobra.Command{
		Use:   "waive LOCK FINGERPRINT",
		Short: "Let one finding stand until a day",
		Long: `waive checks LOCK, takes the finding with this FINGERPRINT (check prints it as "id",
and as "fingerprint" in JSON) and writes a waiver for it into the lock: who lets it
stand, why, and until when. Until then the finding is listed as waived and counts for
nothing else; after that it is back. A waiver is the one way around a floor (†).

--until is a day (the finding is back on the day after it, UTC) or an RFC 3339 time,
at most policy.max_waiver ahead. The owner is the lock's; without one, --owner is
required. Waiving the finding again replaces its waiver. A finding that names several
skills gets a waiver for each. What is said of a waiver itself cannot be waived: renew
that waiver, or take it out of the lock.

Exit codes: 0 written; 1 no finding has that fingerprint, or it is about a waiver; 2 the
command line, the config or the lock is wrong; 3 the lock could not be checked.`,
		Example: `  a2alock waive locks/pricing.a2a.lock.json 3f1c22d90a4b5e67 --until 2026-12-31 --reason "polling until 3.4 is out"`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return misuse(c, "want LOCK and FINGERPRINT, got %d arguments", len(args))
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
	c.RunE = func(c *cobra.Command, args []string) error {
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

// run checks the lock and writes the waiver of the finding.
func (w *waiving) run(ctx context.Context, lock *lockfile.Lock, fingerprint string) error {
	results, err := w.judge(ctx, []*lockfile.Lock{lock}, w.from)
	if err != nil {
		return err
	}
	r := results[0]
	i := slices.IndexFunc(r.Findings, func(f diff.Finding) bool { return f.Fingerprint == fingerprint })
	switch {
	case i < 0 && !r.Decided:
		return &exit{code: exitUndecided, err: fmt.Errorf("%s: %s: %s", lock.Path, r.State, r.Detail)}
	case i < 0:
		return &exit{code: exitFail, err: fmt.Errorf("%s: no finding has the fingerprint %q", lock.Path, fingerprint), hint: fingerprints(r)}
	}
	f := r.Findings[i]
	if rule, _ := diff.Lookup(f.Rule); rule.After {
		return &exit{
			code: exitFail,
			err:  fmt.Errorf("%s: %s cannot be waived: %s", lock.Path, f.Rule, f.Message),
			hint: "renew that waiver (waive its finding again), or take it out of waivers in the lock",
		}
	}
	w.add(lock, f)
	if err := lock.WriteFile(lock.Path); err != nil {
		return usage(err)
	}
	w.note(fmt.Sprintf("wrote %s: %s stands until %s", lock.Path, f.Rule, w.Until))
	return nil
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
func fingerprints(r *diff.Result) string {
	if len(r.Findings) == 0 {
		return "the lock has no finding at all"
	}
	lines := []string{"its findings are:"}
	for _, f := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s  %s %s", f.Fingerprint, f.Class, f.Rule))
	}
	return strings.Join(lines, "\n")
}
