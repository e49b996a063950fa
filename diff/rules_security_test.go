package diff

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// Requirements for the tables.
const (
	key     = `{"schemes":{"key":{"list":[]}}}`
	oauth   = `{"schemes":{"oauth":{"list":["read"]}}}`
	both    = `{"schemes":{"key":{"list":[]},"oauth":{"list":["read"]}}}`
	nothing = `{}`

	mtlsScheme   = `"mtls":{"mtlsSecurityScheme":{}}`
	bearerScheme = `"bearer":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}`
	basicScheme  = `"basic":{"httpAuthSecurityScheme":{"scheme":"basic"}}`
	mtls         = `{"schemes":{"mtls":{}}}`
	bearer       = `{"schemes":{"bearer":{}}}`
	basic        = `{"schemes":{"basic":{}}}`
)

// flows writes an OAuth 2 scheme of several grants as 0.3 has it.
func flows(grants ...string) string {
	return `"oauth":{"type":"oauth2","flows":{` + strings.Join(grants, ",") + `}}`
}

const (
	clientGrant = `"clientCredentials":{"tokenUrl":"https://auth.example/token","scopes":{"read":""}}`
	codeGrant   = `"authorizationCode":{"authorizationUrl":"https://auth.example/a","tokenUrl":"https://auth.example/token","scopes":{"read":""}}`
)

func holds(kind compile.Strength, scopes ...string) func(*compileClient) {
	return func(cl *compileClient) {
		cl.Credentials = []compile.Credential{{Name: "ours", Kind: kind, Scopes: scopes}}
	}
}

// twoSkills requires quote with an API key and book with OAuth 2, each by its
// own requirement.
func twoSkills(quote, book string) string {
	return `{"securitySchemes":{` + keyScheme + `,` + oauthScheme + `},"skills":[` +
		`{"id":"quote","securityRequirements":[` + quote + `]},{"id":"book","securityRequirements":[` + book + `]}]}`
}

const needTwo = `{"requires":{"skills":{"book":{"input":["application/json"],"output":["application/json"]}}}}`

