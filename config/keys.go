package config

import (
	"errors"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/internal/settings"
	"github.com/a2alock/a2alock/internal/want"
)

// keys is the one list of what a2alock.yaml may say, reading into c.
func (c *Config) keys() []settings.Key {
	return []settings.Key{
		{Name: "version", Read: readFormat},
		{Name: "client", Keys: c.clientKeys()},
		{Name: "locks", Read: settings.Texts(&c.Locks, want.Path("a lock or a folder"))},
		{Name: "limits", Keys: []settings.Key{
			{Name: "card_bytes", Read: settings.Size(&c.Limits.CardBytes, 1)},
			{Name: "depth", Read: settings.Count(&c.Limits.Depth, 1000)},
			{Name: "skills", Read: settings.Count(&c.Limits.Skills, 1_000_000)},
			{Name: "timeout", Read: settings.Span(&c.Limits.Timeout, "")},
		}},
		{Name: "strict", Read: settings.Flag(&c.Strict)},
		{Name: "network", Keys: []settings.Key{
			{Name: "allow", Read: settings.Texts(&c.Network.Allow, want.Address)},
			{Name: "http", Read: settings.Texts(&c.Network.HTTP, want.Host)},
			{Name: "ca_files", Read: c.readRoots},
		}},
		{Name: "policy", Keys: []settings.Key{
			{Name: "rules", Read: settings.Pairs(&c.Policy.Rules, want.Rule, want.OneOf("compatible", "review", "breaking"))},
			{Name: "text_policy", Read: settings.Text(&c.Policy.TextPolicy, want.OneOf("off", "compatible", "review"))},
			{Name: "fail_on", Read: settings.Text(&c.Policy.FailOn, want.OneOf("review", "breaking"))},
			{Name: "max_lock_age", Read: settings.Span(&c.Policy.MaxLockAge, "off")},
			{Name: "max_evidence_age", Read: settings.Span(&c.Policy.MaxEvidenceAge, "off")},
			{Name: "max_waiver", Read: settings.Span(&c.Policy.MaxWaiver, "")},
		}},
		{Name: "credentials", Secret: true, Keys: c.credentialKeys(new(credential.Credential)), Read: c.readCredentials},
		{Name: "daemon", Keys: daemonKeys(&c.Daemon)},
		{Name: "notify", Keys: c.notifyKeys()},
	}
}

func (c *Config) clientKeys() []settings.Key {
	cl := &c.Client
	return []settings.Key{
		{Name: "interfaces", Keys: transportKeys(new(compile.Transport)), Read: func(d *settings.Decoder, v settings.Value) {
			cl.Interfaces = settings.List(d, v, func(v settings.Value, t *compile.Transport) {
				d.Mapping(v, transportKeys(t), "binding", "version")
			})
			settings.Unique(d, v, cl.Interfaces)
		}},
		{Name: "select", Read: settings.Text(&cl.Select, want.OneOf(compile.CardOrder, compile.ClientOrder))},
		{Name: "accepts", Read: settings.Texts(&cl.Accepts, want.MediaType)},
		{Name: "sends", Read: settings.Texts(&cl.Sends, want.MediaType)},
		{Name: "aliases", Read: settings.Pairs(&cl.Aliases, want.Mode, want.MediaType)},
		{Name: "extensions", Read: settings.Texts(&cl.Extensions, want.URI)},
		{Name: "streaming", Read: settings.Flag(&cl.Streaming)},
		{Name: "push_endpoint", Read: settings.Text(&cl.PushEndpoint, want.Endpoint)},
		{Name: "delivery", Read: settings.Texts(&cl.Delivery, want.OneOf("stream", "push", "poll"))},
		{Name: "credentials", Keys: heldKeys(new(compile.Credential)), Read: c.readHeld},
	}
}

func transportKeys(t *compile.Transport) []settings.Key {
	return []settings.Key{
		{Name: "binding", Read: settings.Text(&t.Binding, want.Binding)},
		{Name: "version", Read: settings.Text(&t.Version, want.Version)},
	}
}

func heldKeys(c *compile.Credential) []settings.Key {
	return []settings.Key{
		{Name: "name", Read: settings.Text(&c.Name, want.Name)},
		{Name: "kind", Read: func(d *settings.Decoder, v settings.Value) {
			d.Set(v, func(s string) (err error) {
				c.Kind, err = strength(s)
				return err
			})
		}},
		{Name: "scopes", Read: settings.Texts(&c.Scopes, want.Scope)},
	}
}

// readFormat accepts the one version of the format that there is. A later one
// may mean another thing by a key of the same name.
func readFormat(d *settings.Decoder, v settings.Value) {
	d.Set(v, func(s string) error {
		if s != "1" {
			return errors.New("want 1, the one version of this format that there is")
		}
		return nil
	})
}

// strength reads a credential's kind.
func strength(s string) (compile.Strength, error) {
	k, err := compile.ParseStrength(s)
	if err != nil {
		return 0, errors.New("want mutual-tls, oauth2, bearer, api-key, basic or anonymous")
	}
	return k, nil
}
