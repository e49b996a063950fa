package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/extended"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

// An app is what the commands share: the global flags, and what is made from
// them on first use.
type app struct {
	*env
	configPath string
	noColor    bool
	typing     *bufio.Reader // standard input, once a person was asked
	// results is how each command prints what it came to, for those that print
	// one in a format of choice.
	results map[*cobra.Command]*outputs

	load   sync.Once
	cfg    *config.Config
	policy diff.Policy
	err    error

	opening sync.Once
	made    *setup.Setup
}

// config reads a2alock.yaml, the nearest one upwards or --config's. The values
// that the command needs, by pointer, must be there and mean something. What is
// doubtful of the rest is the daemon's business, and told once.
func (a *app) config(needs ...string) (*config.Config, error) {
	a.load.Do(func() {
		s, err := setup.Load(a.configPath)
		if err != nil {
			a.err = err
			return
		}
		a.cfg, a.policy = s.Config, s.Policy
		if err := s.Config.Besides(needs...); err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				a.note("warning: " + line + " (a2alockd would not start)")
			}
		}
	})
	if a.err != nil {
		return nil, usage(a.err)
	}
	if err := a.cfg.Require(needs...); err != nil {
		return nil, usage(err)
	}
	return a.cfg, nil
}

// level begins a command that judges cards: it reads the config, and says from
// which class on the run fails.
func (a *app) level(flag string) (diff.Class, error) {
	cfg, err := a.config(setup.Judging...)
	if err != nil {
		return 0, err
	}
	return failLevel(flag, cfg.Policy.FailOn)
}

// setup is the configuration that was read, with what it makes: one for the
// command, whose requests share tokens.
func (a *app) setup() *setup.Setup {
	a.opening.Do(func() {
		a.made = &setup.Setup{Config: a.cfg, Policy: a.policy, Warn: func(name, text string) {
			a.note(fmt.Sprintf("warning: credential %q: %s", name, text))
		}}
	})
	return a.made
}

// cardOptions are the limits under which cards are read.
func (a *app) cardOptions() card.Options { return a.setup().CardOptions() }

// fetcher makes the client that every card comes through.
func (a *app) fetcher() *fetch.Client { return a.setup().Fetcher("a2alock/" + version()) }

// An answer is what a CARD or SOURCE argument led to.
type answer struct {
	*compile.Reading
	url   string // what answered; "" for a file
	asked string // the URL that was asked, from which redirects may have led to url
	// offsite is whether they left the origin of asked on the way.
	offsite bool
	res     *fetch.Response // nil for a file
}

// extended is what came of asking for the extended card; nil where nobody asked.
func (a *answer) extended() *fetch.Extended {
	if a.res == nil {
		return nil
	}
	return a.res.Extended
}

// source reads CARD: a file, "-" for standard input, or a URL, as identity. Its
// error is an *exit: usage for what cannot be read here, undecided for what did
// not answer.
func (a *app) source(ctx context.Context, arg, identity string) (*answer, error) {
	if isURL(arg) {
		if err := a.identify(identity, arg); err != nil {
			return nil, err
		}
		res, err := a.fetcher().Discover(ctx, arg, identity)
		if err != nil {
			return nil, a.fetchExit(ctx, err, identity)
		}
		return a.answered(res), nil
	}
	body, err := a.readFile(arg)
	if err != nil {
		return nil, fileExit(err)
	}
	return &answer{Reading: compile.Read(body, &a.cfg.Client, a.cardOptions())}, nil
}

// agent reads the card of a lock's agent as identity, from an origin that the
// lock trusts.
func (a *app) agent(ctx context.Context, l *lockfile.Lock, identity string) (*answer, error) {
	res, err := a.fetcher().Get(ctx, fetch.Ask{URL: l.Agent, Identity: identity})
	if err != nil {
		return nil, a.fetchExit(ctx, err, identity)
	}
	if err := strayed(l, res.Offsite, res.Final, "pin that URL if you trust it"); err != nil {
		return nil, err
	}
	return a.answered(res), nil
}

