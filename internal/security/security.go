// Package security holds the ways to authenticate that a lock records against
// those that the card offers now.
//
// Definitions count and names do not: an alternative is found again under any
// name by what its schemes are (kind, place, grant), and what is then different
// in its addresses, scopes and neighbours is a [Change] of the rule that speaks
// of it. What the workflow has a credential for is what the lock records for any
// of its required skills, and what the client is known to hold.
package security

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

// A Skill is the security of one required skill.
type Skill struct {
	ID string
	// Gone is set for a skill that is there no more, or cannot be read: what the
	// lock records for it still counts.
	Gone bool
	// Recorded is whether the lock records what the skill asked for, in Was.
	Recorded bool
	Was, Now []compile.Alternative
	// Schemes and Scopes are the lock's own words, see lockfile.Need.
	Schemes, Scopes []string
}

// A Change is one difference, in the terms of a rule.
type Change struct {
	Rule    Rule
	Skill   string
	Path    string // RFC 6901, into the profile
	Was     any    // nil where there is none
	Now     any
	Message string
	// Mild is set where review is enough, whatever the class of the rule.
	Mild bool
}

func change(path string, was, now any, format string, args ...any) Change {
	return Change{Path: path, Was: was, Now: now, Message: fmt.Sprintf(format, args...)}
}

// A Record is what a lock records of the security of its required skills. It
// is safe for concurrent use.
type Record struct {
	skills []Skill
	holder Holder
	held   []held
}

// A Holder is who calls the skills.
type Holder struct {
	Client *compile.Client // nil names no credentials
	// Was and Now are the interfaces that calls went and go to: a credential counts
	// where it may go there ([compile.Client.HeldFor]). Nil is unknown.
	Was, Now *compile.Interface
	// All is whether it has a credential for every way that is recorded.
	All bool
}

// New returns the record of these skills, for who calls them.
func New(skills []Skill, who Holder) *Record {
	r := &Record{skills: skills, holder: who}
	r.held = r.recorded(who.All)
	return r
}

// FirstReadable returns the schemes and scopes of the first way that can be
// read, as sets; ok is false where none can.
func FirstReadable(list []compile.Alternative) (schemes, scopes []string, ok bool) {
	all := ways(list)
	i := slices.IndexFunc(all, func(a compile.Alternative) bool { return !unreadable(a) })
	if i < 0 {
		return nil, nil, false
	}
	for name, use := range all[i].Schemes {
		schemes = append(schemes, name)
		scopes = append(scopes, use.Scopes...)
	}
	return set.Of(schemes), set.Of(scopes), true
}

// ways writes "nothing is needed" as the one alternative that it is.
func ways(list []compile.Alternative) []compile.Alternative {
	if len(list) == 0 {
		return anonymous
	}
	return list
}

var anonymous = []compile.Alternative{{}}

func unreadable(a compile.Alternative) bool {
	for _, use := range a.Schemes {
		if use.Kind == card.KindUnknown {
			return true
		}
	}
	return false
}

func unreadableBecause(a compile.Alternative) string {
	var why []string
	for _, use := range a.Schemes {
		if use.Kind == card.KindUnknown && use.Reason != "" {
			why = append(why, say.OneLine(use.Reason))
		}
	}
	if len(why) == 0 {
		return "a scheme is of an unknown kind"
	}
	return strings.Join(set.Of(why), "; ")
}
