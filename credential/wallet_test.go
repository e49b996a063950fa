package credential

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/compile"
)

// kinds are the credentials that a request shows, each with how it looks there.
var kinds = []struct {
	name string
	kind Kind
	find func(*http.Request) string
	want string
}{
	{
		"bearer",
		Bearer{Token: Literal(canary)},
		func(r *http.Request) string { return r.Header.Get("Authorization") }, "Bearer " + canary,
	},
	{
		"api key in a header",
		APIKey{In: InHeader, Name: "x-api-key", Key: Literal(canary)},
		func(r *http.Request) string { return r.Header.Get("X-Api-Key") }, canary,
	},
	{
		"api key in the query",
		APIKey{In: InQuery, Name: "k y", Key: Literal(canary + "/+&=")},
		func(r *http.Request) string { return r.URL.Query().Get("k y") }, canary + "/+&=",
	},
	{
		"api key in a cookie",
		APIKey{In: InCookie, Name: "sid", Key: Literal(canary)},
		func(r *http.Request) string { return r.Header.Get("Cookie") }, "sid=" + canary,
	},
	{
		"basic",
		Basic{User: "us er", Password: Literal("pass:" + canary)},
		func(r *http.Request) string { u, p, _ := r.BasicAuth(); return u + " " + p }, "us er pass:" + canary,
	},
}

func TestKindsReachTheirOrigin(t *testing.T) {
	for _, tt := range kinds {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t, ok)
			w := wallet(t, Credential{Name: "partner", Origins: []string{a.URL}, Kind: tt.kind})
			if _, _, err := send(t, w, a.URL+"/card.json?b=%7e&a"); err != nil {
				t.Fatal(err)
			}
			r := a.requests()[0]
			if got := tt.find(r); got != tt.want {
				t.Errorf("the server received %q, want %q", got, tt.want)
			}
			if !strings.HasPrefix(r.RequestURI, "/card.json?b=%7e&a") {
				t.Errorf("asked for %s", r.RequestURI)
			}
		})
	}
}

func TestKindsFollowNoRedirect(t *testing.T) {
	for _, tt := range kinds {
		t.Run(tt.name, func(t *testing.T) {
			other := newAgent(t, ok)
			a := newAgent(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/same":
					http.Redirect(w, r, "/end?"+r.URL.RawQuery, http.StatusFound)
				case "/port":
					http.Redirect(w, r, other.URL+"/end?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
				case "/host":
					http.Redirect(w, r, strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)+"/end?"+r.URL.RawQuery, http.StatusFound)
				case "/user":
					http.Redirect(w, r, "http://"+r.Host+"@"+strings.TrimPrefix(other.URL, "http://")+"/end", http.StatusFound)
				default:
					ok(w, r)
				}
			})
			w := wallet(t, Credential{Name: "partner", Origins: []string{a.URL}, Kind: tt.kind})
			if _, _, err := send(t, w, a.URL+"/same"); err != nil {
				t.Fatal(err)
			}
			for _, r := range a.requests() {
				if tt.find(r) != tt.want {
					t.Errorf("%s carries %q, want %q", r.URL.Path, tt.find(r), tt.want)
				}
			}
			if _, hops, err := send(t, w, a.URL+"/port"); err != nil || !hops[0].Offsite {
				t.Errorf("another port: %v, %v", hops, err)
			}
			for _, path := range []string{"/host", "/user"} { // refused, as nobody named that host
				if _, _, err := send(t, w, a.URL+path); err == nil {
					t.Errorf("%s is followed", path)
				}
			}
			if len(other.requests()) != 1 {
				t.Fatalf("the other server received %d requests, want 1", len(other.requests()))
			}
			if r := other.requests()[0]; carries(r) || strings.Contains(r.RequestURI, "geheim") {
				t.Errorf("another port received %s with %v", r.RequestURI, r.Header)
			}
		})
	}
}

