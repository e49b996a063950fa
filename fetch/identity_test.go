package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/internal/gate"
)

// secret is in no error and no note.
const secret = "geheim-canary"

// wallet has one credential, called partner.
func wallet(t *testing.T, kind credential.Kind, origins ...string) *credential.Wallet {
	t.Helper()
	w, err := credential.New([]credential.Credential{{Name: "partner", Origins: origins, Kind: kind}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// shown are the requests that arrived, each with whether it carried the secret.
type shown struct {
	mu   sync.Mutex
	list []string
}

func (s *shown) note(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, _, _ := strings.Cut(r.RequestURI, "?")
	line := r.Host + path
	if strings.Contains(fmt.Sprint(r.Header, r.RequestURI), secret) {
		line += " +"
	}
	s.list = append(s.list, line)
}

func TestCredentialGoesToItsOriginsAlone(t *testing.T) {
	const a, b, evil = "https://a.example.com", "https://b.example.com", "https://xa.example.com"
	locations := map[string]string{
		"a.example.com/inside":  "/card.json",
		"a.example.com/other":   b + "/card.json",
		"a.example.com/stray":   "https://c.example.com/card.json",
		"a.example.com/alike":   evil + "/card.json",
		"a.example.com/port":    a + ":8443/card.json",
		"a.example.com/back":    "https://c.example.com/back",
		"c.example.com/back":    a + "/card.json",
		"c.example.com/to-a":    a + "/card.json",
		"a.example.com/inside2": "/inside",
	}
	for _, kind := range []credential.Kind{
		credential.Bearer{Token: credential.Literal(secret)},
		credential.APIKey{In: credential.InHeader, Name: "X-Key", Key: credential.Literal(secret)},
		credential.APIKey{In: credential.InQuery, Name: "key", Key: credential.Literal(secret)},
		credential.APIKey{In: credential.InCookie, Name: "key", Key: credential.Literal(secret)},
	} {
		for _, tt := range []struct {
			url  string
			want []string
		}{
			{a + "/card.json", []string{"a.example.com/card.json +"}},
			{b + "/card.json", []string{"b.example.com/card.json +"}},
			{"https://c.example.com/card.json", []string{"c.example.com/card.json"}},
			{evil + "/card.json", []string{"xa.example.com/card.json"}},
			{a + ":8443/card.json", []string{"a.example.com:8443/card.json"}},
			{a + "/inside2", []string{"a.example.com/inside2 +", "a.example.com/inside +", "a.example.com/card.json +"}},
			{a + "/other", []string{"a.example.com/other +", "b.example.com/card.json"}},
			{a + "/stray", []string{"a.example.com/stray +", "c.example.com/card.json"}},
			{a + "/alike", []string{"a.example.com/alike +", "xa.example.com/card.json"}},
			{a + "/port", []string{"a.example.com/port +", "a.example.com:8443/card.json"}},
			{a + "/back", []string{"a.example.com/back +", "c.example.com/back", "a.example.com/card.json"}},
			{"https://c.example.com/to-a", []string{"c.example.com/to-a", "a.example.com/card.json"}},
		} {
			t.Run(fmt.Sprintf("%T %s", kind, tt.url), func(t *testing.T) {
				got := shown{}
				_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
					got.note(r)
					answer{body: aCard, location: locations[r.Host+r.URL.Path]}.write(w)
				})
				c.Wallet = wallet(t, kind, a, b)
				r, err := c.Get(t.Context(), Ask{tt.url, "partner"})
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(tt.want, got.list); d != "" {
					t.Errorf("Get (- want, + got):\n%s", d)
				}
				got.list = nil
				answered, err := c.Refresh(t.Context(), Request{URL: tt.url, Identity: "partner"})
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(tt.want, got.list); d != "" {
					t.Errorf("Refresh (- want, + got):\n%s", d)
				}
				if text := fmt.Sprint(r, answered); strings.Contains(text, secret) {
					t.Errorf("the secret is in %s", text)
				}
				got.list = nil
				if _, err := c.Get(t.Context(), Ask{URL: tt.url}); err != nil || strings.Contains(strings.Join(got.list, ""), "+") {
					t.Errorf("the public asked %q, %v", got.list, err)
				}
			})
		}
	}
}

func TestIdentityThatNobodyHas(t *testing.T) {
	w, c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer{body: aCard}.write(w) })
	const u = "https://a.example.com/card.json"
	for _, c.Wallet = range []*credential.Wallet{nil, wallet(t, credential.Bearer{Token: credential.Literal(secret)}, "https://a.example.com")} {
		_, err := c.Get(t.Context(), Ask{u, "other"})
		e := failed(t, err, Unreachable, u+`: no credential is called "other"`)
		if id, ok := errors.AsType[*IdentityError](err); !ok || id.Name != "other" || !e.Ours || e.IsSilent() {
			t.Errorf("error = %+v, want one of the identity that is ours", e)
		}
		_, err = c.Refresh(t.Context(), Request{URL: u, Identity: "other"})
		failed(t, err, Unreachable, u+`: no credential is called "other"`)
		for ask, o := range c.All(t.Context(), []Ask{{u, "other"}, {u, ""}}, 0) {
			if (o.Err != nil) != (ask.Identity == "other") {
				t.Errorf("%v = %v", ask, o.Err)
			}
		}
	}
	if got := w.urls(); len(got) != 2 {
		t.Errorf("asked for %q, want the public card alone", got)
	}
}

