package extended

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/rpc"
)

const canary = "geheim-canary-of-a-partner"

var everywhere = &compile.Client{Interfaces: []compile.Transport{
	{Binding: "JSONRPC", Version: "1.0"}, {Binding: "HTTP+JSON", Version: "1.0"}, {Binding: "GRPC", Version: "1.0"}, {Binding: "JSONRPC", Version: "0.3"},
}}

// client reads cards as partner, whose credential goes to these origins.
func client(t *testing.T, kind credential.Kind, origins ...string) *fetch.Client {
	t.Helper()
	return clientOf(t, credential.Credential{Name: "partner", Origins: origins, Kind: kind})
}

func clientOf(t *testing.T, list ...credential.Credential) *fetch.Client {
	t.Helper()
	w, err := credential.New(list)
	if err != nil {
		t.Fatal(err)
	}
	g := &netguard.Guard{}
	t.Cleanup(g.CloseIdle)
	r := &Reader{Client: everywhere, Calls: rpc.Client{Guard: g}, Wallet: w}
	return &fetch.Client{Guard: g, Wallet: w, Extend: r.Extend}
}

func bearer(text string) credential.Kind {
	return credential.Bearer{Token: credential.Literal(text)}
}

func skills(t *testing.T, body []byte) []string {
	t.Helper()
	read := compile.Read(body, everywhere, card.Options{})
	if read.Err != nil {
		t.Fatalf("%v: %s", read.Err, body)
	}
	return slices.Sorted(maps.Keys(read.Profile.Skills))
}

func TestIdentitiesSeeDifferentCards(t *testing.T) {
	agent := agenttest.StartPartners(t, map[string]string{"token-a": "alpha", "token-b": "beta"})
	for _, binding := range []a2a.TransportProtocol{"JSONRPC", "HTTP+JSON", "GRPC"} {
		t.Run(string(binding), func(t *testing.T) {
			agent.SetCard(agent.Public(binding))
			read := compile.Read(agent.Public(binding), everywhere, card.Options{})
			origins := []string{
				strings.TrimSuffix(agent.CardURL(), agenttest.WellKnown),
				compile.Origin(string(binding), strings.ReplaceAll(compile.NormalizeURL(string(binding), read.Profile.Interface.URL), "https://", "http://")),
			}
			c := clientOf(t, credential.Credential{Name: "a", Origins: origins, Kind: bearer("token-a")},
				credential.Credential{Name: "b", Origins: origins, Kind: bearer("token-b")},
				credential.Credential{Name: "gone", Origins: origins, Kind: bearer("token-gone")})
			for identity, want := range map[string]string{"a": "alpha", "b": "beta", "": "public"} {
				r, err := c.Get(t.Context(), fetch.Ask{URL: agent.CardURL(), Identity: identity})
				if err != nil {
					t.Fatal(err)
				}
				if got := skills(t, r.Body); !slices.Equal(got, []string{want}) {
					t.Errorf("%q sees %q, want %q", identity, got, want)
				}
				if identity == "" {
					continue
				}
				if e := r.Extended; e == nil || e.Lost != "" || e.Binding != string(binding) || !slices.Equal(skills(t, e.Public), []string{"public"}) {
					t.Errorf("%q: extended = %+v", identity, e)
				}
			}
			_, err := c.Get(t.Context(), fetch.Ask{URL: agent.CardURL(), Identity: "gone"})
			e, ok := errors.AsType[*fetch.Error](err)
			if !ok || e.State != fetch.AuthRequired || !e.Public || strings.Contains(err.Error(), "token-gone") {
				t.Errorf("a token that nobody knows: %v (%+v), want auth-required", err, e)
			}
		})
	}
}

// An agent is a raw server whose public card has one interface.
type agent struct {
	*httptest.Server
	card    string // with BASE for its own address
	answer  http.HandlerFunc
	mu      sync.Mutex
	request []string // of the extended card, as it arrived
}

const publicCard = `{"name":"Raw","description":"d","version":"1","capabilities":{"extendedAgentCard":true},
	"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
	"supportedInterfaces":[{"url":"BASE/a2a","protocolBinding":"BINDING","protocolVersion":"1.0"TENANT}],
	"skills":[{"id":"public","name":"p","description":"d","tags":["t"]}]}`

