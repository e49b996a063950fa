package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/report"
)

func newCheck(a *app) *cobra.Command {
	var cardFile, failOn string
	c := &cobra.Command{
		Use:   "check [LOCK…]",
		Short: "Say whether the agents still offer what the locks need",
		Long: `check fetches the card of every lock's agent, each agent once, and compares it
with the lock: compatible, review or breaking. LOCK is a file or a folder; without
one, every lock under the configured "locks" is checked.

Exit codes: 0 nothing at or above --fail-on; 1 something is; 2 a lock, the config
or the command line is wrong, or there is no lock at all; 3 something could not be
decided, and nothing reached the level.`,
		Example: `  a2alock check
  a2alock check locks/pricing.a2a.lock.json --card testdata/card.json
  a2alock check --fail-on review --format json`,
		ValidArgsFunction: completeLocks,
	}
	o := addOutputs(c)
	c.Flags().StringVar(&cardFile, "card", "", "judge this `FILE` (- is standard input) as if the agent had answered with it")
	addFailOn(c, &failOn)
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := a.config()
		if err != nil {
			return err
		}
		level, err := failLevel(failOn, cfg.Policy.FailOn)
		if err != nil {
			return err
		}
		paths, err := a.locks(args)
		if err != nil {
			return err
		}
		locks, err := readLocks(paths)
		if err != nil {
			return err
		}
		results, err := a.judge(c.Context(), locks, cardFile)
		if err != nil {
			return err
		}
		return a.print(report.New(results, level, nil), o)
	}
	return c
}

func addFailOn(c *cobra.Command, failOn *string) {
	c.Flags().StringVar(failOn, "fail-on", "", "fail from this `CLASS` on: breaking or review (default: policy.fail_on, else breaking)")
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

// judge holds every lock against its agent's card, or against cardFile. The
// results stand in the locks' order.
func (a *app) judge(ctx context.Context, locks []*lockfile.Lock, cardFile string) ([]*diff.Result, error) {
	policies, err := a.policies(locks)
	if err != nil {
		return nil, err
	}
	answers, err := a.answers(ctx, locks, cardFile)
	if err != nil {
		return nil, err
	}
	results := make([]*diff.Result, len(locks))
	base := diff.Comparison{Client: &a.cfg.Client, At: time.Now()}
	for i, l := range locks {
		base.Policy = policies[i]
		results[i] = result(l, answers[l.Agent], base)
	}
	return results, nil
}

// policies are the configured policy with each lock's own overrides, in the
// locks' order.
func (a *app) policies(locks []*lockfile.Lock) ([]diff.Policy, error) {
	policies := make([]diff.Policy, len(locks))
	var errs []error
	for i, l := range locks {
		var err error
		if policies[i], err = a.policy.With(l.Policy); err != nil {
			errs = append(errs, policyFaults(err, func(pointer string) string { return l.Path + ": /policy" + pointer }))
		}
	}
	if len(errs) > 0 {
		return nil, usage(errors.Join(errs...))
	}
	return policies, nil
}

// A live is the answer of one agent, or why there is none.
type live struct {
	*compile.Reading
	url     string
	offsite bool
	err     error // of [fetch.Client.Get]
}

// answers asks each agent once. With cardFile every lock gets its bytes, which
// makes sense for locks on one agent alone.
func (a *app) answers(ctx context.Context, locks []*lockfile.Lock, cardFile string) (map[string]*live, error) {
	out := map[string]*live{}
	if cardFile != "" {
		body, err := a.readFile(cardFile)
		if err != nil {
			return nil, usage(err)
		}
		l := &live{Reading: compile.Read(body, &a.cfg.Client, a.cardOptions())}
		for _, lock := range locks {
			out[lock.Agent] = l
		}
		if len(out) > 1 {
			return nil, &exit{
				code: exitUsage,
				err:  fmt.Errorf("--card is one agent's card, and the %d locks name %d agents", len(locks), len(out)),
				hint: "name the lock: a2alock check LOCK --card FILE",
			}
		}
		return out, nil
	}
	urls := make([]string, len(locks))
	for i, l := range locks {
		urls[i] = l.Agent
	}
	outcomes := a.fetcher().All(ctx, urls, 0)
	if err := interrupted(ctx); err != nil {
		return nil, err // half of the answers are no verdict
	}
	for url, o := range outcomes {
		if o.Err != nil {
			out[url] = &live{err: o.Err}
			continue
		}
		out[url] = &live{
			Reading: compile.Read(o.Response.Body, &a.cfg.Client, a.cardOptions()),
			url:     o.Response.Final,
			offsite: o.Response.Offsite,
		}
	}
	return out, nil
}

// result judges one lock by its agent's answer.
func result(l *lockfile.Lock, got *live, base diff.Comparison) *diff.Result {
	if got.err != nil {
		detail := got.err.Error()
		if r, ok := errors.AsType[*netguard.Refused](got.err); ok {
			if h := refusalHint(r); h != "" {
				detail += "; " + h
			}
		}
		state := fetch.Unreachable
		if e, ok := errors.AsType[*fetch.Error](got.err); ok {
			state = e.State
		}
		return diff.Undecided(l, state, detail)
	}
	base.Seen.URL, base.Seen.Offsite = got.url, got.offsite
	return diff.Judge(l, got.Reading, base)
}
