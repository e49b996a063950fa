package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/daemon"
	"github.com/a2alock/a2alock/notify"
	"github.com/a2alock/a2alock/report"
)

func newNotify(a *app) *cobra.Command {
	c := group(&cobra.Command{
		Use:   "notify",
		Short: "Work with messages",
		Long:  "notify holds what is done with the sinks and routes of a2alock.yaml.",
	})
	c.AddCommand(&cobra.Command{
		Use:   "test [ROUTE]",
		Short: "Send a sample message to the sinks of a route, or of all",
		Long: `test sends one sample message to each sink of ROUTE, which is named by its place from
1, or of all routes, and says which took it. The daemon may run meanwhile.

Exit codes: 0 every sink took it; 1 one did not; 2 the configuration is wrong, or
there is no such route.`,
		Example: "  a2alockd notify test\n  a2alockd notify test 1",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := a.setup("/notify", "/network", "/daemon/listen", "/daemon/public_url")
			if err != nil {
				return err
			}
			log, err := newLog(a.stderr, "text", "info")
			if err != nil {
				return err
			}
			w := &notify.Worker{
				Notify: s.Config.Notify.OrLog(), Transport: daemon.Transport(s), PublicURL: daemon.PublicURL(s.Config),
				UserAgent: "a2alockd/" + version(), Log: log,
			}
			route := ""
			if len(args) > 0 {
				route = args[0]
			}
			tested, err := w.Test(c.Context(), route)
			if err != nil {
				return err
			}
			var errs []error
			for _, t := range tested {
				if t.Err != nil {
					errs = append(errs, t.Err)
					continue
				}
				fmt.Fprintf(a.stdout, "delivered  %s (route %s)\n", report.Line(t.Sink), report.Line(t.Route))
			}
			if err := errors.Join(errs...); err != nil {
				return &exit{exitFail, err}
			}
			return nil
		},
	})
	return c
}
