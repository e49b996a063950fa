package card

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Every form in which a scheme is seen, and what it means.
func TestSchemeForms(t *testing.T) {
	key := SecurityScheme{Kind: KindAPIKey, Location: "header", Name: "X-Key"}
	bearer := SecurityScheme{Kind: KindHTTP, Scheme: "bearer", BearerFormat: "JWT"}
	mtls := SecurityScheme{Kind: KindMutualTLS}
	oidc := SecurityScheme{Kind: KindOpenIDConnect, OpenIDConnectURL: "https://id.example/.well-known/openid-configuration"}
	code := Flow{AuthorizationURL: "https://id.example/a", TokenURL: "https://id.example/t", Scopes: []string{"read", "write"}, PKCERequired: true}
	oauth := SecurityScheme{Kind: KindOAuth2, Flows: map[string]Flow{"authorizationCode": code}, OAuth2MetadataURL: "https://id.example/m"}
	const (
		codeJSON  = `{"authorizationUrl":"https://id.example/a","tokenUrl":"https://id.example/t","scopes":{"write":"","read":"x"},"pkceRequired":true}`
		oauthJSON = `"oauth2MetadataUrl":"https://id.example/m","flows":{"authorizationCode":` + codeJSON + `}`
	)
	const k = "/securitySchemes/k"
	tests := []struct {
		name   string
		scheme string
		want   SecurityScheme
		finds  []string
	}{
		{"key, 1.0", `{"apiKeySecurityScheme":{"location":"header","name":"X-Key","description":"D"}}`, key, nil},
		{"key, snake_case", `{"api_key_security_scheme":{"location":"header","name":"X-Key"}}`, key, []string{"warning snake-case " + k + "/api_key_security_scheme"}},
		{"key, flat", `{"type":"apiKey","in":"header","name":"X-Key"}`, key, []string{"warning scheme-form " + k}},
		{"key, flat, place of the 0.3 protobuf", `{"type":"apiKey","location":"header","name":"X-Key"}`, key, []string{"warning scheme-form " + k}},
		{"key, wrapper and flat (a2a-python)", `{"apiKeySecurityScheme":{"location":"header","name":"X-Key"},"type":"apiKey","in":"header","name":"X-Key"}`, key, nil},
		{"key, wrapper and flat, and more", `{"apiKeySecurityScheme":{"location":"header","name":"X-Key"},"type":"apiKey","in":"header","name":"X-Key","z":1}`, SecurityScheme{Kind: KindAPIKey, Location: "header", Name: "X-Key", Unknown: map[string]jsontext.Value{"z": jsontext.Value("1")}}, nil},
		{"key, flat and inner (a2a-go)", `{"type":"apiKey","in":"header","name":"X-Key","apiKey":{"location":"header","name":"X-Key"}}`, key, []string{"warning sdk-form " + k}},
		{"key, $case (a2a-js)", `{"scheme":{"$case":"apiKeySecurityScheme","value":{"description":"","location":"header","name":"X-Key"}}}`, key, []string{"warning sdk-form " + k + "/scheme"}},
		{"bearer, 1.0", `{"httpAuthSecurityScheme":{"scheme":"Bearer","bearerFormat":"JWT"}}`, bearer, nil},
		{"bearer, flat", `{"type":"http","scheme":"Bearer","bearerFormat":"JWT"}`, bearer, []string{"warning scheme-form " + k}},
		{"bearer, flat and inner (a2a-go)", `{"type":"http","scheme":"Bearer","bearerFormat":"JWT","http":{"scheme":"bearer","bearerFormat":"JWT"}}`, bearer, []string{"warning sdk-form " + k}},
		{"bearer, another word", `{"type":"httpAuth","scheme":"Bearer","bearerFormat":"JWT"}`, bearer, []string{"warning scheme-form " + k, "warning type-word " + k + "/type"}},
		{"bearer as the type", `{"type":"bearer","bearerFormat":"JWT"}`, SecurityScheme{Kind: KindHTTP, Scheme: "bearer", Unknown: map[string]jsontext.Value{"bearerFormat": jsontext.Value(`"JWT"`)}}, []string{"warning type-word " + k + "/type"}},
		{"mtls, 1.0", `{"mtlsSecurityScheme":{}}`, mtls, nil},
		{"mtls, flat", `{"type":"mutualTLS"}`, mtls, []string{"warning scheme-form " + k}},
		{"mtls, flat and inner (a2a-go)", `{"type":"mutualTLS","mutualTLS":{}}`, mtls, []string{"warning sdk-form " + k}},
		{"oidc, 1.0", `{"openIdConnectSecurityScheme":{"openIdConnectUrl":"` + oidc.OpenIDConnectURL + `"}}`, oidc, nil},
		{"oidc, flat", `{"type":"openIdConnect","openIdConnectUrl":"` + oidc.OpenIDConnectURL + `"}`, oidc, []string{"warning scheme-form " + k}},
		{"oauth2, 1.0", `{"oauth2SecurityScheme":{` + oauthJSON + `}}`, oauth, nil},
		{"oauth2, flat", `{"type":"oauth2",` + oauthJSON + `}`, oauth, []string{"warning scheme-form " + k}},
		{"oauth2, wrapper and flat", `{"oauth2SecurityScheme":{` + oauthJSON + `},"type":"oauth2",` + oauthJSON + `}`, oauth, nil},
		{"oauth2, $case twice", `{"scheme":{"$case":"oauth2SecurityScheme","value":{"oauth2MetadataUrl":"https://id.example/m","flows":{"flow":{"$case":"authorizationCode","value":` + codeJSON + `}}}}}`, oauth, []string{"warning sdk-form " + k + "/scheme"}},
		{
			"two flows in 1.0", `{"oauth2SecurityScheme":{"flows":{"implicit":{"authorizationUrl":"https://id.example/a","scopes":{}},"clientCredentials":{"tokenUrl":"https://id.example/t","scopes":{"b":"","a":""}}}}}`,
			SecurityScheme{Kind: KindOAuth2, Flows: map[string]Flow{
				"implicit":          {AuthorizationURL: "https://id.example/a", Scopes: []string{}},
				"clientCredentials": {TokenURL: "https://id.example/t", Scopes: []string{"a", "b"}},
			}},
			[]string{"warning several-flows " + k + "/oauth2SecurityScheme/flows"},
		},
		{
			"a flow without what it needs", `{"oauth2SecurityScheme":{"flows":{"deviceCode":{"tokenUrl":"https://id.example/t"}}}}`,
			SecurityScheme{Kind: KindOAuth2, Flows: map[string]Flow{"deviceCode": {TokenURL: "https://id.example/t", Scopes: []string{}}}},
			[]string{"gap missing " + k + "/oauth2SecurityScheme/flows/deviceCode/deviceAuthorizationUrl", "gap missing " + k + "/oauth2SecurityScheme/flows/deviceCode/scopes"},
		},
		{
			"unknown members", `{"x":1,"httpAuthSecurityScheme":{"scheme":"basic","y":2,"in":"header"}}`,
			SecurityScheme{Kind: KindHTTP, Scheme: "basic", Unknown: map[string]jsontext.Value{"x": jsontext.Value("1"), "y": jsontext.Value("2"), "in": jsontext.Value(`"header"`)}},
			nil,
		},
		{
			"unknown members, $case", `{"x":1,"scheme":{"$case":"mtlsSecurityScheme","value":{"y":2},"z":3}}`,
			SecurityScheme{Kind: KindMutualTLS, Unknown: map[string]jsontext.Value{"x": jsontext.Value("1"), "y": jsontext.Value("2"), "scheme/z": jsontext.Value("3")}},
			[]string{"warning sdk-form " + k + "/scheme"},
		},
		{
			"another case", `{"apiKeySecurityScheme":{"location":"header","name":"X-Key","Name":"Y"}}`,
			SecurityScheme{Kind: KindAPIKey, Location: "header", Name: "X-Key", Unknown: map[string]jsontext.Value{"Name": jsontext.Value(`"Y"`)}},
			[]string{"gap case-variant " + k + "/apiKeySecurityScheme/Name"},
		},
		{
			"unknown members of flows", `{"oauth2SecurityScheme":{"flows":{"ciba":{},"clientCredentials":{"tokenUrl":"https://id.example/t","scopes":{},"z":1}}}}`,
			SecurityScheme{
				Kind:    KindOAuth2,
				Flows:   map[string]Flow{"clientCredentials": {TokenURL: "https://id.example/t", Scopes: []string{}}},
				Unknown: map[string]jsontext.Value{"flows/ciba": jsontext.Value("{}"), "flows/clientCredentials/z": jsontext.Value("1")},
			},
			nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, card10("securitySchemes", `{"k":`+tt.scheme+`}`))
			if diff := cmp.Diff(tt.want, c.SecuritySchemes["k"]); diff != "" {
				t.Errorf("scheme %s (-want +got):\n%s", tt.scheme, diff)
			}
			if tt.finds == nil {
				tt.finds = []string{}
			}
			if diff := cmp.Diff(tt.finds, found(c)); diff != "" {
				t.Errorf("findings of %s (-want +got):\n%s", tt.scheme, diff)
			}
			if c.Sources["schemes"] != Declared {
				t.Errorf("Sources = %v", c.Sources)
			}
		})
	}
}

