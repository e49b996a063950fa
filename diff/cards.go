package diff

import (
	"maps"
	"slices"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/security"
	"github.com/a2alock/a2alock/lockfile"
)

// Cards compares two cards as Compare does a card and a lock: old becomes a
// lock that needs all that old offers, for a client that can satisfy all of old
// and knows nothing else. base carries the policy and the moment.
//
// The error is a *[card.DocumentError] when old has no interface that any
// client could call, and so offers nothing that could break. A new card that
// cannot be judged is an undecided result.
func Cards(was, now []byte, o card.Options, base Comparison) (*Result, error) {
	c, err := card.Parse(was, o)
	if err == nil {
		err = c.Err()
	}
	if err != nil {
		return nil, err
	}
	cl := clientFor(c)
	before := compile.Read(was, cl, o)
	if before.Err != nil {
		return nil, before.Err
	}
	if !before.Profile.Usable {
		return nil, &card.DocumentError{State: card.Invalid, Msg: "no client can call the agent: " + before.Profile.Reason}
	}
	base.Client, base.HoldsAll = cl, true
	return Judge(lockOf(before), compile.Read(now, cl, o), base), nil
}

// clientFor is a client that can satisfy all that c asks for.
func clientFor(c *card.Card) *compile.Client {
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

// lockOf is the lock that needs everything the card offers. It is no file: a
// skill whose modes are declared nowhere needs none.
func lockOf(r *compile.Reading) *lockfile.Lock {
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
