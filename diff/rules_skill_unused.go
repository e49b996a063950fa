package diff

import (
	"reflect"
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

var unusedSkillRules = []Rule{
	{
		ID:    "skill-gained",
		Class: Compatible,
		Title: "there is a new skill",
		Why:   "This workflow does not use it.",
		Do:    "Nothing.",
		Spec:  "4.4.5",
		Example: Example{
			Was: `{"skills":[{"id":"quote"}]}`,
			Now: `{"skills":[{"id":"quote"},{"id":"book"}]}`,
		},
		Check: skillGained,
	},
	{
		ID:    "skill-lost-unused",
		Class: Compatible,
		Title: "a skill that the lock does not require is gone, or can no longer be read",
		Why:   "This workflow does not use it.",
		Do:    "Nothing.",
		Spec:  "4.4.5",
		Example: Example{
			Was: `{"skills":[{"id":"quote"},{"id":"book"}]}`,
			Now: `{"skills":[{"id":"quote"}]}`,
		},
		Check: skillLostUnused,
	},
	{
		ID:    "skill-changed-unused",
		Class: Compatible,
		Title: "a skill that the lock does not require changed",
		Why:   "This workflow does not use it.",
		Do:    "Nothing.",
		Spec:  "4.4.5",
		Example: Example{
			Was: `{"skills":[{"id":"quote"},{"id":"book"}]}`,
			Now: `{"skills":[{"id":"quote"},{"id":"book","inputModes":["text/plain"]}]}`,
		},
		Check: skillChangedUnused,
	},
}

func skillGained(c *Comparison) []Finding {
	was := c.Lock.Profile
	if was == nil {
		return nil
	}
	var out []Finding
	for _, id := range set.Either(c.Now.Skills, c.Now.OtherSkills) {
		if !c.requires(id) && !offered(was, id) {
			out = append(out, found(say.Pointer("skills", id), nil, unusedSkill(c.Now, id), "it is new").of(id))
		}
	}
	return out
}

func skillLostUnused(c *Comparison) []Finding {
	was := c.Lock.Profile
	if was == nil {
		return nil
	}
	var out []Finding
	for _, id := range set.Either(was.Skills, was.OtherSkills) {
		if offered(c.Now, id) || c.requires(id) {
			continue
		}
		what := "it is gone; the lock does not require it"
		if isDisabled(c, id) {
			what = "it can no longer be read; the lock does not require it"
		} else if slices.Contains(c.Now.Ambiguous, id) {
			what = "its id occurs more than once; the lock does not require it"
		}
		out = append(out, found(say.Pointer("skills", id), unusedSkill(was, id), nil, "%s", what).of(id))
	}
	return out
}

func skillChangedUnused(c *Comparison) []Finding {
	was := c.Lock.Profile
	if was == nil {
		return nil
	}
	then, now := digests{profile: was}, digests{profile: c.Now}
	var out []Finding
	for _, id := range set.Either(c.Now.Skills, c.Now.OtherSkills) {
		if !c.requires(id) && offered(was, id) && then.of(id, was.Skills[id]) != now.of(id, c.Now.Skills[id]) {
			out = append(out, found(say.Pointer("skills", id), was.SkillDigest(id), c.Now.SkillDigest(id),
				"its media types or security changed; the lock does not require it").of(id))
		}
	}
	return out
}

// unusedSkill is what is recorded of a skill that the lock does not require.
func unusedSkill(p *compile.Profile, id string) any {
	if s, ok := p.Skills[id]; ok {
		return brief(s)
	}
	return p.OtherSkills[id]
}

// modes is a skill without its security, which may be long, and inherited by
// thousands of skills.
type modes struct {
	Input  []string `json:"input,omitzero"`
	Output []string `json:"output,omitzero"`
}

// brief is what a finding says of a skill that the lock does not require: all,
// or the media types where the security is long.
func brief(s compile.Skill) any {
	const long = 4096
	size := 0
	for _, a := range s.Security {
		size += 16 + len(a.Extra)
		for name, use := range a.Schemes {
			size += 32 + len(name) + len(use.Reason) + len(use.Name) + len(use.HTTPScheme) + len(use.BearerFormat) +
				len(use.OAuth2MetadataURL) + len(use.OpenIDConnectURL) + len(use.Extra) + length(use.Scopes)
			for _, f := range use.Flows {
				size += len(f.AuthorizationURL) + len(f.TokenURL) + len(f.RefreshURL) + len(f.DeviceAuthorizationURL) +
					len(f.Extra) + length(f.Scopes)
			}
		}
		if size > long {
			return modes{s.Input, s.Output}
		}
	}
	return s
}

// length is about what a list takes when written.
func length(list []string) int {
	n := 0
	for _, s := range list {
		n += len(s) + 3
	}
	return n
}

// digests works out the digest of a skill once for all that are equal in what
// it is taken of: most skills of a card are.
type digests struct {
	profile *compile.Profile
	known   []digest
}

type digest struct {
	skill compile.Skill
	sum   string
}

func (d *digests) of(id string, s compile.Skill) string {
	if sum, ok := d.profile.OtherSkills[id]; ok {
		return sum
	}
	for _, k := range d.known {
		if equalCalls(k.skill, s) {
			return k.sum
		}
	}
	sum := d.profile.SkillDigest(id)
	if len(d.known) < 8 { // beyond that skills are different, and looking takes time
		d.known = append(d.known, digest{s, sum})
	}
	return sum
}

// equalCalls reports whether two skills are called alike in every detail. What
// skills inherit they share, and is not walked through.
func equalCalls(a, b compile.Skill) bool {
	return equalSets(a.Input, b.Input) && equalSets(a.Output, b.Output) && reflect.DeepEqual(a.Security, b.Security)
}

// equalSets tells nil, which is unknown, from empty.
func equalSets(a, b []string) bool { return (a == nil) == (b == nil) && slices.Equal(a, b) }
