package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"

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

// refusalHint is the a2alock.yaml that would allow what was refused; "" for what
// no configuration allows, and for what a server's redirect led to.
func refusalHint(r *netguard.Refused) string {
	if r.Redirected || r.Host == "" {
		return ""
	}
	switch target := net.JoinHostPort(r.Host, strconv.Itoa(int(r.Port))); r.Kind {
	case netguard.KindAddress:
		return fmt.Sprintf("if you mean it, allow it in a2alock.yaml: network: {allow: [%q]}", target)
	case netguard.KindPlain:
		return fmt.Sprintf("if you mean it, allow it in a2alock.yaml: network: {http: [%q]}", r.Host)
	}
	return ""
}

// refusal is how pin ends that package lockfile refused, with what to do.
func (p *pinning) refusal(err error, profile *compile.Profile) error {
	if _, ok := errors.AsType[*lockfile.ModeError](err); ok {
		return usage(err)
	}
	x := &exit{code: exitFail, err: err, hint: unusableHint(profile, &p.cfg.Client)}
	if _, ok := errors.AsType[*lockfile.NoSkillError](err); ok {
		x.hint = "--skill ID says which the workflow needs"
	}
	return x
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
