package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/extended"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/rpc"
)

// exposure says what is odd about the card that an agent shows to identity
// beside its public one, and whether it shows that to anybody. What anybody is
// shown is compared and thrown away.
func (a *app) exposure(ctx context.Context, identity string, got *answer) []card.Finding {
	e := got.extended()
	switch {
	case e == nil:
		return nil // the public card cannot be read, as its own findings say
	case e.NotConfigured:
		return found(card.Warning, "extended-card-not-configured", "the public card promises an extended card, and the agent says that it has none (-32007)")
	case e.Unasked:
		return found(card.Warning, "extended-card-not-asked", "%s", e.Lost)
	case a.isCommon(identity, got.res):
		return found(card.Warning, "extended-card-not-offered", "the public card does not promise an extended one, and %q may not go to where it comes from: it was read without", identity)
	case e.Lost != "":
		return nil // what the credential was shown with the GET may be its own
	}
	public, err := card.Parse(e.Public, a.cardOptions())
	if err != nil || got.Card == nil {
		return nil
	}
	digest, err := card.Digest(e.Public)
	if err != nil {
		return nil
	}
	var fs []card.Finding
	if digest == got.Digest {
		fs = found(card.Warning, "extended-card-public", "the extended card is the public card: nothing more is shown to %q", identity)
	} else if to, unseen := a.shownTo(ctx, got); len(to) > 0 {
		fs = found(card.Error, "extended-card-not-protected", "the extended card is shown %s: who asks must authenticate (A2A 13.3)", strings.Join(to, " and "))
	} else if !unseen {
		a.note(fmt.Sprintf("the extended card was read as %q; it is shown neither without a credential nor for a token that we made up", identity))
	}
	if names := differing(&public.Capabilities, &got.Card.Capabilities); len(names) > 0 {
		fs = append(fs, found(card.Warning, "extended-card-differs", "the extended card and the public one differ in %s", strings.Join(names, ", "))...)
	}
	return fs
}

func found(severity card.Severity, code, format string, args ...any) []card.Finding {
	return []card.Finding{{Code: code, Severity: severity, Message: fmt.Sprintf(format, args...)}}
}

// shownTo says to whom beside the identity the agent shows more than the public
// card, in words that go with a verb; unseen is whether that could not be told of
// all, which it notes.
func (a *app) shownTo(ctx context.Context, got *answer) (to []string, unseen bool) {
	public := got.res.Extended.Public
	// The card's URL may show more to the identity, too.
	if res, err := a.fetcher().Get(ctx, fetch.Ask{URL: got.res.URL}); err == nil {
		public = res.Body
	}
	asked := *got.res
	asked.Body, asked.Extended = got.res.Extended.Public, nil
	reader := &extended.Reader{
		Client: &a.cfg.Client, Options: a.cardOptions(),
		Calls: rpc.Client{Guard: a.setup().Guard(), UserAgent: "a2alock/" + version(), Bytes: a.cfg.Limits.CardBytes, Timeout: a.cfg.Limits.Timeout},
	}
	for _, who := range []struct{ name, words string }{{"", "without a credential"}, {madeUp, "for a token that we made up"}} {
		if who.name != "" {
			wallet, err := madeUpWallet(got.res.Extended.URL)
			if err != nil {
				continue // to where no token may go, none went before either
			}
			reader.Wallet = wallet
		}
		res, err := reader.Extend(ctx, who.name, &asked)
		if err != nil {
			if e, ok := errors.AsType[*fetch.Error](err); !ok || e.State != fetch.AuthRequired {
				unseen = true
				a.note(fmt.Sprintf("whether the extended card is shown %s could not be seen: %s", who.words, err))
			}
			continue
		}
		if res.Lost() == "" && a.showsMore(res.Body, public) {
			to = append(to, who.words)
		}
	}
	return to, unseen
}

// showsMore is whether a card has a skill that the public one has not, or has
// otherwise. Texts may be others each time.
func (a *app) showsMore(body, public []byte) bool {
	shown, all := compile.Read(body, &a.cfg.Client, a.cardOptions()), compile.Read(public, &a.cfg.Client, a.cardOptions())
	if shown.Profile == nil || all.Profile == nil {
		return shown.Digest != all.Digest
	}
	for id := range shown.Profile.Skills {
		if shown.Profile.SkillDigest(id) != all.Profile.SkillDigest(id) {
			return true
		}
	}
	return false
}

// madeUp is the name of a credential that nobody gave us.
const madeUp = "made up"

// madeUpWallet holds a token that is right nowhere, for the origin of a URL.
func madeUpWallet(interfaceURL string) (*credential.Wallet, error) {
	origin, err := netguard.ParseOrigin(compile.Origin("GRPC", interfaceURL))
	if err != nil {
		return nil, err
	}
	return credential.New([]credential.Credential{{
		Name: madeUp, Origins: []string{origin},
		Kind: credential.Bearer{Token: credential.Literal("a2alock-" + rand.Text())},
	}})
}

// differing names what two cards say differently of what the agent can do.
func differing(a, b *card.Capabilities) []string {
	var names []string
	if a.Streaming != b.Streaming {
		names = append(names, "streaming")
	}
	if a.PushNotifications != b.PushNotifications {
		names = append(names, "pushNotifications")
	}
	uris := func(c *card.Capabilities) map[string]bool {
		required := map[string]bool{}
		for _, x := range c.Extensions {
			required[x.URI] = x.Required
		}
		return required
	}
	if !maps.Equal(uris(a), uris(b)) {
		names = append(names, "extensions")
	}
	return names
}
