package diff

import "testing"

func TestTextRules(t *testing.T) {
	skill := func(members string) string { return `{"skills":[{"id":"quote",` + members + `}]}` }
	runRows(t, []row{
		// text-changed
		{name: "skill name", was: skill(`"name":"Quote"`), now: skill(`"name":"Price"`), want: []string{"text-changed"}},
		{name: "tags", was: skill(`"tags":["a"]`), now: skill(`"tags":["a","b"]`), want: []string{"text-changed"}},
		{name: "examples", was: skill(`"examples":["a"]`), now: skill(`"examples":["b"]`), want: []string{"text-changed"}},
		{name: "a description came", was: `{"description":null}`, want: []string{"text-changed"}},
		{name: "a space more", now: `{"description":"Prices  itineraries."}`, want: []string{"text-changed"}},
		{name: "order of tags", was: skill(`"tags":["a","b"]`), now: skill(`"tags":["b","a"]`), want: []string{"card-changed"}},
		{name: "escapes", was: `{"description":"\u00e9"}`, now: `{"description":"é"}`},
		{name: "documentation link", now: `{"documentationUrl":"https://agent.example/docs"}`, want: []string{"card-changed"}},
		{
			name: "an unused skill's text", was: `{"skills":[{"id":"quote"},{"id":"book","description":"a"}]}`,
			now: `{"skills":[{"id":"quote"},{"id":"book","description":"b"}]}`, want: []string{"card-changed"},
		},
		{
			name: "all at once", was: skill(`"name":"a","description":"a","tags":["a"],"examples":["a"]`),
			now:  skill(`"name":"b","description":"b","tags":["b"],"examples":["b"]`),
			want: []string{"text-changed", "text-changed", "text-changed", "text-changed"},
		},
		{
			name: "review", now: `{"description":"x"}`, want: []string{"text-changed review"},
			edit: func(c *Comparison) { c.Policy.TextPolicy = "review" },
		},
		{
			name: "nothing recorded", now: `{"description":"x"}`, want: []string{"card-changed"},
			edit: func(c *Comparison) { c.Lock.Profile = nil },
		},
		// text-hidden-characters
		{name: "honest right-to-left text", now: `{"description":"مرحبا\u200f بك"}`, want: []string{"text-changed"}},
		{name: "joiners and variation selectors", now: `{"description":"👩\u200d💻 ❤\ufe0f"}`, want: []string{"text-changed"}},
		{name: "tab and newline", now: `{"description":"a\tb\nc"}`, want: []string{"text-changed"}},
		{name: "there as ever", was: `{"description":"a\u200b"}`, now: `{"description":"b\u200b"}`, want: []string{"text-changed"}},
		{name: "went away", was: `{"description":"a\u200b"}`, now: `{"description":"a"}`, want: []string{"text-changed"}},
		{name: "another one came", was: `{"description":"a\u200b"}`, now: `{"description":"a\u200b\u202e"}`, want: []string{"text-hidden-characters"}},
		{name: "tag characters", now: "{\"description\":\"a\U000E0041\"}", want: []string{"text-hidden-characters"}},
		{name: "an escape", now: `{"description":"a\u001b[2J"}`, want: []string{"text-hidden-characters"}},
		{name: "in a tag", was: skill(`"tags":["a"]`), now: skill(`"tags":["a\u2066"]`), want: []string{"text-hidden-characters"}},
		{name: "in the agent's version", now: `{"version":"1.0.0\u200b"}`, want: []string{"agent-version-changed", "text-hidden-characters"}},
		{name: "in the URL of a page", now: `{"iconUrl":"https://agent.example/\u200bicon.png"}`, want: []string{"text-hidden-characters breaking"}},
		{
			name: "text_policy off does not silence it", now: `{"description":"a\u200b"}`, want: []string{"text-hidden-characters"},
			edit: func(c *Comparison) { c.Policy.TextPolicy = "off" },
		},
		{
			name: "in an unused skill's text", was: `{"skills":[{"id":"quote"},{"id":"book"}]}`,
			now: `{"skills":[{"id":"quote"},{"id":"book","description":"a\u200b"}]}`, want: []string{"text-hidden-characters"},
		},
		{
			name: "in an unused skill's text as ever", was: `{"skills":[{"id":"quote"},{"id":"book","description":"a\u200b"}]}`,
			now: `{"skills":[{"id":"quote"},{"id":"book","description":"b\u200b"}]}`, want: []string{"card-changed"},
		},
		{
			name: "in an unused skill's examples, another one", was: `{"skills":[{"id":"quote"},{"id":"book","examples":["a\u200b"]}]}`,
			now: `{"skills":[{"id":"quote"},{"id":"book","examples":["a\u200b\u202e"]}]}`, want: []string{"text-hidden-characters"},
		},
		{
			name: "in the tags of a new skill", was: `{"skills":[{"id":"quote"}]}`, now: `{"skills":[{"id":"quote"},{"id":"book","tags":["a\u200b"]}]}`,
			want: []string{"skill-gained", "text-hidden-characters"},
		},
		{
			name: "in the id of a new skill", was: `{"skills":[{"id":"quote"}]}`, now: `{"skills":[{"id":"quote"},{"id":"quo\u200bte"}]}`,
			want: []string{"skill-gained", "text-hidden-characters breaking"},
		},
		{
			name: "in an unused id as ever", was: `{"skills":[{"id":"quote"},{"id":"quo\u200bte"}]}`,
			now: `{"skills":[{"id":"quo\u200bte"},{"id":"quote"}]}`, want: []string{"card-changed"},
		},
		{
			name: "in the interface's URL", now: at("JSONRPC 1.0 https://agent.example/a2\u200ba"),
			want: []string{"interface-url-changed", "text-hidden-characters breaking"},
		},
		{
			name: "in the URL as ever", was: at("JSONRPC 1.0 https://agent.example/a2\u200ba"),
			now: at("JSONRPC 1.0 https://agent.example/a2\u200ba", "GRPC 1.0 agent.example:443"), want: []string{"card-changed"},
		},
		{
			name: "in an extension's URI", now: `{"capabilities":{"extensions":[{"uri":"https://ext.example/x\u00ad"}]}}`,
			want: []string{"extension-gained", "text-hidden-characters breaking"},
		},
		{
			name: "in an extension's description", was: `{"capabilities":{"extensions":[{"uri":"urn:x"}]}}`,
			now: `{"capabilities":{"extensions":[{"uri":"urn:x","description":"a\u200b"}]}}`, want: []string{"text-hidden-characters"},
		},
		{
			name: "in a scheme that nothing uses", now: `{"securitySchemes":{"k\u200b":{"apiKeySecurityScheme":{"location":"header","name":"X"}}}}`,
			want: []string{"card-changed"},
		},
		{
			name: "in the host of a token URL", was: withSchemes(oauthScheme, `{"schemes":{"oauth":{"list":["read"]}}}`),
			now:  withSchemes(oauthAt("https://auth.example/tok\u200ben"), `{"schemes":{"oauth":{"list":["read"]}}}`),
			want: []string{"scheme-endpoint-changed", "text-hidden-characters breaking"},
		},
		{
			name: "nothing recorded, hidden", now: `{"description":"a\u200b"}`, want: []string{"card-changed"},
			edit: func(c *Comparison) { c.Lock.Profile = nil },
		},
	})
}
