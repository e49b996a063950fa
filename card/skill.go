package card

import (
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

const (
	kID = iota
	kName
	kDescription
	kTags
	kExamples
	kInputModes
	kOutputModes
	kRequirements
	kSecurity
)

var skillSchema = jsondoc.NewSchema("id!", "name!", "description!", "tags!", "examples",
	"inputModes", "outputModes", "securityRequirements", "security")

// skills reads the list. A card without a skill that can be asked for is of
// no use, and an error.
func (r *reader) skills(c *Card, e *jsondoc.Element, m *jsondoc.Members) {
	c.Sources["skill_security"] = Assumed
	n := m.At[cSkills]
	if n == 0 {
		r.Missing(Error, e, m, cSkills)
		return
	}
	if !r.Is('[', Error, e, n) {
		return
	}
	list := r.Entries(n, r.limit)
	c.Skills = make([]Skill, 0, len(list))
	ids := make(map[string]bool, len(list))
	readable := 0
	for _, n := range list {
		s := r.skill(c, n)
		c.Skills = append(c.Skills, s)
		if s.ID != "" && ids[s.ID] {
			r.Warn("repeated-id", n, "another skill has the id %s too", jsondoc.Quote(s.ID))
		}
		ids[s.ID] = true
		if s.Disabled == "" {
			readable++
		}
	}
	if readable == 0 && r.Refused() == nil {
		if len(list) == 0 {
			r.Err(e, "no-skill", n, "skills: empty")
		} else {
			r.Err(e, "no-skill", n, "skills: none can be read: %s", c.Skills[0].Disabled)
		}
	}
}

// skill reads one entry. Without an id or with modes that cannot be read it
// is disabled; security that cannot be read is unknown, and disables nothing.
func (r *reader) skill(c *Card, n jsondoc.Ref) Skill {
	e := &jsondoc.Element{Scope: ScopeSkill}
	s := Skill{Pointer: r.Pointer(n)}
	if r.Is('{', Error, e, n) {
		m := r.Members(e, n, skillSchema)
		s.ID = r.Need(Error, e, &m, kID)
		s.Name = r.Need(Gap, e, &m, kName)
		s.Description = r.Need(Gap, e, &m, kDescription)
		s.Tags = r.tags(e, &m)
		s.Examples = r.Strs(Gap, e, m.At[kExamples])
		s.InputModes = r.modes(e, m.At[kInputModes])
		s.OutputModes = r.modes(e, m.At[kOutputModes])
		var from Source
		s.Security, from = r.requirements(m.At[kRequirements], m.At[kSecurity])
		if from == Declared || from == Legacy && c.Sources["skill_security"] == Assumed {
			c.Sources["skill_security"] = from
		}
	}
	r.BigNumbers(e, n)
	s.Disabled = e.Disabled
	return s
}

func (r *reader) tags(e *jsondoc.Element, m *jsondoc.Members) []string {
	n := m.At[kTags]
	if n == 0 {
		r.Missing(Gap, e, m, kTags)
		return nil
	}
	tags := r.Strs(Gap, e, n)
	if r.At(n).Kind == '[' && r.At(n).First == 0 {
		r.Gap(e, "empty", n, "tags: empty")
	}
	return tags
}

// modes reads a list of media types. Calls depend on it.
func (r *reader) modes(e *jsondoc.Element, n jsondoc.Ref) []string {
	modes := r.Strs(Error, e, n)
	if slices.Contains(modes, "") {
		r.Gap(e, "empty", n, "%s: an entry is empty", r.Label(n))
		modes = slices.DeleteFunc(modes, func(m string) bool { return m == "" })
	}
	if i := slices.IndexFunc(modes, func(m string) bool { return strings.Contains(m, "*") }); i >= 0 {
		r.Warn("wildcard-mode", n, "%s: %s is a pattern and no media type: it promises nothing in particular", r.Label(n), jsondoc.Quote(modes[i]))
	}
	if len(modes) == 0 {
		return nil
	}
	return modes
}
