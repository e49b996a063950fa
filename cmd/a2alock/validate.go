package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/report"
)

func newValidate(a *app) *cobra.Command {
	var identity string
	c := &cobra.Command{
		Use:   "validate CARD",
		Short: "List what is wrong with a card",
		Long: `validate reads a card and lists what is not as the A2A specification has it. An
error disables the skill, scheme, interface or card it stands in; a gap is a missing
member that no call depends on; a warning was read all the same. CARD is a file, a
URL, or - for standard input.

With --identity it is the card that the agent shows to this credential. It is then
also asked for without a credential and with a token that is made up (what comes is
compared, and not kept): an extended card that anybody is shown is an error. One
that is the public card, or has other capabilities, is a warning.

Exit codes: 0 no error; 1 an error, or (with "strict: true" in a2alock.yaml) a gap,
or bytes that are no card; 2 wrong command line or config; 3 nothing came: no
answer, a refusal, an empty file.`,
		Example:    "  a2alock validate https://pricing.partner.example --format json\n  a2alock validate - < card.json",
		SuggestFor: []string{"lint"},
		Args:       one("CARD"),
	}
	o := a.addOutputs(c, func(c *cobra.Command, errs []string) printable {
		return report.InvalidRun(redact.URL(c.Flags().Arg(0)), errs)
	})
	a.addIdentity(c, &identity, "read the card that the credential `NAME` is shown, and look who else is shown it")
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := a.config(asking(identity, setup.Judging...)...); err != nil {
			return err
		}
		name := redact.URL(args[0])
		if err := unfit(c, identity, args[0]); err != nil {
			return err
		}
		got, err := a.source(c.Context(), args[0], identity)
		if err != nil {
			return a.unread(name, err, o)
		}
		if identity != "" {
			got.Findings = append(slices.Clip(got.Findings), a.exposure(c.Context(), identity, got)...)
		}
		return a.print(report.NewValidation(name, got.Reading), o)
	}
	return c
}

// unread ends a validation for which [app.source] has no reading. Bytes that
// came and are no card, a login page at every place say, are a result. Where
// none came there is none to show to a person, and err tells; a program reads
// the result at every code.
func (a *app) unread(name string, err error, o *outputs) error {
	x, _ := errors.AsType[*exit](err)
	e, ok := errors.AsType[*fetch.Error](err)
	if x == nil || !ok || x.code != exitUndecided {
		return err
	}
	msg := e.Error()
	for _, t := range e.Tried {
		if t.State == e.State {
			msg = t.Error() // of all that was tried, the one that gave the state
			break
		}
	}
	v := report.NewValidation(name, &compile.Reading{Err: &card.DocumentError{State: e.State, Msg: msg}})
	if e.State == card.NotJSON || e.State == card.TooLarge {
		x.code, x.hint = v.Exit(), ""
	} else if o.format.value == "text" && len(o.files) == 0 {
		return err
	}
	if shown := a.show(v, o); shown != nil {
		return shown
	}
	return err
}
