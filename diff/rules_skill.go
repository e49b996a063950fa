package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/media"
	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
)

var skillRules = []Rule{
	{
		ID:    "skill-removed",
		Class: Breaking,
		Title: "a required skill is gone",
		Why:   "Calls that ask for the skill are refused, often in the middle of a plan.",
		Do:    "Pin the skill that took its place, and take this one out of requires in the lock.",
		Spec:  "4.4.5",
		Example: Example{
			Was:  `{"skills":[{"id":"quote"}]}`,
			Now:  `{"skills":[{"id":"price"}]}`,
			Also: []string{"skill-gained"},
		},
		Check: skillRemoved,
	},
	{
		ID:    "skill-ambiguous",
		Class: Breaking,
		Title: "a required skill's id occurs more than once",
		Why:   "Nobody can tell which of them answers, or what it takes.",
		Do:    "Ask the agent's owner to give each skill an id of its own.",
		Spec:  "4.4.5",
		Example: Example{
			Was: `{"skills":[{"id":"quote"}]}`,
			Now: `{"skills":[{"id":"quote"},{"id":"quote","outputModes":["application/pdf"]}]}`,
		},
		Check: skillAmbiguous,
	},
	{
		ID:    "input-narrowed",
		Class: Breaking,
		Title: "a required skill no longer accepts a media type that the workflow sends",
		Why:   "Such a message is refused with ContentTypeNotSupportedError.",
		Do:    "Send a type that is accepted, put it in the old one's place in requires in the lock and pin again, or ask the agent's owner.",
		Spec:  "4.4.5",
		Example: Example{
			Now: `{"skills":[{"id":"quote","inputModes":["application/pdf"]}]}`,
			Was: `{"skills":[{"id":"quote"}]}`,
			// The new type is one that it takes beyond what was pinned.
			Also: []string{"input-widened"},
		},
		Check: inputNarrowed,
	},
	{
		ID:    "input-widened",
		Class: Compatible,
		Title: "a required skill accepts a media type that it did not when pinned",
		Why:   "What the workflow sends is still accepted.",
		Do:    "Nothing.",
		Spec:  "4.4.5",
		Example: Example{
			Was: `{"skills":[{"id":"quote"}]}`,
			Now: `{"skills":[{"id":"quote","inputModes":["application/json","text/plain"]}]}`,
		},
		Check: inputWidened,
	},
	{
		ID:    "output-lost",
		Class: Breaking,
		Title: "a required skill offers none of the media types that the workflow can use",
		Why:   "Whatever it answers, the next step cannot read it.",
		Do:    "Teach the workflow a type that is offered, then pin it: --output TYPE --accept breaking. Or ask the agent's owner.",
		Spec:  "4.4.5",
		Example: Example{
			Was:  `{"skills":[{"id":"quote"}]}`,
			Now:  `{"skills":[{"id":"quote","outputModes":["application/pdf"]}]}`,
			Also: []string{"output-widened"},
		},
		Check: outputLost,
	},
	{
		ID:    "output-narrowed",
		Class: Review,
		Title: "one of the media types that the workflow can use is gone, another is left",
		Why:   "Answers still come, perhaps not in the form that the workflow likes best.",
		Do:    "Make sure that the type that is left is enough, then take the other out of requires in the lock and pin again.",
		Spec:  "4.4.5",
		Example: Example{
			Was:  `{"skills":[{"id":"quote","outputModes":["application/json","text/plain"]}]}`,
			Now:  `{"skills":[{"id":"quote","outputModes":["text/plain"]}]}`,
			Lock: `{"requires":{"skills":{"quote":{"output":["application/json","text/plain"]}}}}`,
		},
		Check: outputNarrowed,
	},
	{
		ID:    "output-widened",
		Class: Compatible,
		Title: "a required skill offers a media type that it did not when pinned",
		Why:   "The workflow does not ask for it.",
		Do:    "Nothing.",
		Spec:  "4.4.5",
		Example: Example{
			Was: `{"skills":[{"id":"quote"}]}`,
			Now: `{"skills":[{"id":"quote","outputModes":["application/json","text/csv"]}]}`,
		},
		Check: outputWidened,
	},
	{
		ID:    "modes-undeclared",
		Class: Review,
		Title: "the media types of a required skill are declared nowhere any more",
		Why:   "What it takes and gives is unknown now, which is not the same as nothing.",
		Do:    "Ask the agent's owner, or pin again and name the types with --input and --output.",
		Spec:  "4.4.5",
		Example: Example{
			Now: `{"defaultOutputModes":null}`,
		},
		Check: modesUndeclared,
	},
}

