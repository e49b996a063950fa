package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

// A pinning is one run of `a2alock pin`: its flags, and what it found.
type pinning struct {
	*app
	lockfile.PinOptions
	out    string
	digest string
	accept string
	dryRun bool
}

func newPin(a *app) *cobra.Command {
	p := &pinning{app: a}
	c := &cobra.Command{
		Use:   "pin SOURCE",
		Short: "Write down what a workflow needs from an agent",
		Long: `pin reads an agent's card and writes a lock: what the workflow needs of it, and
what was true today. SOURCE is

  a card URL    its path ends in .json, or it has a query; used byte for byte
  a base URL    /.well-known/agent-card.json is looked for under it, at its
                origin, under the older name agent.json, and at the URL itself
  a card file   - is standard input; --agent names the URL it stands for
  a lock        it is pinned again from its agent

Without --skill, pin asks on a terminal. Input types default to what the client
sends and the skill accepts, output types to what the client accepts and the skill
offers; a2alock.yaml describes the client. Streaming, push and extensions are
required only where a flag names them.

Pinning an existing lock keeps what it requires, and flags add to it. The report is
printed first; breaking drift is written only with --accept breaking.

Exit codes: 0 written, or nothing to write; 1 refused; 2 the command line, the
config or the lock is wrong; 3 there is no valid card.`,
		Example: `  a2alock pin https://pricing.partner.example --skill itinerary-pricing --streaming
  a2alock pin card.json --agent https://pricing.partner.example/.well-known/agent-card.json --skill quote
  a2alock pin locks/itinerary-pricing.a2a.lock.json --dry-run`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeLocks,
	}
	flags := c.Flags()
	flags.StringVarP(&p.out, "output-file", "o", "", "write the lock to this `FILE` (default: locks/NAME.a2a.lock.json)")
	flags.StringArrayVar(&p.Skills, "skill", nil, "require the skill with this `ID` (repeatable)")
	flags.StringArrayVar(&p.Input, "input", nil, "the workflow sends this media `TYPE` (repeatable)")
	flags.StringArrayVar(&p.Output, "output", nil, "the workflow can use this media `TYPE` (repeatable, in order of preference)")
	flags.BoolVar(&p.Streaming, "streaming", false, "require streaming")
	flags.BoolVar(&p.Push, "push", false, "require push notifications")
	flags.StringArrayVar(&p.Extensions, "extension", nil, "require the extension with this `URI` (repeatable)")
	flags.StringVar(&p.Workflow, "workflow", "", "the workflow that depends on the agent")
	flags.StringVar(&p.Owner, "owner", "", "who is told when the agent changes")
	flags.StringVar(&p.Agent, "agent", "", "the card's `URL`, when SOURCE is a file")
	flags.StringVar(&p.accept, "accept", "", "write the lock although the drift is of this `CLASS` (breaking)")
	flags.StringVar(&p.digest, "expect-digest", "", "refuse a card whose card_digest is not this `DIGEST`")
	flags.BoolVar(&p.dryRun, "dry-run", false, "print what would happen and write nothing; exit codes as check")
	flags.BoolVar(&p.Refresh, "refresh", false, "renew pinned_at although nothing changed")
	completeWith(c, "accept", []string{"breaking"})
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := a.config(); err != nil {
			return err
		}
		if p.accept != "" && p.accept != "breaking" {
			return usage(fmt.Errorf("--accept %q: want breaking", p.accept))
		}
		return p.run(c.Context(), args[0])
	}
	return c
}

func (p *pinning) run(ctx context.Context, source string) error {
	p.At = time.Now().UTC()
	if isLock(source) {
		if p.out == "" {
			p.out = source
		}
		old, err := readLock(source)
		if err != nil {
			return err
		}
		if p.Agent == "" {
			p.Agent = old.Agent
		}
		source = p.Agent
	} else if !isURL(source) {
		if p.Agent == "" {
			return &exit{
				code: exitUsage,
				err:  fmt.Errorf("%s: a card file does not say where it came from", source),
				hint: "add --agent URL, the card's exact address",
			}
		}
	} else if p.Agent != "" {
		return usage(errors.New("--agent goes with a card file; here SOURCE is the agent"))
	}
	got, err := p.source(ctx, source)
	if err != nil {
		return err
	}
	return p.pin(source, got)
}

// pin makes the lock from what SOURCE answered, and writes it.
func (p *pinning) pin(source string, got *answer) error {
	p.CardDigest = got.Digest
	if got.url != "" {
		p.Agent = got.url
	}
	if err := checkAgent(p.Agent); err != nil {
		return usage(err)
	}
	if err := readingExit(source, got.Reading); err != nil {
		return err
	}
	if p.digest != "" && p.digest != got.Digest {
		return refused(fmt.Errorf("%s: the card's digest is %s, want %s", source, got.Digest, p.digest))
	}
	if err := p.choose(got.Profile); err != nil {
		return err
	}
	if err := p.target(got.Profile); err != nil {
		return err
	}
	if p.Old != nil {
		if done, err := p.compare(got); done || err != nil {
			return err
		}
	}
	lock, notes, err := lockfile.Pin(got.Profile, &p.cfg.Client, p.PinOptions)
	if err != nil {
		return &exit{code: exitFail, err: err, hint: unusableHint(got.Profile, &p.cfg.Client)}
	}
	for _, n := range notes {
		p.note(n)
	}
	return p.write(lock)
}