func newAgent(t *testing.T, binding string, answer http.HandlerFunc) *agent {
	t.Helper()
	a := &agent{answer: answer}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/card.json" {
			_, _ = io.WriteString(w, strings.ReplaceAll(a.card, "BASE", a.URL))
			return
		}
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.request = append(a.request, fmt.Sprintf("%s %s %s auth=%q version=%q extensions=%q cache=%q",
			r.Method, r.RequestURI, body, r.Header.Get("Authorization"), r.Header.Values("A2A-Version"), r.Header.Values("A2A-Extensions"), r.Header.Get("Cache-Control")))
		a.mu.Unlock()
		if _, id, ok := strings.Cut(string(body), `"id":"`); ok {
			id, _, _ = strings.Cut(id, `"`)
			w.Header().Set("X-Id", strconv.Quote(id))
		}
		a.answer(w, r)
	}))
	t.Cleanup(a.Close)
	a.card = strings.NewReplacer("BINDING", binding, "TENANT", "").Replace(publicCard)
	return a
}

func (a *agent) asked() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.request)
}

// says is an answer; the id of the request takes the place of 1.
func says(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.Replace(body, `"id":1,`, `"id":`+w.Header().Get("X-Id")+`,`, 1))
	}
}

const theirs = `{"name":"Theirs"}`

