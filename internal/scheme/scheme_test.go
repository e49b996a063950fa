package scheme

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/internal/jsondoc"
)

// read reads an object with the members schemes, requirements, old (their
// legacy mirror) and authentication.
func read(t *testing.T, text string) (r *Reader, s, auth Security) {
	t.Helper()
	tree, refusal := jsondoc.Parse([]byte(text), 32)
	if refusal != nil {
		t.Fatalf("%s: %v", text, refusal)
	}
	r = &Reader{Reader: jsondoc.NewReader(tree, false)}
	at := func(name string) jsondoc.Ref { return r.Member(jsondoc.Root, name) }
	r.Schemes(at("schemes"))
	if n := at("requirements"); n != 0 {
		s = r.Requirements(n, at("old"))
	}
	if n := at("authentication"); n != 0 {
		auth = r.Authentication(n)
	}
	return r, s, auth
}

func codes(r *Reader) string {
	var out []string
	for _, f := range r.Findings() {
		out = append(out, string(f.Severity)+" "+f.Code)
	}
	return strings.Join(out, ", ")
}

// However a scheme is spelled, it is the same scheme.
func TestSpellings(t *testing.T) {
	for kind, tt := range map[string]struct {
		want      Scheme
		spellings []string
	}{
		"API key": {
			Scheme{Kind: APIKey, Location: "header", Name: "X-Key"},
			[]string{
				`{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}`,
				`{"apiKeySecurityScheme":{"in":"header","name":"X-Key","description":"d"}}`,
				`{"api_key_security_scheme":{"location":"header","name":"X-Key"}}`,
				`{"type":"apiKey","in":"header","name":"X-Key"}`,
				`{"type":"apiKey","in":"header","name":"X-Key","apiKeySecurityScheme":{"location":"header","name":"X-Key"}}`,
				`{"type":"apiKey","location":"header","name":"X-Key","apiKey":{"location":"header","name":"X-Key"}}`,
				`{"scheme":{"$case":"apiKeySecurityScheme","value":{"location":"header","name":"X-Key"}}}`,
			},
		},
		"bearer": {
			Scheme{Kind: HTTP, Scheme: "bearer"},
			[]string{
				`{"httpAuthSecurityScheme":{"scheme":"Bearer"}}`,
				`{"type":"http","scheme":"bearer"}`,
				`{"type":"httpAuth","scheme":"BEARER"}`,
				`{"type":"bearer"}`,
			},
		},
		"OAuth 2": {
			Scheme{Kind: OAuth2, Flows: map[string]Flow{"clientCredentials": {TokenURL: "https://id.example/t", Scopes: []string{"a", "b"}}}},
			[]string{
				`{"oauth2SecurityScheme":{"flows":{"clientCredentials":{"tokenUrl":"https://id.example/t","scopes":{"b":"","a":""}}}}}`,
				`{"oauth2SecurityScheme":{"flows":{"client_credentials":{"token_url":"https://id.example/t","scopes":{"a":"","b":""}}}}}`,
				`{"oauth2SecurityScheme":{"flows":{"flow":{"$case":"clientCredentials","value":{"tokenUrl":"https://id.example/t","scopes":{"a":"","b":""}}}}}}`,
			},
		},
		"mutual TLS": {Scheme{Kind: MutualTLS}, []string{`{"mtlsSecurityScheme":{}}`, `{"type":"mutualTLS"}`, `{"type":"mTLS"}`}},
	} {
		for _, spelling := range tt.spellings {
			r, _, _ := read(t, `{"schemes":{"s":`+spelling+`}}`)
			if d := cmp.Diff(tt.want, r.Declared["s"]); d != "" {
				t.Errorf("%s: %s (-want +got):\n%s", kind, spelling, d)
			}
		}
	}
}

