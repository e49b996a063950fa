package security

// A Rule is the id of the rule that a [Change] belongs to.
type Rule string

// The rules about security, and the one that speaks where no other does.
const (
	Unsatisfiable         Rule = "security-unsatisfiable"
	Unreadable            Rule = "security-unreadable"
	Required              Rule = "security-required"
	ScopeRequired         Rule = "scope-required"
	ScopeNoLongerRequired Rule = "scope-no-longer-required"
	SchemeChanged         Rule = "scheme-changed"
	EndpointChanged       Rule = "scheme-endpoint-changed"
	EndpointOriginChanged Rule = "scheme-endpoint-origin-changed"
	Weakened              Rule = "security-weakened"
	AlternativeGained     Rule = "alternative-gained"
	AlternativeLost       Rule = "alternative-lost"
	AlternativeSwitched   Rule = "alternative-switched"
	SchemeRenamed         Rule = "scheme-renamed"
	Unclassified          Rule = "change-unclassified"
)
