package card

import (
	"slices"
	"strings"
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

var skillSchema = newSchema("id!", "name!", "description!", "tags!", "examples",
	"inputModes", "outputModes", "securityRequirements", "security")

// skills reads the list. A card without a skill that can be asked for is of
// no use, and an error.
func (r *reader) skills(c *Card, e *element, m *members) {
	c.Sources["skill_security"] = Assumed
	n := m.at[cSkills]
	if n == 0 {
		r.missing(Error, e, m, cSkills)
		return
	}
	if !r.is('[', Error, e, n) {
		return
	}
	list := r.entries(n, r.limit)
	c.Skills = make([]Skill, 0, len(list))
	ids := make(map[string]bool, len(list))
	readable := 0
	for _, n := range list {
		s := r.skill(c, n)
		c.Skills = append(c.Skills, s)
		if s.ID != "" && ids[s.ID] {
			r.warn("repeated-id", n, "another skill has the id %s too", quote(s.ID))
		}
		ids[s.ID] = true
		if s.Disabled == "" {
			readable++
		}
	}
	if readable == 0 && r.over == nil {
		if len(list) == 0 {
			r.err(e, "no-skill", n, "skills: empty")
		} else {
			r.err(e, "no-skill", n, "skills: none can be read: %s", c.Skills[0].Disabled)
		}
	}
}

// skill reads one entry. Without an id or with modes that cannot be read it
// is disabled; security that cannot be read is unknown, and disables nothing.
func (r *reader) skill(c *Card, n ref) Skill {
	e := &element{scope: ScopeSkill}
	s := Skill{Pointer: r.pointer(n)}
	if r.is('{', Error, e, n) {
		m := r.members(e, n, skillSchema)
		s.ID = r.need(Error, e, &m, kID)
		s.Name = r.need(Gap, e, &m, kName)
		s.Description = r.need(Gap, e, &m, kDescription)
		s.Tags = r.tags(e, &m)
		s.Examples = r.strs(Gap, e, m.at[kExamples])
		s.InputModes = r.modes(e, m.at[kInputModes])
		s.OutputModes = r.modes(e, m.at[kOutputModes])
		var from Source
		s.Security, from = r.security(c, m.at[kRequirements], m.at[kSecurity])
		if from == Declared || from == Legacy && c.Sources["skill_security"] == Assumed {
			c.Sources["skill_security"] = from
		}
	}
	r.bigNumbers(e, n)
	s.Disabled = e.disabled
	return s
}

func (r *reader) tags(e *element, m *members) []string {
	n := m.at[kTags]
	if n == 0 {
		r.missing(Gap, e, m, kTags)
		return nil
	}
	tags := r.strs(Gap, e, n)
	if r.nodes[n].kind == '[' && r.nodes[n].first == 0 {
		r.gap(e, "empty", n, "tags: empty")
	}
	return tags
}

// modes reads a list of media types. Calls depend on it.
func (r *reader) modes(e *element, n ref) []string {
	modes := r.strs(Error, e, n)
	if slices.Contains(modes, "") {
		r.gap(e, "empty", n, "%s: an entry is empty", r.label(n))
		modes = slices.DeleteFunc(modes, func(m string) bool { return m == "" })
	}
	if i := slices.IndexFunc(modes, func(m string) bool { return strings.Contains(m, "*") }); i >= 0 {
		r.warn("wildcard-mode", n, "%s: %s is a pattern and no media type: it promises nothing in particular", r.label(n), quote(modes[i]))
	}
	if len(modes) == 0 {
		return nil
	}
	return modes
}
