package netguard

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/internal/echo"
)

const canary = "geheim/+canary"

// shows puts the canary on a request in the named way.
func shows(how string) func(*http.Request) error {
	return func(req *http.Request) error {
		switch how {
		case "header":
			req.Header.Set("X-Key", canary)
		case "bearer":
			req.Header.Set("Authorization", "Bearer "+canary)
		case "cookie":
			req.Header.Set("Cookie", "a=b; sid="+canary)
		case "query":
			pair := "k=" + url.QueryEscape(canary)
			if req.URL.RawQuery != "" {
				pair = req.URL.RawQuery + "&" + pair
			}
			req.URL.RawQuery = pair
		}
		return nil
	}
}

// carries is whether a request that came holds the canary anywhere.
func carries(r *http.Request) bool {
	text := fmt.Sprint(r.Header, r.RequestURI)
	return strings.Contains(text, canary) || strings.Contains(text, url.QueryEscape(canary))
}

func TestCredentialsStayAtTheirOrigin(t *testing.T) {
	for _, tt := range []struct {
		name  string
		chain []string
		want  []bool // which requests carry it
	}{
		{"no redirect", nil, []bool{true}},
		{"same origin", []string{"/1?a=1", "https://A.example.com.:443/end"}, []bool{true, true, true}},
		{"another host", []string{"https://b.example.com/end"}, []bool{true, false}},
		{"a subdomain", []string{"https://x.a.example.com/end"}, []bool{true, false}},
		{"another port", []string{"https://a.example.com:8443/end"}, []bool{true, false}},
		{"there and back", []string{"https://b.example.com/1", "https://a.example.com/end"}, []bool{true, false, false}},
		{"a name that looks alike", []string{"https://\u0430.example.com/end"}, []bool{true, false}},
	} {
		for _, how := range []string{"header", "bearer", "cookie", "query"} {
			t.Run(tt.name+" "+how, func(t *testing.T) {
				w := newWorld(t, redirects(307, tt.chain...))
				req, _ := http.NewRequest(http.MethodGet, "https://a.example.com/0", nil)
				g := w.guard(t)
				g.TLS.ServerName = "example.com" // that of every certificate here
				res, hops, err := g.Send(t.Context(), req, Way{Credential: shows(how)})
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				var got []bool
				for _, r := range w.requests() {
					got = append(got, carries(r))
					if r.Header.Get("Referer") != "" {
						t.Errorf("%s has the Referer %q", r.URL, r.Header.Get("Referer"))
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("requests that carry the credential = %v, want %v", got, tt.want)
				}
				text := fmt.Sprint(hops, res.Request.URL, res.Request.Header, req.URL, req.Header)
				if strings.Contains(text, "geheim") {
					t.Errorf("the credential is in %s", text)
				}
			})
		}
	}
}

// Many servers repeat the query where they lead to.
func TestQueryCredentialsAreNotRepeated(t *testing.T) {
	escaped := url.QueryEscape(canary)
	for _, tt := range []struct {
		name, location string
		want           string // what is asked for then; "": refused
	}{
		{"same origin", "/1?a=1&k=" + escaped + "&b=%7e", "/1?a=1&b=%7e&k=" + escaped},
		{"alone", "/1?k=" + escaped, "/1?k=" + escaped},
		{"another host", "https://b.example.com/1?k=" + escaped, "/1"},
		{"another host, name escaped", "https://b.example.com/1?%6b=" + escaped + "&b=2", "/1?b=2"},
		{"https to http", "http://a.example.com/1?k=" + escaped, ""},
		{"under another name", "https://b.example.com/1?q=" + escaped, ""},
		{"in the path", "https://b.example.com/" + canary, ""},
		{"in a URL within", "https://b.example.com/login?next=" + url.QueryEscape("/1?k="+escaped), ""},
		{"in the fragment", "https://b.example.com/1#k=" + escaped, "/1"},
		{"another metadata host", "https://169.254.169.254/?k=" + escaped, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, redirects(302, tt.location))
			g := w.guard(t)
			g.HTTP = []string{"a.example.com"}
			req, _ := http.NewRequest(http.MethodGet, "https://a.example.com/0?z=1", nil)
			res, hops, err := g.Send(t.Context(), req, Way{Credential: shows("query")})
			if err == nil {
				res.Body.Close()
			}
			refused, _ := errors.AsType[*Refused](err)
			text := fmt.Sprintf("%+v %v %+v", hops, err, refused)
			if strings.Contains(text, "geheim") {
				t.Errorf("the credential is in %s", text)
			}
			seen := w.requests()
			if first := seen[0].RequestURI; first != "/0?z=1&k="+escaped {
				t.Errorf("asked for %s first", first)
			}
			switch {
			case tt.want == "" && (refused == nil || len(seen) != 1):
				t.Errorf("error = %v after %d requests, want a refusal", err, len(seen))
			case tt.want != "" && (err != nil || len(seen) != 2 || seen[1].RequestURI != tt.want):
				t.Errorf("error = %v, asked for %v, want %s", err, seen[len(seen)-1].RequestURI, tt.want)
			}
		})
	}
}

func TestCredentialEndsTheWay(t *testing.T) {
	w := newWorld(t, ok)
	stop := errors.New("stop")
	_, err := send(t, w.guard(t), "https://a.example.com/0", Way{Credential: func(*http.Request) error { return stop }})
	if err != stop || len(w.requests()) != 0 {
		t.Errorf("error = %v after %d requests, want %v after none", err, len(w.requests()), stop)
	}
}

// A credential cannot lead a request elsewhere than where it was judged to go.
func TestCredentialDoesNotChangeTheURL(t *testing.T) {
	w := newWorld(t, ok)
	_, err := send(t, w.guard(t), "https://a.example.com/0", Way{Credential: func(req *http.Request) error {
		req.URL.Host, req.URL.Path, req.URL.User, req.Host = "b.example.com", "/x", url.User("me"), "b.example.com"
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r := w.requests()[0]; r.Host != "a.example.com" || r.RequestURI != "/0" || r.Header.Get("Authorization") != "" {
		t.Errorf("asked %s for %s", r.Host, r.RequestURI)
	}
}

// A server that says again what it hears makes no error that shows a secret.
func TestEchoedCredentialsAreHidden(t *testing.T) {
	w := newWorld(t, ok)
	echoing := serve(t, func(conn net.Conn) {
		p := make([]byte, 1024)
		n, _ := conn.Read(p)
		_, _ = conn.Write(p[:n])
	})
	for _, how := range []string{"header", "query"} {
		g := w.guard(t)
		g.HTTP = []string{"h.example.com"}
		g.Dial = dialTo(echoing)
		_, err := send(t, g, "http://h.example.com/", Way{Credential: shows(how)})
		if err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("error = %v, want one without the credential", err)
		}
		if how == "query" && !strings.Contains(err.Error(), "REDACTED") {
			t.Errorf("error = %v, want it to say what is hidden", err)
		}
	}
}

// An error without a secret in its text is still what it was.
func TestHiddenErrorsStayWhatTheyAre(t *testing.T) {
	s := &secrets{values: echo.Of("geheim")}
	err := s.hide(fmt.Errorf("geheim: %w", &Refused{Kind: KindURL, Reason: "for a reason"}))
	if r, ok := errors.AsType[*Refused](err); !ok || r.Reason != "for a reason" || strings.Contains(err.Error(), "geheim") {
		t.Errorf("hide = %v", err)
	}
	if s = nil; s.hide(err) != err {
		t.Error("without a secret, an error is another")
	}
}
