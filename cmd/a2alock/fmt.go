package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

func newFmt(a *app) *cobra.Command {
	var check bool
	c := &cobra.Command{
		Use:   "fmt [LOCK…]",
		Short: "Write locks in their canonical form",
		Long: `fmt rewrites the locks named, or all of them, in the one canonical form: members in
order, sets sorted, one item a line. Members that this version does not know stay.
The files that changed are printed.

Exit codes: 0 done; 1 with --check, a file would change; 2 a lock is unreadable, or
there is none.`,
		Example:           "  a2alock fmt\n  a2alock fmt --check locks/pricing.a2a.lock.json",
		ValidArgsFunction: completeLocks,
	}
	c.Flags().BoolVar(&check, "check", false, "change nothing, and fail when a file would change")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if _, err := a.config(); err != nil {
			return err
		}
		paths, err := a.paths(args)
		if err != nil {
			return err
		}
		changed := 0
		var errs []error
		for _, p := range paths {
			did, err := reformat(p, check)
			if err != nil {
				errs = append(errs, takenFor(p, err))
			}
			if did {
				changed++
				fmt.Fprintln(a.stdout, report.Line(p))
			}
		}
		if len(errs) > 0 {
			return usage(errors.Join(errs...))
		}
		if check && changed > 0 {
			return &exit{
				code: exitFail,
				err:  fmt.Errorf("%d of %d locks would change", changed, len(paths)),
				hint: "a2alock fmt rewrites them",
			}
		}
		return nil
	}
	return c
}

// reformat says whether the file at path differs from its canonical form, and
// rewrites it unless check is set.
func reformat(path string, check bool) (bool, error) {
	was, err := lockfile.ReadBytes(path)
	if err != nil {
		return false, err
	}
	l, err := lockfile.Parse(was, path)
	if err != nil {
		return false, err
	}
	now, err := lockfile.Format(l)
	if err != nil || string(now) == string(was) {
		return false, err
	}
	if check {
		return true, nil
	}
	return true, l.WriteFile(path)
}
