package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/report"
)

// choose asks for the skills when no flag and no old lock names any. No answer
// is no skill, which is refused further on.
func (p *pinning) choose(ctx context.Context, profile *compile.Profile) error {
	if len(p.Skills) > 0 || !p.ask || isLock(p.out) && exists(p.out) || !profile.Usable || len(profile.Skills) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(profile.Skills))
	fmt.Fprintf(p.stderr, "%s offers these skills:\n", report.Excerpt(profile.Name, 100))
	for i, id := range ids {
		fmt.Fprintf(p.stderr, "%3d  %s\n", i+1, report.Excerpt(id, 100))
	}
	line, err := p.question(ctx, "Which does the workflow need (numbers, comma or space between)? ")
	if err != nil {
		return err
	}
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(ids) {
			return usage(fmt.Errorf("%q: want numbers from 1 to %d", word, len(ids)))
		}
		p.Skills = append(p.Skills, ids[n-1])
	}
	return nil
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
	typed := make(chan string, 1)
	go func() { // waits for the terminal until the process ends, should ctx end first
		line, _ := bufio.NewReader(a.stdin).ReadString('\n') // a terminal gives line by line
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
