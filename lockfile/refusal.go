package lockfile

import (
	"fmt"
	"strings"
)

// UnusableError says that the client cannot call the agent at all.
type UnusableError struct{ Reason string }

// Error gives the reason.
func (e *UnusableError) Error() string { return "the agent is unusable: " + e.Reason }

// NoSkillError says that nobody named a skill to require.
type NoSkillError struct{ IDs []string } // those that there are, sorted

// Error lists the skills that there are.
func (e *NoSkillError) Error() string {
	return "no skill named: the agent offers " + list(e.IDs)
}

// SkillError says that a skill cannot be required.
type SkillError struct {
	Skill  string
	Reason string   // "" where there is no such skill
	IDs    []string // those that there are, the nearest first
}

// Error names the skill and why, or what else there is.
func (e *SkillError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("skill %s: %s", quote(e.Skill), e.Reason)
	}
	return fmt.Sprintf("skill %s: the agent has no such skill; it offers %s", quote(e.Skill), list(e.IDs))
}

// EmptyError says that the two sides have no media type in common, or that the
// skill does not offer one that was asked for by name.
type EmptyError struct {
	Skill     string
	Direction string // "input" or "output"
	Ours      []string
	Theirs    []string
	Asked     bool // Ours are the types asked for that are not there
}

// Error names both sides of what does not meet.
func (e *EmptyError) Error() string {
	what, ours := "no media type in common", "the client accepts "
	if e.Direction == "input" {
		ours = "the client sends "
	}
	if e.Asked {
		what, ours = "not offered", "asked for "
	}
	return fmt.Sprintf("skill %s: %s: %s: %s%s, the skill has %s",
		quote(e.Skill), e.Direction, what, ours, list(e.Ours), list(e.Theirs))
}

// UndeclaredError says that the card declares no media types for a skill, and
// nobody named them.
type UndeclaredError struct {
	Skill      string
	Directions []string // "input", "output"
}

// Error says what to name, by pin's flags.
func (e *UndeclaredError) Error() string {
	return fmt.Sprintf("skill %s: the card declares no media types for %s: name them with --%s, and the lock says that they are assumed",
		quote(e.Skill), strings.Join(e.Directions, " and "), strings.Join(e.Directions, " and --"))
}

// ModeError says that what was to be assumed is no media type.
type ModeError struct {
	Direction string // "input" or "output"
	Mode      string
}

// Error names the flag of pin.
func (e *ModeError) Error() string {
	return fmt.Sprintf("--%s %s: the card declares no media types, and to assume one it must be a media type such as text/plain",
		e.Direction, quote(e.Mode))
}

// NotOfferedError says that a capability or an extension was to be required
// which the card does not declare.
type NotOfferedError struct {
	What   string   // "streaming", "push" or "extension"
	URI    string   // of an extension
	Theirs []string // the extensions that are declared, sorted
}

// Error names what the card lacks, and what it has of that kind.
func (e *NotOfferedError) Error() string {
	if e.What == "extension" {
		return fmt.Sprintf("extension %s: the card does not declare it; it declares %s", quote(e.URI), list(e.Theirs))
	}
	return e.What + ": the card does not declare it"
}

// list shows names of the other side, as many as a person reads.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	const most = 20
	shown := make([]string, 0, most+1)
	for _, n := range names[:min(most, len(names))] {
		shown = append(shown, quote(n))
	}
	if more := len(names) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}