// A scheme that cannot be read is unknown, and the card stays valid.
func TestSchemeUnreadable(t *testing.T) {
	const k = "/securitySchemes/k"
	tests := []struct {
		name   string
		scheme string
		want   string
	}{
		{"two kinds", `{"apiKeySecurityScheme":{"location":"header","name":"X"},"httpAuthSecurityScheme":{"scheme":"bearer"}}`, "error several-kinds " + k + " scheme"},
		{"no kind", `{"description":"D"}`, "error unknown-scheme " + k + " scheme"},
		{"an unknown type", `{"type":"x402"}`, "error unknown-scheme " + k + "/type scheme"},
		{"type is a number", `{"type":1}`, "error wrong-type " + k + "/type scheme"},
		{"no object", `"bearer"`, "error wrong-type " + k + " scheme"},
		{"a wrapper of another name", `{"mutualTlsSecurityScheme":{}}`, "error unknown-wrapper " + k + "/mutualTlsSecurityScheme scheme"},
		{"a wrapper in another case", `{"APIKeySecurityScheme":{}}`, "error unknown-wrapper " + k + "/APIKeySecurityScheme scheme"},
		{"a wrapper that is a list", `{"mtlsSecurityScheme":[]}`, "error wrong-type " + k + "/mtlsSecurityScheme scheme"},
		{"oauth2 without flows", `{"oauth2SecurityScheme":{}}`, "error missing " + k + "/oauth2SecurityScheme/flows scheme"},
		{"oauth2 with no known flow", `{"oauth2SecurityScheme":{"flows":{"ciba":{}}}}`, "error unknown-flow " + k + "/oauth2SecurityScheme/flows scheme"},
		{"scopes are a list", `{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://id.example/t","scopes":["a"]}}}}`, "error wrong-type " + k + "/oauth2SecurityScheme/flows/clientCredentials/scopes scheme"},
		{"a key without name", `{"apiKeySecurityScheme":{"location":"header"}}`, "error missing " + k + "/apiKeySecurityScheme/name scheme"},
		{"a key without place", `{"apiKeySecurityScheme":{"name":"X"}}`, "error missing " + k + "/apiKeySecurityScheme/location scheme"},
		{"a key in a body", `{"apiKeySecurityScheme":{"location":"body","name":"X"}}`, "error bad-location " + k + "/apiKeySecurityScheme/location scheme"},
		{"a key in two places", `{"apiKeySecurityScheme":{"location":"header","in":"query","name":"X"}}`, "error forms-differ " + k + "/apiKeySecurityScheme/in scheme"},
		{"http without scheme", `{"httpAuthSecurityScheme":{}}`, "error missing " + k + "/httpAuthSecurityScheme/scheme scheme"},
		{"oidc without url", `{"openIdConnectSecurityScheme":{}}`, "error missing " + k + "/openIdConnectSecurityScheme/openIdConnectUrl scheme"},
		{"wrapper and flat differ", `{"apiKeySecurityScheme":{"location":"header","name":"X"},"type":"apiKey","in":"query","name":"X"}`, "error forms-differ " + k + " scheme"},
		{"wrapper and flat are of two kinds", `{"apiKeySecurityScheme":{"location":"header","name":"X"},"type":"mutualTLS"}`, "error forms-differ " + k + " scheme"},
		{"$case of nothing", `{"scheme":{"$case":"fooSecurityScheme","value":{}}}`, "error unknown-scheme " + k + "/scheme scheme"},
		{"spellings differ", `{"httpAuthSecurityScheme":{"scheme":"bearer","bearerFormat":"a","bearer_format":"b"}}`, "error spellings-differ " + k + "/httpAuthSecurityScheme/bearer_format scheme"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, card10("securitySchemes", `{"k":`+tt.scheme+`}`))
			if s, ok := c.SecuritySchemes["k"]; !ok || s.Kind != KindUnknown || s.Unreadable == "" {
				t.Errorf("scheme %s = %+v, want an unknown one", tt.scheme, s)
			}
			if diff := cmp.Diff([]string{tt.want}, found(c)); diff != "" {
				t.Errorf("findings of %s (-want +got):\n%s", tt.scheme, diff)
			}
			if err := c.Err(); err != nil {
				t.Errorf("Err() = %v", err)
			}
		})
	}
}

func TestSchemesFindings(t *testing.T) {
	runFindingCases(t, []findingCase{
		{"a list", card10("securitySchemes", `[{"type":"http"}]`), []string{"error wrong-type /securitySchemes scheme"}},
		{"an empty list", card10("securitySchemes", `[]`), nil},
		{"a list, and a requirement", card10("securitySchemes", `[{"type":"http"}]`, "securityRequirements", `[{"schemes":{"k":{}}}]`), []string{"error wrong-type /securitySchemes scheme"}},
		{"flat in a card of 0.3", card03("securitySchemes", `{"k":{"type":"http","scheme":"bearer"}}`), nil},
		{"null", card10("securitySchemes", `{"k":null}`), nil},
		{"a habit is said once", card10("securitySchemes", `{"k":{"type":"mutualTLS"},"l":{"type":"mutualTLS"}}`), []string{"warning scheme-form /securitySchemes/k"}},
	})
}