// choose asks for the skills when no flag and no old lock names any.
func (p *pinning) choose(profile *compile.Profile) error {
	if len(p.Skills) > 0 || !p.ask || isLock(p.out) && exists(p.out) || len(profile.Skills) == 0 {
		return nil
	}
	ids := sortedKeys(profile.Skills)
	fmt.Fprintf(p.stderr, "%s offers these skills:\n", report.Line(profile.Name))
	for i, id := range ids {
		fmt.Fprintf(p.stderr, "%3d  %s\n", i+1, report.Line(id))
	}
	fmt.Fprint(p.stderr, "Which does the workflow need (numbers, comma or space between)? ")
	line, err := bufio.NewReader(p.stdin).ReadString('\n')
	if err != nil && line == "" {
		return usage(errors.New("no skill was chosen"))
	}
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(ids) {
			return usage(fmt.Errorf("%q: want numbers from 1 to %d", word, len(ids)))
		}
		p.Skills = append(p.Skills, ids[n-1])
	}
	return nil
}

// target settles the file to write, and reads the lock that is there.
func (p *pinning) target(profile *compile.Profile) error {
	if p.out == "" {
		p.out = filepath.Join(p.pinDir(), filepath.Base(lockfile.FileName(profile, p.Skills)))
		p.out = display([]string{p.out})[0]
	}
	if !isLock(p.out) {
		return &exit{
			code: exitUsage,
			err:  fmt.Errorf("-o %s: the name of a lock ends in %s", p.out, lockfile.Suffix),
			hint: "locks are found by that name",
		}
	}
	if !exists(p.out) {
		return nil
	}
	old, err := readLock(p.out)
	if err != nil {
		return err
	}
	if compile.Origin("", old.Agent) != compile.Origin("", p.Agent) && p.accept == "" {
		return &exit{
			code: exitFail,
			err:  fmt.Errorf("%s locks another agent, %s", p.out, old.Agent),
			hint: "-o FILE writes another lock; --accept breaking moves this one to the new agent",
		}
	}
	p.Old = old
	return nil
}

// compare prints what changed since the old lock, and refuses breaking drift
// that nobody accepted. A dry run is done after that.
func (p *pinning) compare(got *answer) (done bool, err error) {
	policy, err := p.policy.With(p.Old.Policy)
	if err != nil {
		return false, usage(fmt.Errorf("%s: /policy: %w", p.Old.Path, err))
	}
	result := diff.Judge(p.Old, got.Reading, diff.Comparison{
		Client: &p.cfg.Client,
		Policy: policy,
		Seen:   diff.Seen{URL: got.url},
		At:     p.At,
	})
	level, err := failLevel("", p.cfg.Policy.FailOn)
	if err != nil {
		return false, err
	}
	r := report.New([]*diff.Result{result}, level, nil)
	if err := r.Text(p.stdout, p.text()); err != nil {
		return false, &exit{code: exitUndecided, err: err}
	}
	switch {
	case p.dryRun:
		return true, quietly(r.Exit())
	case !result.Decided:
		return false, refused(fmt.Errorf("%s: %s", p.Old.Path, result.Detail))
	case result.Class == diff.Breaking && p.accept == "" && !p.confirmed():
		return false, &exit{
			code: exitFail,
			err:  fmt.Errorf("%s: the drift is breaking, and the lock is left as it is", p.Old.Path),
			hint: "--accept breaking pins it all the same",
		}
	}
	return false, nil
}

// confirmed asks a person at a terminal to type the word.
func (p *pinning) confirmed() bool {
	if !p.ask {
		return false
	}
	fmt.Fprint(p.stderr, "Type breaking to pin it all the same: ")
	line, _ := bufio.NewReader(p.stdin).ReadString('\n')
	return strings.TrimSpace(line) == "breaking"
}

func (p *pinning) write(lock *lockfile.Lock) error {
	data, err := lockfile.Format(lock)
	if err != nil {
		return usage(err)
	}
	if p.dryRun {
		if p.Old == nil {
			_, err = p.stdout.Write(data)
		}
		return err
	}
	if now, err := os.ReadFile(p.out); err == nil && string(now) == string(data) {
		p.note(p.out + " is up to date")
		return nil
	}
	if err := lock.WriteFile(p.out); err != nil {
		return usage(err)
	}
	p.note("wrote " + p.out)
	return nil
}

// checkAgent is for an --agent that was typed; what answered a fetch has
// passed already.
func checkAgent(agent string) error {
	u, err := url.Parse(agent)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("--agent %q: want the card's absolute http(s) URL, without user or fragment", agent)
	}
	return nil
}

// pinDir is where new locks go: the first configured folder, else locks/.
func (a *app) pinDir() string {
	if len(a.cfg.Locks) > 0 {
		for _, root := range a.cfg.Roots() {
			if filepath.Ext(root) != ".json" {
				return root
			}
		}
	}
	return filepath.Join(a.cfg.Root, "locks")
}

// isLock is whether a path has the name by which locks are found.
func isLock(path string) bool { return strings.HasSuffix(path, lockfile.Suffix) }

func readLock(path string) (*lockfile.Lock, error) {
	locks, err := readLocks([]string{path})
	if err != nil {
		return nil, err
	}
	return locks[0], nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
