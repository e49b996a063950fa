package diff

import (
	"slices"
	"strings"
	"sync"

	"github.com/a2alock/a2alock/internal/nearest"
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
	// document of another name ("RFC 8785"); "" for a rule that rests on what a
	// lock is: then Design is the section of docs/design.md that says so.
	Spec, Design string
	Subject      string // the heading that the rule stands under
	// Section is where a rule about changes of a lock stands in a review.
	Section Section
	Example Example

	// After is set where Check looks at what became of the other rules'
	// findings, and so runs when they have their classes.
	After bool
	// Check finds the differences of this rule alone, whatever other rules say.
	// It sets Rule and Class; a message about skills leaves their names to the
	// one who puts it in front of a reader. A rule about changes of a lock itself
	// has no Check and has Review.
	Check  func(*Comparison) []Finding
	Review func(*Revision) []Finding
}

// Reference names what the rule rests on, for people: "A2A 4.4.5", or
// "docs/design.md, Waivers".
func (r *Rule) Reference() string {
	switch {
	case r.Spec == "":
		return "docs/design.md, " + r.Design
	case '0' <= r.Spec[0] && r.Spec[0] <= '9':
		return "A2A " + r.Spec
	}
	return r.Spec
}

// Mark is the class as people read it, with a † for a floor: "breaking†".
func (r *Rule) Mark() string {
	if r.Floor {
		return r.Class.String() + "†"
	}
	return r.Class.String()
}

// catalogue is every rule, in the order of docs/rules.md.
var catalogue = sync.OnceValue(func() []Rule {
	return assemble(
		subject{"Document", slices.Concat(documentRules, unclassifiedRules, runtimeRules)},
		subject{"Identity", identityRules},
		subject{"Interface", interfaceRules},
		subject{"Capabilities", capabilityRules},
		subject{"Extensions", extensionRules},
		subject{"Skills", slices.Concat(skillRules, unusedSkillRules)},
		subject{"Security", securityRules()},
		subject{"Text", textRules},
		subject{lockStateSubject, lockStateRules},
		subject{lockChangeSubject, slices.Concat(lockFileRules, lockMeetRules, lockOwnerRules,
			lockNeedRules, lockFitRules, lockPinRules, lockTrustRules, lockWaiverRules)},
	)
})

var byID = sync.OnceValue(func() map[string]*Rule { return index(catalogue()) })

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
			if check := r.Check; check != nil {
				r.Check = func(c *Comparison) []Finding { return r.own(check(c)) }
			}
			if review := r.Review; review != nil {
				r.Review = func(rev *Revision) []Finding { return r.own(review(rev)) }
			}
			all = append(all, r)
		}
	}
	return all
}

// own says of findings that they are of rule r.
func (r *Rule) own(findings []Finding) []Finding {
	for i := range findings {
		f := &findings[i]
		f.Rule = r.ID
		if f.Class == byRule {
			f.Class = r.Class
		}
	}
	return findings
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
func Rules() []Rule { return slices.Clone(catalogue()) }

// Lookup returns the rule of that id.
func Lookup(id string) (Rule, bool) {
	r, ok := byID()[id]
	if !ok {
		return Rule{}, false
	}
	return *r, true
}

// Suggest returns the id of the rule that someone who wrote id most likely
// meant; "" when none is near.
func Suggest(id string) string {
	ids := make([]string, len(catalogue()))
	for i, r := range catalogue() {
		ids[i] = r.ID
	}
	return nearest.Meant(strings.ReplaceAll(id, "_", "-"), ids)
}
