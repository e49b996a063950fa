package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/internal/prompt"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/report"
)

func newCompile(a *app) *cobra.Command {
	var forModel bool
	var identity string
	c := &cobra.Command{
		Use:   "compile CARD",
		Short: "Show what a card means for this client",
		Long: `compile prints the effective profile of a card as JSON: the interface that the
client would choose, and for every skill its media types and security after
inheritance. CARD is a file, a URL, or - for standard input. With --identity it is
the card that this credential is shown: the extended one, where the public card at
the URL promises it, else the public one.

--for-model prints the ids, names and descriptions of the skills instead, as text
for the prompt of a model that plans: quoted, shortened, without characters that
cannot be seen, and marked as untrusted between two lines that no text can forge.
That makes a trap in a description plainer, and the model no wiser: what it picks
still goes through a2alock plan.

Exit codes: 0 usable; 1 not usable (the profile is printed all the same, and says
why; for a model, nothing); 2 wrong command line or config; 3 no valid card, or
none at all.`,
		Example: `  a2alock compile https://pricing.partner.example
  a2alock compile card.json --for-model`,
		Args: one("CARD"),
	}
	a.results[c] = &outputs{format: &format{value: "json"}, failed: failures}
	a.addIdentity(c, &identity, "read the card that the credential `NAME` is shown")
	c.Flags().BoolVar(&forModel, "for-model", false, "print the skills as quoted, untrusted text for a planner's prompt")
	c.RunE = func(c *cobra.Command, args []string) error {
		if forModel {
			delete(a.results, c) // nothing goes into a prompt but skills
		}
		cfg, err := a.config(asking(identity, setup.Judging...)...)
		if err != nil {
			return err
		}
		if err := unfit(c, identity, args[0]); err != nil {
			return err
		}
		got, err := a.source(c.Context(), args[0], identity)
		if err != nil {
			return err
		}
		if err := readingExit(args[0], got.Reading); err != nil {
			return err
		}
		a.fellBack(identity, got.res)
		switch {
		case !forModel:
			err = report.WriteJSON(a.stdout, got.Profile)
		case got.Profile.Usable:
			text, left := prompt.Skills(redact.URL(args[0]), got.Card, got.Profile)
			for _, id := range left {
				a.note(fmt.Sprintf("the skill %q is left out: its id is too long for a prompt", report.Excerpt(id, 40)))
			}
			_, err = a.stdout.Write(text)
		}
		if err != nil {
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