func TestApplyGoesByTheExactOrigin(t *testing.T) {
	w := wallet(t, Credential{
		Name: "partner", Origins: []string{"https://A.example.com", "https://b.example.com:8443", "https://xn--mnchen-3ya.example", "http://localhost:9000"},
		Kind: Bearer{Token: Literal(canary)},
	})
	for _, tt := range []struct {
		url  string
		want bool
	}{
		{"https://a.example.com/", true},
		{"https://A.EXAMPLE.com.:443/x?y", true},
		{"https://ａ.example.com/", true}, // full width is mapped
		{"https://b.example.com:8443/", true},
		{"https://münchen.example/", true},
		{"https://MÜNCHEN.example./", true},
		{"http://localhost:9000/", true},
		{"http://LOCALHOST.:9000/", true},

		{"http://a.example.com/", false},
		{"http://a.example.com:443/", false},
		{"https://a.example.com:8443/", false},
		{"https://b.example.com/", false},
		{"https://x.a.example.com/", false},
		{"https://example.com/", false},
		{"https://a.example.com.evil.example/", false},
		{"https://evil-a.example.com/", false},
		{"https://a.example.com@evil.example/", false},
		{"https://evil.example/#@a.example.com", false},
		{"https://evil.example/?https://a.example.com", false},
		{"https://evil.example\\@a.example.com", false},
		{"https://user:pass@a.example.com/", false},
		{"https://a.example.com:443@evil.example/", false},
		{"https://\u0430.example.com/", false}, // Cyrillic
		{"https://xn--80a.example.com/", false},
		{"https://munchen.example/", false},
		{"http://localhost:9001/", false},
		{"http://127.0.0.1:9000/", false},
		{"http://[::1]:9000/", false},
		{"http://a.localhost:9000/", false},
		{"https://localhost:9000/", false},
		{"https://a.example.com:0/", false},
		{"ftp://a.example.com/", false},
		{"https:a.example.com", false},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			continue // no such request can be made
		}
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.URL, req.Host = u, ""
		err = w.Apply(t.Context(), "partner", req)
		_, refused := errors.AsType[*OriginError](err)
		if (err == nil) != tt.want || err != nil && !refused || carries(req) != tt.want {
			t.Errorf("Apply to %s = %v, carries it %v, want %v", tt.url, err, carries(req), tt.want)
		}
		if got := w.Goes("partner", u) && u.User == nil; got != tt.want {
			t.Errorf("Goes(%s) = %v, want %v", tt.url, got, tt.want)
		}
		clean(t, err)
	}
}

func TestApplyErrors(t *testing.T) {
	w := wallet(t, Credential{Name: "partner", Origins: []string{"https://a.example.com"}, Kind: Bearer{Token: Literal(canary)}})
	req := httptest.NewRequest(http.MethodGet, "https://evil.example:8443/?x", nil)
	if err := w.Apply(t.Context(), "partner", req); err == nil ||
		err.Error() != `credential "partner" does not go to https://evil.example:8443: its origins are https://a.example.com:443` {
		t.Errorf("error = %v", err)
	}
	if err := w.Apply(t.Context(), "parner", req); err == nil || err.Error() != `no credential is called "parner"` {
		t.Errorf("error = %v", err)
	}
	// A Host of its own may be another site behind the same address.
	req = httptest.NewRequest(http.MethodGet, "https://a.example.com/", nil)
	req.Host = "b.example.com"
	if err := w.Apply(t.Context(), "partner", req); err == nil || carries(req) {
		t.Errorf("Apply with another Host = %v", err)
	}
}