func skillRemoved(c *Comparison) []Finding {
	ambiguous := make(map[string]bool, len(c.Now.Ambiguous))
	for _, id := range c.Now.Ambiguous {
		ambiguous[id] = true
	}
	var gone []string
	for _, id := range c.known().required {
		if _, ok := c.Now.Skills[id]; !ok && !isDisabled(c, id) && !ambiguous[id] {
			gone = append(gone, id)
		}
	}
	fresh := freshSkills(c, len(gone))
	var out []Finding
	for _, id := range gone {
		f := found(say.Pointer("skills", id), pinnedSkill(c, id), nil, "the lock requires it, and it is gone").of(id)
		if to := likelyRename(c, id, fresh); to != "" {
			f.Message += "; " + say.Quote(id) + " may be " + say.Quote(to) + " now"
		}
		out = append(out, f)
	}
	return out
}

func isDisabled(c *Comparison, id string) bool {
	_, ok := c.Now.Disabled[id]
	return ok
}

// pinnedSkill is what the lock records of a skill, for a finding.
func pinnedSkill(c *Comparison, id string) any {
	if was := c.Lock.Profile; was != nil {
		if s, ok := was.Skills[id]; ok {
			return s
		}
	}
	return c.Lock.Requires.Skills[id]
}

func skillAmbiguous(c *Comparison) []Finding {
	var out []Finding
	for _, id := range c.known().required {
		if slices.Contains(c.Now.Ambiguous, id) {
			out = append(out, found(say.Pointer("skills", id), pinnedSkill(c, id), nil,
				"the lock requires it, and its id occurs more than once").of(id))
		}
	}
	return out
}

func inputNarrowed(c *Comparison) []Finding {
	var out []Finding
	for _, s := range c.known().skills {
		if s.now.Input == nil {
			continue // unknown, not empty
		}
		if lost := refused(c, s.need.Input, s.now.Input); len(lost) > 0 {
			out = append(out, found(say.Pointer("skills", s.id, "input"), s.need.Input, s.now.Input,
				"%s, which the workflow sends, %s no longer accepted", say.List(lost), say.Verb(len(lost), "is", "are")).of(s.id))
		}
	}
	return out
}

func inputWidened(c *Comparison) []Finding {
	var out []Finding
	for _, s := range c.known().skills {
		if s.was == nil || s.was.Input == nil {
			continue
		}
		if came := media.Refused(s.now.Input, s.was.Input); len(came) > 0 {
			out = append(out, found(say.Pointer("skills", s.id, "input"), s.was.Input, s.now.Input,
				"%s %s accepted too", say.List(came), say.Verb(len(came), "is", "are")).of(s.id))
		}
	}
	return out
}

func outputLost(c *Comparison) []Finding {
	var out []Finding
	for _, s := range c.known().skills {
		if s.now.Output == nil {
			continue
		}
		lost := missing(c, s.need.Output, s.now.Output)
		if len(lost) > 0 && len(lost) == len(s.need.Output) {
			out = append(out, found(say.Pointer("skills", s.id, "output"), s.need.Output, s.now.Output,
				"none of the types that the workflow can use is offered: %s", say.List(lost)).of(s.id))
		}
	}
	return out
}

func outputNarrowed(c *Comparison) []Finding {
	var out []Finding
	for _, s := range c.known().skills {
		if s.now.Output == nil {
			continue
		}
		lost := missing(c, s.need.Output, s.now.Output)
		if len(lost) > 0 && len(lost) < len(s.need.Output) {
			out = append(out, found(say.Pointer("skills", s.id, "output"), s.need.Output, s.now.Output,
				"%s %s no longer offered; another type that the workflow can use is left",
				say.List(lost), say.Verb(len(lost), "is", "are")).of(s.id))
		}
	}
	return out
}

func outputWidened(c *Comparison) []Finding {
	var out []Finding
	for _, s := range c.known().skills {
		if s.was == nil || s.was.Output == nil {
			continue
		}
		came := slices.DeleteFunc(set.Without(s.now.Output, s.was.Output), func(mode string) bool {
			return len(missing(c, s.need.Output, []string{mode})) < len(s.need.Output) // the lock names it
		})
		if len(came) > 0 {
			word := "too"
			if len(missing(c, s.need.Output, s.now.Output)) == len(s.need.Output) {
				word = "now" // in place of all that the workflow can use
			}
			out = append(out, found(say.Pointer("skills", s.id, "output"), s.was.Output, s.now.Output,
				"%s %s offered %s", say.List(came), say.Verb(len(came), "is", "are"), word).of(s.id))
		}
	}
	return out
}

