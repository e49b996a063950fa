package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

// schemas are what `a2alock schema` prints, by name.
var schemas = map[string]func() []byte{
	"lock":   lockfile.Schema,
	"report": report.Schema,
	"config": config.Schema,
}

func newSchema(a *app) *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use:   "schema NAME",
		Short: "Print a JSON Schema: " + strings.Join(names, ", "),
		Long: `schema prints the JSON Schema (2020-12) of a format: "lock" of *.a2a.lock.json,
"report" of --format json, "config" of a2alock.yaml. Editors complete and check with
them.`,
		Example:   "  a2alock schema config > a2alock.schema.json",
		Args:      one("NAME"),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			schema, ok := schemas[args[0]]
			if !ok {
				return usage(fmt.Errorf("%q: no such schema: want %s", args[0], strings.Join(names, ", ")))
			}
			_, err := a.stdout.Write(schema())
			return err
		},
	}
}
