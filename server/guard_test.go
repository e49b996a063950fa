package server

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/lockfile"
)

// idle is a rig of one lock whose agent nobody asks.
func idle(t testing.TB) *rig {
	return newRig(t, quick, map[string]*lockfile.Lock{"pricing": lockOf("https://pricing.example/card.json")})
}

// What the API refuses, whatever else is right about it.
func TestRefusals(t *testing.T) {
	r := idle(t)
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		code                     int
		want                     string
	}{
		{"no such operation", "GET", "/v1/nosuch", "", nil, 404, `\"/v1/nosuch\": no such operation`},
		{"nothing at the root", "GET", "/", "", nil, 404, "no such operation"},
		{"hostile path", "GET", "/v1/%1b%5b2J%e2%80%ae", "", nil, 404, `\\x1b[2J\\u202e`},
		{"another method", "PUT", "/v1/locks", "", nil, 405, `no PUT here, but GET`},
		{"another method of two", "PATCH", "/v1/silences", "", nil, 405, `but GET, POST`},
		{"POST of the health", "POST", "/healthz", "", nil, 405, `but GET`},
		{"no id", "GET", "/v1/locks//decision", "", nil, 404, "no such operation"},
		{"dots for an id", "GET", "/v1/locks/..", "", nil, 404, "no such operation"},
		{"a dot for an id", "POST", "/v1/locks/./refresh", "", nil, 404, "no such operation"},
		{"no beginning", "GET", "//v1/locks", "", nil, 404, "no such operation"},
		{"slash behind", "GET", "/v1/locks/", "", nil, 404, "no such operation"},
		{"unknown parameter", "GET", "/v1/locks?klass=review", "", nil, 400, `\"klass\": no such parameter; there are`},
		{"parameter of another", "GET", "/v1/locks/pricing?limit=3", "", nil, 400, `\"limit\": no such parameter`},
		{"parameter of a card", "GET", "/v1/agents/a/cards/b?x=y", "", nil, 400, `no such parameter`},
		{"parameter of a POST", "POST", "/v1/locks/pricing/refresh?force=true", "", nil, 400, `no such parameter`},
		{"parameter twice", "GET", "/v1/locks?limit=3&limit=4", "", nil, 400, `\"limit\": stands there 2 times`},
		{"no query", "GET", "/v1/locks?limit=%zz", "", nil, 400, `the query: `},
		{"a semicolon", "GET", "/v1/locks?class=review;owner=a", "", nil, 400, `the query: `},
		{"no such class", "GET", "/v1/locks?class=braking", "", nil, 400, `class=\"braking\": want one of`},
		{"no such freshness", "GET", "/v1/locks?freshness=new", "", nil, 400, `freshness=\"new\": want one of`},
		{"limit 0", "GET", "/v1/locks?limit=0", "", nil, 400, `limit=\"0\": want a number from 1 to 500`},
		{"limit 501", "GET", "/v1/locks?limit=501", "", nil, 400, "want a number from 1 to 500"},
		{"limit words", "GET", "/v1/silences?limit=all", "", nil, 400, "want a number from 1 to 500"},
		{"after of another list", "GET", "/v1/outbox?after=pricing", "", nil, 400, `after=\"pricing\": want the next`},
		{"after of history", "GET", "/v1/locks/pricing/history?after=-1", "", nil, 400, "want the next"},
		{"after of cards", "GET", "/v1/agents/a/cards?after=x", "", nil, 400, "want the next"},
		{"foreign host", "GET", "/v1/locks", "", []string{"Host: evil.example:8437"}, 403, `host \"evil.example:8437\": without tokens`},
		{"foreign address", "GET", "/v1/locks", "", []string{"Host: 10.1.2.3"}, 403, "without tokens"},
		{"foreign host at the metrics", "GET", "/metrics", "", []string{"Host: evil.example"}, 403, "without tokens"},
		{"foreign host decides nothing", "POST", "/v1/locks/pricing/refresh", "", []string{"Host: evil.example"}, 403, "without tokens"},
		{"another origin", "POST", "/v1/locks/pricing/refresh", "", []string{"Origin: https://evil.example"}, 403, "another origin"},
		{"another site", "DELETE", "/v1/locks/pricing/ack", "", []string{"Sec-Fetch-Site: cross-site"}, 403, "another origin"},
		{"a form", "POST", "/v1/silences", "a=b", []string{"Content-Type: application/x-www-form-urlencoded"}, 415, "want application/json"},
		{"text of a page", "POST", "/v1/locks/pricing/stale", "{}", []string{"Content-Type: text/plain"}, 415, "want application/json"},
		{"no body", "POST", "/v1/locks/pricing/stale", "", []string{"Content-Type: application/json"}, 400, "the body: "},
		{"broken body", "POST", "/v1/locks/pricing/stale", `{"error"`, nil, 400, "the body: "},
		{"two values", "POST", "/v1/locks/pricing/stale", `{"error":"x"} {"error":"y"}`, nil, 400, "the body: "},
		{"unknown member", "POST", "/v1/locks/pricing/stale", `{"error":"x","agent":"y"}`, nil, 400, `agent`},
		{"member twice", "POST", "/v1/locks/pricing/stale", `{"error":"x","error":"y"}`, nil, 400, `duplicate`},
		{"member in capitals", "POST", "/v1/locks/pricing/stale", `{"Error":"x"}`, nil, 400, `Error`},
		{"hostile member", "POST", "/v1/locks/pricing/stale", "{\"\u202e\u009b\":1}", nil, 400, `the body: `},
		{"wrong type", "POST", "/v1/locks/pricing/stale", `{"error":7}`, nil, 400, `the body: `},
		{"a list", "POST", "/v1/locks/pricing/ack", `[]`, nil, 400, `the body: `},
		{"large body", "POST", "/v1/locks/pricing/stale", `{"error":"` + strings.Repeat("x", maxBody) + `"}`, nil, 413, "over 65536 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := r.ask(tt.method, tt.path, tt.body, tt.headers...)
			if a.code != tt.code || !strings.Contains(string(a.body), tt.want) {
				t.Errorf("%s %s = %d %s, want %d and %q", tt.method, tt.path, a.code, a.body, tt.code, tt.want)
			}
			if !strings.HasPrefix(string(a.body), "{\n  \"error\": \"") {
				t.Errorf("body = %q, want an error", a.body)
			}
			inert(t, a)
		})
	}
}

