package main

import (
	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/lockfile"
)

// A pinning is one run of `a2alock pin`: its flags, and what it found.
type pinning struct {
	*app
	lockfile.PinOptions
	lock   *lockfile.Lock // SOURCE, where that is a lock
	out    string
	digest string
	accept string
	dryRun bool
}

const pinLong = `pin reads an agent's card and writes a lock: what the workflow needs of it, and
what was true today. SOURCE is

  a card URL    its path ends in .json, or it has a query; used byte for byte
  a base URL    /.well-known/agent-card.json is looked for under it, at its
                origin, under the older name agent.json, and at the URL itself
  a card file   - is standard input; --agent names the URL it stands for
  a lock        it is pinned again from its agent; with -o, into another file

Without --skill, pin asks on a terminal. Input types default to what the client
sends and the skill accepts, output types to what the client accepts and the skill
offers; a2alock.yaml describes the client. Streaming, push and extensions are
required only where a flag names them.

Pinning an existing lock keeps what it requires, and flags add to it; to take a
requirement out, edit "requires" in the lock and pin it again. The report is printed
first; breaking drift is written only with --accept breaking, or when the word is
typed on a terminal. Without -o, a lock that is there under the default name is
renewed only when it requires one of the skills named, for the same --workflow.

With --identity the card is the one that this credential is shown, and the lock says
so; pinned again, it keeps that. To pin the public card instead, take "identity" out
of the lock.

Exit codes: 0 written, or nothing to write; 1 refused; 2 the command line, the
config or the lock is wrong; 3 there is no valid card.`

func newPin(a *app) *cobra.Command {
	p := &pinning{app: a}
	c := &cobra.Command{
		Use:   "pin SOURCE",
		Short: "Write down what a workflow needs from an agent",
		Long:  pinLong,
		Example: `  a2alock pin https://pricing.partner.example --skill itinerary-pricing --streaming
  a2alock pin card.json --agent https://pricing.partner.example/.well-known/agent-card.json --skill quote
  a2alock pin locks/itinerary-pricing.a2a.lock.json --dry-run`,
		SuggestFor:        []string{"lock", "add"},
		Args:              one("SOURCE"),
		ValidArgsFunction: completeLocks,
	}
	flags := c.Flags()
	flags.VarP((*filled)(&p.out), "output-file", "o", "write the lock to this `FILE` (default: locks/NAME.a2a.lock.json)")
	flags.Var((*list)(&p.Skills), "skill", "require the skill with this `ID` (repeatable)")
	flags.Var((*list)(&p.Input), "input", "the workflow sends this media `TYPE` (repeatable)")
	flags.Var((*list)(&p.Output), "output", "the workflow can use this media `TYPE` (repeatable, in order of preference)")
	flags.BoolVar(&p.Streaming, "streaming", false, "require streaming")
	flags.BoolVar(&p.Push, "push", false, "require push notifications")
	flags.Var((*list)(&p.Extensions), "extension", "require the extension with this `URI` (repeatable)")
	flags.StringVar(&p.Workflow, "workflow", "", "the `NAME` of the workflow that depends on the agent")
	flags.StringVar(&p.Owner, "owner", "", "`WHO` is told when the agent changes")
	flags.StringVar(&p.Fallback, "fallback", "", "`WHAT` a planner may use instead: an agent's URL, another lock, or human")
	flags.Var((*filled)(&p.Agent), "agent", "the card's `URL`, when SOURCE is a card file")
	a.addIdentity(c, &p.Identity, "pin the card that the credential `NAME` is shown, and check it as that")
	flags.Var((*filled)(&p.accept), "accept", "write the lock although the drift is of this `CLASS` (breaking)")
	flags.Var((*filled)(&p.digest), "expect-digest", "refuse a card whose card_digest is not this `DIGEST`")
	flags.BoolVar(&p.dryRun, "dry-run", false, "print what would happen and write nothing; exit codes as check")
	flags.BoolVar(&p.Refresh, "refresh", false, "renew pinned_at although nothing changed")
	completeWith(c, "accept", []string{"breaking"})
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, flag := range []string{"streaming", "push"} {
			if on, _ := c.Flags().GetBool(flag); !on && c.Flags().Changed(flag) {
				return misuse(c, "--%s=false: pin adds to what a lock requires; to take it out, edit requires in the lock", flag)
			}
		}
		if _, err := a.config(asking(p.Identity, setup.Judging...)...); err != nil {
			return err
		}
		if p.accept != "" && p.accept != "breaking" {
			return misuse(c, "--accept %q: want breaking", p.accept)
		}
		return p.run(c.Context(), args[0])
	}
	return c
}
