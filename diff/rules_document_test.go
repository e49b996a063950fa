package diff

import (
	"strings"
	"testing"
)

func TestDocumentRules(t *testing.T) {
	runRows(t, []row{
		// card-changed
		{name: "icon came", now: `{"iconUrl":"https://agent.example/i.png"}`, want: []string{"card-changed"}},
		{name: "only signatures differ", now: `{"signatures":[{"protected":"e30","signature":"AA"}]}`},
		{name: "member order and spelling of the same", now: `{"description":"Prices itineraries."}`},
		{
			name: "another rule speaks", now: `{"iconUrl":"https://agent.example/i.png","version":"1.0.1"}`,
			want: []string{"agent-version-changed"},
		},
		{
			name: "the lock has no digest", now: `{"iconUrl":"https://agent.example/i.png"}`,
			edit: func(c *Comparison) { c.Lock.CardDigest = "" },
		},
		{
			name: "the digest now is not known", now: `{"iconUrl":"https://agent.example/i.png"}`,
			edit: func(c *Comparison) { c.Seen.CardDigest = "" },
		},
		{
			name: "a silenced rule does not speak", now: `{"description":"Prices."}`,
			edit: func(c *Comparison) { c.Policy.TextPolicy = "off" },
			want: []string{"card-changed"},
		},
		// card-moved, card-moved-offsite
		{name: "answered from a file", edit: func(c *Comparison) { c.Seen.URL = "" }},
		{name: "host in capitals", seen: "https://AGENT.example/.well-known/agent-card.json"},
		{name: "default port spelled out", seen: "https://agent.example:443/.well-known/agent-card.json"},
		{name: "scheme in capitals", seen: "HTTPS://agent.example/.well-known/agent-card.json"},
		{name: "a query came", seen: "https://agent.example/.well-known/agent-card.json?v=2", want: []string{"card-moved"}},
		{name: "path in capitals", seen: "https://agent.example/.well-known/Agent-Card.json", want: []string{"card-moved"}},
		{
			name: "one host in two spellings, as whoever followed the redirect says", seen: "https://agent.ex%61mple/.well-known/agent-card.json",
			want: []string{"card-moved"},
		},
		{
			name: "out and back again", offsite: true, seen: "https://agent.example/.well-known/agent-card.json",
			want: []string{"card-moved-offsite"},
		},
		{name: "another port", offsite: true, seen: "https://agent.example:8443/.well-known/agent-card.json", want: []string{"card-moved-offsite"}},
		{name: "TLS lost", offsite: true, seen: "http://agent.example/.well-known/agent-card.json", want: []string{"card-moved-offsite"}},
		{name: "a subdomain", offsite: true, seen: "https://www.agent.example/.well-known/agent-card.json", want: []string{"card-moved-offsite"}},
		{
			name: "an allowed origin", offsite: true, seen: "https://cdn.example/card.json",
			lock: `{"trust":{"allowed_origins":["https://CDN.example:443"]}}`,
			want: []string{"card-moved-offsite review"},
		},
		{
			name: "another allowed origin", offsite: true, seen: "https://cdn.example/card.json",
			lock: `{"trust":{"allowed_origins":["https://cdn.example:8443"]}}`,
			want: []string{"card-moved-offsite"},
		},
		{name: "no URL at all", offsite: true, seen: "card.json", want: []string{"card-moved-offsite"}},
		// card-shape-changed
		{
			name: "0.2 and 0.3 are one shape",
			was:  `{"supportedInterfaces":null,"url":"https://agent.example/a2a","protocolVersion":"0.2.6"}`,
			now:  `{"supportedInterfaces":null,"url":"https://agent.example/a2a","protocolVersion":"0.3.0","preferredTransport":"JSONRPC"}`,
			client: func(cl *compileClient) {
				cl.Interfaces = append(cl.Interfaces, transportOf("JSONRPC", "0.3"), transportOf("JSONRPC", "0.2"))
			},
			want: []string{"interface-dropped"},
		},
		{
			name: "mirrors came: hybrid", now: `{"url":"https://agent.example/a2a"}`,
			want: []string{"card-shape-changed"},
		},
		{
			name: "mirrors went: 1.0", was: `{"url":"https://agent.example/a2a"}`,
			want: []string{"card-shape-changed"},
		},
		{
			name: "from 0.3 to 1.0",
			was:  `{"supportedInterfaces":null,"url":"https://agent.example/a2a","protocolVersion":"0.3.0"}`,
			client: func(cl *compileClient) {
				cl.Interfaces = append(cl.Interfaces, transportOf("JSONRPC", "0.3"))
			},
			want: []string{"card-shape-changed", "interface-dropped"},
		},
		{
			name: "a protocol version at the top is no shape", now: `{"protocolVersion":"1.0"}`,
			want: []string{"card-changed"},
		},
		// change-unclassified
		{name: "unknown member at the top", now: `{"x-new":1}`, want: []string{"card-changed"}},
		{
			name: "unknown member of a skill", was: `{"skills":[{"id":"quote"}]}`, now: `{"skills":[{"id":"quote","x-new":1}]}`,
			want: []string{"card-changed"},
		},
		{
			name: "stateTransitionHistory is known", now: `{"capabilities":{"stateTransitionHistory":true}}`,
			want: []string{"card-changed"},
		},
		{name: "unknown capability came", now: `{"capabilities":{"x-new":1}}`, want: []string{"change-unclassified"}},
		{name: "unknown capability went", was: `{"capabilities":{"x-old":1}}`, want: []string{"change-unclassified"}},
		{
			name: "equal values written apart",
			was:  `{"capabilities":{"x-list":[1,2.0,"\u00e9"]}}`, now: `{"capabilities":{"x-list":[ 1, 2 , "é" ]}}`,
		},
		{
			name: "two places, two findings", now: `{"capabilities":{"x-a":1,"x-b":2}}`,
			want: []string{"change-unclassified", "change-unclassified"},
		},
		{
			name: "unknown member of the interface",
			now:  `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0","x":1}]}`,
			want: []string{"change-unclassified"},
		},
		{
			name: "unknown member of an interface that the client cannot use",
			was:  `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://agent.example/g","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`,
			now:  `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://agent.example/g","protocolBinding":"GRPC","protocolVersion":"1.0","x":1}]}`,
			want: []string{"card-changed"},
		},
		{
			name: "unknown member of a new interface is part of it",
			now:  `{"supportedInterfaces":[{"url":"https://agent.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://agent.example/r","protocolBinding":"HTTP+JSON","protocolVersion":"1.0","x":1}]}`,
			want: []string{"interface-gained"},
		},
		{
			name: "unknown member of a new extension is part of it",
			now:  `{"capabilities":{"extensions":[{"uri":"https://ext.example/billing/v1","x":1}]}}`,
			want: []string{"extension-gained"},
		},
		{
			name: "unknown member of an extension",
			was:  `{"capabilities":{"extensions":[{"uri":"https://ext.example/billing/v1"}]}}`,
			now:  `{"capabilities":{"extensions":[{"uri":"https://ext.example/billing/v1","x":1}]}}`,
			want: []string{"change-unclassified"},
		},
		{
			name: "unknown member of a scheme in use",
			was:  withSchemes(keyScheme, `{"schemes":{"key":{}}}`),
			now:  withSchemes(`"key":{"apiKeySecurityScheme":{"location":"header","name":"X-Key","x-rotates":true}}`, `{"schemes":{"key":{}}}`),
			want: []string{"change-unclassified"},
		},
		{
			name: "unknown member of a scheme that a new way uses is part of it",
			was:  withSchemes(keyScheme, `{"schemes":{"key":{}}}`),
			now:  withSchemes(keyScheme+`,"k2":{"apiKeySecurityScheme":{"location":"query","name":"k","x":1}}`, `{"schemes":{"key":{}}},{"schemes":{"k2":{}}}`),
			want: []string{"alternative-gained"},
		},
		{
			name: "unknown member of a scheme that nothing asks for",
			was:  withSchemes(keyScheme+`,"k2":{"apiKeySecurityScheme":{"location":"query","name":"k"}}`, `{"schemes":{"key":{}}}`),
			now:  withSchemes(keyScheme+`,"k2":{"apiKeySecurityScheme":{"location":"query","name":"k","x":1}}`, `{"schemes":{"key":{}}}`),
			want: []string{"card-changed"},
		},
		{
			name: "unknown member of a new scheme that nothing asks for",
			was:  withSchemes(keyScheme, `{"schemes":{"key":{}}}`),
			now:  withSchemes(keyScheme+`,"k2":{"apiKeySecurityScheme":{"location":"query","name":"k","x":1}}`, `{"schemes":{"key":{}}}`),
			want: []string{"card-changed"},
		},
		{
			name: "unknown member of a scheme that is called something else now",
			was:  withSchemes(`"key":{"apiKeySecurityScheme":{"location":"header","name":"X-Key","x":1}}`, `{"schemes":{"key":{}}}`),
			now:  withSchemes(`"k2":{"apiKeySecurityScheme":{"location":"header","name":"X-Key","x":1}}`, `{"schemes":{"k2":{}}}`),
			want: []string{"scheme-renamed"},
		},
		{
			name: "unknown member that came with another name of the scheme",
			was:  withSchemes(keyScheme, `{"schemes":{"key":{}}}`),
			now:  withSchemes(`"k2":{"apiKeySecurityScheme":{"location":"header","name":"X-Key","x":1}}`, `{"schemes":{"k2":{}}}`),
			want: []string{"scheme-renamed", "change-unclassified"},
		},
		{
			name: "unknown members of two schemes that change names", lock: needTwo,
			was: strings.Replace(twoSkills(`{"schemes":{"key":{}}}`, `{"schemes":{"oauth":{}}}`), `"name":"X-Key"`, `"name":"X-Key","x":1`, 1),
			now: strings.NewReplacer(`"name":"X-Key"`, `"name":"X-Key","x":1`, `"key":`, `"oauth":`, `"oauth":`, `"key":`).Replace(
				twoSkills(`{"schemes":{"key":{}}}`, `{"schemes":{"oauth":{}}}`)),
			want: []string{"scheme-renamed", "scheme-renamed"},
		},
		{
			name: "unknown member of a requirement",
			was:  withSchemes(keyScheme, `{"schemes":{"key":{}}}`),
			now:  withSchemes(keyScheme, `{"schemes":{"key":{}},"x-when":"always"}`),
			want: []string{"change-unclassified"},
		},
		{
			name: "PKCE became required",
			was:  withSchemes(pkce("false"), `{"schemes":{"oauth":{"list":["read"]}}}`),
			now:  withSchemes(pkce("true"), `{"schemes":{"oauth":{"list":["read"]}}}`),
			want: []string{"change-unclassified"},
		},
	})
}

func pkce(required string) string {
	return `"oauth":{"oauth2SecurityScheme":{"flows":{"authorizationCode":{"authorizationUrl":"https://auth.example/a",` +
		`"tokenUrl":"https://auth.example/token","scopes":{"read":""},"pkceRequired":` + required + `}}}}`
}
