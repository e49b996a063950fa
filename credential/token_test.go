package credential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/netguard"
)

// grant answers with a token.
func grant(w http.ResponseWriter, token string, seconds int) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": seconds})
}

// of is a wallet with a credential of one token server.
func of(t *testing.T, origin, tokenURL string) *Wallet {
	t.Helper()
	return wallet(t, Credential{Name: "partner", Origins: []string{origin}, Kind: ClientCredentials{
		TokenURL: tokenURL, ClientID: "our id", Secret: Literal(canary + "/+"), Scopes: []string{"read", "write"},
		Params: url.Values{"audience": {"https://api.example"}, "resource": {"https://a.example", "https://b.example"}},
	}})
}

func TestTokenRequests(t *testing.T) {
	for _, style := range []string{"", AuthHeader, AuthParams} {
		a := newAgent(t, ok)
		server := newAgent(t, func(w http.ResponseWriter, _ *http.Request) { grant(w, canary+"-token", 3600) })
		c := of(t, a.URL, server.URL+"/token?tenant=7").list[0].Credential
		kind := c.Kind.(ClientCredentials)
		kind.AuthStyle = style
		c.Kind = kind
		w := wallet(t, c)
		for range 2 {
			if _, _, err := send(t, w, a.URL+"/card.json"); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range a.requests() {
			if got := r.Header.Get("Authorization"); got != "Bearer "+canary+"-token" || len(r.Form) != 0 {
				t.Errorf("the agent received %q", got)
			}
		}
		if n := len(server.requests()); n != 1 {
			t.Fatalf("%d token requests, want one", n)
		}
		r := server.requests()[0]
		user, password, basic := r.BasicAuth()
		want := url.Values{
			"grant_type": {"client_credentials"}, "scope": {"read write"}, "audience": {"https://api.example"},
			"resource": {"https://a.example", "https://b.example"}, "tenant": {"7"},
		}
		if style == AuthParams {
			want.Set("client_id", "our id")
			want.Set("client_secret", canary+"/+")
		} else if user != "our+id" || password != url.QueryEscape(canary+"/+") { // RFC 6749 2.3.1
			t.Errorf("the token server received %q and %q", user, password)
		}
		if basic == (style == AuthParams) || r.Form.Encode() != want.Encode() || r.Method != http.MethodPost {
			t.Errorf("the token server received %s %v, want %v", r.Method, r.Form, want)
		}
		if got := fmt.Sprint(r.Header["Accept"], r.Header["User-Agent"], r.Header["Cookie"], r.Header["Referer"]); got != "[application/json] [a2alock] [] []" {
			t.Errorf("the token server received %s", got)
		}
		clean(t, w)
	}
}

func TestTokensFollowNoRedirect(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		a := newAgent(t, ok)
		other := newAgent(t, func(w http.ResponseWriter, _ *http.Request) { grant(w, "theirs", 3600) })
		server := newAgent(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", other.URL+"/?s="+r.Form.Get("client_secret"))
			w.WriteHeader(status)
		})
		w := of(t, a.URL, server.URL+"/token")
		_, _, err := send(t, w, a.URL)
		want := fmt.Sprintf("credential \"partner\": token server %s/token answered %d: a redirect is not followed with a secret: write the URL that it leads to into token_url", server.URL, status)
		if err == nil || err.Error() != want {
			t.Errorf("error = %v, want %s", err, want)
		}
		if len(other.requests()) != 0 || len(a.requests()) != 0 {
			t.Errorf("%d: a request went on", status)
		}
	}
}

