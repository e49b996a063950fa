package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

// A planned is one run of `a2alock plan`.
type planned struct {
	*app
	compile.Call
	from cards
	// lost is why nothing is known of what the lock was pinned to; "" for most.
	lost string
}

func newPlan(a *app) *cobra.Command {
	p := &planned{app: a}
	c := &cobra.Command{
		Use:   "plan CARD|LOCK",
		Short: "Say how a skill would be called, or why it cannot be",
		Long: `plan negotiates one call before it is made: address, binding and version, headers,
credential, media types, delivery, active extensions, and which operations the card
rules out with the error that they would meet. No call is sent. What cannot work is
refused at the first of these steps: interface, extensions, skill, credentials
(where the client names any), input, output.

CARD is a file, a URL, or - for standard input. With a LOCK the card is its agent's,
and what goes beyond the lock is refused too: another skill, another media type to
send, a scheme or scope that it does not record, another origin. Delivery is the
first of client.delivery that both sides can do. A LOCK with an identity is planned
by the card that this credential is shown; --identity says so of a URL, or names
another for the LOCK.

Exit codes: 0 planned; 1 refused; 2 the command line, the config or the lock is
wrong; 3 no valid card, or none at all.`,
		Example: `  a2alock plan https://pricing.partner.example --skill itinerary-pricing
  a2alock plan locks/itinerary-pricing.a2a.lock.json --skill itinerary-pricing --format json`,
		Args: one("CARD or LOCK"),
	}
	flags := c.Flags()
	flags.StringVar(&p.Skill, "skill", "", "the `ID` of the skill to call (required)")
	flags.Var((*list)(&p.Input), "input", "a media `TYPE` that would be sent (repeatable; default: the lock's, or what the client sends)")
	flags.Var((*list)(&p.Accepts), "output", "a media `TYPE` that can be used (repeatable, in order of preference; default: the lock's, or what the client accepts)")
	a.addIdentity(c, &p.from.identity, "go by the card that the credential `NAME` is shown (default: the LOCK's identity)")
	flags.Var((*filled)(&p.from.file), "card", "with a LOCK, take this `FILE` (- is standard input) for the agent's card")
	f := a.addFormat(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if p.Skill == "" {
			return misuse(c, "want --skill ID, the skill to call")
		}
		if p.from.file != "" && !isLock(args[0]) {
			return misuse(c, "--card goes with a LOCK, and %q is the card itself", args[0])
		}
		if err := apart(c, "identity", "card"); err != nil {
			return err
		}
		if !isLock(args[0]) {
			if err := unfit(c, p.from.identity, args[0]); err != nil {
				return err
			}
		}
		if _, err := a.config(asking(p.from.identity, "/client", "/limits", "/strict", "/network", "/policy")...); err != nil {
			return err
		}
		return p.run(c.Context(), args[0], f.value)
	}
	return c
}

func (p *planned) run(ctx context.Context, arg, format string) error {
	p.Client = &p.cfg.Client
	profile, err := p.profile(ctx, arg)
	if err != nil {
		return err
	}
	route, refusal := compile.Plan(profile, p.Call)
	if p.lost != "" && profile.Interface != nil { // else that is what refuses it
		refusal = &compile.Refusal{Step: "skill", Reason: "the lock was pinned from the extended card, which is gone: " + p.lost}
	}
	var answer any = route
	if refusal != nil {
		answer = struct {
			Refused *compile.Refusal `json:"refused"`
		}{refusal}
	}
	switch {
	case format == "json":
		err = report.WriteJSON(p.stdout, answer)
	case refusal != nil:
		_, err = fmt.Fprintf(p.stdout, "refused  %s\n  %-10s  %s\n", report.Excerpt(p.Skill, maxLine),
			refusal.Step, report.Excerpt(refusal.Reason, maxLine))
	default:
		err = writeRoute(p.stdout, p.Skill, route)
	}
	if err != nil {
		return err
	}
	if refusal != nil {
		printHint(p.stderr, unusableHint(profile, p.Client))
	}
	if refusal != nil {
		return quietly(exitFail)
	}
	for _, n := range route.Notes {
		p.note(n)
	}
	return nil
}