// A tokenServer gives numbered tokens.
func tokenServer(t *testing.T, status int) (kind credential.Kind, given func() int) {
	var mu sync.Mutex
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		n++
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"access_token":"token-%d","token_type":"Bearer","expires_in":3600}`, n)
	}))
	t.Cleanup(s.Close)
	return credential.ClientCredentials{TokenURL: s.URL, ClientID: "us", Secret: credential.Literal(secret)}, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

func TestRefusedTokenIsReplacedOnce(t *testing.T) {
	const u = "https://a.example.com/card.json"
	for _, tt := range []struct {
		name    string
		accepts string
		want    string
		tokens  int
		asked   int
	}{
		{"good", "token-1", "", 1, 1},
		{"replaced", "token-2", "", 2, 2},
		{"never", "none", u + " answered 401 Unauthorized", 2, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, how := range []string{"Get", "Refresh"} {
				w, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") != "Bearer "+tt.accepts {
						w.WriteHeader(http.StatusUnauthorized)
						return
					}
					answer{body: aCard}.write(w)
				})
				kind, given := tokenServer(t, http.StatusOK)
				c.Wallet = wallet(t, kind, "https://a.example.com")
				var told []string
				c.Asked = func(code int, _ bool) { told = append(told, fmt.Sprint(code)) }
				var err error
				if how == "Get" {
					_, err = c.Get(t.Context(), Ask{u, "partner"})
				} else {
					_, err = c.Refresh(t.Context(), Request{URL: u, Identity: "partner"})
				}
				if tt.want == "" && err != nil {
					t.Errorf("%s: %v", how, err)
				}
				if tt.want != "" {
					failed(t, err, AuthRequired, tt.want)
				}
				if given() != tt.tokens || len(w.urls()) != tt.asked || how == "Refresh" && len(told) != tt.asked {
					t.Errorf("%s: %d tokens, %d requests, told of %q; want %d and %d", how, given(), len(w.urls()), told, tt.tokens, tt.asked)
				}
			}
		})
	}
}

// A 401 of another origin, which was shown nothing, gives up no token.
func TestRefusalElsewhereIsNoneOfTheToken(t *testing.T) {
	w, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "c.example.com" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer{location: "https://c.example.com/"}.write(w)
	})
	kind, given := tokenServer(t, http.StatusOK)
	c.Wallet = wallet(t, kind, "https://a.example.com")
	_, err := c.Get(t.Context(), Ask{"https://a.example.com/", "partner"})
	failed(t, err, AuthRequired, "https://a.example.com/ (redirected to https://c.example.com/) answered 401 Unauthorized")
	if given() != 1 || len(w.urls()) != 2 {
		t.Errorf("%d tokens, asked %q, want no second try", given(), w.urls())
	}
}

func TestCredentialThatCannotBeHad(t *testing.T) {
	const u = "https://a.example.com/card.json"
	for status, want := range map[int]string{400: "auth-required", 401: "auth-required", 403: "auth-required", 429: "unreachable", 503: "unreachable"} {
		w, c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer{body: aCard}.write(w) })
		kind, _ := tokenServer(t, status)
		c.Wallet = wallet(t, kind, "https://a.example.com")
		_, err := c.Get(t.Context(), Ask{u, "partner"})
		e, ok := errors.AsType[*Error](err)
		if !ok || string(e.State) != want || !e.Ours || e.IsSilent() || len(w.urls()) != 0 || strings.Contains(err.Error(), secret) {
			t.Errorf("token server answers %d: %+v, asked %q; want %s and no request", status, e, w.urls(), want)
		}
	}
	_, c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer{body: aCard}.write(w) })
	gone := httptest.NewServer(nil)
	gone.Close()
	answering, _ := tokenServer(t, 503)
	missing := credential.File(t.TempDir() + "/none")
	for _, tt := range []struct {
		name string
		kind credential.Kind
		want bool
	}{
		{"a token server that is not there", credential.ClientCredentials{TokenURL: gone.URL, ClientID: "us", Secret: credential.Literal(secret)}, true},
		{"one that answers", answering, false},
		{"a secret that is not there", credential.ClientCredentials{TokenURL: gone.URL, ClientID: "us", Secret: missing}, false},
		{"a token that is not there", credential.Bearer{Token: missing}, false},
	} {
		c.Wallet = wallet(t, tt.kind, "https://a.example.com")
		_, err := c.Get(t.Context(), Ask{u, "partner"})
		if e, ok := errors.AsType[*Error](err); !ok || e.State != Unreachable || !e.Ours || e.IsTokenless() != tt.want {
			t.Errorf("%s: %v; want IsTokenless %v", tt.name, err, tt.want)
		}
	}
	c.Wallet = wallet(t, credential.Bearer{Token: missing}, "https://a.example.com")
	_, err := c.Get(t.Context(), Ask{u, "partner"})
	if e, ok := errors.AsType[*Error](err); !ok || e.State != Unreachable || !e.Ours || !strings.Contains(err.Error(), `credential "partner"`) {
		t.Errorf("error of a file that is missing = %v", err)
	}
}

// An extender gives each public card another body, and asks a URL for it.
type extender struct {
	at     string // "": asks nobody
	code   int
	body   string // "": lost
	err    error
	public []string
}

func (x *extender) extend(ctx context.Context, identity string, public *Response) (*Response, error) {
	x.public = append(x.public, identity+" "+string(public.Body))
	if x.at != "" {
		done, err := public.Send(ctx, x.at)
		if err != nil {
			return nil, err
		}
		done(x.code)
	}
	if x.err != nil {
		return nil, x.err
	}
	out := *public
	out.Extended = &Extended{Public: public.Body, URL: x.at}
	if out.Body = []byte(x.body); x.body == "" {
		out.Body, out.Extended.Lost = public.Body, "none"
	}
	return &out, nil
}

func TestExtendedCardReplaces(t *testing.T) {
	_, c := newWorld(t, map[string]answer{"https://a.example.com" + wellKnown: {body: aCard}})
	c.Wallet = wallet(t, credential.Bearer{Token: credential.Literal(secret)}, "https://a.example.com")
	x := &extender{body: `{"name":"More"}`}
	c.Extend = x.extend
	r, err := c.Discover(t.Context(), "https://a.example.com", "partner")
	if err != nil || string(r.Body) != x.body || !r.IsExtended() || r.Lost() != "" || string(r.Extended.Public) != aCard {
		t.Fatalf("Discover = %+v, %v", r, err)
	}
	x.body = ""
	r, err = c.Get(t.Context(), Ask{r.URL, "partner"})
	if err != nil || string(r.Body) != aCard || r.IsExtended() || r.Lost() != "none" {
		t.Errorf("Get of one that is lost = %+v, %v", r, err)
	}
	x.public = nil
	if r, err = c.Get(t.Context(), Ask{URL: r.URL}); err != nil || r.Extended != nil || x.public != nil {
		t.Errorf("Get of the public = %+v, %v, extended %q", r, err, x.public)
	}
	_, strayed := newWorld(t, map[string]answer{
		"https://a.example.com/card.json": {location: "https://b.example.com/card.json"}, "https://b.example.com/card.json": {body: aCard},
	})
	strayed.Wallet, strayed.Extend = c.Wallet, x.extend
	_, err = strayed.Discover(t.Context(), "https://a.example.com/card.json", "partner")
	failed(t, err, Unreachable, "https://a.example.com/card.json (redirected to https://b.example.com/card.json): that is another origin: pin that URL if you trust it")
	if x.public != nil {
		t.Errorf("another origin had us ask for the extended card: %q", x.public)
	}
	const inner = "https://a.example.com/rpc"
	x.err = &Error{URL: inner, Final: inner, State: AuthRequired, Code: 403, Err: errors.New("denied")}
	_, err = c.Get(t.Context(), Ask{r.URL, "partner"})
	if e := failed(t, err, AuthRequired, inner+" answered 403 Forbidden: denied"); !e.Public || e.IsSilent() {
		t.Errorf("error = %+v, want that the public card came", e)
	}
}

// What is stored of an identity is the extended card, which no validator of the
// public one is about.
func TestRefreshOfAnExtendedCard(t *testing.T) {
	var sent []string
	public := answer{body: "P", header: map[string]string{"ETag": `"p"`, "Cache-Control": "max-age=60"}}
	_, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("If-None-Match"))
		if a := public; r.Header.Get("If-None-Match") == a.header["ETag"] {
			a.status, a.body = http.StatusNotModified, ""
			a.write(w)
			return
		}
		public.write(w)
	})
	c.Wallet = wallet(t, credential.Bearer{Token: credential.Literal(secret)}, "https://a.example.com")
	x := &extender{}
	c.Extend = x.extend
	req := Request{URL: "https://a.example.com/card.json", Identity: "partner"}
	for i, tt := range []struct {
		public, body string // the cards
		sent, want   string
		err          error
	}{
		{public: "P", body: "E1", want: "E1"},
		{public: "P", body: "E1", want: "E1, same"},
		{public: "P", body: "E2", want: "E2"},
		{public: "P", want: "P, 1m0s, lost"},
		{public: "P", sent: `"p"`, want: "P, not modified, 1m0s, lost"},
		{public: "P", body: "E2", sent: `"p"`, want: "E2"}, // a 304, and yet another card
		{public: "Q", body: "E2", want: "E2, same"},
		{public: "Q", err: &Error{State: AuthRequired}, want: "auth-required"},
		{public: "Q", body: "E2", want: "E2, same"},
		{public: "Q", body: "Q", want: "Q"}, // byte for byte the public one
		{public: "Q", body: "Q", sent: `"q"`, want: "Q, not modified"},
	} {
		public.body, public.header["ETag"] = tt.public, `"`+strings.ToLower(tt.public)+`"`
		x.body, x.err, sent = tt.body, tt.err, nil
		a, err := c.Refresh(t.Context(), req)
		got := outcome(a, err)
		if a != nil && a.Extended.Lost != "" {
			got += ", lost"
		}
		if got != tt.want || !slices.Equal(sent, []string{tt.sent}) {
			t.Errorf("step %d: %s, sent %q; want %s, %q", i, got, sent, tt.want, tt.sent)
		}
		if err == nil {
			req.Memory, req.Held = a.Memory, digestOf(a.Body)
			req.Body = func() ([]byte, bool) { return a.Body, true }
		}
	}
}

// The request for the extended card waits at the gate of its own host, and what
// that says of itself is heeded.
func TestExtendedCardPassesGates(t *testing.T) {
	_, c := newWorld(t, map[string]answer{"https://a.example.com/card.json": {body: aCard}})
	c.Wallet = wallet(t, credential.Bearer{Token: credential.Literal(secret)}, "https://a.example.com")
	c.Gates = &gate.Gates{Gap: -1, HostFlights: 1, Flights: 1}
	const inner = "https://rpc.example.com/a"
	x := &extender{at: inner, code: 200, body: `{"name":"More"}`}
	c.Extend = x.extend
	var told []string
	c.Asked = func(code int, conditional bool) { told = append(told, fmt.Sprint(code, conditional)) }
	sent := 0
	req := Request{URL: "https://a.example.com/card.json", Identity: "partner", Sent: func() { sent++ }}
	refresh := func() error {
		told, sent = nil, 0
		_, err := c.Refresh(t.Context(), req)
		return err
	}
	if err := refresh(); err != nil || fmt.Sprint(told) != "[200 false 200 false]" || sent != 2 {
		t.Errorf("%v, told of %q, sent %d; want both requests", err, told, sent)
	}
	// The one flight there may be is free again.
	leave, err := c.Gates.Enter(t.Context(), inner)
	if err != nil {
		t.Fatal(err)
	}
	leave()

	x.code = http.StatusTooManyRequests
	x.err = &Error{URL: inner, Final: inner, State: Unreachable, Code: x.code, RetryAfter: time.Hour}
	failed(t, refresh(), Unreachable, inner+" answered 429 Too Many Requests")
	if fmt.Sprint(told) != "[200 false 429 false]" {
		t.Errorf("told of %q", told)
	}
	for u, paused := range map[string]bool{inner: true, "https://rpc.example.com/b": true, req.URL: false} {
		if until, _ := c.Gates.Paused(u, time.Now()); until.IsZero() == paused {
			t.Errorf("%s is paused: %v, want %v", u, !until.IsZero(), paused)
		}
	}
	err = refresh()
	if p, ok := errors.AsType[*gate.PausedError](err); !ok || p.URL != inner || fmt.Sprint(told) != "[200 false]" {
		t.Errorf("error while the interface's host is paused = %v, told of %q", err, told)
	}

	x.at = "https://rpc2.example.com/a"
	x.err = &Error{URL: x.at, Final: x.at, State: Unreachable, Code: 503, RetryAfter: time.Hour}
	_ = refresh()
	for u, paused := range map[string]bool{x.at: true, "https://rpc2.example.com/b": false, req.URL: false} {
		if until, _ := c.Gates.Paused(u, time.Now()); until.IsZero() == paused {
			t.Errorf("%s is paused: %v, want %v", u, !until.IsZero(), paused)
		}
	}
}

// The timeout is for both requests together.
func TestExtendedCardHasNoTimeOfItsOwn(t *testing.T) {
	_, c := newWorld(t, map[string]answer{"https://a.example.com/card.json": {body: aCard}})
	c.Wallet = wallet(t, credential.Bearer{Token: credential.Literal(secret)}, "https://a.example.com")
	c.Timeout = 200 * time.Millisecond
	c.Extend = func(ctx context.Context, _ string, _ *Response) (*Response, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	const want = "https://a.example.com/card.json: no whole answer within 200ms"
	_, err := c.Get(t.Context(), Ask{"https://a.example.com/card.json", "partner"})
	failed(t, err, Unreachable, want)
	_, err = c.Refresh(t.Context(), Request{URL: "https://a.example.com/card.json", Identity: "partner"})
	failed(t, err, Unreachable, want)
}

// A host that we gave up on may still be at the call, when it is the interface's
// host, too.
func TestExtendedCardThatTakesTooLong(t *testing.T) {
	const inner = "https://rpc.example.com/a"
	bubble(t, func(w http.ResponseWriter, _ *http.Request) { answer{body: aCard}.write(w) }, func(t *testing.T, c *Client) {
		c.Wallet = wallet(t, credential.Bearer{Token: credential.Literal(secret)}, "https://rpc.example.com")
		c.Gates = &gate.Gates{Gap: -1, HostFlights: 1}
		c.Extend = func(ctx context.Context, _ string, public *Response) (*Response, error) {
			if _, err := public.Send(ctx, inner); err != nil {
				return nil, err
			}
			<-ctx.Done()
			return nil, &Error{URL: inner, Final: inner, State: Unreachable, Err: fmt.Errorf("calling: %w", context.Cause(ctx))}
		}
		next := make(chan time.Time, 1)
		go func() {
			time.Sleep(time.Second) // while the call is under way
			leave, err := c.Gates.Enter(t.Context(), inner)
			if err != nil {
				t.Error(err)
			} else {
				leave()
			}
			next <- time.Now()
		}()
		_, err := c.Refresh(t.Context(), Request{URL: "http://a.example.com/card.json", Identity: "partner"})
		failed(t, err, Unreachable, inner+": calling: no whole answer within 10s")
		if ended, at := time.Now(), <-next; at.Sub(ended) < 100*time.Millisecond {
			t.Errorf("the next request to the host went out %s later", at.Sub(ended))
		}
	})
}

// What the answer of either forbids to keep is not kept.
func TestExtendedCardThatMayNotBeKept(t *testing.T) {
	_, c := newWorld(t, map[string]answer{"https://a.example.com/card.json": {body: aCard, header: map[string]string{"ETag": `"a"`}}})
	c.Wallet = wallet(t, credential.Bearer{Token: credential.Literal(secret)}, "https://a.example.com")
	for _, noStore := range []bool{true, false} {
		c.Extend = func(_ context.Context, _ string, public *Response) (*Response, error) {
			out := *public
			out.Body, out.Extended = []byte(`{"name":"More"}`), &Extended{Public: public.Body, NoStore: noStore}
			return &out, nil
		}
		a, err := c.Refresh(t.Context(), Request{URL: "https://a.example.com/card.json", Identity: "partner"})
		if err != nil {
			t.Fatal(err)
		}
		if a.NoStore != noStore || (len(a.Memory.Entries) == 0) != noStore {
			t.Errorf("no-store of the extended card %v: %+v", noStore, a)
		}
	}
}