func TestWhatIsSent(t *testing.T) {
	rpcAnswer := says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":`+theirs+`}`)
	for _, tt := range []struct {
		name, binding, extra string
		client               func(*compile.Client)
		answer               http.HandlerFunc
		want                 string
	}{
		{
			name: "JSON-RPC", binding: "JSONRPC", answer: rpcAnswer,
			want: `POST /a2a {"id":"ID","jsonrpc":"2.0","method":"GetExtendedAgentCard","params":{}} auth="Bearer geheim-canary-of-a-partner" version=["1.0"] extensions=[] cache=""`,
		},
		{
			name: "a tenant", binding: "JSONRPC", extra: `,"tenant":"acme"`, answer: rpcAnswer,
			want: `POST /a2a {"id":"ID","jsonrpc":"2.0","method":"GetExtendedAgentCard","params":{"tenant":"acme"}} auth="Bearer geheim-canary-of-a-partner" version=["1.0"] extensions=[] cache=""`,
		},
		{
			name: "HTTP+JSON", binding: "HTTP+JSON", answer: says(200, "application/a2a+json", theirs),
			want: `GET /a2a/extendedAgentCard  auth="Bearer geheim-canary-of-a-partner" version=["1.0"] extensions=[] cache="no-cache"`,
		},
		{
			name: "HTTP+JSON, a tenant", binding: "HTTP+JSON", extra: `,"tenant":"acme"`, answer: says(200, "application/a2a+json", theirs),
			want: `GET /a2a/acme/extendedAgentCard  auth="Bearer geheim-canary-of-a-partner" version=["1.0"] extensions=[] cache="no-cache"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t, tt.binding, tt.answer)
			a.card = strings.NewReplacer("BINDING", tt.binding, "TENANT", tt.extra).Replace(publicCard)
			r, err := client(t, bearer(canary), a.URL).Get(t.Context(), fetch.Ask{URL: a.URL + "/card.json", Identity: "partner"})
			if err != nil || string(r.Body) != theirs || !r.IsExtended() || r.Extended.URL != a.URL+"/a2a" || r.Extended.Binding != tt.binding {
				t.Fatalf("Get = %+v, %v", r, err)
			}
			got := a.asked()
			for i := range got {
				got[i] = numbered(got[i])
			}
			if d := cmp.Diff([]string{tt.want}, got); d != "" {
				t.Errorf("(- want, + got):\n%s", d)
			}
			if strings.Contains(fmt.Sprintf("%+v %s %s", r, r.Body, r.Extended.Public), canary) {
				t.Error("the secret is in the response")
			}
		})
	}
}

// numbered is a request with a fixed id.
func numbered(line string) string {
	before, rest, ok := strings.Cut(line, `"id":`)
	if !ok {
		return line
	}
	_, rest, _ = strings.Cut(rest, ",")
	return before + `"id":"ID",` + rest
}

func TestWhatComesOfIt(t *testing.T) {
	const wrong = `{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"m"}}`
	rpcError := func(code int) http.HandlerFunc {
		return says(200, "application/json", fmt.Sprintf(wrong, code))
	}
	const rest = `{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"m","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q,"domain":"a2a-protocol.org"}]}}`
	const off, lost = "the public card does not promise an extended card", "the agent has no extended card configured (-32007)"
	for _, tt := range []struct {
		name    string
		binding string // "": JSONRPC
		card    func(string) string
		answer  http.HandlerFunc
		state   card.State // "": none
		text    string     // of the error after the address
		lost    string
		unasked bool
		asked   int
	}{
		{name: "the flag is false", card: replace("true", "false"), lost: off},
		{name: "no flag", card: replace(`"extendedAgentCard":true`, ""), lost: off},
		{name: "a text for a flag", card: replace("true", `"true"`)}, // its reader says what is wrong
		{name: "-32007", answer: rpcError(-32007), lost: lost, asked: 1},
		{name: "the name of -32007", binding: "HTTP+JSON", answer: says(400, "application/json", fmt.Sprintf(rest, "EXTENDED_AGENT_CARD_NOT_CONFIGURED")), lost: lost, asked: 1},
		{name: "another refusal", answer: rpcError(-32004), state: fetch.Unreachable, text: `: GetExtendedAgentCard: UNSUPPORTED_OPERATION (-32004): "m"`, asked: 1},
		{name: "401", answer: says(401, "text/plain", ""), state: fetch.AuthRequired, text: " answered 401 Unauthorized: GetExtendedAgentCard: wants a credential", asked: 1},
		{name: "403", binding: "HTTP+JSON", answer: says(403, "text/html", "<p>no"), state: fetch.AuthRequired, text: " answered 403 Forbidden: GetExtendedAgentCard: denied", asked: 1},
		{name: "-31401 with 200", answer: rpcError(-31401), state: fetch.AuthRequired, text: `: GetExtendedAgentCard: wants a credential (200 OK): "m"`, asked: 1},
		{name: "-31403 with 200", answer: rpcError(-31403), state: fetch.AuthRequired, text: `: GetExtendedAgentCard: denied (200 OK): "m"`, asked: 1},
		{name: "500", answer: says(500, "text/plain", "oops"), state: fetch.Unreachable, text: " answered 500 Internal Server Error: GetExtendedAgentCard", asked: 1},
		{name: "404", binding: "HTTP+JSON", answer: says(404, "text/plain", "none"), state: fetch.Unreachable, text: " answered 404 Not Found: GetExtendedAgentCard", asked: 1},
		{name: "HTML", answer: says(200, "text/html", "<html>"), state: card.NotJSON, text: ": GetExtendedAgentCard: the answer is not JSON: an HTML page", asked: 1},
		{name: "nothing", binding: "HTTP+JSON", answer: says(200, "application/json", ""), state: card.NotJSON, text: ": GetExtendedAgentCard: the answer is empty", asked: 1},
		{name: "blanks", binding: "HTTP+JSON", answer: says(200, "application/json", " \n"), state: card.NotJSON, text: ": GetExtendedAgentCard: the answer is not JSON: empty", asked: 1},
		{name: "no result", answer: says(200, "application/json", `{"jsonrpc":"2.0","id":1}`), state: card.NotJSON, text: ": GetExtendedAgentCard: the answer has neither result nor error", asked: 1},
		{
			name: "a redirect", answer: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://evil.example.com/", http.StatusFound)
			},
			state: fetch.Unreachable, text: " answered 302 Found: GetExtendedAgentCard: leads to https://evil.example.com/, and calls follow no redirect", asked: 1,
		},
		{
			name: "the secret repeated", answer: says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"name":"`+canary+`"}}`),
			state: card.NotJSON, text: ": GetExtendedAgentCard: the answer repeats the credential that was sent", asked: 1,
		},
		{
			name: "too large", binding: "HTTP+JSON", answer: says(200, "application/json", `"`+strings.Repeat("x", rpc.DefaultBytes)+`"`),
			state: card.TooLarge, text: ": GetExtendedAgentCard: the body is over the limit of 1048576 bytes", asked: 1,
		},
		{
			name: "no interface of ours", card: replace("JSONRPC", "urn:other"), unasked: true,
			lost: "the extended card cannot be asked for: no interface that the client speaks: the card offers urn:other 1.0 (BASE/a2a)",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			binding := tt.binding
			if binding == "" {
				binding = "JSONRPC"
			}
			a := newAgent(t, binding, tt.answer)
			if tt.card != nil {
				a.card = tt.card(a.card)
			}
			r, err := client(t, bearer(canary), a.URL).Get(t.Context(), fetch.Ask{URL: a.URL + "/card.json", Identity: "partner"})
			if len(a.asked()) != tt.asked {
				t.Errorf("asked %q, want %d requests", a.asked(), tt.asked)
			}
			if strings.Contains(fmt.Sprintf("%v %+v", err, r), canary) {
				t.Errorf("the secret is in %v, %+v", err, r)
			}
			if tt.state != "" {
				e, ok := errors.AsType[*fetch.Error](err)
				want := a.URL + "/a2a" + tt.text
				if !ok || e.State != tt.state || e.Error() != want || !e.Public || e.IsSilent() {
					t.Fatalf("%v (%+v)\nwant %s: %s", err, e, tt.state, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Body) != strings.ReplaceAll(a.card, "BASE", a.URL) || r.Lost() != strings.ReplaceAll(tt.lost, "BASE", a.URL) || r.IsExtended() {
				t.Errorf("Get = %+v with %+v, want the public card, since %q", r, r.Extended, tt.lost)
			}
			if r.Extended != nil && (r.Extended.NotConfigured != (tt.asked > 0) || r.Extended.Unasked != tt.unasked) {
				t.Errorf("extended = %+v", r.Extended)
			}
		})
	}
}

func replace(old, new string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, new) }
}

func read(t *testing.T, a *agent) *compile.Profile {
	t.Helper()
	r := compile.Read([]byte(strings.ReplaceAll(a.card, "BASE", a.URL)), everywhere, card.Options{})
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	return r.Profile
}

// A card that came by way of another origin says nowhere to send a credential, not
// even back to where it may go.
func TestCardFromElsewhere(t *testing.T) {
	a := newAgent(t, "JSONRPC", says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":`+theirs+`}`))
	home := strings.ReplaceAll(a.card, "BASE", a.URL)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back.json" {
			http.Redirect(w, r, a.URL+"/card.json", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, home)
	}))
	defer other.Close()
	for _, path := range []string{"/card.json", "/back.json"} {
		from := httptest.NewServer(http.RedirectHandler(other.URL+path, http.StatusFound))
		defer from.Close()
		c := client(t, bearer(canary), a.URL, from.URL)
		c.Guard.Allow = []string{"127.0.0.1"}
		r, err := c.Get(t.Context(), fetch.Ask{URL: from.URL + "/card.json", Identity: "partner"})
		if err != nil {
			t.Fatal(err)
		}
		if e := r.Extended; !r.Offsite || string(r.Body) != home || e == nil || !e.Unasked || e.Lost != "the extended card cannot be asked for: the public card came by way of another origin" || len(a.asked()) != 0 {
			t.Errorf("%s: Get = %+v with %+v, asked %q; want the public card, and nobody asked", path, r, e, a.asked())
		}
	}
}

