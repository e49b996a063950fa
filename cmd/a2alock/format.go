package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A format is the value of a --format flag: one of a few words.
type format struct {
	value   string
	allowed []string
}

// addFormat is for a command whose result has no room for errors: as JSON it
// fails with those alone.
func (a *app) addFormat(c *cobra.Command, allowed ...string) *format {
	f := &format{value: allowed[0], allowed: allowed}
	a.results[c] = &outputs{format: f, failed: failures}
	c.Flags().Var(f, "format", "how to print the result")
	completeWith(c, "format", allowed)
	return f
}

func (f *format) String() string { return f.value }
func (f *format) Type() string   { return strings.Join(f.allowed, "|") }

func (f *format) Set(s string) error {
	if !slices.Contains(f.allowed, s) {
		return errors.New("want " + alternatives(f.allowed))
	}
	f.value = s
	return nil
}

// alternatives lists words of which one is wanted.
func alternatives(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
