package compile

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// ForLock returns the profile as a lock records it: the required skills that p
// has in full, every other one as its digest in OtherSkills, the schemes that
// a kept skill uses, and the texts of the agent, the interfaces, the
// extensions, the kept skills and the kept schemes. Of another skill's texts
// those with invisible characters stay, so that the absence of one says that
// it had none. All other members stay whole. Skills that p itself has as
// digests only stay so. p is not changed.
func (p *Profile) ForLock(required []string) *Profile {
	out := *p
	out.Skills, out.Schemes = map[string]Skill{}, map[string]Scheme{}
	out.OtherSkills = map[string]string{}
	maps.Copy(out.OtherSkills, p.OtherSkills)
	for id, s := range p.Skills {
		if !slices.Contains(required, id) {
			out.OtherSkills[id] = p.SkillDigest(id)
			continue
		}
		out.Skills[id] = s
		for _, a := range s.Security {
			for name := range a.Schemes {
				if scheme, ok := p.Schemes[name]; ok {
					out.Schemes[name] = scheme
				}
			}
		}
	}
	out.Texts = make(map[string]Text, len(p.Texts))
	for pointer, text := range p.Texts {
		if out.keeps(pointer) || len(text.Hidden) > 0 && strings.HasPrefix(pointer, "/skills/") {
			out.Texts[pointer] = text
		}
	}
	return &out
}

// keeps reports whether the text at pointer is about something that p has.
func (p *Profile) keeps(pointer string) bool {
	if rest, ok := strings.CutPrefix(pointer, "/skills/"); ok {
		id, _, _ := strings.Cut(rest, "/")
		_, has := p.Skills[jsondoc.Unescape(id)]
		return has
	}
	if rest, ok := strings.CutPrefix(pointer, "/schemes/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		_, has := p.Schemes[jsondoc.Unescape(name)]
		return has
	}
	return true
}
