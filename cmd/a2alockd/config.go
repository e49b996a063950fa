package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/set"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
	"github.com/a2alock/a2alock/server"
)

func newConfig(a *app) *cobra.Command {
	c := group(&cobra.Command{
		Use:   "config",
		Short: "Work with the configuration",
		Long:  "config holds what is done with the configuration while the daemon may run or not.",
	})
	c.AddCommand(&cobra.Command{
		Use:   "check",
		Short: "Check a2alock.yaml and the locks, and print the next five runs",
		Long: `check reads everything that run reads, and starts nothing: a2alock.yaml with its
variables, the tokens file, the files of credentials and network.ca_files, the schedules
and every lock. It prints the next five runs of each schedule, without the jitter that
spreads agents. What the daemon would start with, and nobody may have meant, is a warning
on standard error: no lock at all, an agent that network refuses, daemon.agents of no
lock, an identity that is no credential, a secret that others may read, a schedule that
is slower than max_staleness, a route for a rule that does not exist.

Exit codes: 0 the daemon would start; 2 it would not, or a lock is broken.`,
		Example: "  a2alockd config check --config /etc/a2alock/a2alock.yaml",
		Args:    none,
		RunE:    func(*cobra.Command, []string) error { return a.check() },
	})
	return c
}

func (a *app) check() error {
	s, err := a.setup(everything)
	if err != nil {
		return err
	}
	cfg := s.Config
	if cfg.Daemon.TokensFile != "" {
		if _, err := server.ReadTokens(cfg.File(cfg.Daemon.TokensFile)); err != nil {
			return err
		}
	}
	if err := cfg.CheckFiles(a.warning); err != nil {
		return err
	}
	if err := s.Guard().Validate(); err != nil {
		return fmt.Errorf("%s: network: %w", cfg.Path, err)
	}
	locks, agents, err := countLocks(s)
	if err != nil {
		return err
	}
	var urls, identities []string
	for x := range agents {
		urls, identities = append(urls, x.url), append(identities, x.identity)
	}
	urls = set.Of(urls)
	fmt.Fprintf(a.stdout, "%s is good: %s on %s, %s\n", cfg.Path, plural(locks, "lock"), plural(len(urls), "agent"), plural(len(cfg.Notify.Sinks), "sink"))
	a.warnIdentities(cfg, identities)
	a.warn(s, urls)
	if err := a.runs("every agent", cfg.Daemon.Schedule, cfg.Daemon.Timezone); err != nil {
		return err
	}
	for _, url := range slices.Sorted(maps.Keys(cfg.Daemon.Agents)) {
		own := cfg.Daemon.For(url)
		if own.Schedule == cfg.Daemon.Schedule && own.Timezone == cfg.Daemon.Timezone {
			continue
		}
		if err := a.runs(redact.URL(url), own.Schedule, own.Timezone); err != nil {
			return err
		}
	}
	return nil
}

// plural is a count of things.
func plural(n int, thing string) string {
	return fmt.Sprintf("%d %s", n, say.Verb(n, thing, thing+"s"))
}

// An agent is what the daemon asks, and as whom.
type agent struct{ url, identity string }

// countLocks reads every lock as the daemon does: how many there are, and of
// which agents.
func countLocks(s *setup.Setup) (locks int, agents map[agent]bool, err error) {
	paths, err := lockfile.Find(s.Config.Roots())
	if err != nil {
		return 0, nil, fmt.Errorf("looking for locks: %w", err)
	}
	var errs []error
	all := map[agent]bool{}
	for _, path := range paths {
		l, err := lockfile.Read(path)
		if err == nil {
			err = l.Unsupported()
		}
		if err == nil {
			_, err = s.PolicyOf(l)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all[agent{l.Agent, l.Identity}] = true
	}
	return len(paths), all, errors.Join(errs...)
}

// runs prints the next five runs of a schedule, each with its offset.
func (a *app) runs(who, spec, zone string) error {
	parsed, err := schedule.Parse(spec, zone)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s: %s %s\n", report.Excerpt(who, 200), spec, zone)
	at := time.Now()
	for range 5 {
		if at = parsed.Next(at); at.IsZero() {
			break
		}
		fmt.Fprintf(a.stdout, "  %s\n", at.Format("Mon 2006-01-02 15:04:05 -07:00"))
	}
	return nil
}
