package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/value"
)

// Compare runs every rule over c. The result is decided, with the worst class
// of its findings, unless a required skill is there and disabled by an error of
// its own while nothing is breaking.
func Compare(c Comparison) *Result {
	findings := c.gather()
	c.finish(findings)
	waive(&c, findings) // one by one: a waiver of one skill's finding covers no other's
	findings = merge(findings)
	for _, rule := range catalogue() {
		if rule.After && c.asks(&rule) {
			late := rule.Check(&c)
			c.finish(late)
			findings = append(findings, late...)
		}
	}
	present(findings)
	return verdict(&c, findings)
}

// gather runs the rules over c, those aside that look at what became of others,
// and leaves of what they say what one change has to have said of it.
func (c *Comparison) gather() []Finding {
	c.facts = nil
	var findings []Finding
	for _, rule := range catalogue() {
		if !rule.After && c.asks(&rule) {
			findings = append(findings, rule.Check(c)...)
		}
	}
	findings = replace(findings)
	findings = slices.DeleteFunc(findings, func(f Finding) bool { return c.Policy.drops(f.Rule) })
	return leaveLast(c, findings)
}

// present puts findings as a reader wants them: the skills in front of what is
// said of them, the worst first.
func present(findings []Finding) {
	for i := range findings {
		findings[i].Message = named(findings[i].Skills) + findings[i].Message
	}
	slices.SortStableFunc(findings, worstFirst)
}

// finish gives findings their class under the policy, and what names them.
func (c *Comparison) finish(findings []Finding) {
	known := value.Known{}
	for i := range findings {
		f := &findings[i]
		f.Class = c.Policy.classOf(*f, byID()[f.Rule])
		was, now := known.Of(f.Was), known.Of(f.Now)
		f.Was, f.Now = was.Short, now.Short
		f.Fingerprint = fingerprint(f.Rule, f.Path, was.Text, now.Text)
		f.Parts = []Part{{f.Path, f.Fingerprint}}
	}
}

func worstFirst(a, b Finding) int {
	if (a.Waived == nil) != (b.Waived == nil) {
		if a.Waived == nil {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(b.Class, a.Class),
		cmp.Compare(a.Path, b.Path),
		cmp.Compare(a.Rule, b.Rule),
	)
}

func verdict(c *Comparison, findings []Finding) *Result {
	r := &Result{
		Lock:         c.Lock,
		State:        Checked,
		Decided:      true,
		Findings:     findings,
		Notes:        notes(c),
		CardDigest:   c.Seen.CardDigest,
		AgentVersion: c.Now.AgentVersion,
	}
	if len(findings) > 0 && findings[0].Waived == nil {
		r.Class = findings[0].Class
	}
	reasons := disabled(c)
	switch {
	case len(reasons) == 0:
	case r.Class == Breaking:
		r.Notes = append(r.Notes, reasons...)
	default:
		r.State, r.Decided, r.Class = card.Invalid, false, Compatible
		r.Detail = strings.Join(reasons, "; ")
	}
	return r
}

// replacedBy names for a general rule the more specific ones that speak in its
// place when both have the same path. Where more than the path decides, the
// check itself knows (interface-origin-changed, security-unsatisfiable).
var replacedBy = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"agent-version-changed": {"agent-version-decreased"},
		"card-moved":            {"card-moved-offsite"},
		"extension-missing":     {"extension-version-moved"},
		"text-changed":          {"text-hidden-characters", "agent-renamed"},
	}
})

func replace(findings []Finding) []Finding {
	said := make(map[[2]string]bool, len(findings)) // by rule and path
	for _, f := range findings {
		said[[2]string{f.Rule, f.Path}] = true
	}
	return slices.DeleteFunc(slices.Clone(findings), func(general Finding) bool {
		return slices.ContainsFunc(replacedBy()[general.Rule], func(specific string) bool {
			return said[[2]string{specific, general.Path}]
		})
	})
}

// leaveLast takes out card-changed when another rule speaks of the card, or
// when a required skill cannot be read: then nobody knows what depends on the
// change.
func leaveLast(c *Comparison, findings []Finding) []Finding {
	speaks := func(f Finding) bool {
		return f.Rule != "card-changed" && byID()[f.Rule].Subject != lockStateSubject
	}
	if !slices.ContainsFunc(findings, speaks) && len(disabled(c)) == 0 {
		return findings
	}
	return slices.DeleteFunc(findings, func(f Finding) bool { return f.Rule == "card-changed" })
}

// merge makes one finding of those about different skills that are equal in
// rule, class, was and now, about the same member, and waived alike or not at
// all. Path and fingerprint are the first one's; what they say beyond that is
// kept.
func merge(findings []Finding) []Finding {
	merged := findings[:0]
	at := map[string]int{}
	kin := map[string]int{}
	for _, f := range findings {
		kin[kindred(f)]++
	}
	for _, f := range findings {
		// One that has no kin needs no look at its values, which may be long.
		if len(f.Skills) == 0 || kin[kindred(f)] == 1 {
			merged = append(merged, f)
			continue
		}
		key := likeness(f)
		i, seen := at[key]
		if !seen {
			at[key] = len(merged)
			merged = append(merged, f)
			continue
		}
		first := &merged[i]
		first.Skills = append(first.Skills, f.Skills...)
		first.Parts = append(first.Parts, f.Parts...)
		if !strings.Contains(first.Message, f.Message) {
			first.Message += "; " + f.Message
		}
	}
	for i := range merged {
		slices.Sort(merged[i].Skills)
		merged[i].Skills = slices.Compact(merged[i].Skills)
	}
	return merged
}

// likeness is equal for findings that merge makes one of.
func likeness(f Finding) string {
	return kindred(f) + " " + string(value.Canonical([]any{f.Was, f.Now}))
}

// kindred is the part of [likeness] that takes no look at values.
func kindred(f Finding) string {
	member := f.Path
	if _, rest, ok := say.Inside(f.Path, "/skills/"); ok {
		member = rest
	}
	waived := ""
	if w := f.Waived; w != nil {
		waived = fmt.Sprintf("%q %q %q", w.Reason, w.Owner, w.Until)
	}
	return fmt.Sprintf("%s %d %q %s", f.Rule, f.Class, member, waived)
}

// named puts the skills in front of what is said of them.
func named(skills []string) string {
	if len(skills) == 0 {
		return ""
	}
	return say.Verb(len(skills), "skill ", "skills ") + say.List(skills) + ": "
}
