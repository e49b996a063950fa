package diff

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/a2alock/a2alock/internal/duration"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

// A PolicyError is one fault in a policy.
type PolicyError struct {
	// Pointer is the faulty member of the policy: "/rules/ID" or
	// "/text_policy". A caller that knows the file finds the line with it.
	Pointer string
	Msg     string
}

// Error reads `pointer: what is wrong`.
func (e *PolicyError) Error() string { return e.Pointer + ": " + e.Msg }

// NewPolicy reads a configured policy: a class by rule id, and the text policy
// ("" means "compatible"). The error joins one [*PolicyError] for each fault:
// a rule that does not exist, a class that is none or lies below the rule's
// floor, another text policy.
func NewPolicy(rules map[string]string, textPolicy string) (Policy, error) {
	return Policy{}.with(rules, textPolicy)
}

// With returns p with what the lock overrides; a nil l overrides nothing.
// Errors are as for [NewPolicy]. p is not changed.
func (p Policy) With(l *lockfile.Policy) (Policy, error) {
	if l == nil {
		return p, nil
	}
	p, err := p.with(l.Rules, l.TextPolicy)
	if err != nil {
		return Policy{}, err
	}
	for _, age := range []struct {
		member, text string
		into         *time.Duration
	}{{"max_lock_age", l.MaxLockAge, &p.MaxLockAge}, {"max_evidence_age", l.MaxEvidenceAge, &p.MaxEvidenceAge}} {
		switch age.text {
		case "":
			continue
		case "off":
			*age.into = 0
			continue
		}
		if *age.into, err = duration.Parse(age.text); err != nil {
			return Policy{}, &PolicyError{Pointer: say.Pointer(age.member), Msg: err.Error()}
		}
	}
	return p, nil
}

func (p Policy) with(rules map[string]string, textPolicy string) (Policy, error) {
	var errs []error
	classes := make(map[string]Class, len(p.Rules)+len(rules))
	maps.Copy(classes, p.Rules)
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		class, err := override(id, rules[id])
		if err != nil {
			errs = append(errs, &PolicyError{Pointer: say.Pointer("rules", id), Msg: err.Error()})
			continue
		}
		classes[id] = class
	}
	p.Rules = classes
	switch textPolicy {
	case "":
	case "off", "compatible", "review":
		p.TextPolicy = textPolicy
	default:
		errs = append(errs, &PolicyError{
			Pointer: "/text_policy",
			Msg:     fmt.Sprintf("%q: want off, compatible or review", textPolicy),
		})
	}
	if len(errs) > 0 {
		return Policy{}, errors.Join(errs...)
	}
	return p, nil
}

// override judges one line of policy.rules.
func override(id, text string) (Class, error) {
	rule, ok := Lookup(id)
	if !ok {
		if near := Suggest(id); near != "" {
			return 0, fmt.Errorf("no such rule (did you mean %s?)", near)
		}
		return 0, errors.New("no such rule")
	}
	class, err := ParseClass(text)
	if err != nil {
		return 0, err
	}
	if rule.Floor && class < rule.Class {
		return 0, fmt.Errorf("%s is below the rule's floor: it cannot be less than %s", class, rule.Class)
	}
	return class, nil
}

// classOf is the class of a finding under p: what the policy names for its
// rule, else what the check gave.
func (p Policy) classOf(f Finding, r *Rule) Class {
	class := f.Class
	// A policy that was not made by NewPolicy does not lower a floor either.
	if configured, ok := p.Rules[f.Rule]; ok && (!r.Floor || configured >= r.Class) {
		class = configured
	}
	if f.Rule == "text-changed" && p.TextPolicy == "review" {
		class = max(class, Review)
	}
	return class
}

// drops reports whether p does not want to hear of the rule at all.
func (p Policy) drops(rule string) bool {
	return rule == "text-changed" && p.TextPolicy == "off"
}
