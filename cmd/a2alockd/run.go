package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/daemon"
	"github.com/a2alock/a2alock/internal/setup"
)

func newRun(a *app) *cobra.Command {
	var format, level string
	c := &cobra.Command{
		Use:   "run",
		Short: "Run the daemon until SIGTERM",
		Long: `run watches until SIGTERM or SIGINT, and then ends within daemon.shutdown_grace: what is
under way is cut short, what is due is delivered, and the store is closed. A second
signal ends it at once; nothing is lost then either.

SIGHUP reads a2alock.yaml and the locks again, all or nothing. Locks that change are
also seen by themselves. Log lines go to standard error.`,
		Example: "  a2alockd run\n  a2alockd run --config /etc/a2alock/a2alock.yaml --log-format json",
		Args:    none,
		RunE: func(c *cobra.Command, _ []string) error {
			log, err := newLog(a.stderr, format, level)
			if err != nil {
				return err
			}
			slog.SetLogLoggerLevel(slog.LevelDebug) // net/http says there what servers send
			slog.SetDefault(log)
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(30) // beside an orchestrator, memory is dearer than time
			}
			if format == "json" {
				a.log = log
			}
			return a.run(c.Context(), log)
		},
	}
	c.Flags().StringVar(&format, "log-format", "text", "how log lines are written: text or json")
	c.Flags().StringVar(&level, "log-level", "info", "the least level that is logged: debug, info, warn or error")
	return c
}

func newLog(w io.Writer, format, level string) (*slog.Logger, error) {
	o := new(slog.HandlerOptions)
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level %q: want debug, info, warn or error", level)
	}
	o.Level = l
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("--log-format %q: want text or json", format)
}

// everything is what the daemon needs of the configuration.
const everything = ""

// run is the daemon, wired.
func (a *app) run(ctx context.Context, log *slog.Logger) error {
	reload, stop := hangups(ctx) // one that comes early is a reload too
	defer stop()
	s, err := a.setup(everything)
	if err != nil {
		return err
	}
	up := false
	warn := func(name, text string) {
		log.WarnContext(ctx, "a secret is open to others", "credential", name, "err", text)
	}
	s.Warn = warn
	d := &daemon.Daemon{
		Setup: s, Version: version(), Log: log, Reload: reload,
		Load: func() (*setup.Setup, error) {
			s, err := a.setup(everything)
			if err == nil {
				s.Warn = warn
			}
			return s, err
		},
		Started: func(net.Addr) { up = true },
	}
	return ended(d.Run(ctx), up)
}

// ended tells a daemon that broke down, which a service manager starts again,
// from one that could not begin, which needs a person.
func ended(err error, up bool) error {
	if err == nil || !up || errors.Is(err, daemon.ErrGrace) {
		return err
	}
	return &exit{exitFail, err}
}

// hangups tells of each SIGHUP.
func hangups(ctx context.Context) (<-chan struct{}, func()) {
	signals, out := make(chan os.Signal, 1), make(chan struct{}, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
				select {
				case out <- struct{}{}:
				default: // one is to come anyhow
				}
			}
		}
	}()
	return out, func() { signal.Stop(signals) }
}

// setup reads the configuration. What the pointers name must be there, whatever
// variables it takes.
func (a *app) setup(needs ...string) (*setup.Setup, error) {
	s, err := setup.Load(a.configPath)
	if err != nil {
		return nil, err
	}
	if s.Config.Path == "" {
		return nil, errors.New("no a2alock.yaml here or above: a2alock init writes one, --config names one")
	}
	if err := s.Config.Require(needs...); err != nil {
		return nil, err
	}
	return s, nil
}
