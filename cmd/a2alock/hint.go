package main

import (
	"context"
	"errors"
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/netguard"
)

// fetchExit turns a failed fetch into exit code 3, with the lines to add where
// the operator's own policy refused the target, or into 2 for a URL that can
// never be asked for.
func fetchExit(ctx context.Context, err error) error {
	if stop := interrupted(ctx); stop != nil {
		return stop
	}
	x := &exit{code: exitUndecided, err: err}
	if r, ok := errors.AsType[*netguard.Refused](err); ok {
		x.hint = refusalHint(r)
		if r.Kind == netguard.KindURL && !r.Redirected {
			x.code = exitUsage
		}
	}
	return x
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
	return &exit{code: exitFail, err: err, hint: unusableHint(profile, &p.cfg.Client)}
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