// inert holds that no browser takes an answer for a page, no other site reads
// it, and nothing in it acts on a terminal.
func inert(t *testing.T, a answer) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Set-Cookie": "",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := a.header.Get("Content-Type"); len(a.body) > 0 && got != "application/json" {
		t.Errorf("Content-Type: %q, want application/json", got)
	}
	for name := range a.header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("%s: %q: a page of another site could read this", name, a.header.Get(name))
		}
	}
	if i := strings.IndexAny(string(a.body), "\x00\x1b\x07\r\u009b\u202e\u200b\u2028"); i >= 0 {
		t.Errorf("%q is not escaped", a.body[i:])
	}
}

func TestAllowedMethodsAreNamed(t *testing.T) {
	r := idle(t)
	a := r.ask("PUT", "/v1/locks/pricing/ack", "")
	if got := a.header.Get("Allow"); a.code != 405 || got != "DELETE, POST" {
		t.Errorf("PUT = %d, Allow %q; want 405, DELETE, POST", a.code, got)
	}
	if a := r.ask("OPTIONS", "/v1/locks", "", "Origin: https://evil.example", "Access-Control-Request-Method: GET"); a.code != 405 {
		t.Errorf("a preflight request = %d, want 405", a.code)
	}
	if a := r.ask("HEAD", "/v1/locks", ""); a.code != 200 || len(a.body) != 0 {
		t.Errorf("HEAD = %d with %d bytes, want 200 without", a.code, len(a.body))
	}
}

func TestHosts(t *testing.T) {
	r := idle(t)
	r.api.Hosts = []string{"a2alock.example.com"}
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8437": 200, "127.0.0.1": 200, "127.8.9.1:1": 200, "[::1]:8437": 200,
		"a2alock.example.com": 200, "A2ALOCK.example.com:443": 200,
		"a2alock.example.com.evil.example": 403, "localhost.evil.example": 403, "127.0.0.1.nip.io": 403, "[2001:db8::1]": 403, "0.0.0.0": 403,
	} {
		if a := r.ask("GET", "/v1/locks", "", "Host: "+host); a.code != want {
			t.Errorf("Host %s = %d, want %d", host, a.code, want)
		}
	}
}

func tokensFile(t testing.TB, tokens ...[3]string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("# who may\n\n")
	for _, k := range tokens {
		fmt.Fprintf(&text, "%s %s %x\n", k[0], k[1], sha256.Sum256([]byte(k[2])))
	}
	path := filepath.Join(t.TempDir(), "tokens")
	check(t, os.WriteFile(path, []byte(text.String()), 0o600))
	return path
}

func accept(t testing.TB, r *rig, tokens ...[3]string) {
	t.Helper()
	all, err := ReadTokens(tokensFile(t, tokens...))
	check(t, err)
	r.api.SetTokens(all)
}

