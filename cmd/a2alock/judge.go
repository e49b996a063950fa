package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/netguard"
)

// cards is where the cards to judge come from: the zero value asks each agent.
type cards struct {
	file  string // stands for the agent's answer
	every bool   // and does so whatever agents the locks name
	dir   string // holds NAME.json for NAME.a2a.lock.json
}

// judge holds every lock against its agent's card, or against one that came
// otherwise. The results stand in the locks' order.
func (a *app) judge(ctx context.Context, locks []*lockfile.Lock, from cards) ([]*diff.Result, error) {
	policies, err := a.policies(locks)
	if err != nil {
		return nil, err
	}
	answers, err := a.answers(ctx, locks, from)
	if err != nil {
		return nil, err
	}
	results := make([]*diff.Result, len(locks))
	base := diff.Comparison{Client: &a.cfg.Client, At: time.Now()}
	for i, l := range locks {
		base.Policy = policies[i]
		results[i] = result(l, answers[i], base)
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

// answers finds the card for each lock, in the locks' order.
func (a *app) answers(ctx context.Context, locks []*lockfile.Lock, from cards) ([]*live, error) {
	switch {
	case from.dir != "":
		return a.recorded(locks, from.dir)
	case from.file != "":
		return a.oneFile(locks, from)
	}
	return a.asked(ctx, locks)
}

// oneFile gives every lock the same bytes, which makes sense for locks on one
// agent alone, unless a person says otherwise.
func (a *app) oneFile(locks []*lockfile.Lock, from cards) ([]*live, error) {
	body, err := a.readFile(from.file)
	if err != nil {
		return nil, usage(err)
	}
	agents := map[string]bool{}
	out := make([]*live, len(locks))
	one := &live{Reading: compile.Read(body, &a.cfg.Client, a.cardOptions())}
	for i, l := range locks {
		out[i] = one
		agents[l.Agent] = true
	}
	if len(agents) > 1 && !from.every {
		return nil, &exit{
			code: exitUsage,
			err:  fmt.Errorf("--card is one agent's card, and the %d locks name %d agents", len(locks), len(agents)),
			hint: "name the lock: a2alock check LOCK --card FILE; or give one card a lock: --cards DIR",
		}
	}
	return out, nil
}

// recorded reads each lock's card from a folder. A lock without one stays
// undecided: nobody has asked for it.
func (a *app) recorded(locks []*lockfile.Lock, dir string) ([]*live, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, usage(err)
	} else if !info.IsDir() {
		return nil, usage(fmt.Errorf("--cards %s: want a folder", dir))
	}
	out := make([]*live, len(locks))
	for i, l := range locks {
		path := filepath.Join(dir, lockfile.Name(l.Path)+".json")
		body, err := a.readFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			out[i] = &live{err: &fetch.Error{URL: l.Agent, State: fetch.NeverChecked, Err: fmt.Errorf("%s is not there", filepath.ToSlash(path))}}
		case err != nil:
			return nil, usage(err)
		default:
			out[i] = &live{Reading: compile.Read(body, &a.cfg.Client, a.cardOptions())}
		}
	}
	return out, nil
}

// asked asks each agent once.
func (a *app) asked(ctx context.Context, locks []*lockfile.Lock) ([]*live, error) {
	urls := make([]string, len(locks))
	for i, l := range locks {
		urls[i] = l.Agent
	}
	client, shown := a.fetcher(), a.progress("agents asked")
	client.Progress = shown.step
	outcomes := client.All(ctx, urls, 0)
	shown.end()
	if err := interrupted(ctx); err != nil {
		return nil, err // half of the answers are no verdict
	}
	byURL := make(map[string]*live, len(outcomes))
	for url, o := range outcomes {
		if o.Err != nil {
			byURL[url] = &live{err: o.Err}
			continue
		}
		byURL[url] = &live{
			Reading: compile.Read(o.Response.Body, &a.cfg.Client, a.cardOptions()),
			url:     o.Response.Final,
			offsite: o.Response.Offsite,
		}
	}
	out := make([]*live, len(locks))
	for i, u := range urls {
		out[i] = byURL[u]
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
