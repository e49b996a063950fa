package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/extended"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

func (p *pinning) run(ctx context.Context, source string) error {
	p.At = time.Now().UTC()
	if err := p.keepIdentity(source); err != nil {
		return err
	}
	got, err := p.look(ctx, source)
	if err != nil {
		return err
	}
	if err := p.choose(ctx, got); err != nil {
		return err
	}
	if err := p.target(got.Profile); err != nil {
		return err
	}
	if p.Old != nil && p.Identity == "" && p.Old.Identity != "" { // the lock keeps it
		p.Identity = p.Old.Identity
		if isURL(source) {
			p.Agent = ""
			if got, err = p.look(ctx, source); err != nil {
				return err
			}
		}
	}
	if p.digest != "" && p.digest != got.Digest {
		return refused(fmt.Errorf("%s: the card's digest is %s, want %s", redact.URL(source), got.Digest, p.digest))
	}
	if got.res == nil && p.standsForExtended() {
		got.Reading = extended.Mark(got.Reading)
	}
	return p.pin(ctx, got)
}

// keepIdentity makes SOURCE be read at once as the identity of the lock that is to
// be written, where that is about an agent of this origin: the public may be shown
// nothing of use.
func (p *pinning) keepIdentity(source string) error {
	if p.Identity != "" || !isURL(source) || !isLock(p.out) {
		return nil
	}
	old, err := readLock(p.out)
	if err != nil || compile.Origin("", old.Agent) != compile.Origin("", source) {
		return nil // target says what is wrong
	}
	return p.as(old)
}

// standsForExtended is whether a card file is the extended card of the identity;
// a lock of before that knows of none says that it is not.
func (p *pinning) standsForExtended() bool {
	return p.Identity != "" && (p.Old == nil || p.Old.Identity != p.Identity || p.Old.IsExtended())
}

// look reads the card of SOURCE.
func (p *pinning) look(ctx context.Context, source string) (*answer, error) {
	got, err := p.read(ctx, source)
	if err != nil {
		return nil, err
	}
	if err := readingExit(source, got.Reading); err != nil {
		return nil, err
	}
	p.CardDigest, p.Agent = got.Digest, cmp.Or(got.url, p.Agent)
	if got.offsite { // from an origin that the lock trusts to answer for its agent
		p.Agent = got.asked
	}
	return got, nil
}

// read gets the card that SOURCE means.
func (p *pinning) read(ctx context.Context, source string) (*answer, error) {
	switch {
	case isURL(source) && p.Agent != "":
		return nil, usage(errors.New("--agent goes with a card file; here SOURCE is the agent"))
	case isURL(source):
		return p.source(ctx, source, p.Identity)
	case isLock(source) && p.Agent != "":
		return nil, &exit{
			code: exitUsage,
			err:  errors.New("--agent goes with a card file; a lock names its agent"),
			hint: "a2alock pin URL -o LOCK --accept breaking moves a lock to another agent",
		}
	case isLock(source):
		old, err := readLock(source)
		if errors.Is(err, os.ErrNotExist) {
			return nil, &exit{code: exitUsage, err: err, hint: "a2alock pin URL --skill ID -o " + source + " writes it"}
		}
		if err != nil {
			return nil, err
		}
		p.lock, p.out = old, cmp.Or(p.out, source)
		if err := p.as(old); err != nil {
			return nil, err
		}
		return p.agent(ctx, old, p.Identity)
	}
	return p.file(ctx, source)
}