// refused returns what of the lock's types is neither in have nor of a range in
// it.
func refused(c *Comparison, ours, have []string) []string {
	var aliases map[string]string
	if c.Client != nil {
		aliases = c.Client.Aliases
	}
	return slices.DeleteFunc(missing(c, ours, have), func(mode string) bool {
		norm, _ := compile.NormalizeMode(mode, aliases)
		return media.Accepts(have, norm)
	})
}

// missing returns what of the lock's types is not in have. A lock may be
// written by hand, so its types are normalised before they count as missing.
func missing(c *Comparison, ours, have []string) []string {
	var aliases map[string]string
	if c.Client != nil {
		aliases = c.Client.Aliases
	}
	return slices.DeleteFunc(set.Without(ours, have), func(mode string) bool {
		norm, _ := compile.NormalizeMode(mode, aliases)
		return slices.Contains(have, norm)
	})
}

func modesUndeclared(c *Comparison) []Finding {
	var out []Finding
	for _, s := range c.known().skills {
		wasInput, wasOutput := s.need.Input, s.need.Output
		switch {
		case s.was != nil:
			wasInput, wasOutput = s.was.Input, s.was.Output
		case s.need.Assumed: // a person named them, the card did not
			continue
		}
		if s.now.Input == nil && len(wasInput) > 0 {
			out = append(out, found(say.Pointer("skills", s.id, "input"), wasInput, nil,
				"the card no longer says which media types it accepts").of(s.id))
		}
		if s.now.Output == nil && len(wasOutput) > 0 {
			out = append(out, found(say.Pointer("skills", s.id, "output"), wasOutput, nil,
				"the card no longer says which media types it offers").of(s.id))
		}
	}
	return out
}

// likelyRename returns the new skill that a required one, which is gone, has
// most likely become; "" when there is no good guess. It is a hint for a
// person, and nothing is decided by it.
func likelyRename(c *Comparison, id string, fresh []string) string {
	best, score := "", 2 // equal tags alone say little
	for _, other := range fresh {
		if n := resemblance(c, id, other); n > score {
			best, score = other, n
		}
	}
	return best
}

// freshSkills are the skills that one which is gone may have become, when so
// many are gone; nil where a guess is not worth the time.
func freshSkills(c *Comparison, gone int) []string {
	const mostGone, candidates = 50, 200
	if gone == 0 || gone > mostGone {
		return nil
	}
	fresh := slices.DeleteFunc(set.Either(c.Now.Skills, c.Now.OtherSkills), func(other string) bool {
		return c.requires(other) || c.Lock.Profile != nil && offered(c.Lock.Profile, other)
	})
	return fresh[:min(len(fresh), candidates)]
}

// resemblance is 0 for skills that have nothing telling in common. Texts are
// compared by digest, so an equal one is the very same text.
func resemblance(c *Comparison, id, other string) int {
	score := 0
	if c.Lock.Profile != nil {
		for member, weight := range map[string]int{"name": 4, "description": 4, "examples": 3, "tags": 2} {
			was, ok := c.Lock.Profile.Texts[say.Pointer("skills", id, member)]
			if ok && was.Digest == c.Now.Texts[say.Pointer("skills", other, member)].Digest {
				score += weight
			}
		}
	}
	const longest = 120 // beyond that an id is not worth the time
	a, b := strings.ToLower(id), strings.ToLower(other)
	switch n := min(len(a), len(b)); {
	case len(a) > longest || len(b) > longest:
	case fold(a) == fold(b):
		score += 5
	case n >= 4 && (strings.Contains(a, b) || strings.Contains(b, a)):
		score += 3
	case nearest.Distance(a, b) <= max(len(a), len(b))/3:
		score += 3
	}
	return score
}

// disabled says of each required skill that an error of its own makes
// unusable why that is: neither there nor gone, it cannot be judged.
func disabled(c *Comparison) []string {
	if c.IsLost() {
		return nil
	}
	var reasons []string
	for _, id := range c.known().required {
		if why, ok := c.Now.Disabled[id]; ok {
			reasons = append(reasons, fmt.Sprintf("the required skill %s cannot be read: %s", say.Quote(id), say.OneLine(why)))
		}
	}
	return reasons
}
