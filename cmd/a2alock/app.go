package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/report"
)

// An app is what the commands share: the global flags, and what is made from
// them on first use.
type app struct {
	*env
	configPath string
	noColor    bool

	load   sync.Once
	cfg    *config.Config
	policy diff.Policy
	err    error
}

// config reads a2alock.yaml, the nearest one upwards or --config's, and checks
// what package config cannot know: the rules that the policy names.
func (a *app) config() (*config.Config, error) {
	a.load.Do(func() { a.cfg, a.policy, a.err = loadConfig(a.configPath) })
	if a.err != nil {
		return nil, usage(a.err)
	}
	return a.cfg, nil
}

func loadConfig(path string) (*config.Config, diff.Policy, error) {
	if path == "" {
		var err error
		if path, err = config.Find("."); err != nil {
			return nil, diff.Policy{}, err
		}
	}
	cfg := config.Default()
	if path != "" {
		var err error
		if cfg, err = config.Load(path); err != nil {
			return nil, diff.Policy{}, err
		}
	}
	policy, err := diff.NewPolicy(cfg.Policy.Rules, cfg.Policy.TextPolicy)
	if err != nil {
		return nil, diff.Policy{}, fmt.Errorf("%s:%d: policy: %w", path, cfg.Line("/policy/rules"), err)
	}
	return cfg, policy, nil
}

// cardOptions are the limits under which cards are read.
func (a *app) cardOptions() card.Options {
	l := a.cfg.Limits
	return card.Options{Bytes: int(l.CardBytes), Depth: l.Depth, Skills: l.Skills, Strict: a.cfg.Strict}
}

// fetcher makes the client that every card comes through.
func (a *app) fetcher() *fetch.Client {
	return &fetch.Client{
		Guard:     &netguard.Guard{Allow: a.cfg.Network.Allow, HTTP: a.cfg.Network.HTTP},
		Bytes:     a.cfg.Limits.CardBytes,
		Timeout:   a.cfg.Limits.Timeout,
		UserAgent: "a2alock/" + version(),
	}
}

// An answer is what a CARD or SOURCE argument led to.
type answer struct {
	*compile.Reading
	url  string // what answered; "" for a file
	body []byte
}

// source reads CARD: a file, "-" for standard input, or a URL. Its error is an
// *exit: usage for what cannot be read here, undecided for what did not answer.
func (a *app) source(ctx context.Context, arg string) (*answer, error) {
	if isURL(arg) {
		res, err := a.fetcher().Discover(ctx, arg)
		if err != nil {
			return nil, a.fetchExit(err)
		}
		for _, n := range res.Notes {
			a.note(n)
		}
		return &answer{compile.Read(res.Body, &a.cfg.Client, a.cardOptions()), res.Final, res.Body}, nil
	}
	body, err := a.readFile(arg)
	if err != nil {
		return nil, usage(err)
	}
	return &answer{compile.Read(body, &a.cfg.Client, a.cardOptions()), "", body}, nil
}

// isURL is whether an argument is meant as a URL. A path never contains "://",
// and package netguard says what is wrong with other schemes.
func isURL(arg string) bool { return strings.Contains(arg, "://") }

// readFile reads a card file of at most one byte more than the limit, so that
// the reader can say that it is too large.
func (a *app) readFile(name string) ([]byte, error) {
	r := a.stdin
	if name != "-" {
		f, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, `/\`) && strings.Contains(name, ".") {
			return nil, fmt.Errorf("%w (for a URL, begin with https://)", err)
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	body, err := io.ReadAll(io.LimitReader(r, a.cfg.Limits.CardBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return body, nil
}

// note tells something that is not the result.
func (a *app) note(text string) { fmt.Fprintf(a.stderr, "a2alock: %s\n", report.Line(text)) }

func (a *app) text() report.TextOptions {
	return report.TextOptions{Color: a.color && !a.noColor}
}

// fetchExit turns a failed fetch into exit code 3, with the lines to add where
// the operator's own policy refused the target, or into 2 for a URL that can
// never be asked for.
func (a *app) fetchExit(err error) error {
	x := &exit{code: exitUndecided, err: err}
	if r, ok := errors.AsType[*netguard.Refused](err); ok {
		x.hint = refusalHint(r)
		if r.Kind == netguard.KindURL && !r.Redirected {
			x.code = exitUsage
		}
	}
	return x
}

// readingExit says why a reading has no profile; nil when it has one.
func readingExit(name string, r *compile.Reading) error {
	if r.Err == nil {
		return nil
	}
	return &exit{code: exitUndecided, err: fmt.Errorf("%s: %w", name, r.Err)}
}

// unusableHint is the a2alock.yaml that would let the client speak with an
// agent whose interfaces it does not know; "" when something else is wrong.
func unusableHint(p *compile.Profile, cl *compile.Client) string {
	offered := p.Offered()
	if p.Interface != nil || len(offered) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("if your client speaks one of these, say so in a2alock.yaml:\nclient:\n  interfaces:")
	for _, t := range append(append([]compile.Transport{}, cl.Interfaces...), offered...) {
		fmt.Fprintf(&b, "\n    - {binding: %s, version: %q}", report.Line(t.Binding), t.Version)
	}
	return b.String()
}

// locks resolves LOCK arguments (files or folders), or finds every lock under
// the configured roots. An empty set is an error: it never passes.
func (a *app) locks(args []string) ([]string, error) {
	roots := args
	if len(roots) == 0 {
		roots = a.cfg.Roots()
	}
	paths, err := lockfile.Find(roots)
	if err != nil {
		return nil, usage(err)
	}
	if len(paths) == 0 {
		return nil, &exit{
			code: exitUsage,
			err:  fmt.Errorf("no *%s under %s", lockfile.Suffix, strings.Join(display(roots), ", ")),
			hint: "a2alock pin URL --skill ID writes one; a check of nothing never passes",
		}
	}
	return display(paths), nil
}

// display shortens paths inside the working directory, with forward slashes.
func display(paths []string) []string {
	wd, err := os.Getwd()
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = filepath.ToSlash(p)
		if err != nil || !filepath.IsAbs(p) {
			continue
		}
		if rel, err := filepath.Rel(wd, p); err == nil && filepath.IsLocal(rel) {
			out[i] = filepath.ToSlash(rel)
		}
	}
	return out
}

// readLocks reads the locks at paths; every fault of every file is reported.
func readLocks(paths []string) ([]*lockfile.Lock, error) {
	var locks []*lockfile.Lock
	var errs []error
	for _, p := range paths {
		l, err := lockfile.Read(p)
		if err == nil {
			err = l.Unsupported()
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		locks = append(locks, l)
	}
	if len(errs) > 0 {
		return nil, usage(errors.Join(errs...))
	}
	return locks, nil
}

// version is the module's version, or that of the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
