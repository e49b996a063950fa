package diff

import (
	"cmp"
	"slices"
	"strings"
)

// A Rule is one kind of difference. Every part of a2alock that speaks of rules
// derives from this value.
type Rule struct {
	ID    string
	Class Class // unless the check has a reason for another
	// Floor means that no configuration lowers the class.
	Floor bool

	Title string // what happened, in a few words
	Why   string // what it costs
	Do    string // what a person does about it
	// Spec is the clause of the A2A specification that the rule rests on, or a
	// document of another name ("RFC 8785").
	Spec    string
	Subject string // the heading that the rule stands under
	Example Example

	// After is set where Check looks at what became of the other rules'
	// findings, and so runs when they have their classes.
	After bool
	// Check finds the differences of this rule alone, whatever other rules say.
	// It sets Rule and Class; a message about skills leaves their names to the
	// one who puts it in front of a reader.
	Check func(*Comparison) []Finding
}

// catalogue is every rule, in the order of docs/rules.md.
var catalogue = assemble(
	subject{"Document", documentRules},
	subject{"Identity", identityRules},
	subject{"Interface", interfaceRules},
	subject{"Capabilities", capabilityRules},
	subject{"Extensions", extensionRules},
	subject{"Skills", slices.Concat(skillRules, unusedSkillRules)},
	subject{"Security", securityRules},
	subject{"Text", textRules},
	subject{lockStateSubject, lockStateRules},
)

var byID = index(catalogue)

type subject struct {
	name  string
	rules []Rule
}

// assemble puts the subjects together, and lets each check fill in what it
// need not know.
func assemble(subjects ...subject) []Rule {
	var all []Rule
	for _, s := range subjects {
		for _, r := range s.rules {
			r.Subject = s.name
			check, id, class := r.Check, r.ID, r.Class
			r.Check = func(c *Comparison) []Finding {
				findings := check(c)
				for i := range findings {
					f := &findings[i]
					f.Rule = id
					if f.Class == byRule {
						f.Class = class
					}
				}
				return findings
			}
			all = append(all, r)
		}
	}
	return all
}

func index(rules []Rule) map[string]*Rule {
	m := make(map[string]*Rule, len(rules))
	for i := range rules {
		m[rules[i].ID] = &rules[i]
	}
	return m
}

// Rules returns the catalogue in its order, subject by subject. The slice is
// the caller's own.
func Rules() []Rule { return slices.Clone(catalogue) }

// Lookup returns the rule of that id.
func Lookup(id string) (Rule, bool) {
	r, ok := byID[id]
	if !ok {
		return Rule{}, false
	}
	return *r, true
}

// Suggest returns the id of the rule that someone who wrote id most likely
// meant; "" when none is near.
func Suggest(id string) string {
	id = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(id), "_", "-"))
	if id == "" || len(id) > 100 {
		return ""
	}
	if _, ok := byID[id]; ok {
		return id
	}
	nearest := slices.MinFunc(catalogue, func(a, b Rule) int {
		return cmp.Compare(distance(id, a.ID), distance(id, b.ID))
	}).ID
	if distance(id, nearest) <= max(2, len(id)/4) {
		return nearest
	}
	if len(id) < 4 {
		return ""
	}
	for _, r := range catalogue {
		if strings.HasPrefix(r.ID, id) || strings.HasSuffix(r.ID, id) {
			return r.ID
		}
	}
	return ""
}

// distance is Levenshtein's, over bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
