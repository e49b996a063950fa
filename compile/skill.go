package compile

import (
	"fmt"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

// skills is Compiling 4 and 5 of docs/design.md, for each skill. Skills that
// inherit share what they inherit: copies would let a small card with many
// skills and long lists fill the memory.
func (k *compiler) skills(p *Profile) {
	defaults := struct{ in, out []string }{
		k.modes(k.card.DefaultInputModes, "/defaultInputModes"),
		k.modes(k.card.DefaultOutputModes, "/defaultOutputModes"),
	}
	cardSecurity, from := []Alternative{}, "none"
	if k.card.Security.Declared {
		cardSecurity, from = k.security(k.card.Security, "/security"), "card"
	}

	count := make(map[string]int, len(k.card.Skills))
	for _, s := range k.card.Skills {
		count[s.ID]++
	}
	p.Skills = make(map[string]Skill, len(k.card.Skills))
	for _, s := range k.card.Skills {
		switch {
		case s.ID == "": // unreadable, and a finding of the card
			continue
		case count[s.ID] > 1:
			// Which one a caller gets is the agent's secret, so neither is usable,
			// also where an error disables one of them.
			p.Ambiguous = append(p.Ambiguous, s.ID)
			continue
		case s.Disabled != "":
			p.Disabled[s.ID] = s.Disabled
			continue
		}
		skill := Skill{
			Input:        k.modes(s.InputModes, s.Pointer+"/inputModes"),
			Output:       k.modes(s.OutputModes, s.Pointer+"/outputModes"),
			Tags:         set.Of(s.Tags),
			SecurityFrom: "skill",
		}
		if skill.Input == nil {
			skill.Input = defaults.in
		}
		if skill.Output == nil {
			skill.Output = defaults.out
		}
		at := "/skills/" + jsondoc.Escape(s.ID)
		if s.Security.Declared {
			skill.Security = k.security(s.Security, at+"/security")
		} else {
			skill.Security, skill.SecurityFrom = cardSecurity, from
		}
		p.Skills[s.ID] = skill
		k.skillTexts(at, s)
	}
	p.Ambiguous = set.Of(p.Ambiguous)
}

func (k *compiler) skillTexts(at string, s card.Skill) {
	k.texts.AddHidden(at+"/id", s.ID)
	k.texts.Add(at+"/name", s.Name)
	k.texts.Add(at+"/description", s.Description)
	k.texts.AddList(at+"/tags", s.Tags)
	k.texts.AddList(at+"/examples", s.Examples)
}

// modes normalises one list of the card; nil means that it declares none.
func (k *compiler) modes(list []string, path string) []string {
	set, aliased := modes(list, k.client.Aliases)
	if len(aliased) > 0 {
		var read []string
		for _, m := range aliased {
			norm, _ := NormalizeMode(m, k.client.Aliases)
			read = append(read, fmt.Sprintf("%s as %s", say.Show(strings.TrimSpace(m)), say.Show(norm)))
		}
		k.warn("mode-alias", path, "no media type, read through the client's aliases: "+say.Enumerate(read))
	}
	return set
}
