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

Exit codes: as check; 3 also where OLD is no card that a client could call (with
--lock, the client of a2alock.yaml).`,
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
	o := a.addOutputs(c, failedReport)
	c.Flags().Var((*filled)(&lockPath), "lock", "say what the change means for this `LOCK`")
	addFailOn(c, &failOn)
	c.RunE = func(c *cobra.Command, args []string) error {
		level, err := a.level(failOn)
		if err != nil {
			return err
		}
		for _, arg := range args {
			if isLock(arg) && !isURL(arg) {
				return &exit{
					code: exitUsage,
					err:  fmt.Errorf("%s: diff compares two cards, and that is the name of a lock", arg),
					hint: "a2alock check LOCK --card FILE holds a card against it, a2alock review --files OLD NEW compares two locks",
				}
			}
		}
		o.card = args[1]
		d := &difference{app: a, old: args[0], new: args[1], lock: &lockfile.Lock{Agent: redact.URL(args[1])}}
		if lockPath != "" {
			if d.lock, err = readLock(lockPath); err != nil {
				return err
			}
		}
		result, err := d.judge(c.Context())
		if err != nil {
			return err
		}
		return a.print(report.New([]*diff.Result{result}, level, nil), o)
	}
	return c
}

// A difference is one run of `a2alock diff`.
type difference struct {
	*app
	old, new string
	lock     *lockfile.Lock // without a path where no flag named one
}

// judge holds NEW against OLD. A card that did not come, or is none, leaves the
// lock undecided, whichever side it is.
func (d *difference) judge(ctx context.Context) (*diff.Result, error) {
	policy, err := d.policyOf(d.lock)
	if err != nil {
		return nil, usage(err)
	}
	var bodies [2][]byte
	for i, name := range []string{d.old, d.new} {
		body, err := d.bytes(ctx, name)
		if x, ok := errors.AsType[*exit](err); ok && x.code == exitUndecided {
			return undecided(d.about(name), x.err), nil
		}
		if err != nil {
			return nil, err
		}
		bodies[i] = body
	}
	result, err := d.compare(bodies[0], bodies[1], diff.Comparison{Policy: policy, At: time.Now()})
	if doc, ok := errors.AsType[*card.DocumentError](err); ok {
		return diff.Undecided(d.about(d.old), doc.State, redact.URL(d.old)+": "+doc.Detail()), nil
	}
	return result, err
}

// about is what the report is about where the card of that name is at fault.
func (d *difference) about(name string) *lockfile.Lock {
	if d.lock.Path != "" {
		return d.lock
	}
	return &lockfile.Lock{Agent: redact.URL(name)}
}

// compare holds two cards against each other, for the lock where one is named:
// then OLD is what it was pinned from. The error is a [*card.DocumentError]
// where OLD is no card that the client could call.
func (d *difference) compare(was, now []byte, base diff.Comparison) (*diff.Result, error) {
	if d.lock.Path == "" {
		result, err := diff.Cards(was, now, d.cardOptions(), base)
		if err == nil {
			result.Lock.Agent = d.lock.Agent // what the report is about
		}
		if err == nil && len(result.Findings) > 0 {
			result.Notes = append(result.Notes, "where it says the lock, a lock that requires all of OLD is meant; --lock names a real one")
		}
		return result, err
	}
	base.Client = &d.cfg.Client
	before := compile.Read(was, base.Client, d.cardOptions())
	switch {
	case before.Err != nil:
		return nil, before.Err
	case !before.Profile.Usable:
		return nil, &card.DocumentError{State: card.Invalid, Msg: "the client cannot call the agent: " + before.Profile.Reason}
	}
	lock := d.lock
	lock.Profile, lock.CardDigest, lock.AgentVersion = before.Profile, before.Digest, before.Profile.AgentVersion
	lock.Interface = nil // as OLD has it
	return diff.Judge(lock, compile.Read(now, base.Client, d.cardOptions()), base), nil
}

// bytes reads what CARD means, as it came.
func (a *app) bytes(ctx context.Context, arg string) ([]byte, error) {
	if !isURL(arg) {
		body, err := a.readFile(arg)
		if err != nil {
			return nil, fileExit(err)
		}
		return body, nil
	}
	res, err := a.fetcher().Discover(ctx, arg, "")
	if err != nil {
		return nil, a.fetchExit(ctx, err, "")
	}
	return res.Body, nil
}
