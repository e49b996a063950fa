package diff

import (
	"github.com/a2alock/a2alock/internal/security"
)

// securityRules are made when they are asked for: putting their examples and
// checks together would be work for every start of the program.
func securityRules() []Rule {
	return []Rule{
		{
			ID:    "security-unsatisfiable",
			Class: Breaking,
			Title: "none of the ways to authenticate can be met",
			Why:   "With the schemes and scopes that the lock records, and those that the client is known to hold, calls are refused.",
			Do:    "Get a credential that the agent asks for, name it in a2alock.yaml, and pin again.",
			Spec:  "4.5.1",
			Example: Example{
				Was: withSchemes(keyScheme, `{"schemes":{"key":{"list":[]}}}`),
				Now: withSchemes(`"oidc":{"openIdConnectSecurityScheme":{"openIdConnectUrl":"https://id.example/.well-known/openid-configuration"}}`, `{"schemes":{"oidc":{"list":[]}}}`),
			},
			Check: securityCheck(security.Unsatisfiable),
		},
		{
			ID:    "security-unreadable",
			Class: Breaking,
			Title: "a scheme that cannot be read, or is not declared, leaves no way to authenticate",
			Why:   "Nobody can tell what the agent asks for; it is never taken for nothing.",
			Do:    "Tell the agent's owner which scheme the card does not declare readably.",
			Spec:  "4.5.1",
			Example: Example{
				Was: withSchemes(keyScheme, `{"schemes":{"key":{"list":[]}}}`),
				Now: withSchemes(`"other":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}`, `{"schemes":{"key":{"list":[]}}}`),
			},
			Check: securityCheck(security.Unreadable),
		},
		{
			ID:      "security-required",
			Class:   Breaking,
			Title:   "no credential was needed, and one is now",
			Why:     "Anonymous calls are refused. Review where the client holds what is asked for.",
			Do:      "Get a credential, name it in a2alock.yaml, and pin again.",
			Spec:    "4.5.1",
			Example: Example{Now: withSchemes(keyScheme, `{"schemes":{"key":{"list":[]}}}`)},
			Check:   securityCheck(security.Required),
		},
		{
			ID:    "scope-required",
			Class: Breaking,
			Title: "the pinned way to authenticate asks for a scope that the lock does not record",
			Why:   "A token without the scope is refused.",
			Do:    "Decide whether the workflow should have the scope. If so, grant it and pin again.",
			Spec:  "4.5.7",
			Example: Example{
				Was: withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":["read"]}}}`),
				Now: withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":["read","write"]}}}`),
			},
			Check: securityCheck(security.ScopeRequired),
		},
		{
			ID:    "scope-no-longer-required",
			Class: Compatible,
			Title: "fewer scopes are asked for",
			Why:   "The credential carries more than it must.",
			Do:    "Nothing, or take the scope away from the workflow and pin again.",
			Spec:  "4.5.7",
			Example: Example{
				Was: withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":["read","write"]}}}`),
				Now: withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":["read"]}}}`),
			},
			Check: securityCheck(security.ScopeNoLongerRequired),
		},
		{
			ID:    "scheme-changed",
			Class: Breaking,
			Title: "the scheme behind the pinned way to authenticate became another one",
			Why:   "Kind, place, header name, HTTP scheme or grant differ: the credential is sent where nobody looks for it.",
			Do:    "Set up the credential that the scheme asks for now, then pin again.",
			Spec:  "4.5.1",
			Example: Example{
				Was: withSchemes(keyScheme, `{"schemes":{"key":{"list":[]}}}`),
				Now: withSchemes(`"key":{"apiKeySecurityScheme":{"location":"header","name":"X-Token"}}`, `{"schemes":{"key":{"list":[]}}}`),
			},
			Check: securityCheck(security.SchemeChanged),
		},
		{
			ID:    "scheme-endpoint-changed",
			Class: Review,
			Title: "an address of the scheme changed, on the same origin",
			Why:   "Tokens are asked for at another place on the same server.",
			Do:    "Make sure that the client uses the new address, then pin again.",
			Spec:  "4.5.7",
			Example: Example{
				Was: withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":["read"]}}}`),
				Now: withSchemes(oauthAt("https://auth.example/v2/token"), `{"schemes":{"oauth":{"list":["read"]}}}`),
			},
			Check: securityCheck(security.EndpointChanged),
		},
		{
			ID:    "scheme-endpoint-origin-changed",
			Class: Breaking,
			Floor: true,
			Title: "an address of the scheme moved to another origin",
			Why:   "The client's secret, or its users, would be sent to a server that nobody agreed on.",
			Do:    "Ask the agent's owner, over another channel than the card. Pin again only when it is true.",
			Spec:  "4.5.7",
			Example: Example{
				Was: withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":["read"]}}}`),
				Now: withSchemes(oauthAt("https://login.example/token"), `{"schemes":{"oauth":{"list":["read"]}}}`),
			},
			Check: securityCheck(security.EndpointOriginChanged),
		},
		{
			ID:    "security-weakened",
			Class: Review,
			Floor: true,
			Title: "anonymous calls, or a weaker kind of credential, are enough now",
			Why:   "Others can reach the agent more easily, and it may no longer be what guards your data.",
			Do:    "Ask the agent's owner whether that is meant.",
			Spec:  "4.5.1",
			Example: Example{
				Was:  withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":["read"]}}}`),
				Now:  withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":["read"]}}},{}`),
				Also: []string{"alternative-gained"},
			},
			Check: securityCheck(security.Weakened),
		},
		{
			ID:    "alternative-gained",
			Class: Compatible,
			Title: "there is another way to authenticate",
			Why:   "The pinned one stays.",
			Do:    "Nothing.",
			Spec:  "4.5.1",
			Example: Example{
				Was: withSchemes(keyScheme+","+oauthScheme, `{"schemes":{"key":{"list":[]}}}`),
				Now: withSchemes(keyScheme+","+oauthScheme, `{"schemes":{"key":{"list":[]}}},{"schemes":{"oauth":{"list":["read"]}}}`),
			},
			Check: securityCheck(security.AlternativeGained),
		},
		{
			ID:    "alternative-lost",
			Class: Compatible,
			Title: "one of the ways to authenticate is gone, and the pinned one stays",
			Why:   "This workflow does not use it.",
			Do:    "Nothing.",
			Spec:  "4.5.1",
			Example: Example{
				Was: withSchemes(keyScheme+","+oauthScheme, `{"schemes":{"key":{"list":[]}}},{"schemes":{"oauth":{"list":["read"]}}}`),
				Now: withSchemes(keyScheme, `{"schemes":{"key":{"list":[]}}}`),
			},
			Check: securityCheck(security.AlternativeLost),
		},
		{
			ID:    "alternative-switched",
			Class: Review,
			Title: "the pinned way to authenticate is gone, and another can be met",
			Why:   "The client switches its credential.",
			Do:    "Make sure that the other credential is meant for this, then pin again.",
			Spec:  "4.5.1",
			Example: Example{
				Was:  withSchemes(keyScheme, `{"schemes":{"key":{"list":[]}}}`),
				Now:  `{"securitySchemes":{},"securityRequirements":[{}]}`,
				Also: []string{"security-weakened"},
			},
			Check: securityCheck(security.AlternativeSwitched),
		},
		{
			ID:    "scheme-renamed",
			Class: Compatible,
			Title: "only the name of a scheme changed",
			Why:   "Definitions count, names do not.",
			Do:    "Nothing.",
			Spec:  "4.5.1",
			Example: Example{
				Was: withSchemes(keyScheme, `{"schemes":{"key":{"list":[]}}}`),
				Now: withSchemes(`"api_key":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}`, `{"schemes":{"api_key":{"list":[]}}}`),
			},
			Check: securityCheck(security.SchemeRenamed),
		},
	}
}