// Every operation, by what a token may do.
func TestScopes(t *testing.T) {
	r := idle(t)
	accept(t, r, [3]string{"planner", "read", "r-secret"}, [3]string{"operator", "write", "w-secret"})
	for _, route := range r.api.routes() {
		method, path, _ := strings.Cut(route.pattern, " ")
		path = strings.NewReplacer("{id}", "pricing", "{digest}", "sha256:0").Replace(path)
		for _, tt := range []struct {
			header string
			passes bool
			code   int
		}{
			{"", false, 401},
			{"Bearer ", false, 401},
			{"Bearer another", false, 401},
			{"Basic r-secret", false, 401},
			{"Bearer r-secret", route.scope == Read, 403},
			{"bearer w-secret", true, 0},
		} {
			a := r.ask(method, path, "", "Authorization: "+tt.header, "Host: api.example")
			if refused := a.code == 401 || a.code == 403; refused == tt.passes || refused && a.code != tt.code {
				t.Errorf("%s %s as %q = %d %s", method, path, tt.header, a.code, a.body)
			}
			if got := a.header.Get("WWW-Authenticate"); (got != "") != (a.code == 401) {
				t.Errorf("%s %s as %q = %d with WWW-Authenticate %q", method, path, tt.header, a.code, got)
			}
			if strings.Contains(string(a.body), "secret") {
				t.Errorf("%s %s as %q: the answer has the token: %s", method, path, tt.header, a.body)
			}
			inert(t, a)
		}
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/v1/nosuch": 401} {
		if a := r.ask("GET", path, ""); a.code != want {
			t.Errorf("GET %s without a token = %d, want %d", path, a.code, want)
		}
	}
}

// Tokens are replaced while requests are served; a file without any lets nobody
// in.
func TestSetTokens(t *testing.T) {
	r := idle(t)
	as := func(token string) int { return r.ask("GET", "/v1/locks", "", "Authorization: Bearer "+token).code }
	if got := as("any"); got != 200 {
		t.Errorf("without tokens = %d, want 200", got)
	}
	accept(t, r, [3]string{"a", "read", "old"})
	if as("old") != 200 || as("new") != 401 {
		t.Errorf("old = %d, new = %d; want 200, 401", as("old"), as("new"))
	}
	accept(t, r, [3]string{"a", "read", "new"})
	if as("old") != 401 || as("new") != 200 {
		t.Errorf("after the change old = %d, new = %d; want 401, 200", as("old"), as("new"))
	}
	accept(t, r)
	if as("new") != 401 {
		t.Errorf("without any token in the file = %d, want 401", as("new"))
	}
}

func TestReadTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	good := strings.Repeat("a", 64)
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"  a read " + good + "  \r\n# b\n", ""},
		{"a read\n", "tokens:1: want NAME SCOPE SHA256-OF-TOKEN"},
		{"a read x y\n", "tokens:1: want NAME SCOPE SHA256-OF-TOKEN"},
		{"\na admin " + good, `tokens:2: scope "admin": want read or write`},
		{"a read s3cr3t\n", "tokens:1: want the SHA-256 of the token in 64 hex digits"},
		{"a read " + good + "a\nb x " + good + "\n", `tokens:2: scope "x"`},
		{"a read " + good + "\n\nb write " + strings.ToUpper(good) + "\n", `tokens:3: the sum of "b" stands in line 1 already, for "a"`},
		{"a read " + good + "\na read " + strings.Repeat("b", 64) + "\n", `tokens:2: the name "a" stands in line 1 already`},
		{strings.Repeat("#", maxTokens+1), "over 1048576 bytes"},
	} {
		check(t, os.WriteFile(path, []byte(tt.text), 0o600))
		_, err := ReadTokens(path)
		text := fmt.Sprint(err)
		if tt.want == "" && err != nil || tt.want != "" && !strings.Contains(text, tt.want) || strings.Contains(text, "s3cr3t") {
			t.Errorf("ReadTokens(%.80q) = %v, want %q", tt.text, err, tt.want)
		}
	}
	if _, err := ReadTokens(path + "-nosuch"); err == nil {
		t.Error("a file that is not there: no error")
	}
}

func TestHealth(t *testing.T) {
	r := idle(t)
	if a := r.ask("GET", "/healthz", ""); a.code != 200 || string(a.body) != "ok\n" {
		t.Errorf("/healthz = %d %q", a.code, a.body)
	}
	if a := r.ask("GET", "/readyz", ""); a.code != 200 || string(a.body) != "ready\n" {
		t.Errorf("/readyz = %d %q", a.code, a.body)
	}
	r.api.Ready = func() string { return "the engine hangs" }
	if a := r.ask("GET", "/readyz", ""); a.code != 503 || string(a.body) != "the engine hangs\n" {
		t.Errorf("/readyz = %d %q", a.code, a.body)
	}
	o := get[Overview](r, "/v1/status")
	if len(o.Trouble) != 1 || o.Trouble[0] != "the engine hangs" || o.Version != "1.2.3" || o.Locks["none ageing"] != 1 {
		t.Errorf("/v1/status = %+v", o)
	}
}