// strayed refuses the answer of a lock's agent that came from url, by way of
// another origin than the agent's, unless the lock trusts that of url.
func strayed(l *lockfile.Lock, offsite bool, url, hint string) error {
	if !offsite || trusts(l, url) {
		return nil
	}
	return &exit{
		code: exitUndecided,
		err:  fmt.Errorf("%s: redirected to another origin, %s", redact.URL(l.Agent), redact.URL(url)),
		hint: hint,
	}
}

// trusts is whether the lock names the origin of url beside the agent's.
func trusts(l *lockfile.Lock, url string) bool {
	return l.Trust != nil && slices.ContainsFunc(l.Trust.AllowedOrigins, func(o string) bool {
		return compile.Origin("", o) == compile.Origin("", url)
	})
}

func (a *app) answered(res *fetch.Response) *answer {
	for _, n := range res.Notes {
		a.note(n)
	}
	return &answer{Reading: a.read(res), url: res.Final, asked: res.URL, offsite: res.Offsite, res: res}
}

// read reads the card of an agent.
func (a *app) read(res *fetch.Response) *compile.Reading {
	read := compile.Read(res.Body, &a.cfg.Client, a.cardOptions())
	if res.IsExtended() {
		return extended.Mark(read)
	}
	return read
}

// isURL is whether an argument is meant as a URL. A path never contains "://",
// and package netguard says what is wrong with other schemes.
func isURL(arg string) bool { return strings.Contains(arg, "://") }

// readFile reads a card file of at most one byte more than the limit, so that
// the reader can say that it is too large. An empty one is what an empty answer
// is, an [*fetch.Error].
func (a *app) readFile(name string) ([]byte, error) {
	r := a.stdin
	if name != "-" {
		if err := noFile(name); err != nil {
			return nil, err
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	var body bytes.Buffer
	body.Grow(8 << 10) // most cards are smaller
	if _, err := body.ReadFrom(io.LimitReader(r, a.cfg.Limits.CardBytes+1)); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if body.Len() == 0 {
		return nil, &fetch.Error{URL: name, State: fetch.Unreachable, Err: errors.New("the body is empty")}
	}
	return body.Bytes(), nil
}

// fileExit is how a command ends that [app.readFile] gave no card: undecided
// where nothing came, else the file named is wrong.
func fileExit(err error) error {
	if _, ok := errors.AsType[*fetch.Error](err); ok {
		return &exit{code: exitUndecided, err: err}
	}
	return usage(err)
}

// host is how the address of an agent begins, without its scheme.
var host = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^([a-z0-9-]+(\.[a-z0-9-]+)+|localhost|[a-z0-9-]+:[0-9])`)
})

// noFile says why there is no card file of that name, and what may be meant
// instead; nil where there is one.
func noFile(name string) error {
	if name == "" {
		return errors.New("the name of the card is empty (is a variable not set?)")
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: that is a folder: name one file in it", name)
	case errors.Is(err, fs.ErrNotExist) && host().MatchString(name) && !strings.HasSuffix(name, ".json"):
		return fmt.Errorf("%s: %w (a URL begins with https://)", name, errors.Unwrap(err))
	case err != nil:
		return fmt.Errorf("%s: %w", name, errors.Unwrap(err))
	}
	return nil
}

// note tells something that is not the result.
func (a *app) note(text string) {
	fmt.Fprintf(a.stderr, "a2alock: %s\n", report.Excerpt(text, maxLine))
}

func (a *app) text() report.TextOptions {
	return report.TextOptions{Color: a.color && !a.noColor}
}

// readingExit says why a reading has no profile; nil when it has one.
func readingExit(name string, r *compile.Reading) error {
	if r.Err == nil {
		return nil
	}
	return &exit{code: exitUndecided, err: fmt.Errorf("%s: %w", redact.URL(name), r.Err)}
}