// profile compiles the card that arg leads to, and takes what a lock has to
// say into the call.
func (p *planned) profile(ctx context.Context, arg string) (*compile.Profile, error) {
	if !isLock(arg) {
		got, err := p.source(ctx, arg, p.from.identity)
		if x, ok := errors.AsType[*exit](err); ok && errors.Is(err, fs.ErrNotExist) {
			x.hint = p.lockHint([]string{arg})
		}
		if err != nil {
			return nil, err
		}
		p.fellBack(p.from.identity, got.res)
		return got.Profile, readingExit(arg, got.Reading)
	}
	lock, err := readLock(arg)
	if err != nil {
		return nil, err
	}
	policy, err := p.policyOf(lock)
	if err != nil {
		return nil, usage(err)
	}
	answers, err := p.answers(ctx, []*lockfile.Lock{lock}, p.from)
	if err != nil {
		return nil, err
	}
	got := answers[0]
	if got.err != nil {
		return nil, p.fetchExit(ctx, got.err, cmp.Or(p.from.identity, lock.Identity))
	}
	if err := strayed(lock, got.offsite, got.url, "a2alock check says what that means for the lock"); err != nil {
		return nil, err
	}
	if err := readingExit(lock.Agent, got.Reading); err != nil {
		return nil, err
	}
	c := diff.Comparison{Lock: lock, Now: got.Profile, Client: p.Client, Policy: policy, Seen: got.seen(), At: time.Now()}
	if denied := c.Denied(); denied != "" {
		return nil, &exit{code: exitUndecided, err: fmt.Errorf("%s: %s", lock.Path, denied)}
	}
	switch {
	case c.IsLost():
		p.lost = got.lost
		return got.Profile, nil
	case got.common || got.lost != "" && lock.IsExtended():
		p.note(fmt.Sprintf("not the extended card, but the public one: %s: see a2alock check", got.lost))
	}
	p.Lock = diff.Limit(c, p.Skill)
	p.unmet(lock, got.Profile)
	return got.Profile, nil
}

// unmet notes what the lock requires of the agent and this call can do without:
// the plan is good, and the workflow as a whole may not be.
func (p *planned) unmet(l *lockfile.Lock, now *compile.Profile) {
	for _, flag := range []struct {
		what          string
		required, has bool
	}{
		{"streaming", l.Requires.Streaming, now.Streaming},
		{"push notifications", l.Requires.Push, now.Push},
	} {
		if flag.required && !flag.has {
			p.note(fmt.Sprintf("%s requires %s, which the card does not declare: see a2alock check", l.Path, flag.what))
		}
	}
}

// writeRoute prints a plan for people. Each line begins with a label of ours.
func writeRoute(w io.Writer, skill string, r *compile.Route) error {
	var b strings.Builder
	fmt.Fprintf(&b, "planned  %s\n", report.Excerpt(skill, maxLine))
	row := func(label string, value ...string) {
		fmt.Fprintf(&b, "  %-10s  %s\n", label, report.Excerpt(strings.Join(value, ", "), maxLine))
	}
	row("url", r.URL)
	row("binding", r.Binding+" "+r.Version)
	if r.Tenant != "" {
		row("tenant", r.Tenant)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		for _, value := range r.Headers[name] {
			row("header", name+": "+value)
		}
	}
	row("credential", orDash(r.Credential))
	row("accepts", r.AcceptedOutputModes...)
	row("delivery", r.Delivery)
	ruledOut := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(r.Operations)) {
		if o := r.Operations[name]; !o.Allowed() {
			why := fmt.Sprintf("%s (%d)", o.Error, o.Code)
			ruledOut[why] = append(ruledOut[why], name)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(ruledOut)) {
		row("ruled out", why+": "+strings.Join(ruledOut[why], ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
