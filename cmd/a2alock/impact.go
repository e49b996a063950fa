package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

func newImpact(a *app) *cobra.Command {
	var agent, failOn string
	c := &cobra.Command{
		Use:   "impact CARD [LOCK…]",
		Short: "Say which locks a new card would break",
		Long: `impact is for whoever publishes an agent: it holds a card that is not published yet
against the locks of those who depend on it, and says by workflow and owner whom the
release would break. It asks no agent. CARD is a file or - for standard input; LOCK is
a file or a folder, and without one every lock under the configured "locks" counts,
with --agent those on one agent.

Exit codes: as check.`,
		Example: "  a2alock impact card.json consumers/\n  a2alock impact card.json --agent https://pricing.partner.example/.well-known/agent-card.json",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misuse(c, "%s: CARD is missing", c.CommandPath())
			}
			if isURL(args[0]) {
				return misuse(c, "%s: impact is for a card that is not published yet: name a file", redact.URL(args[0]))
			}
			return nil
		},
		ValidArgsFunction: completeLocks,
	}
	o := a.addOutputs(c, failedReport)
	c.Flags().Var((*filled)(&agent), "agent", "only the locks on the agent with this `URL`: its card's, or a base URL as pin takes it")
	addFailOn(c, &failOn)
	c.RunE = func(c *cobra.Command, args []string) error {
		level, err := a.level(failOn)
		if err != nil {
			return err
		}
		locks, err := a.locks(args[1:])
		if err != nil {
			return err
		}
		if locks, err = a.ofAgent(locks, agent); err != nil {
			return err
		}
		results, err := a.judge(c.Context(), locks, cards{file: args[0], every: true})
		if err != nil {
			return err
		}
		return a.print(&report.Impact{Report: report.New(results, level, nil)}, o)
	}
	return c
}

// ofAgent keeps the locks on one agent. Without one it says when the card is
// held against locks that may be none of its business.
func (a *app) ofAgent(locks []*lockfile.Lock, agent string) ([]*lockfile.Lock, error) {
	agents := map[string]bool{}
	for _, l := range locks {
		agents[l.Agent] = true
	}
	if agent == "" {
		if len(agents) > 1 {
			a.note(fmt.Sprintf("the locks name %d agents, and the card is held against all of them; --agent URL keeps those on one", len(agents)))
		}
		return locks, nil
	}
	places, err := fetch.Places(agent)
	if err != nil {
		return nil, usage(fmt.Errorf("--agent %s: %w", redact.URL(agent), err))
	}
	for _, place := range places { // the first that somebody locked is where pin found the card
		kept := slices.DeleteFunc(slices.Clone(locks), func(l *lockfile.Lock) bool { return !sameURL(l.Agent, place) })
		if len(kept) > 0 {
			return kept, nil
		}
	}
	return nil, &exit{
		code: exitUsage,
		err:  fmt.Errorf("--agent %s: none of the %d locks names that agent", redact.URL(agent), len(locks)),
		hint: "a2alock ls lists the agents",
	}
}