// An extended card that is the public one is known as that, whatever its bytes.
func TestExtendedCardThatIsThePublicOne(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(string) string
		want bool
	}{
		"the card": {func(s string) string { return s }, true},
		"other bytes": {func(s string) string {
			return strings.TrimSuffix(strings.Replace(s, `"name":"Raw",`, "\n", 1), "}") + `,"name":"Raw"}`
		}, true},
		"another card": {replace("Raw", "Partner"), false},
		"no card":      {func(string) string { return "[]" }, false},
	} {
		a := newAgent(t, "HTTP+JSON", nil)
		public := strings.ReplaceAll(a.card, "BASE", a.URL)
		a.answer = says(200, "application/json", tt.edit(public))
		r, err := client(t, bearer(canary), a.URL).Get(t.Context(), fetch.Ask{URL: a.URL + "/card.json", Identity: "partner"})
		if err != nil || !r.IsExtended() || r.Extended.Same != tt.want {
			t.Errorf("%s: %+v, %v; want the public card: %v", name, r, err, tt.want)
		}
	}
}

// The interface is the agent's to name, and the origins of a credential a
// person's.
func TestInterfaceElsewhere(t *testing.T) {
	other := newAgent(t, "JSONRPC", says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":`+theirs+`}`))
	a := newAgent(t, "JSONRPC", nil)
	a.card = strings.ReplaceAll(a.card, "BASE/a2a", other.URL+"/a2a")
	ask := fetch.Ask{URL: a.URL + "/card.json", Identity: "partner"}
	_, err := client(t, bearer(canary), a.URL).Get(t.Context(), ask)
	e, ok := errors.AsType[*fetch.Error](err)
	if o, is := errors.AsType[*credential.OriginError](err); !ok || !is || o.Origin != other.URL || e.State != fetch.AuthRequired || !e.Ours || len(other.asked()) != 0 {
		t.Errorf("at an origin that is not listed: %v (%+v), asked %q", err, e, other.asked())
	}
	r, err := client(t, bearer(canary), other.URL).Get(t.Context(), ask)
	if err != nil || string(r.Body) != theirs || len(other.asked()) != 1 {
		t.Errorf("at the one that is: %+v, %v, asked %q", r, err, other.asked())
	}
	// A lock that names one loopback host allows that host, and no other.
	a.card = strings.ReplaceAll(a.card, "127.0.0.1", "127.0.0.2")
	_, err = client(t, bearer(canary), strings.ReplaceAll(other.URL, "127.0.0.1", "127.0.0.2")).Get(t.Context(), ask)
	if e, ok := errors.AsType[*fetch.Error](err); !ok || e.State != fetch.Unreachable || !e.Public {
		t.Errorf("at another loopback host: %v", err)
	}
	if _, ok := errors.AsType[*netguard.Refused](err); ok {
		t.Errorf("%v can be asked for a hint, which would be the agent's wish", err)
	}
}

func TestTokenIsReplacedOnce(t *testing.T) {
	var mu sync.Mutex
	tokens := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		tokens++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"access_token":"token-%d","token_type":"Bearer","expires_in":3600}`, tokens)
	}))
	defer s.Close()
	for _, tt := range []struct {
		accepts string
		asked   int
		state   card.State
	}{
		{"token-2", 2, ""},
		{"none", 2, fetch.AuthRequired},
	} {
		for _, refusal := range []http.HandlerFunc{
			says(401, "text/plain", ""), says(200, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-31401,"message":"m"}}`),
		} {
			tokens = 0
			a := newAgent(t, "JSONRPC", func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer "+tt.accepts {
					refusal(w, r)
					return
				}
				says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":`+theirs+`}`)(w, r)
			})
			c := client(t, credential.ClientCredentials{TokenURL: s.URL, ClientID: "us", Secret: credential.Literal(canary)}, a.URL)
			r, err := c.Get(t.Context(), fetch.Ask{URL: a.URL + "/card.json", Identity: "partner"})
			e, _ := errors.AsType[*fetch.Error](err)
			if len(a.asked()) != tt.asked || (e == nil) != (tt.state == "") || e != nil && e.State != tt.state || e == nil && string(r.Body) != theirs {
				t.Errorf("accepts %s: %+v, %v, asked %q", tt.accepts, r, err, a.asked())
			}
		}
	}
}

