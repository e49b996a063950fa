package config

import (
	"errors"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/want"
)

// A key is one key that a mapping may have. Its value is read by read, or is a
// mapping with the keys below. Where both are there, read takes a list of such
// mappings, or names of such.
type key struct {
	name   string
	read   func(d *decoder, v value)
	keys   []key
	then   func(d *decoder, v value) // after a mapping was read by its keys
	secret bool                      // errors do not show the value
}

// keys is the one list of what a2alock.yaml may say, reading into c.
func (c *Config) keys() []key {
	return []key{
		{name: "version", read: readFormat},
		{name: "client", keys: clientKeys(&c.Client)},
		{name: "locks", read: texts(&c.Locks, want.Path("a lock or a folder"))},
		{name: "limits", keys: []key{
			{name: "card_bytes", read: size(&c.Limits.CardBytes, 1)},
			{name: "depth", read: count(&c.Limits.Depth, 1000)},
			{name: "skills", read: count(&c.Limits.Skills, 1_000_000)},
			{name: "timeout", read: span(&c.Limits.Timeout, "")},
		}},
		{name: "strict", read: flag(&c.Strict)},
		{name: "network", keys: []key{
			{name: "allow", read: texts(&c.Network.Allow, want.Address)},
			{name: "http", read: texts(&c.Network.HTTP, want.Host)},
		}},
		{name: "policy", keys: []key{
			{name: "rules", read: pairs(&c.Policy.Rules, want.Rule, want.OneOf("compatible", "review", "breaking"))},
			{name: "text_policy", read: text(&c.Policy.TextPolicy, want.OneOf("off", "compatible", "review"))},
			{name: "fail_on", read: text(&c.Policy.FailOn, want.OneOf("review", "breaking"))},
			{name: "max_lock_age", read: span(&c.Policy.MaxLockAge, "off")},
			{name: "max_evidence_age", read: span(&c.Policy.MaxEvidenceAge, "off")},
			{name: "max_waiver", read: span(&c.Policy.MaxWaiver, "")},
		}},
		{name: "daemon", keys: daemonKeys(&c.Daemon)},
		{name: "notify", keys: c.notifyKeys()},
	}
}

func clientKeys(c *compile.Client) []key {
	return []key{
		{name: "interfaces", keys: transportKeys(new(compile.Transport)), read: func(d *decoder, v value) {
			c.Interfaces = list(d, v, func(v value, t *compile.Transport) {
				d.mapping(v, transportKeys(t), "binding", "version")
			})
			unique(d, v, c.Interfaces)
		}},
		{name: "select", read: text(&c.Select, want.OneOf(compile.CardOrder, compile.ClientOrder))},
		{name: "accepts", read: texts(&c.Accepts, want.MediaType)},
		{name: "sends", read: texts(&c.Sends, want.MediaType)},
		{name: "aliases", read: pairs(&c.Aliases, want.Mode, want.MediaType)},
		{name: "extensions", read: texts(&c.Extensions, want.URI)},
		{name: "streaming", read: flag(&c.Streaming)},
		{name: "push_endpoint", read: text(&c.PushEndpoint, want.Endpoint)},
		{name: "delivery", read: texts(&c.Delivery, want.OneOf("stream", "push", "poll"))},
		{name: "credentials", keys: credentialKeys(new(compile.Credential)), read: func(d *decoder, v value) {
			c.Credentials = list(d, v, func(v value, cred *compile.Credential) {
				d.mapping(v, credentialKeys(cred), "name", "kind")
			})
			names := make([]string, len(c.Credentials))
			for i, cred := range c.Credentials {
				names[i] = cred.Name
			}
			unique(d, v, names)
		}},
	}
}

func transportKeys(t *compile.Transport) []key {
	return []key{
		{name: "binding", read: text(&t.Binding, want.Binding)},
		{name: "version", read: text(&t.Version, want.Version)},
	}
}

func credentialKeys(c *compile.Credential) []key {
	return []key{
		{name: "name", read: text(&c.Name, want.Name)},
		{name: "kind", read: func(d *decoder, v value) {
			d.set(v, func(s string) (err error) {
				c.Kind, err = strength(s)
				return err
			})
		}},
		{name: "scopes", read: texts(&c.Scopes, want.Scope)},
	}
}

// readFormat accepts the one version of the format that there is. A later one
// may mean another thing by a key of the same name.
func readFormat(d *decoder, v value) {
	d.set(v, func(s string) error {
		if s != "1" {
			return errors.New("want 1, the one version of this format that there is")
		}
		return nil
	})
}

// unique reports entries of a list that repeat an earlier one. Empty ones have
// been reported already, and of those with a variable that is not set nobody
// knows.
func unique[T comparable](d *decoder, v value, entries []T) {
	var zero T
	first := make(map[T]int, len(entries))
	for i, e := range entries {
		if at, ok := first[e]; ok && e != zero {
			if again := d.entry(v, i); d.c.Require(again.pointer) == nil {
				d.fail(again, "repeats entry %d", at)
			}
			continue
		}
		first[e] = i + 1
	}
}