func TestSecurityRules(t *testing.T) {
	ks, os := keyScheme, oauthScheme
	twoOAuth := os + "," + strings.Replace(oauthAt("https://login.example/token"), `"oauth"`, `"o2"`, 1)
	runRows(t, []row{
		// security-unsatisfiable
		{name: "the pinned one goes, and one with scopes stays", was: withSchemes(os, `{"schemes":{"oauth":{"list":[]}}},`+oauth), now: withSchemes(os, oauth), want: []string{"security-unsatisfiable"}},
		{name: "order of alternatives", was: withSchemes(ks+","+os, key+","+oauth), now: withSchemes(ks+","+os, oauth+","+key), want: []string{"card-changed"}},
		{name: "an alternative listed twice", was: withSchemes(ks, key), now: withSchemes(ks, key+","+key), want: []string{"card-changed"}},
		{name: "a scheme that nothing uses came", was: withSchemes(ks, key), now: withSchemes(ks+","+os, key), want: []string{"card-changed"}},
		{name: "from the card to the skill", was: withSchemes(ks, key), now: `{"securitySchemes":{` + ks + `},"skills":[{"id":"quote","name":"Quote","description":"Quotes a price.","tags":["pricing"],"securityRequirements":[` + key + `]}]}`, want: []string{"card-changed"}},
		{name: "one more scheme in the set", was: withSchemes(ks+","+os, key), now: withSchemes(ks+","+os, both), want: []string{"security-unsatisfiable"}},
		{
			name: "the client is known to hold another", was: withSchemes(ks, key), now: withSchemes(os, oauth),
			client: holds(compile.OAuth2, "read"), want: []string{"alternative-switched"},
		},
		{
			name: "the client holds it without the scope", was: withSchemes(ks, key), now: withSchemes(os, oauth),
			client: holds(compile.OAuth2, "write"), want: []string{"security-unsatisfiable"},
		},
		{
			name: "another skill of the lock records it", lock: needTwo,
			was: twoSkills(key, oauth), now: twoSkills(oauth, oauth), want: []string{"alternative-switched"},
		},
		{
			name: "another skill of the lock records it, and is gone", lock: needTwo,
			was: twoSkills(key, oauth), now: strings.Replace(twoSkills(oauth, oauth), `"book"`, `"reserve"`, 1),
			want: []string{"alternative-switched", "skill-gained", "skill-removed"},
		},
		{
			name: "another skill records it, with another token URL", lock: needTwo, was: twoSkills(key, oauth),
			now: strings.NewReplacer(`"quote","securityRequirements":[`+key, `"quote","securityRequirements":[{"schemes":{"o2":{"list":["read"]}}}`,
				`"securitySchemes":{`, `"securitySchemes":{`+strings.Replace(oauthAt("https://login.example/token"), `"oauth"`, `"o2"`, 1)+`,`).Replace(twoSkills(key, oauth)),
			want: []string{"alternative-switched", "scheme-endpoint-origin-changed"},
		},
		{
			name: "another skill records it, without the scope", lock: needTwo,
			was: twoSkills(key, oauth), now: twoSkills(`{"schemes":{"oauth":{"list":["write"]}}}`, oauth), want: []string{"security-unsatisfiable"},
		},
		{
			name: "a skill that the lock does not require is none of ours",
			was:  twoSkills(key, oauth), now: twoSkills(oauth, oauth), want: []string{"security-unsatisfiable"},
		},
		// security-unreadable
		{name: "not declared, another way can be met", was: withSchemes(ks, key), now: withSchemes(`"x":{}`, key+","+nothing), want: []string{"alternative-switched", "security-weakened"}},
		{name: "unreadable beside the pinned one", was: withSchemes(ks, key), now: withSchemes(ks, key+`,{"schemes":{"x":{}}}`), want: []string{"alternative-gained"}},
		{name: "unreadable wins over scheme-changed", was: withSchemes(ks, key), now: withSchemes(`"key":{"apiKeySecurityScheme":7}`, key), want: []string{"security-unreadable"}},
		{name: "none was needed", now: `{"securityRequirements":[{"schemes":{"x":{}}}]}`, want: []string{"security-unreadable"}},
		{name: "the list itself cannot be read", was: withSchemes(ks, key), now: `{"securitySchemes":{` + ks + `},"securityRequirements":[7]}`, want: []string{"security-unreadable"}},
		{
			name: "unknown as ever, the pinned one gone", was: withSchemes(ks, key+`,{"schemes":{"x":{}}}`),
			now: withSchemes(os, oauth+`,{"schemes":{"x":{}}}`), want: []string{"security-unsatisfiable"},
		},
		// unknown when pinned
		{name: "the same unknown", was: withSchemes(ks, `{"schemes":{"x":{}}}`), now: withSchemes(ks+","+os, `{"schemes":{"x":{}}}`), want: []string{"card-changed"}},
		{name: "another unknown", was: withSchemes(ks, `{"schemes":{"x":{}}}`), now: withSchemes(ks, `{"schemes":{"y":{}}}`), want: []string{"security-unreadable"}},
		{name: "the same unknown with a scope more", was: withSchemes(ks, `{"schemes":{"x":{"list":["a"]}}}`), now: withSchemes(ks, `{"schemes":{"x":{"list":["a","b"]}}}`), want: []string{"security-unreadable"}},
		{name: "the same unknown with a scope less", was: withSchemes(ks, `{"schemes":{"x":{"list":["a","b"]}}}`), now: withSchemes(ks, `{"schemes":{"x":{"list":["a"]}}}`), want: []string{"card-changed"}},
		{name: "the same unknown with another fault", was: withSchemes(ks, `{"schemes":{"x":{}}}`), now: withSchemes(ks+`,"x":{"type":"saml"}`, `{"schemes":{"x":{}}}`), want: []string{"card-changed"}},
		{name: "unknown became readable", was: withSchemes(ks, `{"schemes":{"x":{}}}`), now: withSchemes(ks, key), want: []string{"alternative-switched"}},
		{name: "unknown became none", was: withSchemes(ks, `{"schemes":{"x":{}}}`), now: withSchemes(ks, nothing), want: []string{"alternative-switched"}},
		{
			name: "unknown as ever, a readable one as ever", was: withSchemes(ks, `{"schemes":{"x":{}}},`+key), now: withSchemes(ks+","+mtlsScheme, `{"schemes":{"x":{}}},`+key),
			lock: `{"requires":{"skills":{"quote":{"schemes":["x"],"scopes":[]}}}}`, want: []string{"card-changed"},
		},
		{
			name: "unknown as ever, a readable one came", was: withSchemes(ks, `{"schemes":{"x":{}}}`), now: withSchemes(ks, `{"schemes":{"x":{}}},`+key),
			want: []string{"alternative-switched"},
		},
		// security-required
		{name: "schemes without requirements", now: `{"securitySchemes":{` + ks + `}}`, want: []string{"card-changed"}},
		{name: "anonymous is still enough", now: withSchemes(ks, key+","+nothing), want: []string{"alternative-gained"}},
		{name: "an empty list is none", now: `{"securitySchemes":{` + ks + `},"securityRequirements":[]}`, want: []string{"card-changed"}},
		{name: "the client holds it", now: withSchemes(ks, key), client: holds(compile.APIKey), want: []string{"security-required review"}},
		{name: "anonymous was one way", was: withSchemes(ks, nothing+","+key), now: withSchemes(ks, key), want: []string{"security-required"}},
		{
			name: "another skill is asked", was: `{"skills":[{"id":"quote"},{"id":"book"}]}`,
			now:  `{"securitySchemes":{` + ks + `},"skills":[{"id":"quote"},{"id":"book","securityRequirements":[` + key + `]}]}`,
			want: []string{"skill-changed-unused"},
		},
		// scope-required, scope-no-longer-required
		{name: "order of scopes", was: withSchemes(os, `{"schemes":{"oauth":{"list":["read","write"]}}}`), now: withSchemes(os, `{"schemes":{"oauth":{"list":["write","read"]}}}`), want: []string{"card-changed"}},
		{name: "the scheme declares another scope", was: withSchemes(os, oauth), now: withSchemes(strings.Replace(os, `"read":""`, `"read":"","admin":""`, 1), oauth), want: []string{"card-changed"}},
		{name: "a scope of another alternative", was: withSchemes(ks+","+os, key+","+oauth), now: withSchemes(ks+","+os, key+`,{"schemes":{"oauth":{"list":["read","write"]}}}`), want: []string{"alternative-gained", "alternative-lost"}},
		{name: "the lock records more", was: withSchemes(os, oauth), now: withSchemes(os, `{"schemes":{"oauth":{"list":["read","write"]}}}`), lock: `{"requires":{"skills":{"quote":{"schemes":["oauth"],"scopes":["read","write"]}}}}`, want: []string{"card-changed"}},
		{name: "the client holds the scope", was: withSchemes(os, oauth), now: withSchemes(os, `{"schemes":{"oauth":{"list":["read","write"]}}}`), client: holds(compile.OAuth2, "read", "write"), want: []string{"scope-required"}},
		{name: "with the old scopes as another way", was: withSchemes(os, oauth), now: withSchemes(os, `{"schemes":{"oauth":{"list":["read","write"]}}},`+oauth), want: []string{"alternative-gained"}},
		{name: "a scope more, and anonymous is enough", was: withSchemes(os, oauth), now: withSchemes(os, `{"schemes":{"oauth":{"list":["read","write"]}}},{}`), want: []string{"alternative-switched", "security-weakened"}},
		{
			name: "a scope more, and the client holds another way", was: withSchemes(ks+","+os, oauth+","+key),
			now:    withSchemes(ks+","+os, `{"schemes":{"oauth":{"list":["read","write"]}}},`+key),
			client: holds(compile.APIKey), lock: `{"requires":{"skills":{"quote":{"schemes":["oauth"],"scopes":["read"]}}}}`, want: []string{"alternative-switched"},
		},
		{
			name: "a scope more, and another one less", was: withSchemes(os, oauth),
			now: withSchemes(os, `{"schemes":{"oauth":{"list":["read","write"]}}},{"schemes":{"oauth":{}}}`), want: []string{"alternative-gained", "scope-no-longer-required"},
		},
		{
			name: "a scope more, and the old scopes at another origin, of a kind that the client holds", was: withSchemes(os, oauth),
			now:    withSchemes(os+","+strings.Replace(oauthAt("https://login.example/token"), `"oauth"`, `"o2"`, 1), `{"schemes":{"oauth":{"list":["read","write"]}}},{"schemes":{"o2":{"list":["read"]}}}`),
			client: holds(compile.OAuth2, "read"), want: []string{"alternative-switched", "scheme-endpoint-origin-changed"},
		},
		{name: "one scope for another", was: withSchemes(os, oauth), now: withSchemes(os, `{"schemes":{"oauth":{"list":["write"]}}}`), want: []string{"scope-required", "scope-no-longer-required"}},
		{name: "scope under a new name", was: withSchemes(os, oauth), now: withSchemes(strings.Replace(os, `"oauth"`, `"o2"`, 1), `{"schemes":{"o2":{"list":["read","write"]}}}`), want: []string{"scope-required", "scheme-renamed"}},
		{name: "no scope any more", was: withSchemes(os, oauth), now: withSchemes(os, `{"schemes":{"oauth":{}}}`), want: []string{"scope-no-longer-required"}},
		// scheme-changed
		{name: "case of a header", was: withSchemes(ks, key), now: withSchemes(strings.Replace(ks, "X-Key", "x-key", 1), key), want: []string{"card-changed"}},
		{name: "case of a query parameter", was: withSchemes(`"key":{"apiKeySecurityScheme":{"location":"query","name":"key"}}`, key), now: withSchemes(`"key":{"apiKeySecurityScheme":{"location":"query","name":"Key"}}`, key), want: []string{"scheme-changed"}},
		{name: "description of a scheme", was: withSchemes(ks, key), now: withSchemes(strings.Replace(ks, `"name"`, `"description":"x","name"`, 1), key), want: []string{"card-changed"}},
		{name: "the 0.3 form of the same", was: withSchemes(`"key":{"type":"apiKey","in":"header","name":"X-Key"}`, key), now: withSchemes(ks, key), want: []string{"card-changed"}},
		{name: "case of the HTTP scheme", was: withSchemes(bearerScheme, bearer), now: withSchemes(strings.Replace(bearerScheme, "Bearer", "bearer", 1), bearer), want: []string{"card-changed"}},
		{name: "bearer format", was: withSchemes(bearerScheme, bearer), now: withSchemes(strings.Replace(bearerScheme, `"Bearer"`, `"Bearer","bearerFormat":"JWT"`, 1), bearer), want: []string{"card-changed"}},
		{name: "place", was: withSchemes(ks, key), now: withSchemes(strings.Replace(ks, "header", "query", 1), key), want: []string{"scheme-changed"}},
		{name: "kind", was: withSchemes(ks, key), now: withSchemes(`"key":{"openIdConnectSecurityScheme":{"openIdConnectUrl":"https://id.example/c"}}`, key), want: []string{"scheme-changed"}},
		{name: "kind, weaker", was: withSchemes(bearerScheme, bearer), now: withSchemes(strings.Replace(bearerScheme, "Bearer", "basic", 1), bearer), want: []string{"scheme-changed", "security-weakened"}},
		{name: "grant", was: withSchemes(flows(clientGrant), oauth), now: withSchemes(flows(codeGrant), oauth), want: []string{"scheme-changed"}},
		{name: "another kind under its name, which the client holds", was: withSchemes(ks, key), now: withSchemes(strings.Replace(bearerScheme, `"bearer"`, `"key"`, 1), key), client: holds(compile.Bearer), want: []string{"scheme-changed"}},
		{
			name: "two definitions change places, and the lock records both", lock: needTwo, was: twoSkills(key, oauth),
			now:  strings.NewReplacer(`"key":`, `"oauth":`, `"oauth":`, `"key":`).Replace(twoSkills(oauth, key)),
			want: []string{"alternative-switched", "alternative-switched", "security-weakened"},
		},
		{name: "the old one under another name", was: withSchemes(ks, key), now: withSchemes(`"key":{"apiKeySecurityScheme":{"location":"query","name":"k"}},"old":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}`, key+`,{"schemes":{"old":{}}}`), want: []string{"scheme-renamed", "alternative-gained"}},
		{name: "behind another alternative", was: withSchemes(ks+","+os, oauth+","+key), now: withSchemes(strings.Replace(ks, "X-Key", "X-Token", 1)+","+os, oauth+","+key), want: []string{"alternative-gained", "alternative-lost"}},
		// several grants
		{name: "a grant came", was: withSchemes(flows(clientGrant), oauth), now: withSchemes(flows(clientGrant, codeGrant), oauth), want: []string{"alternative-gained"}},
		{name: "a grant went", was: withSchemes(flows(clientGrant, codeGrant), oauth), now: withSchemes(flows(codeGrant), oauth), want: []string{"alternative-switched"}},
		{name: "order of grants", was: withSchemes(flows(clientGrant, codeGrant), oauth), now: withSchemes(flows(codeGrant, clientGrant), oauth)},
		{name: "endpoints of the common grant", was: withSchemes(flows(clientGrant, codeGrant), oauth), now: withSchemes(flows(strings.Replace(codeGrant, "https://auth.example/a", "https://auth.example/b", 1)), oauth), want: []string{"alternative-switched", "scheme-endpoint-changed"}},
		// scheme-endpoint-changed, scheme-endpoint-origin-changed
		{name: "default port of an endpoint", was: withSchemes(os, oauth), now: withSchemes(oauthAt("https://AUTH.example:443/token"), oauth), want: []string{"card-changed"}},
		{name: "trailing slash of an endpoint", was: withSchemes(os, oauth), now: withSchemes(oauthAt("https://auth.example/token/"), oauth), want: []string{"scheme-endpoint-changed"}},
		{name: "TLS lost at an endpoint", was: withSchemes(os, oauth), now: withSchemes(oauthAt("http://auth.example/token"), oauth), want: []string{"scheme-endpoint-origin-changed"}},
		{name: "a metadata URL came", was: withSchemes(os, oauth), now: withSchemes(strings.Replace(os, `"flows"`, `"oauth2MetadataUrl":"https://auth.example/m","flows"`, 1), oauth), want: []string{"card-changed"}},
		{name: "a metadata URL came on another origin", was: withSchemes(os, oauth), now: withSchemes(strings.Replace(os, `"flows"`, `"oauth2MetadataUrl":"https://agent.example/m","flows"`, 1), oauth), want: []string{"change-unclassified"}},
		{name: "a metadata URL went", was: withSchemes(strings.Replace(os, `"flows"`, `"oauth2MetadataUrl":"https://agent.example/m","flows"`, 1), oauth), now: withSchemes(os, oauth), want: []string{"scheme-endpoint-changed"}},
		{name: "a refresh URL came on the same origin", was: withSchemes(os, oauth), now: withSchemes(strings.Replace(os, `"tokenUrl"`, `"refreshUrl":"https://auth.example/refresh","tokenUrl"`, 1), oauth), want: []string{"card-changed"}},
		{name: "a refresh URL came on another origin", was: withSchemes(os, oauth), now: withSchemes(strings.Replace(os, `"tokenUrl"`, `"refreshUrl":"https://evil.example/refresh","tokenUrl"`, 1), oauth), want: []string{"change-unclassified"}},
		{name: "a refresh URL went", was: withSchemes(strings.Replace(os, `"tokenUrl"`, `"refreshUrl":"https://auth.example/refresh","tokenUrl"`, 1), oauth), now: withSchemes(os, oauth), want: []string{"scheme-endpoint-changed"}},
		{name: "OIDC address", was: withSchemes(`"key":{"openIdConnectSecurityScheme":{"openIdConnectUrl":"https://id.example/a"}}`, key), now: withSchemes(`"key":{"openIdConnectSecurityScheme":{"openIdConnectUrl":"https://id2.example/a"}}`, key), want: []string{"scheme-endpoint-origin-changed"}},
		{name: "an allowed origin is for calls", was: withSchemes(os, oauth), now: withSchemes(oauthAt("https://login.example/token"), oauth), lock: `{"trust":{"allowed_origins":["https://login.example"]}}`, want: []string{"scheme-endpoint-origin-changed"}},
		{name: "of a scheme that no required skill uses", was: withSchemes(ks+","+os, key), now: withSchemes(ks+","+oauthAt("https://login.example/token"), key), want: []string{"card-changed"}},
		{name: "of a way that nobody holds a credential for", was: withSchemes(ks+","+os, key+","+oauth), now: withSchemes(ks+","+oauthAt("https://login.example/token"), key+","+oauth), want: []string{"card-changed"}},
		{name: "of a way that the client holds a credential for", was: withSchemes(ks+","+os, key+","+oauth), now: withSchemes(ks+","+oauthAt("https://login.example/token"), key+","+oauth), client: func(cl *compileClient) {
			cl.Credentials = []compile.Credential{{Kind: compile.APIKey}, {Kind: compile.OAuth2, Scopes: []string{"read"}}}
		}, want: []string{"scheme-endpoint-origin-changed"}},
		{
			name: "another name and another origin", was: withSchemes(os, oauth),
			now:  withSchemes(strings.Replace(oauthAt("https://login.example/token"), `"oauth"`, `"o2"`, 1), `{"schemes":{"o2":{"list":["read"]}}}`),
			want: []string{"scheme-endpoint-origin-changed"},
		},
		{
			name: "another way is of a scheme that was another way's", was: withSchemes(ks+","+twoOAuth, key+`,{"schemes":{"oauth":{"list":["read"]}}},{"schemes":{"o2":{"list":["write"]}}}`),
			now:    withSchemes(ks+","+twoOAuth, key+`,{"schemes":{"o2":{"list":["read"]}}},{"schemes":{"o2":{"list":["write"]}}}`),
			client: holds(compile.OAuth2, "read", "write"), lock: `{"requires":{"skills":{"quote":{"schemes":["key"],"scopes":[]}}}}`,
			want: []string{"alternative-gained", "alternative-lost"},
		},
		// security-weakened
		{name: "stronger came", was: withSchemes(ks+","+mtlsScheme, key), now: withSchemes(ks+","+mtlsScheme, key+","+mtls), want: []string{"alternative-gained"}},
		{name: "as weak came", was: withSchemes(ks, key), now: withSchemes(ks+`,"k2":{"apiKeySecurityScheme":{"location":"query","name":"k"}}`, key+`,{"schemes":{"k2":{}}}`), want: []string{"alternative-gained"}},
		{name: "anonymous as ever", was: withSchemes(ks, key+","+nothing), now: withSchemes(ks+","+basicScheme, key+","+nothing+","+basic), want: []string{"alternative-gained"}},
		{name: "weaker came", was: withSchemes(ks+","+mtlsScheme, mtls), now: withSchemes(ks+","+mtlsScheme, mtls+","+key), want: []string{"alternative-gained", "security-weakened"}},
		{name: "one of two together is enough", was: withSchemes(ks+","+os, both), now: withSchemes(ks+","+os, key), want: []string{"alternative-switched", "security-weakened"}},
		{name: "nothing needed any more", was: withSchemes(ks, key), now: `{"securitySchemes":{` + ks + `}}`, want: []string{"alternative-switched", "security-weakened"}},
		// alternative-gained, alternative-lost, alternative-switched
		{name: "a skill that the lock does not require switches", was: twoSkills(key, key), now: twoSkills(key, oauth), want: []string{"skill-changed-unused"}},
		{name: "the pinned one is the second", was: withSchemes(ks+","+os, key+","+oauth), now: withSchemes(os, oauth), lock: `{"requires":{"skills":{"quote":{"schemes":["oauth"],"scopes":["read"]}}}}`, want: []string{"alternative-lost"}},
		{name: "the pinned one is the second, and goes", was: withSchemes(ks+","+os, key+","+oauth), now: withSchemes(ks, key), lock: `{"requires":{"skills":{"quote":{"schemes":["oauth"],"scopes":["read"]}}}}`, want: []string{"security-unsatisfiable"}},
		{
			name: "of two of one name, the pinned one is that with the recorded scopes", was: withSchemes(os, `{"schemes":{"oauth":{"list":["read","write"]}}},`+oauth), now: withSchemes(os, oauth),
			lock: `{"requires":{"skills":{"quote":{"schemes":["oauth"],"scopes":["read"]}}}}`, want: []string{"alternative-lost"},
		},
		// scheme-renamed
		{name: "two schemes change names", was: withSchemes(ks+`,"k2":{"apiKeySecurityScheme":{"location":"query","name":"k"}}`, key), now: withSchemes(`"k2":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}},"key":{"apiKeySecurityScheme":{"location":"query","name":"k"}}`, `{"schemes":{"k2":{}}}`), want: []string{"scheme-renamed"}},
		{name: "a scheme that nothing uses was renamed", was: withSchemes(ks+","+mtlsScheme, key), now: withSchemes(ks+`,"m2":{"mtlsSecurityScheme":{}}`, key), want: []string{"card-changed"}},
		{name: "named in two alternatives", was: withSchemes(os, oauth+`,{"schemes":{"oauth":{"list":["write"]}}}`), now: withSchemes(oauthAt("https://login.example/token"), oauth+`,{"schemes":{"oauth":{"list":["write"]}}}`), want: []string{"scheme-endpoint-origin-changed"}},
	})
}

