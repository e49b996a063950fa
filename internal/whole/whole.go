// Package whole makes a client and a lock of a card that need all of it.
package whole

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/security"
	"github.com/a2alock/a2alock/lockfile"
)

// Client is a client that can satisfy all that c asks for.
func Client(c *card.Card) *compile.Client {
	cl := &compile.Client{
		Aliases:      compile.DefaultAliases(),
		Streaming:    true,
		PushEndpoint: "https://client.example/push", // any: that there is one counts
	}
	for _, i := range c.Interfaces {
		t := compile.Transport{Binding: i.ProtocolBinding, Version: i.Version}
		if i.Disabled == "" && i.Version != "" && !slices.Contains(cl.Interfaces, t) {
			cl.Interfaces = append(cl.Interfaces, t)
		}
	}
	for _, e := range c.Capabilities.Extensions {
		cl.Extensions = append(cl.Extensions, e.URI)
	}
	return cl
}

// Lock is the lock that needs everything the card of a usable profile offers. It
// is no file: a skill whose modes are declared nowhere needs none.
func Lock(r *compile.Reading) *lockfile.Lock {
	p := r.Profile
	l := &lockfile.Lock{
		CardDigest:   r.Digest,
		AgentVersion: p.AgentVersion,
		Interface: &lockfile.Interface{
			Binding: p.Interface.Binding, Version: p.Interface.Version, URL: p.Interface.URL, Tenant: p.Interface.Tenant,
		},
		Requires: lockfile.Requires{
			Streaming:  p.Streaming,
			Push:       p.Push,
			Skills:     make(map[string]lockfile.Need, len(p.Skills)),
			Extensions: slices.Sorted(maps.Keys(p.DeclaredExtensions)),
		},
		Profile: p,
	}
	for id, s := range p.Skills {
		l.Requires.Skills[id] = needOf(s)
	}
	return l
}

// needOf is what a client needs that means to use all of a skill, with the
// first way to authenticate that can be read.
func needOf(s compile.Skill) lockfile.Need {
	need := lockfile.Need{Input: s.Input, Output: s.Output}
	if schemes, scopes, ok := security.FirstReadable(s.Security); ok {
		need.Schemes, need.Scopes = schemes, scopes
	}
	return need
}