// file reads a card file, for which --agent has to speak.
func (p *pinning) file(ctx context.Context, name string) (*answer, error) {
	if name != "-" {
		if err := noFile(name); err != nil {
			return nil, &exit{code: exitUsage, err: err, hint: "SOURCE is a URL, a card file or a lock: a2alock pin --help"}
		}
	}
	if p.Agent == "" {
		return nil, &exit{
			code: exitUsage,
			err:  fmt.Errorf("%s: a card file does not say where it came from", name),
			hint: "add --agent URL, the card's exact address",
		}
	}
	u, err := url.Parse(p.Agent)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return nil, usage(fmt.Errorf("--agent %q: want the card's absolute http(s) URL, without user or fragment", redact.URL(p.Agent)))
	}
	if !strings.HasSuffix(strings.ToLower(u.Path), ".json") && u.RawQuery == "" {
		agent := redact.URL(p.Agent)
		p.note("check will ask for exactly " + agent + ": if that is a base URL, name the card's own, such as " +
			strings.TrimRight(agent, "/") + "/.well-known/agent-card.json")
	}
	if err := p.identify(p.Identity, p.Agent); err != nil {
		return nil, err
	}
	return p.source(ctx, name, "")
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
	}
	lock, notes, refusal := lockfile.Pin(got.Profile, &p.cfg.Client, p.PinOptions)
	if rep != nil && (refusal == nil || !since.Decided || len(since.Findings) > 0) {
		if err := rep.Text(p.stdout, p.text()); err != nil {
			return err
		}
	}
	if p.Old != nil {
		if !sameURL(p.Old.Agent, p.Agent) {
			p.note(fmt.Sprintf("the agent's URL moves from %s to %s", redact.URL(p.Old.Agent), redact.URL(p.Agent)))
		}
		if p.Identity != p.Old.Identity {
			p.note(fmt.Sprintf("the lock's identity was %q and is %q now", p.Old.Identity, p.Identity))
		}
		p.moves("workflow", p.Old.Workflow, p.Workflow)
		p.moves("owner", p.Old.Owner, p.Owner)
		p.moves("fallback", p.Old.Fallback, p.Fallback)
	}
	if err := p.nothingOfItsOwn(got); err != nil && got.Profile.Interface != nil { // else that is why
		return err
	}
	if refusal != nil {
		return p.refusal(refusal, got.Profile)
	}
	if since != nil && !p.dryRun {
		if err := p.agree(ctx, since); err != nil {
			return err
		}
	}
	for _, n := range notes {
		p.note(n)
	}
	if odd := oddHost(lock.Agent); odd != "" {
		p.note("look twice at the agent's host: " + odd)
	}
	if redact.URL(lock.Agent) != lock.Agent {
		p.note("the agent's URL has what looks like a secret in it, and the lock holds it as it is: " + redact.URL(lock.Agent))
	}
	p.tellTwin(lock, p.Old, p.out)
	if !p.dryRun {
		return p.write(lock)
	}
	data, err := lockfile.Format(lock)
	if err != nil {
		return usage(err)
	}
	p.note(p.would(data, since))
	if rep != nil {
		return quietly(rep.Exit())
	}
	return report.WriteJSON(p.stdout, jsontext.Value(data)) // for a screen or a log, which a file is not
}

// moves notes what a flag makes of a word that the lock has already.
func (p *pinning) moves(what, was, now string) {
	if was != "" && now != "" && was != now {
		p.note(fmt.Sprintf("the lock's %s was %q and is %q now", what, was, now))
	}
}

// would says what a dry run leaves undone.
func (p *pinning) would(data []byte, since *diff.Result) string {
	switch now, err := os.ReadFile(p.out); {
	case since != nil && !since.Decided:
		return "would leave " + p.out + " as it is: " + since.Detail
	case since != nil && since.Class >= diff.Breaking && p.accept == "":
		return "would leave " + p.out + " as it is: the drift is breaking, and --accept breaking pins it"
	case err == nil && bytes.Equal(now, data):
		return p.out + " is up to date"
	}
	return "would write " + p.out
}

// sameURL is whether two spellings ask for the same card.
func sameURL(a, b string) bool { return compile.NormalizeURL("", a) == compile.NormalizeURL("", b) }

// compare judges the old lock by the card, as check would. Where another URL
// was asked than the lock's, that was a person's word and no redirect.
func (p *pinning) compare(got *answer) (*diff.Result, *report.Report, error) {
	policy, err := p.policyOf(p.Old)
	if err != nil {
		return nil, nil, usage(err)
	}
	level, err := failLevel("", p.cfg.Policy.FailOn)
	if err != nil {
		return nil, nil, err
	}
	base := diff.Comparison{Client: &p.cfg.Client, Policy: policy, At: p.At}
	if sameURL(p.Old.Agent, got.asked) {
		base.Seen.URL, base.Seen.Offsite = got.url, got.offsite
	}
	if got.res != nil {
		base.Seen.Lost, base.Seen.Same = got.res.Lost(), got.res.IsExtended() && got.res.Extended.Same
	}
	result := diff.Judge(p.Old, got.Reading, base)
	return result, report.New([]*diff.Result{result}, level, nil), nil
}

// agree wants a person's word for breaking drift.
func (p *pinning) agree(ctx context.Context, since *diff.Result) error {
	if !since.Decided && since.State == fetch.AuthRequired && p.accept != "" {
		return nil // a person says that this card is the one
	}
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
		hint: "if the workflow can do with that, --accept breaking pins it",
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
	if !p.isFound() {
		p.note("a2alock check does not look there by itself: name it (a2alock check " + p.out + "), or list its folder under locks in a2alock.yaml")
	}
	return nil
}
