package diff

import (
	"slices"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
	"github.com/a2alock/a2alock/lockfile"
)

// lockNeedRules speak of what the workflow asks for.
var lockNeedRules = []Rule{
	{
		ID:      "lock-requirement-added",
		Class:   Compatible,
		Title:   "the lock requires more, and the card that it was pinned from satisfies it",
		Why:     "A change that the agent makes to it is watched from now on.",
		Do:      "Nothing, where the workflow needs it.",
		Section: Asked,
		Design:  "Changes of a lock",
		Example: Example{
			Was:    `{"capabilities":{"streaming":true}}`,
			Now:    `{"capabilities":{"streaming":true}}`,
			Change: `{"requires":{"streaming":true}}`,
		},
		Review: requirementAdded,
	},
	{
		ID:      "lock-requirement-dropped",
		Class:   Review,
		Title:   "a skill, media type, capability or extension is no longer required",
		Why:     "The agent may take it away from now on, and nobody is told.",
		Do:      "Make sure that the workflow really does without it.",
		Section: Dropped,
		Design:  "Changes of a lock",
		Example: Example{
			Was:    `{"capabilities":{"streaming":true}}`,
			Now:    `{"capabilities":{"streaming":true}}`,
			Lock:   `{"requires":{"streaming":true}}`,
			Change: `{"requires":{"streaming":false}}`,
		},
		Review: requirementDropped,
	},
	{
		ID:      "lock-scopes-widened",
		Class:   Review,
		Title:   "the lock asks for scopes that it did not",
		Why:     "Whoever takes over the workflow or its credential can do more with it.",
		Do:      "Grant the scopes if the workflow needs them; else ask why the agent asks for more.",
		Section: Asked,
		Design:  "Changes of a lock",
		Example: Example{
			Lock:   `{"requires":{"skills":{"quote":{"scopes":["read"]}}}}`,
			Change: `{"requires":{"skills":{"quote":{"scopes":["read","write"]}}}}`,
		},
		Review: scopesWidened,
	},
}

// A requirement is one thing that a lock requires.
type requirement struct {
	kind    string // streaming, push, skill, input, output, extension, credentials
	skill   string
	value   string // a media type, an extension
	pointer string // into the lock
}

// text names it in a message about its skill, if it is of one.
func (q requirement) text() string {
	switch q.kind {
	case "skill":
		return "the skill"
	case "credentials":
		return "a record of its schemes and scopes"
	case "input", "output", "extension":
		return q.kind + " " + say.Quote(q.value)
	}
	return q.kind
}

func (q requirement) found(was, now any, format string, args ...any) Finding {
	f := found(q.pointer, was, now, format, args...)
	if q.skill != "" {
		return f.of(q.skill)
	}
	return f
}

// dropped are the requirements of was that now does not have. A media type that
// is only spelled otherwise is the same.
func dropped(was, now *lockfile.Lock, cl *compile.Client) []requirement {
	var out []requirement
	if was.Requires.Streaming && !now.Requires.Streaming {
		out = append(out, requirement{kind: "streaming", pointer: "/requires/streaming"})
	}
	if was.Requires.Push && !now.Requires.Push {
		out = append(out, requirement{kind: "push", pointer: "/requires/push"})
	}
	for _, id := range was.RequiredSkills() {
		at := say.Pointer("requires", "skills", id)
		before := was.Requires.Skills[id]
		after, kept := now.Requires.Skills[id]
		if !kept {
			out = append(out, requirement{kind: "skill", skill: id, pointer: at})
			continue
		}
		for _, mode := range set.Without(spelled(before.Input, cl), spelled(after.Input, cl)) {
			out = append(out, requirement{"input", id, mode, at + "/input"})
		}
		for _, mode := range set.Without(spelled(before.Output, cl), spelled(after.Output, cl)) {
			out = append(out, requirement{"output", id, mode, at + "/output"})
		}
		switch {
		case before.Scopes != nil && after.Scopes == nil:
			out = append(out, requirement{kind: "credentials", skill: id, pointer: at + "/scopes"})
		case before.Schemes != nil && after.Schemes == nil:
			out = append(out, requirement{kind: "credentials", skill: id, pointer: at + "/schemes"})
		}
	}
	for _, uri := range set.Without(was.Requires.Extensions, now.Requires.Extensions) {
		out = append(out, requirement{kind: "extension", value: uri, pointer: "/requires/extensions"})
	}
	return out
}

// spelled are media types in their normal form.
func spelled(modes []string, cl *compile.Client) []string {
	var aliases map[string]string
	if cl != nil {
		aliases = cl.Aliases
	}
	out := make([]string, len(modes))
	for i, m := range modes {
		out[i], _ = compile.NormalizeMode(m, aliases)
	}
	return out
}

func requirementDropped(r *Revision) []Finding {
	var out []Finding
	for _, q := range r.facts.dropped {
		if _, fails := r.fails(q); fails || r.unknown(q) != "" || q.kind == "credentials" {
			continue
		}
		out = append(out, q.found(wasOf(r.facts.was, q), nil, "%s is no longer required", q.text()))
	}
	return out
}

// wasOf is what the lock had of a requirement.
func wasOf(l *lockfile.Lock, q requirement) any {
	switch q.kind {
	case "skill":
		return l.Requires.Skills[q.skill]
	case "credentials":
		need := l.Requires.Skills[q.skill]
		return map[string]any{"schemes": need.Schemes, "scopes": need.Scopes}
	case "streaming", "push":
		return true
	}
	return q.value
}

func requirementAdded(r *Revision) []Finding {
	f := r.facts
	if f.was == nil || f.now == nil || f.now.Profile == nil {
		return nil
	}
	var own []failure
	for _, x := range f.alone {
		own = append(own, failure{x, f.now.Profile})
	}
	unmet := indexed(own)
	var out []Finding
	for _, q := range dropped(f.now, f.was, r.Client) {
		if _, fails := unmet.worst(r, q); !fails && q.kind != "credentials" {
			out = append(out, q.found(nil, wasOf(f.now, q), "%s is required now, and the card has it", q.text()))
		}
	}
	return out
}

// scopesWidened compares the scopes of a skill; those of a new one with all that
// the lock had. Scopes that are no longer recorded limit nothing.
func scopesWidened(r *Revision) []Finding {
	f := r.facts
	if f.was == nil || f.now == nil {
		return nil
	}
	all := map[string]bool{}
	for _, need := range f.was.Requires.Skills {
		for _, scope := range need.Scopes {
			all[scope] = true
		}
	}
	var out []Finding
	for _, id := range f.now.RequiredSkills() {
		at, now := say.Pointer("requires", "skills", id, "scopes"), f.now.Requires.Skills[id].Scopes
		before, kept := f.was.Requires.Skills[id]
		was := before.Scopes
		switch more := set.Without(now, was); {
		case !kept:
			more = slices.DeleteFunc(slices.Clone(now), func(scope string) bool { return all[scope] })
			if len(more) > 0 {
				out = append(out, found(at, nil, now, "it asks for %s, which nothing in the lock did", say.List(more)).of(id))
			}
		case was == nil:
		case now == nil:
			out = append(out, found(at, was, nil, "the lock no longer says which scopes it may ask for").of(id))
		case len(more) > 0:
			out = append(out, found(at, was, now, "%s %s asked for too", say.List(more), say.Verb(len(more), "is", "are")).of(id))
		}
	}
	return out
}
