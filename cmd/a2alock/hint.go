package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/netguard"
)

// fetchExit turns a failed fetch into exit code 3, with the lines to add where
// the operator's own policy refused the target, or into 2 for a URL that can
// never be asked for. It was asked as identity.
func (a *app) fetchExit(ctx context.Context, err error, identity string) error {
	if stop := interrupted(ctx); stop != nil {
		return stop
	}
	x := &exit{code: exitUndecided, err: err, hint: cmp.Or(originHint(err), a.deniedHint(err, identity))}
	if r, ok := errors.AsType[*netguard.Refused](err); ok {
		x.hint = refusalHint(r)
		if r.Kind == netguard.KindURL && !r.Redirected {
			x.code = exitUsage
		}
	}
	return x
}

// deniedHint is what to do where identity was shown and the agent said no; ""
// where that is not what happened.
func (a *app) deniedHint(err error, identity string) string {
	e, ok := errors.AsType[*fetch.Error](err)
	if !ok || e.State != fetch.AuthRequired || e.Ours || identity == "" || !a.showsItself(identity, cmp.Or(e.Final, e.URL)) {
		return ""
	}
	return fmt.Sprintf("the credential %q was refused: is its value under credentials of a2alock.yaml still good, and may it read this card?", identity)
}

// refusalHint is what would allow what was refused; "" for what nothing does.
func refusalHint(r *netguard.Refused) string {
	lines := r.Lines()
	if lines == "" {
		return ""
	}
	return "if you mean it, allow it in a2alock.yaml: " + lines
}

// refusal is how pin ends that package lockfile refused, with what to do. What
// a flag lacks is a wrong command line, and all else is the card's.
func (p *pinning) refusal(err error, profile *compile.Profile) error {
	_, noSkill := errors.AsType[*lockfile.NoSkillError](err)
	_, undeclared := errors.AsType[*lockfile.UndeclaredError](err)
	_, noMode := errors.AsType[*lockfile.ModeError](err)
	switch {
	case noSkill:
		return &exit{code: exitUsage, err: err, hint: "--skill ID says which the workflow needs"}
	case undeclared, noMode: // the error names the flag
		return usage(err)
	}
	return &exit{code: exitFail, err: err, hint: cmp.Or(unusableHint(profile, &p.cfg.Client), p.skillHint(err, profile))}
}

// skillHint is where a skill that the card does not have may be; "" for
// anything else.
func (p *pinning) skillHint(err error, profile *compile.Profile) string {
	e, ok := errors.AsType[*lockfile.SkillError](err)
	if !ok || e.Reason != "" {
		return ""
	}
	if ids := strings.Split(e.Skill, ","); len(ids) > 1 && slices.Contains(e.IDs, ids[0]) {
		return "each skill has a flag of its own: --skill " + strings.Join(ids, " --skill ")
	}
	if profile.ExtendedCard && p.Identity == "" {
		return "the agent promises an extended card with more: --identity NAME reads what that credential is shown"
	}
	return ""
}

// unusableHint is the a2alock.yaml that would let the client speak with an
// agent whose interfaces it does not know; "" when something else is wrong.
func unusableHint(p *compile.Profile, cl *compile.Client) string {
	offered := speakable(p)
	if p.Interface != nil || len(offered) == 0 {
		return ""
	}
	return "if your client speaks one of these, say so in a2alock.yaml:\n" +
		config.InterfaceLines(slices.Concat(cl.Interfaces, offered))
}

// speakable are the bindings and versions of an agent that a client can name.
func speakable(p *compile.Profile) []compile.Transport {
	return slices.DeleteFunc(p.Offered(), func(t compile.Transport) bool { return !config.CanName(t) })
}
