package diff

import (
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

var textRules = []Rule{
	{
		ID:    "text-changed",
		Class: Compatible,
		Title: "a name, description, tag or example changed, of the agent or a required skill",
		Why:   "Planners and models read these texts to choose an agent. text_policy: review raises the class, off silences the rule.",
		Do:    "Nothing, unless models act on the text: then read it as you would read foreign code.",
		Spec:  "4.4.5",
		Example: Example{
			Now: `{"description":"Prices whole itineraries."}`,
		},
		Check: textChanged,
	},
	{
		ID:    "text-hidden-characters",
		Class: Review,
		Title: "invisible characters came in",
		Why:   "They can hide instructions from people that models read, or make one id pass for another; breaking in ids, hosts and URIs.",
		Do:    "Look at the escaped text. Where it is not an innocent slip, stop using the agent and tell its owner.",
		Spec:  "4.4.1",
		Example: Example{
			Now: `{"description":"Prices\u200b itineraries."}`,
		},
		Check: textHiddenCharacters,
	},
}

// textMembers are the free texts of an agent and of a skill. All else under
// [compile.Profile.Texts] is there for its invisible characters alone.
var (
	agentTexts = []string{"/name", "/description"}
	skillTexts = []string{"name", "description", "tags", "examples"}
)

func textChanged(c *Comparison) []Finding {
	p := c.Lock.Profile
	if p == nil {
		return nil
	}
	var out []Finding
	for _, at := range agentTexts {
		out = appendText(out, c, at, "")
	}
	for _, s := range c.known().skills {
		if s.was == nil {
			continue
		}
		for _, member := range skillTexts {
			out = appendText(out, c, say.Pointer("skills", s.id, member), s.id)
		}
	}
	return out
}

// appendText adds a finding when the text at a pointer changed. The values are
// the digests that the profile holds, or the agent's names and a skill's tags.
func appendText(out []Finding, c *Comparison, at, skill string) []Finding {
	was, had := c.Lock.Profile.Texts[at]
	now, has := c.Now.Texts[at]
	if was.Digest == now.Digest {
		return out
	}
	f := found(at, nil, nil, "%s changed", textName(at))
	if had {
		f.Was = was.Digest
	}
	if has {
		f.Now = now.Digest
	}
	if at == "/name" {
		f.Was, f.Now = c.Lock.Profile.Name, c.Now.Name
	}
	if skill != "" {
		f = f.of(skill)
		if at == say.Pointer("skills", skill, "tags") {
			f.Was, f.Now = c.Lock.Profile.Skills[skill].Tags, c.Now.Skills[skill].Tags
		}
	}
	return append(out, f)
}

// textName says in words what stands at the pointer of a text.
func textName(at string) string {
	if _, member, ok := say.Inside(at, "/skills/"); ok {
		return "its " + member
	}
	switch at {
	case "/name":
		return "the agent's name"
	case "/description":
		return "the agent's description"
	}
	return say.Quote(at)
}

func textHiddenCharacters(c *Comparison) []Finding {
	p := c.Lock.Profile
	if p == nil {
		return nil
	}
	suspect := set.Keys(c.Now.Texts, func(at string, now compile.Text) bool {
		return len(now.Hidden) > 0 && len(set.Without(now.Hidden, p.Texts[at].Hidden)) > 0
	})
	var out []Finding
	for _, at := range suspect {
		free, ours := textAt(c, at)
		if !ours {
			continue
		}
		was, now := p.Texts[at].Hidden, c.Now.Texts[at].Hidden
		f := found(at, nil, now, "invisible characters came into %s: %s", textName(at), say.List(set.Without(now, was)))
		if len(was) > 0 {
			f.Was = was
		}
		if !free {
			f.Class = Breaking
		}
		if id, _, ok := say.Inside(at, "/skills/"); ok {
			f = f.of(id)
		}
		out = append(out, f)
	}
	return out
}

// textAt reports whether the text at a pointer is free text (else it is an id,
// a host or a URI), and whether it concerns this lock: ids of skills and
// schemes do only where nobody can mistake old for new.
func textAt(c *Comparison, at string) (free, ours bool) {
	if id, member, ok := say.Inside(at, "/skills/"); ok {
		if member == "id" {
			// An unused skill's id too: it may be made to pass for a required one.
			return false, !offered(c.Lock.Profile, id)
		}
		return true, true // a lock keeps such texts of every skill: without one there was none
	}
	if name, _, ok := say.Inside(at, "/schemes/"); ok {
		return false, uses(c, name)
	}
	if _, member, ok := say.Inside(at, "/declared_extensions/"); ok {
		return member == "description", true
	}
	return slices.Contains([]string{"/name", "/description", "/agent_version", "/provider/organization"}, at), true
}
