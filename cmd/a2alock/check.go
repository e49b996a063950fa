package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/report"
)

func newCheck(a *app) *cobra.Command {
	var from cards
	var failOn string
	c := &cobra.Command{
		Use:   "check [LOCK…]",
		Short: "Say whether the agents still offer what the locks need",
		Long: `check fetches the card of every lock's agent, each agent once, and compares it
with the lock: compatible, review or breaking. LOCK is a file or a folder; without
one, every lock under the configured "locks" is checked. A lock with an identity is
held against the card that this credential is shown: the extended one, where the
public card promises it.

Exit codes: 0 nothing at or above --fail-on; 1 something is; 2 a lock, the config
or the command line is wrong, or there is no lock at all; 3 something could not be
decided, and nothing reached the level. A lock that is broken, or whose credential is
not here, makes it 2, and the others are checked and reported all the same.`,
		Example: `  a2alock check
  a2alock check locks/pricing.a2a.lock.json --card testdata/card.json
  a2alock check --fail-on review --format json
  a2alock check --cards published/ --out markdown=report.md`,
		ValidArgsFunction: completeLocks,
	}
	o := a.addOutputs(c, failedReport)
	c.Flags().Var((*filled)(&from.file), "card", "judge this `FILE` (- is standard input) as if the agent had answered with it")
	c.Flags().Var((*filled)(&from.dir), "cards", "judge DIR/NAME.json as the answer for NAME.a2a.lock.json, for every lock; ask no agent (`DIR`)")
	a.addIdentity(c, &from.identity, "ask each agent as the credential `NAME`, in place of what its lock names")
	addFailOn(c, &failOn)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := cmp.Or(apart(c, "card", "cards", "identity"), apart(c, "cards", "identity")); err != nil {
			return err
		}
		level, err := a.level(failOn)
		if err != nil {
			return err
		}
		s, err := a.sound(args, from)
		if err != nil {
			return err
		}
		a.tellTwins(s.locks)
		results, err := a.judge(c.Context(), s.locks, from)
		if err != nil {
			return err
		}
		r := report.New(results, level, s.errors())
		if err := a.show(r, o); err != nil {
			return err
		}
		return cmp.Or(s.end(o.format.value), quietly(r.Exit()))
	}
	return c
}

func addFailOn(c *cobra.Command, failOn *string) {
	c.Flags().Var((*filled)(failOn), "fail-on", "fail from this `CLASS` on: breaking or review (default: policy.fail_on, else breaking)")
	completeWith(c, "fail-on", []string{"breaking", "review"})
}

// failLevel is the class from which on a run fails: the flag's, else the
// config's, else breaking.
func failLevel(flag, configured string) (diff.Class, error) {
	word := cmp.Or(flag, configured, "breaking")
	class, err := diff.ParseClass(word)
	if err != nil || class == diff.Compatible {
		return 0, usage(fmt.Errorf("--fail-on %q: want breaking or review", word))
	}
	return class, nil
}