// What cannot be read is unknown and stays, with its reason.
func TestUnreadable(t *testing.T) {
	for _, s := range []string{
		`1`, `{}`, `{"type":"saml"}`, `{"type":1}`,
		`{"mutualTlsSecurityScheme":{}}`,
		`{"apiKeySecurityScheme":{"location":"body","name":"k"}}`,
		`{"apiKeySecurityScheme":{"location":"header","in":"query","name":"k"}}`,
		`{"apiKeySecurityScheme":{},"mtlsSecurityScheme":{}}`,
		`{"type":"http","scheme":"basic","httpAuthSecurityScheme":{"scheme":"bearer"}}`,
		`{"oauth2SecurityScheme":{"flows":{"magic":{}}}}`,
		`{"scheme":{"$case":"mtlsSecurityScheme","value":{}},"oauth2SecurityScheme":{}}`,
		`{"scheme":{"$case":"mtlsSecurityScheme","value":{}},"type":"oauth2"}`,
		`{"scheme":{"$case":"mtlsSecurityScheme","value":{},"oauth2SecurityScheme":{}}}`,
		`{"mtlsSecurityScheme":{},"type":5}`, `{"mtlsSecurityScheme":{"type":5}}`,
		`{"type":"PUBL\u0130C"}`, `{"type":"bas\u0130c"}`, `{"type":"none\u00a0"}`,
	} {
		r, _, _ := read(t, `{"schemes":{"s":`+s+`}}`)
		if got, ok := r.Declared["s"]; !ok || got.Kind != Unknown || got.Unreadable == "" {
			t.Errorf("%s reads as %+v, want an unknown scheme", s, got)
		}
	}
}

func TestRequirements(t *testing.T) {
	const schemes = `"schemes":{"k":{"type":"apiKey","in":"header","name":"X"},"none":{"type":"none"}}`
	for _, tt := range []struct {
		list  string
		want  []map[string][]string
		codes string
	}{
		{`[{"schemes":{"k":{"list":["b","a","b"]}}}]`, []map[string][]string{{"k": {"a", "b"}}}, ""},
		{`[{"schemes":{"k":["a"]}}]`, []map[string][]string{{"k": {"a"}}}, "warning sdk-form"},
		{`[{"k":["a"]},{}]`, []map[string][]string{{"k": {"a"}}, {}}, ""},
		{`["k"]`, []map[string][]string{{"k": {}}}, "warning requirement-form"},
		{`[{"none":[]}]`, []map[string][]string{{}}, ""},
		{`[{"x":[]}]`, []map[string][]string{{"x": {}}}, "error undeclared-scheme"},
	} {
		r, s, _ := read(t, "{"+schemes+`,"requirements":`+tt.list+"}")
		var got []map[string][]string
		for _, a := range s.Alternatives {
			if a.Unreadable != "" {
				t.Errorf("%s: unreadable: %s", tt.list, a.Unreadable)
			}
			got = append(got, a.Schemes)
		}
		if !slices.EqualFunc(got, tt.want, func(a, b map[string][]string) bool { return maps.EqualFunc(a, b, slices.Equal) }) {
			t.Errorf("%s = %v, want %v", tt.list, got, tt.want)
		}
		if c := codes(r); c != tt.codes {
			t.Errorf("%s: findings %s, want %s", tt.list, c, tt.codes)
		}
	}
	for _, list := range []string{`"k "`, `{}`, `[1]`, `[{"schemes":[]}]`, `[{"schemes":{"k":1}}]`, `[{"schemes":{},"k":[]}]`, `[{"":[]}]`, `[{"k":["a",1]}]`} {
		_, s, _ := read(t, "{"+schemes+`,"requirements":`+list+"}")
		if !s.Declared || len(s.Alternatives) != 1 || s.Alternatives[0].Unreadable == "" {
			t.Errorf("%s = %+v, want one that nobody can meet", list, s)
		}
	}
	r, _, _ := read(t, "{"+schemes+`,"requirements":[{"k":[]}],"old":[{"k":["more"]}]}`)
	if c := codes(r); c != "warning mirror-differs" {
		t.Errorf("a mirror that differs: findings %s", c)
	}
}

func TestAuthentication(t *testing.T) {
	for text, want := range map[string]int{
		`{"schemes":["bearer","basic"]}`: 2,
		`{"schemes":"bearer"}`:           1,
		`"none"`:                         1, // anonymous
		`{"type":"basic"}`:               1,
		`{}`:                             0,
		`{"credentials":"x"}`:            0,
	} {
		r, _, s := read(t, `{"authentication":`+text+"}")
		if len(s.Alternatives) != want || s.Declared != (want > 0) {
			t.Errorf("%s = %+v, want %d alternatives", text, s, want)
		}
		for _, a := range s.Alternatives {
			for name := range a.Schemes {
				if r.Declared[name].Kind != HTTP {
					t.Errorf("%s: scheme %s is %+v, want it defined", text, name, r.Declared[name])
				}
			}
		}
	}
	_, _, s := read(t, `{"authentication":1}`)
	if !s.Declared || s.Alternatives[0].Unreadable == "" {
		t.Errorf("authentication that is a number = %+v, want one that nobody can meet", s)
	}
}