// The scopes, and the schemes by name, of a lock without a profile.
func TestSecurityOfMinimalLock(t *testing.T) {
	need := func(schemes, scopes []string) func(*Comparison) {
		return func(c *Comparison) {
			c.Lock.Profile = nil
			c.Lock.Requires.Skills = map[string]lockfile.Need{"quote": {
				Input: []string{"application/json"}, Output: []string{"application/json"}, Schemes: schemes, Scopes: scopes,
			}}
		}
	}
	read := []string{"read"}
	write := `{"schemes":{"oauth":{"list":["read","write"]}}}`
	os, ks := oauthScheme, keyScheme
	runRows(t, []row{
		{name: "scopes suffice", now: withSchemes(os, oauth), edit: need(nil, read), want: []string{"card-changed"}},
		{name: "a scope more", now: withSchemes(os, write), edit: need(nil, read), want: []string{"scope-required"}},
		{name: "a scope more, another way without", now: withSchemes(os+","+ks, write+","+key), edit: need(nil, read), want: []string{"card-changed"}},
		{name: "a scope more, the client holds it", now: withSchemes(os, write), edit: need(nil, read), client: holds(compile.OAuth2, "read", "write"), want: []string{"card-changed"}},
		{name: "no scopes at all", now: withSchemes(os, write), edit: need(nil, []string{}), want: []string{"scope-required"}},
		{name: "scopes not recorded", now: withSchemes(os, write), edit: need(nil, nil), want: []string{"card-changed"}},
		{name: "anything else", now: withSchemes(mtlsScheme, mtls), edit: need(nil, read), want: []string{"card-changed"}},
		{name: "unreadable", now: withSchemes(os, `{"schemes":{"x":{}}}`), edit: need(nil, read), want: []string{"security-unreadable"}},
		{name: "the named way asks for more, another does not", now: withSchemes(os+","+ks, write+","+key), edit: need([]string{"oauth"}, read), want: []string{"scope-required"}},
		{name: "another way asks for more", now: withSchemes(os+","+ks, write+","+key), edit: need([]string{"key"}, []string{}), want: []string{"card-changed"}},
		{name: "unreadable, and nothing is said", now: withSchemes(os, `{"schemes":{"x":{}}}`), edit: need(nil, nil), want: []string{"security-unreadable"}},
		{name: "unreadable, and named", now: withSchemes(os, `{"schemes":{"x":{}}}`), edit: need([]string{"x"}, nil), want: []string{"security-unreadable"}},
		{name: "unreadable beside one that is not", now: withSchemes(os, `{"schemes":{"x":{}}},`+oauth), edit: need(nil, nil), want: []string{"card-changed"}},
		{name: "the named one is there", now: withSchemes(os, write), edit: need([]string{"oauth"}, nil), want: []string{"card-changed"}},
		{name: "the named one is gone", now: withSchemes(ks, key), edit: need([]string{"oauth"}, read), want: []string{"security-unsatisfiable"}},
		{name: "the named one is gone, the client holds the other", now: withSchemes(ks, key), edit: need([]string{"oauth"}, read), client: holds(compile.APIKey), want: []string{"alternative-switched"}},
		{name: "the named one is gone, anonymous is enough", now: withSchemes(ks, nothing), edit: need([]string{"oauth"}, read), want: []string{"alternative-switched"}},
		{name: "the named one and another", now: withSchemes(ks+","+os, both), edit: need([]string{"oauth"}, read), want: []string{"security-unsatisfiable"}},
		{name: "one of the named is enough", now: withSchemes(ks+","+os, key), edit: need([]string{"key", "oauth"}, read), want: []string{"alternative-switched"}},
		{name: "of no kind that the client holds", now: withSchemes(mtlsScheme, mtls), edit: need(nil, read), client: holds(compile.APIKey), want: []string{"security-unsatisfiable"}},
		{name: "of no kind that the client holds, and nothing is said", now: withSchemes(mtlsScheme, mtls), edit: need(nil, nil), client: holds(compile.APIKey), want: []string{"security-unsatisfiable"}},
		{name: "of a kind that the client holds, with the lock's scopes", now: withSchemes(os, oauth), edit: need(nil, read), client: holds(compile.OAuth2), want: []string{"card-changed"}},
		{name: "of a kind that the client holds, with scopes of both", now: withSchemes(os, write), edit: need(nil, read), client: holds(compile.OAuth2, "write"), want: []string{"card-changed"}},
		{name: "of a kind that the client holds, with a scope more", now: withSchemes(os, write), edit: need(nil, read), client: holds(compile.OAuth2), want: []string{"scope-required"}},
		{name: "none was needed, and is not", edit: need([]string{}, []string{})},
		{name: "none was needed, one is now", now: withSchemes(ks, key), edit: need([]string{}, []string{}), want: []string{"security-required"}},
		{name: "none was needed, the client holds it", now: withSchemes(ks, key), edit: need([]string{}, []string{}), client: holds(compile.APIKey), want: []string{"security-required review"}},
		{name: "none was needed, unreadable now", now: withSchemes(os, `{"schemes":{"x":{}}}`), edit: need([]string{}, []string{}), want: []string{"security-unreadable"}},
	})
}

// What the look at security calls a rule is one.
func TestSecurityRuleIDs(t *testing.T) {
	source, err := os.ReadFile("../internal/security/rule.go")
	if err != nil {
		t.Fatal(err)
	}
	ids := regexp.MustCompile(`Rule = "(.*)"`).FindAllSubmatch(source, -1)
	if len(ids) < len(securityRules()) {
		t.Errorf("%d ids of rules, and there are %d rules about security", len(ids), len(securityRules()))
	}
	for _, id := range ids {
		if _, ok := Lookup(string(id[1])); !ok {
			t.Errorf("%q: no such rule", id[1])
		}
	}
}
