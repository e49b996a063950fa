package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/report"
)

func newCompile(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "compile CARD",
		Short: "Show what a card means for this client",
		Long: `compile prints the effective profile of a card as JSON: the interface that the
client would choose, and for every skill its media types and security after
inheritance. CARD is a file, a URL, or - for standard input.

Exit codes: 0 usable; 1 not usable (the profile is printed all the same, and says
why); 2 wrong command line or config; 3 no valid card, or none at all.`,
		Example: "  a2alock compile https://pricing.partner.example\n  a2alock compile card.json",
		Args:    one("CARD"),
	}
	a.results[c] = &outputs{format: &format{value: "json"}, failed: failures}
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := a.config(setup.Judging...)
		if err != nil {
			return err
		}
		got, err := a.source(c.Context(), args[0])
		if err != nil {
			return err
		}
		if err := readingExit(args[0], got.Reading); err != nil {
			return err
		}
		if err := report.WriteJSON(a.stdout, got.Profile); err != nil {
			return err
		}
		if got.Profile.Usable {
			return nil
		}
		return &exit{
			code: exitFail,
			err:  fmt.Errorf("%s: %s", redact.URL(args[0]), got.Profile.Reason),
			hint: unusableHint(got.Profile, &cfg.Client),
		}
	}
	return c
}