func TestTokenServersThatFail(t *testing.T) {
	answer := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	const plain, js = "text/html", "application/json"
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string // behind the name of the server
	}{
		{"500", answer(500, plain, "<h1>"+canary), " answered 500"},
		{"401 with a code", answer(401, js, `{"error":"invalid_client","error_description":"`+canary+` is wrong"}`), " answered 401 (invalid_client)"},
		{"200 with a code", answer(200, js, `{"error":"invalid_scope"}`), " answered 200 (invalid_scope)"},
		{"a code that is the secret", answer(400, js, `{"error":"`+canary+`/+"}`), " answered 400"},
		{"a code that is text", answer(400, js, `{"error":"Your secret `+canary+` \u001b[2J"}`), " answered 400"},
		{"HTML", answer(200, plain, "<h1>"+canary), " answered 200: the answer holds no token"},
		{"no JSON", answer(200, js, `{"access_token":"`+canary), " answered 200: the answer holds no token"},
		{"no token", answer(200, js, `{"token_type":"bearer"}`), " answered 200: the answer holds no token"},
		{"DPoP", answer(200, js, `{"access_token":"`+canary+`","token_type":"DPoP"}`), " answered 200: the token's token_type is not bearer, and no other can be used"},
		{"mac", answer(200, js, `{"access_token":"`+canary+`","token_type":"mac"}`), " answered 200: the token's token_type is not bearer, and no other can be used"},
		{"no type", answer(200, js, `{"access_token":"`+canary+`"}`), " answered 200: the token has no token_type, and so is not said to be a bearer's"},
		{"a line break", answer(200, js, `{"access_token":"`+canary+`\r\nX: y","token_type":"bearer"}`), " answered 200: the token holds characters that no header takes"},
		{"a space", answer(200, js, `{"access_token":"`+canary+` x","token_type":"bearer"}`), " answered 200: the token holds characters that no header takes"},
		{"another alphabet", answer(200, js, `{"access_token":"`+canary+`\u00fc","token_type":"bearer"}`), " answered 200: the token holds characters that no header takes"},
		{"a huge body", answer(200, js, `{"access_token":"`+strings.Repeat("a", tokenBytes)+`","token_type":"bearer"}`), ": its answer is over 65536 bytes"},
		{"a cut body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, canary)
		}, ": unexpected EOF"},
		{"the secret said again", func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, password, _ := r.BasicAuth()
				_, _ = io.WriteString(conn, password+"\r\n\r\n")
				conn.Close()
			}
		}, ": its answer repeats the secret"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t, ok)
			server := newAgent(t, tt.handler)
			w := of(t, a.URL, server.URL+"/token?key="+canary)
			_, _, err := send(t, w, a.URL)
			want := `credential "partner": token server ` + server.URL + "/token?key=REDACTED" + tt.want
			if err == nil || err.Error() != want {
				t.Errorf("error = %v, want %s", err, want)
			}
			if _, ok := errors.AsType[*TokenError](err); !ok {
				t.Errorf("error = %T, want a *TokenError", err)
			}
			if len(a.requests()) != 0 {
				t.Error("the agent was asked without a token")
			}
			// What failed is not kept.
			_, _, _ = send(t, w, a.URL)
			if n := len(server.requests()); n < 2 {
				t.Errorf("%d token requests, want another try", n)
			}
		})
	}
}

// The network's policy holds for token servers, and its refusal can be told.
func TestTokenServersAreGuarded(t *testing.T) {
	for _, u := range []string{"https://10.0.0.4/token", "https://169.254.169.254/token"} {
		w := of(t, "http://127.0.0.1:1", u)
		err := w.Apply(t.Context(), "partner", must(http.NewRequest(http.MethodGet, "http://127.0.0.1:1/", nil)))
		if r, ok := errors.AsType[*netguard.Refused](err); !ok || r.Kind != netguard.KindAddress {
			t.Errorf("%s: error = %v, want a refusal", u, err)
		}
	}
}

func must(req *http.Request, err error) *http.Request {
	if err != nil {
		panic(err)
	}
	return req
}

// bubble runs test with a wallet whose token server is handler, and time that
// passes at once.
func bubble(t *testing.T, handler http.HandlerFunc, test func(*testing.T, *Wallet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p, s := newPipe(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm() // a server sees that its client has gone once the body is read
			handler(w, r)
		})
		w := of(t, "https://a.example", "http://localhost:9000/token")
		w.Guard = &netguard.Guard{Dial: p.dial}
		test(t, w)
		w.Guard.CloseIdle()
		close(p.done)
		_ = s.Close()
	})
}

// apply is what w puts on a request.
func apply(ctx context.Context, w *Wallet) (string, error) {
	req := must(http.NewRequest(http.MethodGet, "https://a.example/", nil))
	err := w.Apply(ctx, "partner", req)
	return strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer "), err
}