func TestKeysThatDoNotFit(t *testing.T) {
	cookie := file(t, canary+"; Path=/")
	for _, tt := range []struct {
		name string
		kind Kind
		url  string
		want string
	}{
		{
			"a parameter that is there",
			APIKey{In: InQuery, Name: "key", Key: Literal(canary)},
			"https://a.example.com/?a=1&%6bey=2",
			`credential "partner": the URL has a parameter "key" already`,
		},
		{
			"no cookie",
			APIKey{In: InCookie, Name: "sid", Key: File(cookie)},
			"https://a.example.com/",
			`credential "partner": ` + cookie + `: the value holds a character that no cookie has (RFC 6265 4.1.1)`,
		},
	} {
		w := wallet(t, Credential{Name: "partner", Origins: []string{"https://a.example.com"}, Kind: tt.kind})
		req := httptest.NewRequest(http.MethodGet, tt.url, nil)
		if err := w.Apply(t.Context(), "partner", req); err == nil || err.Error() != tt.want || carries(req) {
			t.Errorf("%s: error = %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestCookiesAreKept(t *testing.T) {
	w := wallet(t, Credential{Name: "partner", Origins: []string{"https://a.example.com"}, Kind: APIKey{In: InCookie, Name: "sid", Key: Literal(canary)}})
	req := httptest.NewRequest(http.MethodGet, "https://a.example.com/", nil)
	req.Header["Cookie"] = []string{"a=b", `c="d e"`}
	if err := w.Apply(t.Context(), "partner", req); err != nil {
		t.Fatal(err)
	}
	if want := []string{`a=b; c="d e"; sid=` + canary}; !slices.Equal(req.Header["Cookie"], want) {
		t.Errorf("Cookie = %q, want %q", req.Header["Cookie"], want)
	}
}

func TestNewNamesEveryFault(t *testing.T) {
	at := []string{"https://a.example"}
	for _, tt := range []struct {
		name string
		list []Credential
		want string
	}{
		{"no origin", []Credential{{Name: "c", Kind: Bearer{Token: Literal("x")}}}, `credential "c": origins: name at least one: without, it could go nowhere`},
		{"plain http", []Credential{{Name: "c", Origins: []string{"http://a.example"}, Kind: Bearer{Token: Literal("x")}}}, `credential "c": origins: "http://a.example": plain http would show it on the way: want https`},
		{"a path", []Credential{{Name: "c", Origins: []string{"https://a.example/x"}, Kind: Bearer{Token: Literal("x")}}}, `credential "c": origins: origin "https://a.example/x": more than scheme, host and port: want https://HOST or https://HOST:PORT`},
		{"a pattern", []Credential{{Name: "c", Origins: []string{"https://*.example"}, Kind: Bearer{Token: Literal("x")}}}, `credential "c": origins: origin "https://*.example": host "*.example": no valid host name`},
		{"no kind", []Credential{{Name: "c", Origins: at}}, `credential "c": of no kind`},
		{"no name", []Credential{{Origins: at, Kind: Bearer{Token: Literal("x")}}}, `credential "": no name`},
		{"two of a name", []Credential{{Name: "c", Origins: at, Kind: Bearer{Token: Literal("x")}}, {Name: "c", Origins: at, Kind: Bearer{Token: Literal("x")}}}, `credential "c": there are two of this name`},
		{"no value", []Credential{{Name: "c", Origins: at, Kind: Bearer{}}}, `credential "c": token: missing`},
		{"an empty value", []Credential{{Name: "c", Origins: at, Kind: Basic{User: "u", Password: Literal("")}}}, `credential "c": password: the value is empty`},
		{"a value of two lines", []Credential{{Name: "c", Origins: at, Kind: APIKey{In: InHeader, Name: "x-key", Key: Literal(canary + "\r\nX: y")}}}, `credential "c": key: the value holds a line break or another control character`},
		{"a NUL", []Credential{{Name: "c", Origins: at, Kind: Bearer{Token: Literal(canary + "\x00")}}}, `credential "c": token: the value holds a line break or another control character`},
		{"a user with a colon", []Credential{{Name: "c", Origins: at, Kind: Basic{User: "u:v", Password: Literal("x")}}}, `credential "c": user: want a name without colons and line breaks`},
		{"a place that is none", []Credential{{Name: "c", Origins: at, Kind: APIKey{In: "path", Name: "k", Key: Literal("x")}}}, `credential "c": in: "path": want header, query or cookie`},
		{"no header's name", []Credential{{Name: "c", Origins: at, Kind: APIKey{In: InHeader, Name: "x key", Key: Literal("x")}}}, `credential "c": name: "x key": no name of a header`},
		{"Host", []Credential{{Name: "c", Origins: at, Kind: APIKey{In: InHeader, Name: "host", Key: Literal("x")}}}, `credential "c": name: "host": a header with a meaning of its own`},
		{"A2A-Version", []Credential{{Name: "c", Origins: at, Kind: APIKey{In: InHeader, Name: "A2A-Version", Key: Literal("x")}}}, `credential "c": name: "A2A-Version": a header with a meaning of its own`},
		{"no cookie's name", []Credential{{Name: "c", Origins: at, Kind: APIKey{In: InCookie, Name: "a=b", Key: Literal("x")}}}, `credential "c": name: "a=b": no name of a cookie`},
		{"no parameter's name", []Credential{{Name: "c", Origins: at, Kind: APIKey{In: InQuery, Key: Literal("x")}}}, `credential "c": name: empty`},
		{"mtls over http", []Credential{{Name: "c", Origins: []string{"http://localhost"}, Kind: MutualTLS{CertFile: "a", KeyFile: "b"}}}, `credential "c": origins: "http://localhost": plain http has no certificates`},
		{"mtls without files", []Credential{{Name: "c", Origins: at, Kind: MutualTLS{}}}, "credential \"c\": cert_file: missing\ncredential \"c\": key_file: missing"},
		{
			"a token server",
			[]Credential{{Name: "c", Origins: at, Kind: ClientCredentials{
				TokenURL: "http://auth.example/", AuthStyle: "body", Scopes: []string{"a b"}, Params: url.Values{"scope": {"x"}},
			}}},
			`credential "c": client_secret: missing
credential "c": client_id: empty, or with a line break
credential "c": token_url: plain http would show the secret on the way: want https
credential "c": auth_style: "body": want header or params
credential "c": params: scope has a setting of its own
credential "c": scopes: "a b": no scope`,
		},
		{
			"a password in the token URL",
			[]Credential{{Name: "c", Origins: at, Kind: ClientCredentials{TokenURL: "https://u:" + canary + "@auth.example/", ClientID: "x", Secret: Literal("x")}}},
			`credential "c": token_url: want no user name, password or fragment in it`,
		},
		{
			"no token URL",
			[]Credential{{Name: "c", Origins: at, Kind: ClientCredentials{TokenURL: "auth.example", ClientID: "x", Secret: Literal("x")}}},
			`credential "c": token_url: want an https URL`,
		},
	} {
		_, err := New(tt.list)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: error = %v, want %s", tt.name, err, tt.want)
		}
		clean(t, err)
	}
}

func TestHeld(t *testing.T) {
	at := []string{"https://A.example."}
	server := ClientCredentials{TokenURL: "https://auth.example", ClientID: "x", Secret: File("x"), Scopes: []string{"read"}}
	origins := []string{"https://a.example:443"}
	for _, tt := range []struct {
		c    Credential
		want compile.Credential
	}{
		{Credential{Name: "z", Origins: at, Kind: server}, compile.Credential{Name: "z", Kind: compile.OAuth2, Scopes: []string{"read"}, Origins: origins}},
		{Credential{Name: "y", Origins: at, Scopes: []string{"write"}, Kind: server}, compile.Credential{Name: "y", Kind: compile.OAuth2, Scopes: []string{"write"}, Origins: origins}},
		{
			Credential{Name: "b", Origins: []string{"https://b.example:8443", "http://localhost"}, Scopes: []string{"x"}, Kind: Bearer{Token: File("x")}},
			compile.Credential{Name: "b", Kind: compile.Bearer, Scopes: []string{"x"}, Origins: []string{"https://b.example:8443", "http://localhost:80"}},
		},
		{Credential{Name: "k", Origins: at, Kind: APIKey{In: InQuery, Name: "k", Key: File("x")}}, compile.Credential{Name: "k", Kind: compile.APIKey, Origins: origins}},
		{Credential{Name: "p", Origins: at, Kind: Basic{User: "u", Password: File("x")}}, compile.Credential{Name: "p", Kind: compile.Basic, Origins: origins}},
		{Credential{Name: "m", Origins: at, Kind: MutualTLS{CertFile: "x", KeyFile: "x"}}, compile.Credential{Name: "m", Kind: compile.MutualTLS, Origins: origins}},
		// Nil would be anywhere.
		{Credential{Name: "n", Kind: Bearer{}, Err: errors.New("x")}, compile.Credential{Name: "n", Kind: compile.Bearer, Origins: []string{}}},
	} {
		if diff := cmp.Diff(tt.want, tt.c.Held()); diff != "" {
			t.Errorf("Held of %s (-want +got):\n%s", tt.c.Name, diff)
		}
	}
}

func TestUseOfNobody(t *testing.T) {
	w := wallet(t, Credential{Name: "partner", Origins: []string{"https://a.example"}, Kind: Bearer{Token: Literal(canary)}})
	req := httptest.NewRequest(http.MethodGet, "https://a.example/", nil)
	if err := w.Use("").Apply(req); err != nil || carries(req) || len(req.Header) != 0 {
		t.Errorf("Apply of nobody = %v, %v", err, req.Header)
	}
	if id, err := w.Identity(""); err != nil || id.Name != "" {
		t.Errorf("Identity of nobody = %v, %v", id.Name, err)
	}
	if _, err := w.Identity("other"); err == nil {
		t.Error("an unknown credential has an identity")
	}
}
