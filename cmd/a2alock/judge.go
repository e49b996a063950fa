package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/extended"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/netguard"
)

// cards is where the cards to judge come from: the zero value asks each agent.
type cards struct {
	file  string // stands for the agent's answer
	every bool   // and does so whatever agents the locks name
	dir   string // holds NAME.json for NAME.a2a.lock.json
	// identity is as whom each agent is asked, in place of what its lock names.
	identity string
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
	unshown := map[string]bool{}
	base := diff.Comparison{Client: &a.cfg.Client, At: time.Now()}
	for i, l := range locks {
		base.Policy = policies[i]
		results[i] = result(l, answers[i], base)
		if from.identity != "" { // the lock is judged as it is, and the report says who looked
			shown := *results[i].Lock
			shown.Identity = from.identity
			if answers[i].err == nil && !answers[i].extended && !a.showsItself(from.identity, l.Agent) {
				shown.Identity = "" // it went nowhere
				unshown[l.Agent] = true
			}
			results[i].Lock = &shown
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(unshown)) {
		a.note(fmt.Sprintf("%s was asked without a credential: %q may not go there", redact.URL(agent), from.identity))
	}
	return results, nil
}

// policies are the configured policy with each lock's own overrides, in the
// locks' order.
func (a *app) policies(locks []*lockfile.Lock) ([]diff.Policy, error) {
	policies := make([]diff.Policy, len(locks))
	errs := make([]error, len(locks))
	for i, l := range locks {
		policies[i], errs[i] = a.policyOf(l)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, usage(err)
	}
	return policies, nil
}

// policyOf is the configured policy with the lock's own overrides. Its error
// names the faults by their places in the lock.
func (a *app) policyOf(l *lockfile.Lock) (diff.Policy, error) { return a.setup().PolicyOf(l) }

// A live is the answer of one agent, or why there is none.
type live struct {
	*compile.Reading
	url     string
	offsite bool
	// See [diff.Seen].
	extended bool
	lost     string
	same     bool
	common   bool  // as [app.isCommon]
	err      error // of [fetch.Client.Get]
}

// answers finds the card for each lock, in the locks' order.
func (a *app) answers(ctx context.Context, locks []*lockfile.Lock, from cards) ([]*live, error) {
	switch {
	case from.dir != "":
		return a.recorded(locks, from.dir)
	case from.file != "":
		return a.oneFile(locks, from)
	}
	return a.asked(ctx, locks, from.identity)
}

// oneFile gives every lock the same bytes, which makes sense for locks on one
// agent alone, unless a person says otherwise.
func (a *app) oneFile(locks []*lockfile.Lock, from cards) ([]*live, error) {
	one, err := a.recording(from.file)
	if err != nil {
		return nil, usage(err)
	}
	agents := map[string]bool{}
	out := make([]*live, len(locks))
	for i, l := range locks {
		out[i] = one.shownTo(l)
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

// recording is a file in an agent's place. Its error is that of a file which
// cannot be read.
func (a *app) recording(path string) (*live, error) {
	body, err := a.readFile(path)
	if _, ok := errors.AsType[*fetch.Error](err); ok {
		return &live{err: err}, nil
	}
	if err != nil {
		return nil, err
	}
	return &live{Reading: compile.Read(body, &a.cfg.Client, a.cardOptions())}, nil
}

// shownTo is got, a file in the place of the agent's answer to l: of the card that
// l was pinned from, public or extended.
func (got *live) shownTo(l *lockfile.Lock) *live {
	if got.err != nil || !l.IsExtended() {
		return got
	}
	shown := *got
	shown.Reading, shown.extended = extended.Mark(got.Reading), true
	return &shown
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
		var err error
		out[i], err = a.recording(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			out[i] = &live{err: &fetch.Error{URL: l.Agent, State: fetch.NeverChecked, Err: fmt.Errorf("%s is not there", filepath.ToSlash(path))}}
		case err != nil:
			return nil, usage(err)
		default:
			out[i] = out[i].shownTo(l)
		}
	}
	return out, nil
}

// asked asks each agent once for each identity: the one given, or those of the
// locks.
func (a *app) asked(ctx context.Context, locks []*lockfile.Lock, identity string) ([]*live, error) {
	err := a.identified(locks...)
	if identity != "" && len(locks) > 0 {
		err = a.identify(identity, locks[0].Agent)
	}
	if err != nil {
		return nil, err
	}
	asks := make([]fetch.Ask, len(locks))
	for i, l := range locks {
		asks[i] = fetch.Ask{URL: l.Agent, Identity: cmp.Or(identity, l.Identity)}
	}
	client, shown := a.fetcher(), a.progress("agents asked")
	client.Progress = shown.step
	outcomes := client.All(ctx, asks, 0)
	shown.end()
	if err := interrupted(ctx); err != nil {
		return nil, err // half of the answers are no verdict
	}
	came := make(map[fetch.Ask]*live, len(outcomes))
	for ask, o := range outcomes {
		if o.Err != nil {
			came[ask] = &live{err: o.Err}
			continue
		}
		r := o.Response
		came[ask] = &live{
			Reading:  a.read(r),
			url:      r.Final,
			offsite:  r.Offsite,
			extended: r.IsExtended(),
			lost:     r.Lost(),
			same:     r.IsExtended() && r.Extended.Same,
			common:   a.isCommon(ask.Identity, r),
		}
	}
	out := make([]*live, len(locks))
	for i, ask := range asks {
		out[i] = came[ask]
		if out[i].same && ask.Identity != locks[i].Identity { // somebody else may be shown what he is
			other := *out[i]
			other.same, out[i] = false, &other
		}
	}
	return out, nil
}

// seen is how the answer came.
func (got *live) seen() diff.Seen {
	return diff.Seen{
		CardDigest: got.Digest, URL: got.url, Offsite: got.offsite,
		Extended: got.extended, Lost: got.lost, Same: got.same,
	}
}

// result judges one lock by its agent's answer.
func result(l *lockfile.Lock, got *live, base diff.Comparison) *diff.Result {
	if got.err != nil {
		return undecided(l, got.err)
	}
	base.Seen = got.seen()
	return diff.Judge(l, got.Reading, base)
}

// undecided is the result where no card came, with the lines that would allow
// what the operator's own policy refused.
func undecided(l *lockfile.Lock, err error) *diff.Result {
	state, detail := fetch.Unreachable, err.Error()
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		state = e.State
	}
	if d, ok := errors.AsType[*card.DocumentError](err); ok {
		state = d.State
	}
	if r, ok := errors.AsType[*netguard.Refused](err); ok {
		if h := refusalHint(r); h != "" {
			detail += "; " + h
		}
	}
	if h := originHint(err); h != "" {
		detail += "; " + h
	}
	return diff.Undecided(l, state, detail)
}