func TestConcurrentCallsAskOnce(t *testing.T) {
	var asked atomic.Int32
	bubble(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(time.Second)
		grant(w, fmt.Sprint("t", asked.Add(1)), 3600)
	}, func(t *testing.T, w *Wallet) {
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if got, err := apply(t.Context(), w); err != nil || got != "t1" {
					t.Errorf("token = %q, %v", got, err)
				}
			})
		}
		wg.Wait()
		if asked.Load() != 1 {
			t.Errorf("asked %d times, want once", asked.Load())
		}
	})
}

func TestTokensExpire(t *testing.T) {
	for _, tt := range []struct {
		seconds string // as the server says it
		life    time.Duration
	}{
		{"3600", 59 * time.Minute},
		{`"3600"`, 59 * time.Minute},
		{"100", 90 * time.Second},
		{"10", 9 * time.Second},
		{"0", unsaid - unsaid/10}, // as if it said nothing
		{"null", unsaid - unsaid/10},
		{"99999999999999", longest - time.Minute},
		{"99999999999999999999", longest - time.Minute},
		{"1e30", longest - time.Minute},
		{"1e999", longest - time.Minute},
		{"3600.5", 59*time.Minute + 500*time.Millisecond},
		{"3.6e3", 59 * time.Minute},
		{`"an hour"`, unsaid - unsaid/10},
		{`"NaN"`, unsaid - unsaid/10},
		{`["3600"]`, unsaid - unsaid/10},
		{`3600,"Expires_In":{}`, 59 * time.Minute},
		{"-5", unsaid - unsaid/10},
		{"0.5", 450 * time.Millisecond},
	} {
		asked := 0
		bubble(t, func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"access_token":"t%d","token_type":"bearer","expires_in":%s}`, asked, tt.seconds)
		}, func(t *testing.T, w *Wallet) {
			step := func(wait time.Duration, want string) {
				t.Helper()
				time.Sleep(wait)
				if got, err := apply(t.Context(), w); err != nil || got != want {
					t.Errorf("expires_in %s, later by %s: token = %q, %v, want %s", tt.seconds, wait, got, err, want)
				}
			}
			step(0, "t1")
			step(tt.life-time.Millisecond, "t1")
			step(time.Millisecond, "t2")
		})
	}
}

// The life of a token begins when it is asked for: the server's word is as old
// as its answer.
func TestSlowTokens(t *testing.T) {
	asked := 0
	bubble(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(5 * time.Second)
		asked++
		grant(w, fmt.Sprint("t", asked), 100)
	}, func(t *testing.T, w *Wallet) {
		for _, tt := range []struct {
			wait time.Duration
			want string
		}{{0, "t1"}, {85*time.Second - time.Millisecond, "t1"}, {time.Millisecond, "t2"}} {
			time.Sleep(tt.wait)
			if got, err := apply(t.Context(), w); err != nil || got != tt.want {
				t.Errorf("later by %s: token = %q, %v, want %s", tt.wait, got, err, tt.want)
			}
		}
	})
}

func TestSilentTokenServers(t *testing.T) {
	bubble(t, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}, func(t *testing.T, w *Wallet) {
		begin := time.Now()
		_, err := apply(t.Context(), w)
		want := `credential "partner": token server http://localhost:9000/token: no whole answer within 10s`
		if err == nil || err.Error() != want || time.Since(begin) != tokenTimeout {
			t.Errorf("error = %v after %s, want %s", err, time.Since(begin), want)
		}
		w.Timeout = time.Second
		if _, err = apply(t.Context(), w); err == nil || !strings.HasSuffix(err.Error(), "no whole answer within 1s") {
			t.Errorf("error = %v", err)
		}
	})
}

// Who began a token request may leave, and it goes on for the others; once
// nobody waits, it ends.
func TestTokenRequestsOutliveTheFirstCaller(t *testing.T) {
	ended := 0
	var release chan struct{} // of the bubble
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
			grant(w, "t", 3600)
		case <-r.Context().Done():
			ended++
		}
	}, func(t *testing.T, w *Wallet) {
		release = make(chan struct{})
		enough := errors.New("enough")
		call := func(ctx context.Context) <-chan string {
			done := make(chan string, 1)
			go func() {
				got, err := apply(ctx, w)
				done <- fmt.Sprint(got, err)
			}()
			synctest.Wait()
			return done
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		alone, begin := call(ctx), time.Now()
		cancel(enough)
		want := `credential "partner": token server http://localhost:9000/token: enough`
		if got := <-alone; got != want {
			t.Errorf("outcome = %s, want %s", got, want)
		}
		synctest.Wait()
		if ended != 1 || !time.Now().Equal(begin) {
			t.Error("the request goes on although nobody waits")
		}
		ctx, cancel = context.WithCancelCause(t.Context())
		first, second := call(ctx), call(t.Context())
		cancel(enough)
		if got := <-first; got != want {
			t.Errorf("outcome = %s, want %s", got, want)
		}
		release <- struct{}{}
		if got := <-second; got != "t<nil>" || ended != 1 {
			t.Errorf("outcome = %s, want the token", got)
		}
	})
}