func TestAnswerOfOneThatAsksToBeLeftAlone(t *testing.T) {
	a := newAgent(t, "JSONRPC", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	c := client(t, bearer(canary), a.URL)
	_, err := c.Refresh(t.Context(), fetch.Request{URL: a.URL + "/card.json", Identity: "partner"})
	if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Code != 429 || e.RetryAfter.Seconds() != 120 || e.Final != a.URL+"/a2a" {
		t.Errorf("%v (%+v)", err, e)
	}
}

// A confirmation meets another replica, where there are several.
func TestFreshConnection(t *testing.T) {
	var mu sync.Mutex
	var from []string
	a := newAgent(t, "JSONRPC", nil)
	a.answer = func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		from = append(from, r.RemoteAddr)
		mu.Unlock()
		says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":`+theirs+`}`)(w, r)
	}
	c := client(t, bearer(canary), a.URL)
	for _, fresh := range []bool{false, false, true, true} {
		if _, err := c.Refresh(t.Context(), fetch.Request{URL: a.URL + "/card.json", Identity: "partner", Fresh: fresh}); err != nil {
			t.Fatal(err)
		}
	}
	if from[0] != from[1] || from[1] == from[2] || from[2] == from[3] {
		t.Errorf("calls came from %q, want those that are fresh from ports of their own", from)
	}
}