// A wire is a listener inside a bubble: every connection is a pipe.
type wire struct {
	conns chan net.Conn
	done  chan struct{}
}

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.done:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error   { return nil }
func (w *wire) Addr() net.Addr { return &net.TCPAddr{} }

// A client that is slow, on purpose or not, holds a connection for a bounded
// time.
func TestSlowClientsAreCut(t *testing.T) {
	for _, tt := range []struct {
		name, sends string
		read        bool
		within      time.Duration
	}{
		{"says nothing", "", true, 5 * time.Second},
		{"half a head", "GET /healthz HTTP/1.1\r\nHost: local", true, 5 * time.Second},
		{"half a body", "POST /v1/silences HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{", true, 15 * time.Second},
		{"never reads", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", false, 30 * time.Second},
		{"never asks again", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", true, 60 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := idle(t) // its files are no part of the bubble
			synctest.Test(t, func(t *testing.T) {
				l := &wire{make(chan net.Conn), make(chan struct{})}
				s := r.api.HTTP()
				go func() { _ = s.Serve(l) }()
				ours, theirs := net.Pipe()
				l.conns <- theirs
				begun := time.Now()
				go func() { _, _ = ours.Write([]byte(tt.sends)) }()
				if tt.read {
					buf := make([]byte, 4096)
					for {
						if _, err := ours.Read(buf); err != nil {
							break
						}
					}
				} else {
					time.Sleep(tt.within + time.Second)
					if _, err := ours.Write([]byte("x")); err == nil {
						t.Error("the connection is still there")
					}
				}
				if took := time.Since(begun); took > tt.within+2*time.Second {
					t.Errorf("cut after %s, want %s", took, tt.within)
				}
				ours.Close()
				close(l.done)
				_ = s.Close()
			})
		})
	}
}

// What an agent writes is inert wherever the API shows it.
func TestHostileCards(t *testing.T) {
	r, agent := travel(t)
	agent.SetCard(agenttest.Merge(agent.Card(), `{"name": "A\u001b[2J\u202e\n::error::<script>", "version": "9\u009b\u200b##vso[x]",
		"skills": [{"id": "x\u001b]8;;\u0007", "name": "n", "description": "d", "tags": ["t"]}]}`))
	r.ask(http.MethodPost, "/v1/locks/pricing/refresh", "")
	r.until("pricing", "breaking")
	id := get[struct {
		AgentID string `json:"agent_id"`
	}](r, "/v1/locks/pricing").AgentID
	for _, path := range []string{
		"/v1/status", "/v1/locks", "/v1/locks/pricing", "/v1/locks/pricing/history", "/v1/locks/pricing/decision",
		"/v1/locks/pricing/decision?skill=x", "/v1/outbox", "/v1/agents/" + id + "/cards",
		"/v1/locks/pricing/decision?skill=%1b%5b2J%e2%80%ae",
	} {
		a := r.ask("GET", path, "")
		if a.code != 200 {
			t.Errorf("GET %s = %d %s", path, a.code, a.body)
		}
		inert(t, a)
		if strings.Contains(string(a.body), "##vso[") {
			t.Errorf("GET %s = %s: a command to a CI system", path, a.body)
		}
	}
}

// Whatever stands in the place of an id finds nothing, and breaks nothing.
func TestOddIDs(t *testing.T) {
	r := idle(t)
	for _, id := range []string{"a%00b", "%00", "%ff%fe", "..%2f..%2fetc", "pricing%00", "Pricing", "pricing%20", strings.Repeat("x", 20_000), "%1b%5b2J", "*"} {
		for _, path := range []string{
			"GET /v1/locks/ID", "GET /v1/locks/ID/history", "GET /v1/locks/ID/decision", "POST /v1/locks/ID/refresh", "DELETE /v1/locks/ID/ack",
			"DELETE /v1/silences/ID", "POST /v1/outbox/ID/retry", "DELETE /v1/outbox/ID",
			"GET /v1/agents/ID/cards", "GET /v1/agents/ID/cards/ID", "GET /v1/agents/a/cards/ID",
		} {
			method, path, _ := strings.Cut(strings.ReplaceAll(path, "ID", id), " ")
			a := r.ask(method, path, "")
			if a.code != 404 {
				t.Errorf("%s %.80s = %d %s, want 404", method, path, a.code, a.body)
			}
			inert(t, a)
		}
	}
	for _, after := range []string{"%00", "%ff", strings.Repeat("x", 20_000)} {
		for _, path := range []string{"/v1/locks", "/v1/silences"} {
			if a := r.ask("GET", path+"?after="+after, ""); a.code != 200 {
				t.Errorf("GET %s after %.20q = %d %s, want 200", path, after, a.code, a.body)
			}
		}
	}
}
