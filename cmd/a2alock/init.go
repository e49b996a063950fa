package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

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

An a2alock.yaml that is there stays as it is, and init ends with exit code 2.`,
		Example: "  a2alock init --client a2a-go\n  a2alock init https://pricing.partner.example",
	}
	c.Flags().StringVar(&client, "client", "", "start from what this `SDK` speaks: a2a-go, a2a-js or a2a-python")
	completeWith(c, "client", config.Clients())
	c.RunE = func(c *cobra.Command, args []string) error {
		path := a.configPath
		if path == "" {
			path = "a2alock.yaml"
		}
		text, err := config.Example(client)
		if err != nil {
			return usage(fmt.Errorf("--client %w", err))
		}
		if len(args) > 0 {
			if client != "" {
				return usage(errors.New("--client and AGENT both say what the client speaks: give one"))
			}
			if text, err = a.propose(c.Context(), args); err != nil {
				return err
			}
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return &exit{code: exitUsage, err: fmt.Errorf("%s is there already, and stays as it is", path), hint: "--config FILE init writes another file"}
		}
		if err != nil {
			return usage(err)
		}
		_, err = f.Write(text)
		if err = errors.Join(err, f.Close()); err != nil {
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
		got, err := a.source(ctx, agent)
		if err != nil {
			return nil, err
		}
		if err := readingExit(agent, got.Reading); err != nil {
			return nil, err
		}
		for _, t := range got.Profile.Offered() {
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