// What may not be kept says so over each binding.
func TestExtendedCardThatMayNotBeKept(t *testing.T) {
	bodies := map[string]string{"JSONRPC": `{"jsonrpc":"2.0","id":1,"result":` + theirs + `}`, "HTTP+JSON": theirs}
	for binding, body := range bodies {
		for value, want := range map[string]bool{"private, No-Store": true, "no-cache": false} {
			a := newAgent(t, binding, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", value)
				says(200, "application/json", body)(w, r)
			})
			r, err := client(t, bearer(canary), a.URL).Get(t.Context(), fetch.Ask{URL: a.URL + "/card.json", Identity: "partner"})
			if err != nil || !r.IsExtended() || r.Extended.NoStore != want {
				t.Errorf("%s, %s: %+v, %v; want no-store %v", binding, value, r.Extended, err, want)
			}
		}
	}
}

// An agent may have nothing to show to the public.
func TestPublicCardWithoutSkills(t *testing.T) {
	a := newAgent(t, "JSONRPC", says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":`+theirs+`}`))
	whole := a.card
	before, _, _ := strings.Cut(whole, `"skills"`)
	c := client(t, bearer(canary), a.URL)
	for card, asks := range map[string]bool{
		before + `"skills":[]}`: true,
		strings.Replace(before, "true", "false", 1) + `"skills":[]}`:        false,
		strings.Replace(before, "JSONRPC", "urn:other", 1) + `"skills":[]}`: false,
		`[]`: false,
		strings.Replace(whole, "true", "true}, \"capabilities\":{", 1): false,
	} {
		a.card, a.request = card, nil
		r, err := c.Get(t.Context(), fetch.Ask{URL: a.URL + "/card.json", Identity: "partner"})
		if err != nil {
			t.Fatal(err)
		}
		if r.IsExtended() != asks || (len(a.asked()) > 0) != asks || asks != (string(r.Body) == theirs) {
			t.Errorf("%s: %s, asked %q; want that it is asked: %v", card, r.Body, a.asked(), asks)
		}
	}
}

// Somebody without a name asks without a credential.
func TestNobodyAsks(t *testing.T) {
	a := newAgent(t, "JSONRPC", says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":`+theirs+`}`))
	body := []byte(strings.ReplaceAll(a.card, "BASE", a.URL))
	r, err := (&Reader{Client: everywhere}).Extend(t.Context(), "", &fetch.Response{URL: a.URL + "/card.json", Body: body})
	if err != nil || string(r.Body) != theirs || len(a.asked()) != 1 || !strings.Contains(a.asked()[0], `auth=""`) {
		t.Errorf("Extend = %+v, %v, asked %q", r, err, a.asked())
	}
	_, err = (&Reader{Client: everywhere}).Extend(t.Context(), "partner", &fetch.Response{URL: a.URL + "/card.json", Body: body})
	if e, ok := errors.AsType[*fetch.IdentityError](err); !ok || e.Name != "partner" || len(a.asked()) != 1 {
		t.Errorf("an identity without a wallet: %v", err)
	}
}

// A caller that leaves ends the call.
func TestCallEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	release := make(chan struct{})
	a := newAgent(t, "JSONRPC", func(_ http.ResponseWriter, r *http.Request) {
		cancel(errors.New("enough"))
		<-release
	})
	defer close(release)
	_, err := client(t, bearer(canary), a.URL).Get(ctx, fetch.Ask{URL: a.URL + "/card.json", Identity: "partner"})
	if e, ok := errors.AsType[*fetch.Error](err); !ok || e.Error() != a.URL+"/a2a: GetExtendedAgentCard: enough" {
		t.Errorf("%v", err)
	}
}
