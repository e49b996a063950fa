// Package place tells which member of a lock a finding is about.
package place

import (
	"slices"
	"strings"

	"github.com/a2alock/a2alock/internal/say"
)

// Of returns the RFC 6901 pointer of the member, of the lock or of its profile,
// that a finding of the rule is about which has this path and these skills. The
// lock may lack it.
func Of(rule, path string, skills []string) string {
	tokens := strings.Split(path, "/")
	if strings.HasPrefix(rule, "lock-") || len(tokens) < 2 {
		switch {
		case path != "" || strings.HasPrefix(rule, "lock-"):
			return path
		case rule == "card-changed":
			return "/card_digest"
		}
		return "/agent"
	}
	switch first := tokens[1]; first {
	case "skills":
		return ofSkill(rule, path)
	case "streaming", "push":
		if strings.HasPrefix(rule, "capability-") {
			return "/profile/" + first
		}
		return "/requires/" + first
	case "extended_card":
		return "/identity"
	case "declared_extensions":
		if slices.Contains([]string{"extension-missing", "extension-version-moved"}, rule) {
			return "/requires/extensions"
		}
		return "/profile" + path
	case "schemes":
		if len(skills) > 0 {
			return say.Pointer("requires", "skills", skills[0], "schemes")
		}
		return "/profile" + path
	case "capabilities", "interfaces", "shape", "name", "description", "provider", "security":
		return "/profile" + path
	}
	return path // its own member in the lock
}

// ofSkill is that of a finding about a skill.
func ofSkill(rule, path string) string {
	id, member, _ := say.Inside(path, "/skills/")
	member, _, _ = strings.Cut(member, "/")
	at := say.Pointer("requires", "skills", id)
	switch {
	case slices.Contains([]string{"skill-gained", "skill-lost-unused", "skill-changed-unused"}, rule):
		return say.Pointer("profile", "other_skills", id)
	case member == "input" || member == "output":
		return at + "/" + member
	case member == "security" && strings.HasPrefix(rule, "scope-"):
		return at + "/scopes"
	case member == "security":
		return at + "/schemes"
	}
	return at
}
