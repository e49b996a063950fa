package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/fetch"
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
		Args:    one("CARD"),
	}
	o := addOutputs(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := a.config(); err != nil {
			return err
		}
		got, err := a.source(c.Context(), args[0])
		if err != nil {
			if o.format.value == "json" {
				err = errors.Join(err, a.nothing(args[0], err))
			}
			return err
		}
		return a.print(report.NewValidation(args[0], got.Reading), o)
	}
	return c
}

// nothing prints the JSON of a card that did not come, since a program reads
// the result at every code; the code and the reason are err's all the same.
func (a *app) nothing(name string, err error) error {
	e, ok := errors.AsType[*fetch.Error](err)
	if x, is := errors.AsType[*exit](err); !ok || !is || x.code != exitUndecided {
		return nil
	}
	r := &compile.Reading{Err: &card.DocumentError{State: e.State, Msg: e.Error()}}
	return report.NewValidation(name, r).JSON(a.stdout)
}
