package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

func (p *pinning) run(ctx context.Context, source string) error {
	p.At = time.Now().UTC()
	got, err := p.read(ctx, source)
	if err != nil {
		return err
	}
	if err := readingExit(source, got.Reading); err != nil {
		return err
	}
	p.CardDigest, p.Agent = got.Digest, cmp.Or(got.url, p.Agent)
	if p.digest != "" && p.digest != got.Digest {
		return refused(fmt.Errorf("%s: the card's digest is %s, want %s", redact.URL(source), got.Digest, p.digest))
	}
	if err := p.choose(ctx, got.Profile); err != nil {
		return err
	}
	if err := p.target(got.Profile); err != nil {
		return err
	}
	return p.pin(ctx, got)
}

// read gets the card that SOURCE means.
func (p *pinning) read(ctx context.Context, source string) (*answer, error) {
	switch {
	case isURL(source) && p.Agent != "":
		return nil, usage(errors.New("--agent goes with a card file; here SOURCE is the agent"))
	case isURL(source):
		return p.source(ctx, source)
	case isLock(source) && p.Agent != "":
		return nil, &exit{
			code: exitUsage,
			err:  errors.New("--agent goes with a card file; a lock names its agent"),
			hint: "a2alock pin URL -o LOCK --accept breaking moves a lock to another agent",
		}
	case isLock(source):
		old, err := readLock(source)
		if err != nil {
			return nil, err
		}
		p.out = cmp.Or(p.out, source)
		return p.exact(ctx, old.Agent)
	case p.Agent == "":
		return nil, &exit{
			code: exitUsage,
			err:  fmt.Errorf("%s: a card file does not say where it came from", source),
			hint: "add --agent URL, the card's exact address",
		}
	}
	if err := checkAgent(p.Agent); err != nil {
		return nil, usage(err)
	}
	return p.source(ctx, source)
}

// checkAgent is for an --agent that was typed; what answered a fetch has
// passed already.
func checkAgent(agent string) error {
	u, err := url.Parse(agent)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("--agent %q: want the card's absolute http(s) URL, without user or fragment", redact.URL(agent))
	}
	return nil
}

// target settles the file to write, and reads the lock that is there.
func (p *pinning) target(profile *compile.Profile) error {
	name := filepath.Base(lockfile.FileName(profile, p.Skills))
	if p.out == "" {
		p.out = display([]string{filepath.Join(p.pinDir(), name)})[0]
	}
	info, err := os.Stat(p.out)
	switch {
	case err == nil && info.IsDir():
		return &exit{
			code: exitUsage,
			err:  fmt.Errorf("-o %s: that is a folder", p.out),
			hint: "name the file: -o " + filepath.ToSlash(filepath.Join(p.out, name)),
		}
	case !isLock(p.out):
		return &exit{
			code: exitUsage,
			err:  fmt.Errorf("-o %s: the name of a lock ends in %s", p.out, lockfile.Suffix),
			hint: "locks are found by that name",
		}
	case errors.Is(err, os.ErrNotExist):
		return nil
	}
	old, err := readLock(p.out)
	if err != nil {
		return err
	}
	if compile.Origin("", old.Agent) != compile.Origin("", p.Agent) && p.accept == "" {
		return &exit{
			code: exitFail,
			err:  fmt.Errorf("%s locks another agent, %s", p.out, redact.URL(old.Agent)),
			hint: "-o FILE writes another lock; --accept breaking moves this one to the new agent",
		}
	}
	p.Old = old
	return nil
}

// pinDir is where new locks go: the first configured folder, else locks/.
func (a *app) pinDir() string {
	if len(a.cfg.Locks) > 0 {
		for _, root := range a.cfg.Roots() {
			if filepath.Ext(root) != ".json" {
				return root
			}
		}
	}
	return filepath.Join(a.cfg.Root, "locks")
}

// pin makes the lock and writes it. What changed since the old one is printed
// first.
func (p *pinning) pin(ctx context.Context, got *answer) error {
	var since *diff.Result
	var rep *report.Report
	if p.Old != nil {
		var err error
		if since, rep, err = p.compare(got); err != nil {
			return err
		}
		if err := rep.Text(p.stdout, p.text()); err != nil {
			return err
		}
	}
	lock, notes, err := lockfile.Pin(got.Profile, &p.cfg.Client, p.PinOptions)
	if err != nil {
		return &exit{code: exitFail, err: err, hint: p.pinHint(err, got.Profile)}
	}
	if since != nil && !p.dryRun {
		if err := p.agree(ctx, since); err != nil {
			return err
		}
	}
	for _, n := range notes {
		p.note(n)
	}
	if redact.URL(lock.Agent) != lock.Agent {
		p.note("the agent's URL has what looks like a secret in it, and the lock holds it as it is: " + redact.URL(lock.Agent))
	}
	switch {
	case !p.dryRun:
		return p.write(lock)
	case rep != nil:
		return quietly(rep.Exit())
	}
	data, err := lockfile.Format(lock)
	if err != nil {
		return usage(err)
	}
	return report.WriteJSON(p.stdout, jsontext.Value(data)) // for a screen or a log, which a file is not
}

// compare judges the old lock by the card, as check would.
func (p *pinning) compare(got *answer) (*diff.Result, *report.Report, error) {
	policy, err := p.policy.With(p.Old.Policy)
	if err != nil {
		return nil, nil, usage(policyFaults(err, func(pointer string) string { return p.Old.Path + ": /policy" + pointer }))
	}
	level, err := failLevel("", p.cfg.Policy.FailOn)
	if err != nil {
		return nil, nil, err
	}
	result := diff.Judge(p.Old, got.Reading, diff.Comparison{
		Client: &p.cfg.Client,
		Policy: policy,
		Seen:   diff.Seen{URL: got.url},
		At:     p.At,
	})
	return result, report.New([]*diff.Result{result}, level, nil), nil
}

// agree wants a person's word for breaking drift.
func (p *pinning) agree(ctx context.Context, since *diff.Result) error {
	if !since.Decided {
		return refused(fmt.Errorf("%s: %s", p.Old.Path, since.Detail))
	}
	if since.Class < diff.Breaking || p.accept != "" {
		return nil
	}
	yes, err := p.confirm(ctx)
	if err != nil || yes {
		return err
	}
	return &exit{
		code: exitFail,
		err:  fmt.Errorf("%s: the drift is breaking, and the lock is left as it is", p.Old.Path),
		hint: "--accept breaking pins it all the same",
	}
}

func (p *pinning) write(lock *lockfile.Lock) error {
	data, err := lockfile.Format(lock)
	if err != nil {
		return usage(err)
	}
	if now, err := os.ReadFile(p.out); err == nil && bytes.Equal(now, data) {
		p.note(p.out + " is up to date")
		return nil
	}
	if err := lock.WriteFile(p.out); err != nil {
		return usage(err)
	}
	p.note("wrote " + p.out)
	return nil
}
