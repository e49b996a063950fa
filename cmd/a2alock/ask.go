package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/report"
)

// tries is how often a question is asked before a person is taken not to know.
const tries = 3

// choose asks for the skills when no flag and no lock names any. No answer is
// no skill, which is refused further on.
func (p *pinning) choose(ctx context.Context, got *answer) error {
	profile := got.Profile
	again := p.lock != nil || isLock(p.out) && exists(p.out)
	if len(p.Skills) > 0 || !p.ask || again || !profile.Usable || len(profile.Skills) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(profile.Skills))
	fmt.Fprintf(p.stderr, "%s offers these skills:\n", report.Excerpt(profile.Name, 100))
	w := tabwriter.NewWriter(p.stderr, 0, 0, 2, ' ', 0)
	for i, id := range ids {
		fmt.Fprintf(w, "%3d\t%s\t%s\n", i+1, report.Excerpt(id, 100), report.Excerpt(nameOf(got.Card, id), 100))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for try := 1; ; try++ {
		line, err := p.question(ctx, "Which does the workflow need (numbers or ids, comma or space between, or all)? ")
		if err != nil {
			return err
		}
		if p.Skills, err = chosen(line, ids); err == nil {
			return nil
		}
		if try == tries {
			return usage(err)
		}
		printError(p.stderr, err)
	}
}

// nameOf is what a card calls the skill; "" where it has no name beside the id.
func nameOf(c *card.Card, id string) string {
	for _, s := range c.Skills {
		if s.ID == id && s.Name != id {
			return s.Name
		}
	}
	return ""
}

// chosen reads which of ids a person typed, by number, by id, or all of them.
func chosen(line string, ids []string) ([]string, error) {
	line = strings.TrimSpace(line)
	switch {
	case slices.Contains(ids, line):
		return []string{line}, nil
	case strings.EqualFold(line, "all"):
		return ids, nil
	}
	var list []string
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		n, err := strconv.Atoi(word)
		switch {
		case err == nil && n >= 1 && n <= len(ids):
			list = append(list, ids[n-1])
		case slices.Contains(ids, word):
			list = append(list, word)
		default:
			return nil, fmt.Errorf("%q: want numbers from 1 to %d, ids of the list, or all", word, len(ids))
		}
	}
	return list, nil
}

// confirm asks a person at a terminal to type the word.
func (p *pinning) confirm(ctx context.Context) (bool, error) {
	if !p.ask {
		return false, nil
	}
	line, err := p.question(ctx, "Type breaking to pin it all the same: ")
	return strings.TrimSpace(line) == "breaking", err
}

// question reads the line that a person types, until ctx ends. The end of the
// input is an empty line.
func (a *app) question(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(a.stderr, prompt)
	if a.typing == nil {
		a.typing = bufio.NewReader(a.stdin)
	}
	typed := make(chan string, 1)
	go func() { // waits for the terminal until the process ends, should ctx end first
		line, _ := a.typing.ReadString('\n')
		typed <- line
	}()
	select {
	case line := <-typed:
		if !strings.HasSuffix(line, "\n") {
			fmt.Fprintln(a.stderr)
		}
		return line, nil
	case <-ctx.Done():
		fmt.Fprintln(a.stderr)
		return "", interrupted(ctx)
	}
}
