package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/store"
)

func newStore(a *app) *cobra.Command {
	c := group(&cobra.Command{
		Use:   "store",
		Short: "Work with the store, while the daemon is stopped",
		Long: `The store is the file that daemon.store.bbolt names. The daemon holds it while it runs,
and these commands then end with exit code 2 within a second, naming the process.`,
	})
	add := func(sub *cobra.Command, do func(path string) error) {
		sub.Args, sub.Example = none, "  a2alockd store "+sub.Name()
		sub.RunE = func(*cobra.Command, []string) error {
			s, err := a.setup("/daemon/store")
			if err != nil {
				return err
			}
			return do(s.Config.File(s.Config.Daemon.Store.BBolt))
		}
		c.AddCommand(sub)
	}
	add(&cobra.Command{
		Use:   "check",
		Short: "Read every page and record, and say whether they are whole",
		Long: `check reads every page and every record of the store, and says all that is wrong. It
changes nothing, and the file may be where nothing can be written. A start of the daemon
mends records that cannot be read, and sets a store whose pages are damaged aside.

Exit codes: 0 the store is whole; 1 it is not; 2 it is not there, or in use.`,
	}, a.checkStore)
	add(&cobra.Command{
		Use:   "compact",
		Short: "Give the space that nothing uses back to the disk",
		Long: `compact writes the store anew without what nothing uses, and puts it in the place of
the old file. One that would not become smaller stays as it is. A start of the daemon
compacts by itself over daemon.compact_over.

Exit codes: 0 done; 1 the store is damaged; 2 it is not there, or in use.`,
	}, func(path string) error {
		before, after, err := store.Compact(path)
		switch {
		case err != nil:
		case after < before:
			_, err = fmt.Fprintf(a.stdout, "%s: %d bytes, %d before\n", path, after, before)
		default:
			_, err = fmt.Fprintf(a.stdout, "%s: %d bytes, and would not become smaller: left as it is\n", path, before)
		}
		return err
	})
	add(&cobra.Command{
		Use:   "export",
		Short: "Print every record as a line of JSON",
		Long: `export prints everything that the store remembers, for a look or for another program:
a line {"kind": …, "record": …} each. Secrets in the URLs of agents are redacted.

Exit codes: 0 done; 1 the store is damaged; 2 it is not there, or in use.`,
	}, func(path string) error { return store.Export(path, a.stdout) })
	return c
}

// checkStore tells a store that is not whole from one that cannot be looked at.
func (a *app) checkStore(path string) error {
	err := store.Check(path)
	_, inUse := errors.AsType[*store.InUseError](err)
	_, newer := errors.AsType[*store.FormatError](err)
	_, place := errors.AsType[*fs.PathError](err)
	if _, gone := os.Stat(path); gone != nil {
		place = true
	}
	switch {
	case err == nil:
		_, err = fmt.Fprintf(a.stdout, "%s is whole\n", path)
		return err
	case inUse, newer, place:
		return err
	}
	return &exit{exitFail, err}
}