// Parts of the examples.
const (
	keyScheme   = `"key":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}`
	oauthScheme = beforeToken + "https://auth.example/token" + afterToken
	beforeToken = `"oauth":{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"`
	afterToken  = `","scopes":{"read":"","write":""}}}}}`
)

func oauthAt(token string) string {
	return beforeToken + token + afterToken
}

func withSchemes(schemes, requirements string) string {
	return `{"securitySchemes":{` + schemes + `},"securityRequirements":[` + requirements + `]}`
}

// securityCheck returns what the one look at security says by a rule.
func securityCheck(rule security.Rule) func(*Comparison) []Finding {
	return func(c *Comparison) []Finding { return securitySays(c, rule) }
}

func securitySays(c *Comparison, rule security.Rule) []Finding {
	var out []Finding
	for _, s := range c.known().changes {
		if s.Rule != rule {
			continue
		}
		f := Finding{Class: byRule, Path: s.Path, Was: s.Was, Now: s.Now, Message: s.Message}.of(s.Skill)
		if s.Mild {
			f.Class = Review
		}
		out = append(out, f)
	}
	return out
}

// securityOf is the security of the required skills, those among them that are
// gone.
func securityOf(c *Comparison, required []string) []security.Skill {
	out := make([]security.Skill, len(required))
	for i, id := range required {
		now, there := c.Now.Skills[id]
		need := c.Lock.Requires.Skills[id]
		out[i] = security.Skill{ID: id, Gone: !there, Now: now.Security, Schemes: need.Schemes, Scopes: need.Scopes}
		if c.Lock.Profile == nil {
			continue
		}
		if was, ok := c.Lock.Profile.Skills[id]; ok && was.Security != nil {
			out[i].Recorded, out[i].Was = true, was.Security
		}
	}
	return out
}
