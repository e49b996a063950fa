package diff

import (
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/security"
	"github.com/a2alock/a2alock/lockfile"
)

// facts is what several checks need of one comparison, worked out once.
type facts struct {
	required []string // ids of the required skills, sorted
	skills   []skill  // those of them that are there
	pin      *pin     // nil when the lock records none
	security *security.Record
	changes  []security.Change // of security
	waivers  []waiver          // once the findings have their classes

	extensions map[string]bool     // that the lock requires
	versions   map[string][]string // declared extensions, by URI without its versions
}

// A skill is a required one that can be compared.
type skill struct {
	id   string
	need lockfile.Need
	was  *compile.Skill // nil when the lock does not record it
	now  compile.Skill
}

// A pin is the interface that the lock was pinned to, as far as it says.
type pin struct {
	compile.Interface
	hasURL, hasTenant bool
}

// keeps reports whether i has the pin's binding and version.
func (p *pin) keeps(i *compile.Interface) bool {
	return i.Binding == p.Binding && i.Version == p.Version
}

func (c *Comparison) known() *facts {
	if c.facts != nil {
		return c.facts
	}
	f := &facts{required: c.Lock.RequiredSkills(), pin: pinned(c), extensions: map[string]bool{}}
	for _, uri := range c.Lock.Requires.Extensions {
		f.extensions[uri] = true
	}
	for _, id := range f.required {
		now, ok := c.Now.Skills[id]
		if !ok {
			continue
		}
		s := skill{id: id, need: c.Lock.Requires.Skills[id], now: now}
		if c.Lock.Profile != nil {
			if was, ok := c.Lock.Profile.Skills[id]; ok {
				s.was = &was
			}
		}
		f.skills = append(f.skills, s)
	}
	who := security.Holder{Client: c.Client, Now: c.Now.Interface, All: c.HoldsAll}
	if c.Lock.Profile != nil {
		who.Was = c.Lock.Profile.Interface
	}
	f.security = security.New(securityOf(c, f.required), who)
	f.changes = f.security.Changes()
	c.facts = f
	return f
}

func pinned(c *Comparison) *pin {
	var recorded *compile.Interface
	if c.Lock.Profile != nil {
		recorded = c.Lock.Profile.Interface
	}
	i := c.Lock.Interface
	if i == nil {
		if recorded == nil {
			return nil
		}
		return &pin{Interface: *recorded, hasURL: true, hasTenant: true}
	}
	p := &pin{
		Interface: compile.Interface{URL: i.URL, Binding: i.Binding, Version: i.Version, Tenant: i.Tenant},
		hasURL:    i.URL != "",
		hasTenant: i.URL != "" || i.Tenant != "",
	}
	if !p.hasURL && recorded != nil && p.keeps(recorded) {
		p.URL, p.hasURL = recorded.URL, true
		if !p.hasTenant {
			p.Tenant, p.hasTenant = recorded.Tenant, true
		}
	}
	return p
}

// requires reports whether the lock requires the skill.
func (c *Comparison) requires(id string) bool {
	_, ok := c.Lock.Requires.Skills[id]
	return ok
}

// allows reports whether the lock trusts the origin.
func (c *Comparison) allows(origin string) bool {
	if c.Lock.Trust == nil || origin == "" {
		return false
	}
	return slices.ContainsFunc(c.Lock.Trust.AllowedOrigins, func(o string) bool {
		return compile.Origin("", o) == origin
	})
}

// offered reports whether the agent has the skill, also where p is the profile
// of a lock and holds its digest alone.
func offered(p *compile.Profile, id string) bool {
	if _, ok := p.Skills[id]; ok {
		return true
	}
	_, ok := p.OtherSkills[id]
	return ok
}
