package config

import (
	"errors"

	"github.com/a2alock/a2alock/compile"
)

// A key is one key that a mapping may have. Its value is read by read, or is a
// mapping with the keys below. Where both are there, read takes a list of such
// mappings.
type key struct {
	name string
	read func(d *decoder, v value)
	keys []key
}

// keys is the one list of what a2alock.yaml may say, reading into c.
func (c *Config) keys() []key {
	return []key{
		{name: "version", read: readFormat},
		{name: "client", keys: clientKeys(&c.Client)},
		{name: "locks", read: texts(&c.Locks, isLockPath)},
		{name: "limits", keys: []key{
			{name: "card_bytes", read: size(&c.Limits.CardBytes)},
			{name: "depth", read: count(&c.Limits.Depth, 1000)},
			{name: "skills", read: count(&c.Limits.Skills, 1_000_000)},
			{name: "timeout", read: span(&c.Limits.Timeout, false)},
		}},
		{name: "strict", read: flag(&c.Strict)},
		{name: "network", keys: []key{
			{name: "allow", read: texts(&c.Network.Allow, isAddress)},
			{name: "http", read: texts(&c.Network.HTTP, isHost)},
		}},
		{name: "policy", keys: []key{
			{name: "rules", read: pairs(&c.Policy.Rules, isRule, oneOf("compatible", "review", "breaking"))},
			{name: "text_policy", read: text(&c.Policy.TextPolicy, oneOf("off", "compatible", "review"))},
			{name: "fail_on", read: text(&c.Policy.FailOn, oneOf("review", "breaking"))},
			{name: "max_lock_age", read: span(&c.Policy.MaxLockAge, true)},
			{name: "max_evidence_age", read: span(&c.Policy.MaxEvidenceAge, true)},
			{name: "max_waiver", read: span(&c.Policy.MaxWaiver, false)},
		}},
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
		{name: "select", read: text(&c.Select, oneOf(compile.CardOrder, compile.ClientOrder))},
		{name: "accepts", read: texts(&c.Accepts, isMediaType)},
		{name: "sends", read: texts(&c.Sends, isMediaType)},
		{name: "aliases", read: pairs(&c.Aliases, isMode, isMediaType)},
		{name: "extensions", read: texts(&c.Extensions, isURI)},
		{name: "streaming", read: flag(&c.Streaming)},
		{name: "push_endpoint", read: text(&c.PushEndpoint, isEndpoint)},
		{name: "delivery", read: texts(&c.Delivery, oneOf("stream", "push", "poll"))},
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
		{name: "binding", read: text(&t.Binding, isBinding)},
		{name: "version", read: text(&t.Version, isVersion)},
	}
}

func credentialKeys(c *compile.Credential) []key {
	return []key{
		{name: "name", read: text(&c.Name, isName)},
		{name: "kind", read: func(d *decoder, v value) {
			d.set(v, func(s string) (err error) {
				c.Kind, err = strength(s)
				return err
			})
		}},
		{name: "scopes", read: texts(&c.Scopes, isScope)},
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