// A token that an agent refuses is replaced, once for all who were refused with
// it; one that took its place stays for a while.
func TestRefusedTokens(t *testing.T) {
	asked := 0
	bubble(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		grant(w, fmt.Sprint("t", asked), 3600)
	}, func(t *testing.T, w *Wallet) {
		call := func() *Use {
			u := w.Use("partner")
			if err := u.Apply(must(http.NewRequest(http.MethodGet, "https://a.example/", nil))); err != nil {
				t.Fatal(err)
			}
			return u
		}
		var uses []*Use
		for range 100 {
			uses = append(uses, call())
		}
		for _, u := range uses {
			if !u.Refused() {
				t.Fatal("no second try although the token was an old one")
			}
			if u.Refused() {
				t.Fatal("a third try")
			}
			call()
		}
		if asked != 2 {
			t.Errorf("asked %d times, want twice", asked)
		}
		if call().Refused() || asked != 2 {
			t.Error("the token that took the place of another is given up at once")
		}
		time.Sleep(forcedGap)
		if !call().Refused() {
			t.Error("the token that took the place of another stays for ever")
		}
		if got, _ := apply(t.Context(), w); got != "t3" {
			t.Errorf("token = %s, want t3", got)
		}
	})
}

func TestRefusedWithoutAToken(t *testing.T) {
	for _, tt := range kinds {
		a := newAgent(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
		w := wallet(t, Credential{Name: "partner", Origins: []string{a.URL}, Kind: tt.kind})
		if code, _, err := send(t, w, a.URL); err != nil || code != 401 || len(a.requests()) != 1 {
			t.Errorf("%s: %d, %v after %d requests, want one", tt.name, code, err, len(a.requests()))
		}
	}
	if new(Use).Refused() {
		t.Error("a Use that sent nothing was refused")
	}
}

// An agent that gives up our token gets another one in the same call, and one
// that takes none does not make us ask for ever.
func TestSecondTry(t *testing.T) {
	var good atomic.Value
	good.Store("Bearer t1")
	var asked atomic.Int32
	a := newAgent(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != good.Load() {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	server := newAgent(t, func(w http.ResponseWriter, _ *http.Request) { grant(w, fmt.Sprint("t", asked.Add(1)), 3600) })
	w := of(t, a.URL, server.URL)
	var codes []int
	for _, now := range []string{"Bearer t1", "Bearer t2", "none", "none"} {
		good.Store(now)
		code, _, err := send(t, w, a.URL)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, code)
	}
	if want := []int{200, 200, 401, 401}; !slices.Equal(codes, want) || asked.Load() != 2 || len(a.requests()) != 5 {
		t.Errorf("answers %v after %d tokens and %d requests, want %v after 2 and 5", codes, asked.Load(), len(a.requests()), want)
	}
}

// The secret is read for each token request.
func TestSecretsOfTokenServersAreReadAgain(t *testing.T) {
	path := file(t, canary+"-1")
	server := newAgent(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"t","token_type":"bearer","expires_in":1e-9}`)
	})
	w := wallet(t, Credential{Name: "partner", Origins: []string{"https://a.example"}, Kind: ClientCredentials{TokenURL: server.URL, ClientID: "x", Secret: File(path)}})
	for _, text := range []string{canary + "-1", canary + "-2"} {
		rewrite(t, path, text)
		if _, err := apply(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(t, path, "")
	_, err := apply(t.Context(), w)
	want := `credential "partner": token server ` + server.URL + ": client_secret: " + path + ": the value is empty"
	if err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
	var got []string
	for _, r := range server.requests() {
		_, password, _ := r.BasicAuth()
		got = append(got, password)
	}
	if !slices.Equal(got, []string{canary + "-1", canary + "-2"}) {
		t.Errorf("the token server received %q", got)
	}
}
