package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

func newDiff(a *app) *cobra.Command {
	var lockPath, failOn string
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two cards by the rules",
		Long: `diff compares two cards as check compares a card with a lock: OLD counts as a lock
that needs everything OLD offers, for a client that can satisfy all of it. With
--lock it says what the change means for that lock alone, and for the client of
a2alock.yaml. OLD and NEW are files or URLs, and one of them may be - for standard
input.

Exit codes: as check; 3 also where OLD is no card that a client could call.`,
		Example: "  a2alock diff old.json new.json\n  git show main:card.json | a2alock diff - card.json --fail-on review",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return misuse(c, "want OLD and NEW, got %d arguments", len(args))
			}
			if args[0] == "-" && args[1] == "-" {
				return misuse(c, "only one of OLD and NEW can be standard input")
			}
			return nil
		},
	}
	o := addOutputs(c)
	c.Flags().Var((*filled)(&lockPath), "lock", "say what the change means for this `LOCK`")
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
		was, err := a.bytes(c.Context(), args[0])
		if err != nil {
			return err
		}
		now, err := a.bytes(c.Context(), args[1])
		if err != nil {
			return err
		}
		result, err := a.compare(was, now, lockPath)
		if err != nil {
			if d, ok := errors.AsType[*card.DocumentError](err); ok {
				return &exit{code: exitUndecided, err: fmt.Errorf("%s: %w", redact.URL(args[0]), d)}
			}
			return err
		}
		if lockPath == "" {
			result.Lock.Agent = redact.URL(args[1]) // what the report is about
		}
		return a.print(report.New([]*diff.Result{result}, level, nil), o)
	}
	return c
}

// compare holds two cards against each other, for a lock where one is named.
func (a *app) compare(was, now []byte, lockPath string) (*diff.Result, error) {
	base := diff.Comparison{Policy: a.policy, At: time.Now()}
	if lockPath == "" {
		return diff.Cards(was, now, a.cardOptions(), base)
	}
	lock, err := readLock(lockPath)
	if err != nil {
		return nil, err
	}
	policies, err := a.policies([]*lockfile.Lock{lock})
	if err != nil {
		return nil, err
	}
	base.Policy, base.Client = policies[0], &a.cfg.Client
	before := compile.Read(was, base.Client, a.cardOptions())
	if before.Err != nil {
		return nil, before.Err
	}
	lock.Profile, lock.CardDigest, lock.AgentVersion = before.Profile, before.Digest, before.Profile.AgentVersion
	lock.Interface = nil // as OLD has it
	return diff.Judge(lock, compile.Read(now, base.Client, a.cardOptions()), base), nil
}

// bytes reads what CARD means, as it came.
func (a *app) bytes(ctx context.Context, arg string) ([]byte, error) {
	if !isURL(arg) {
		body, err := a.readFile(arg)
		if err != nil {
			return nil, usage(err)
		}
		return body, nil
	}
	res, err := a.fetcher().Discover(ctx, arg)
	if err != nil {
		return nil, fetchExit(ctx, err)
	}
	return res.Body, nil
}
