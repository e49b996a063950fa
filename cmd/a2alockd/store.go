package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/store"
)

func newStore(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "store",
		Short: "Work with the store, while the daemon is stopped",
		Long: `The store is the file that daemon.store.bbolt names. The daemon holds it while it runs,
and these commands then end with exit code 2 within a second, naming the process.`,
	}
	add := func(use, short string, do func(path string) error) {
		c.AddCommand(&cobra.Command{
			Use: use, Short: short, Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				s, err := a.setup()
				if err != nil {
					return err
				}
				return do(s.Config.File(s.Config.Daemon.Store.BBolt))
			},
		})
	}
	add("check", "Read every page and record, and say whether they are whole", func(path string) error {
		if err := store.Check(path); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.stdout, "%s is whole\n", path)
		return err
	})
	add("compact", "Give the space that nothing uses back to the disk", func(path string) error {
		before, after, err := store.Compact(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.stdout, "%s: %d bytes, %d before\n", path, after, before)
		return err
	})
	add("export", "Print every record as a line of JSON", func(path string) error { return store.Export(path, a.stdout) })
	return c
}
