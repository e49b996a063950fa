package main

import (
	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/report"
)

func newValidate(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "validate CARD",
		Short: "List what is wrong with a card",
		Long: `validate reads a card and lists what is not as the A2A specification has it. An
error disables the skill, scheme, interface or card it stands in; a gap is a missing
member that no call depends on; a warning was read all the same. CARD is a file, a
URL, or - for standard input.

Exit codes: 0 no error; 1 an error, or (with "strict: true" in a2alock.yaml) a gap,
or bytes that are no card; 2 wrong command line or config; 3 nothing came.`,
		Example: "  a2alock validate https://pricing.partner.example --format json\n  a2alock validate - < card.json",
		Args:    cobra.ExactArgs(1),
	}
	f := addFormat(c, "text", "json")
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := a.config(); err != nil {
			return err
		}
		got, err := a.source(c.Context(), args[0])
		if err != nil {
			return err
		}
		v := report.NewValidation(args[0], got.Reading)
		write := func() error { return v.Text(a.stdout, a.text()) }
		if f.value == "json" {
			write = func() error { return v.JSON(a.stdout) }
		}
		if err := write(); err != nil {
			return err
		}
		return quietly(v.Exit())
	}
	return c
}
