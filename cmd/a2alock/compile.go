package main

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

func newCompile(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "compile CARD",
		Short: "Show what a card means for this client",
		Long: `compile prints the effective profile of a card as JSON: the interface that the
client would choose, and for every skill its media types and security after
inheritance. CARD is a file, a URL, or - for standard input.

Exit codes: 0 usable; 1 not usable (the profile is printed all the same, and says
why); 2 wrong command line or config; 3 no valid card.`,
		Example: "  a2alock compile https://pricing.partner.example\n  a2alock compile card.json",
		Args:    cobra.ExactArgs(1),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := a.config()
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
		if err := writeJSON(a, got.Profile); err != nil {
			return err
		}
		if got.Profile.Usable {
			return nil
		}
		return &exit{
			code: exitFail,
			err:  fmt.Errorf("%s: %s", args[0], got.Profile.Reason),
			hint: unusableHint(got.Profile, &cfg.Client),
		}
	}
	return c
}

// writeJSON prints a result with two spaces of indentation, members in the
// order of the struct and maps sorted.
func writeJSON(a *app, v any) error {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	_, err = a.stdout.Write(append(data, '\n'))
	return err
}
