package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/lookalike"
	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/lockfile"
)

// addIdentity adds --identity, under which cards are read as one of the
// credentials; usage says whose card that is.
func (a *app) addIdentity(c *cobra.Command, name *string, usage string) {
	c.Flags().Var((*filled)(name), "identity", usage)
	_ = c.RegisterFlagCompletionFunc("identity", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		cfg, err := a.config()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return identities(cfg), cobra.ShellCompDirectiveNoFileComp
	})
}

// asking adds to the values that a command needs those of the identity that it
// asks as: what is wrong with them is an error, and no warning before it.
func asking(identity string, needs ...string) []string {
	if identity == "" {
		return needs
	}
	return append(slices.Clip(needs), "/credentials/"+jsondoc.Escape(identity))
}

// identities are the names of the configured credentials.
func identities(cfg *config.Config) []string {
	names := make([]string, len(cfg.Credentials))
	for i, c := range cfg.Credentials {
		names[i] = c.Name
	}
	return names
}

// identify wants the credential that --identity names, with what it takes to
// use it, for the agent at a URL. "" is none, the public.
func (a *app) identify(name, agent string) error {
	if name == "" {
		return nil
	}
	names := identities(a.cfg)
	if !slices.Contains(names, name) {
		listed, hint := "none is configured", ""
		if len(names) > 0 {
			listed = "there are " + quoted(names)
		}
		if near := nearest.Meant(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		} else {
			hint = credentialHint(map[string]string{name: cmp.Or(compile.Origin("", agent), "https://agent.example.com")})
		}
		return &exit{code: exitUsage, err: fmt.Errorf("--identity %q: no credential is called that: %s", name, listed), hint: hint}
	}
	_, err := a.config("/credentials/" + jsondoc.Escape(name))
	return err
}

// identified is identify for the identities that locks name.
func (a *app) identified(locks ...*lockfile.Lock) error {
	names := identities(a.cfg)
	var pointers []string
	var errs []error
	unknown := map[string]string{}
	for _, l := range locks {
		switch name := l.Identity; {
		case name == "":
		case slices.Contains(names, name):
			pointers = append(pointers, "/credentials/"+jsondoc.Escape(name))
		default:
			unknown[name] = cmp.Or(unknown[name], compile.Origin("", l.Agent))
			errs = append(errs, fmt.Errorf("%s: identity %q: no credential of a2alock.yaml is called that", l.Path, name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return &exit{code: exitUsage, err: err, hint: credentialHint(unknown)}
	}
	_, err := a.config(pointers...)
	return err
}

// credentialHint is what a2alock.yaml lacks: names, and an origin for each.
func credentialHint(origins map[string]string) string {
	var b strings.Builder
	b.WriteString("add it to a2alock.yaml, with the kind that it is and the origins that it may go to:\ncredentials:\n")
	for _, name := range slices.Sorted(maps.Keys(origins)) {
		fmt.Fprintf(&b, "  %s: {origins: [%q], bearer: {token: \"${TOKEN}\"}}\n", key(name), origins[name])
	}
	return b.String()
}

// originHint is what would let a credential go where it was wanted; "" where
// that is no origin.
func originHint(err error) string {
	e, ok := errors.AsType[*credential.OriginError](err)
	if !ok || e.Origin == "" {
		return ""
	}
	var origins []string
	for _, o := range append(slices.Clone(e.Origins), e.Origin) {
		origins = append(origins, compile.Origin("", o)) // without the port that goes without saying
	}
	return fmt.Sprintf("if it may go there, say so in a2alock.yaml: credentials: {%s: {origins: [%s]}}", key(e.Name), quoted(origins))
}

// key is a name as a key of YAML, between braces too.
func key(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == "" && strings.Trim(name, "0123456789-_") != "" {
		return name
	}
	return fmt.Sprintf("%q", name)
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}

// unfit refuses --identity for what cannot be read as anybody: a card that has
// come already.
func unfit(c *cobra.Command, identity, source string) error {
	if identity == "" || isURL(source) {
		return nil
	}
	return misuse(c, "--identity %q: it says as whom to ask an agent, and %q is a file", identity, cmp.Or(source, "-"))
}

// isCommon is whether the card that identity is shown is the one that everybody is
// shown. Where the credential went with the GET nobody knows, unless the agent said
// that it has no other, or could not be asked.
func (a *app) isCommon(identity string, res *fetch.Response) bool {
	if res == nil || res.Lost() == "" {
		return false
	}
	return res.Extended.NotConfigured || res.Extended.Unasked || !a.showsItself(identity, res.Final)
}

// fellBack notes that a card is not the extended one that was asked for.
func (a *app) fellBack(identity string, res *fetch.Response) {
	if a.isCommon(identity, res) {
		a.note(fmt.Sprintf("not the extended card, but the public one: %s (asked as %q)", res.Lost(), identity))
	}
}

// as settles as whom the agent of a lock is asked: by the flag, else by the lock.
func (p *pinning) as(l *lockfile.Lock) error {
	if p.Identity != "" {
		return p.identify(p.Identity, l.Agent)
	}
	p.Identity = l.Identity
	return p.identified(l)
}

// showsItself is whether the credential of that name may go to where a card
// comes from.
func (a *app) showsItself(identity, card string) bool {
	wallet, err := a.setup().Wallet()
	if err != nil {
		return false
	}
	u, err := url.Parse(card)
	return err == nil && wallet.Goes(identity, u)
}

// nothingOfItsOwn refuses to write an identity into a lock of the card that
// everybody is shown.
func (p *pinning) nothingOfItsOwn(got *answer) error {
	if !p.isCommon(p.Identity, got.res) {
		return nil
	}
	hint := "without --identity, the public card is pinned"
	if p.Old != nil && p.Old.Identity != "" {
		hint = `to pin the public card, take "identity" out of the lock first`
	}
	return &exit{
		code: exitFail,
		err:  fmt.Errorf("%s shows %q no other card than everybody: %s", redact.URL(got.asked), p.Identity, got.res.Lost()),
		hint: hint,
	}
}

// oddHost says what is odd about the host of an agent's URL; "" for nothing.
func oddHost(agent string) string {
	u, err := url.Parse(agent)
	if err != nil {
		return ""
	}
	return lookalike.Host(strings.ToLower(u.Hostname()))
}
