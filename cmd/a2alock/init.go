package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
)

func newInit(a *app) *cobra.Command {
	var client string
	c := &cobra.Command{
		Use:   "init [AGENT…]",
		Short: "Write a commented a2alock.yaml",
		Long: `init writes a2alock.yaml with every key explained. --client starts from what an
official SDK speaks. With AGENTs (card URLs, base URLs or files), the interfaces are
proposed from their own cards: keep those that your client really implements.

Exit codes: 0 written; 1 the agents offer nothing that could be proposed; 2 the
command line is wrong, or the file is there already, and stays as it is; 3 an agent
gave no valid card.`,
		Example: "  a2alock init --client a2a-go\n  a2alock init https://pricing.partner.example",
	}
	c.Flags().Var((*filled)(&client), "client", "start from what this `SDK` speaks: a2a-go, a2a-js or a2a-python")
	completeWith(c, "client", config.Clients())
	c.RunE = func(c *cobra.Command, args []string) error {
		path := a.configPath
		if path == "" {
			path = config.Name
		}
		if exists(path) {
			return &exit{
				code: exitUsage,
				err:  fmt.Errorf("%s is there already, and stays as it is", path),
				hint: "a2alock init --config FILE writes another file",
			}
		}
		if client != "" && !slices.Contains(config.Clients(), client) {
			return misuse(c, "--client %q: want %s", client, strings.Join(config.Clients(), ", "))
		}
		if client != "" && len(args) > 0 {
			return misuse(c, "--client and AGENT both say what the client speaks: give one")
		}
		text, err := config.Example(client)
		if len(args) > 0 {
			text, err = a.propose(c.Context(), args)
		}
		if err != nil {
			return err
		}
		if err := create(path, text); err != nil {
			return usage(err)
		}
		a.note("wrote " + path)
		return nil
	}
	return c
}

// propose is the file whose interfaces are those that the agents offer.
func (a *app) propose(ctx context.Context, agents []string) ([]byte, error) {
	a.cfg = config.Default()
	var offered []compile.Transport
	for _, agent := range agents {
		got, err := a.source(ctx, agent, "")
		if err != nil {
			return nil, err
		}
		if err := readingExit(agent, got.Reading); err != nil {
			return nil, err
		}
		for _, t := range speakable(got.Profile) {
			if !slices.Contains(offered, t) {
				offered = append(offered, t)
			}
		}
	}
	if len(offered) == 0 {
		return nil, refused(errors.New("the agents offer no interface whose binding and version can be read"))
	}
	return config.ExampleWith(offered)
}

// create writes a file that is not there yet, whole or not at all.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
