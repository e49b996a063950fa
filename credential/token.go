package credential

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/a2alock/a2alock/internal/echo"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/netguard"
)

const (
	// early is how long before its end a token is given up, or a tenth of its
	// life where that is less: a request with it is on its way for a while.
	early = time.Minute
	// unsaid is the life of a token that does not say how long it has.
	unsaid = 5 * time.Minute
	// longest is the longest life that is believed.
	longest = 1<<31*time.Second - time.Second
	// forcedGap is how long a token stays that took the place of a refused one:
	// an agent that refuses every token does not make us ask for one each time.
	forcedGap = time.Minute

	tokenBytes   = 64 << 10 // of a token server's answer
	tokenTimeout = 10 * time.Second
)

// TokenError is why a token server gave no token. It quotes nothing of what
// went out, and of the answer nothing but the status and the error code.
type TokenError struct {
	Name string // of the credential
	URL  string // of the token server, redacted
	// Status and Code (RFC 6749 5.2) are of its answer; 0 and "" where it gave
	// none, or one that is no error.
	Status int
	Code   string
	Err    error // nil where Status says it all
}

// Error names the credential and the token server.
func (e *TokenError) Error() string {
	s := fmt.Sprintf("credential %q: token server %s", e.Name, e.URL)
	if e.Status != 0 {
		s += fmt.Sprintf(" answered %d", e.Status)
	}
	if e.Code != "" {
		s += fmt.Sprintf(" (%s)", e.Code)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap is Err.
func (e *TokenError) Unwrap() error { return e.Err }

// tokens are what one credential has of a token server.
type tokens struct {
	mu     sync.Mutex
	held   *token
	flight *tokenFlight
	forced bool // the next token is asked for since the last one was refused
}

// A token is good until the moment it is given up.
type token struct {
	text   func() string // a func, as in Value
	since  time.Time
	until  time.Time
	forced bool
}

// A tokenFlight is a request under way, and those who wait for it.
type tokenFlight struct {
	waiting int // under tokens.mu; at 0 it ends
	cancel  context.CancelCauseFunc
	done    chan struct{}
	// Set before done is closed.
	token *token
	err   error
}

// invalidate gives up the token that req carried, and was answered 401 for. It
// reports whether another try may fare better.
func (t *tokens) invalidate(req *http.Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch sent, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer "); {
	case t.held == nil || t.held.text() != sent:
		return true // somebody else was refused first
	case t.held.forced && time.Since(t.held.since) < forcedGap:
		return false
	}
	t.held, t.forced = nil, true
	return true
}

// token is the one that is kept, or a new one. Calls that coincide share one
// request; ctx ends the waiting of its caller, and the request when nobody waits
// any more.
func (w *Wallet) token(ctx context.Context, e *entry, c ClientCredentials) (*token, error) {
	t := &e.tokens
	t.mu.Lock()
	if t.held != nil && time.Now().Before(t.held.until) {
		defer t.mu.Unlock()
		return t.held, nil
	}
	f := t.flight
	if f == nil {
		f = w.launch(ctx, e, c)
	}
	f.waiting++
	t.mu.Unlock()
	select {
	case <-f.done:
		return f.token, f.err
	case <-ctx.Done():
	}
	t.mu.Lock()
	f.waiting--
	last := f.waiting == 0
	if last && t.flight == f {
		t.flight = nil
	}
	t.mu.Unlock()
	if last {
		f.cancel(context.Cause(ctx))
		<-f.done // it ends at once, and nothing of it is left when we return
	}
	return nil, &TokenError{Name: e.Name, URL: redact.URL(c.TokenURL), Err: context.Cause(ctx)}
}

// launch begins a flight; tokens.mu is held.
func (w *Wallet) launch(ctx context.Context, e *entry, c ClientCredentials) *tokenFlight {
	t := &e.tokens
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &tokenFlight{cancel: cancel, done: make(chan struct{})}
	t.flight = f
	forced := t.forced
	go func() {
		defer cancel(nil)
		got, err := w.ask(ctx, e.Name, c)
		t.mu.Lock()
		if got != nil {
			got.forced = forced
		}
		if t.flight == f {
			t.flight = nil
			if got != nil {
				t.held, t.forced = got, false
			}
		}
		t.mu.Unlock()
		f.token, f.err = got, err
		close(f.done)
	}()
	return f
}

// ask is one token request. Its error is a [*TokenError].
func (w *Wallet) ask(ctx context.Context, name string, c ClientCredentials) (*token, error) {
	fail := &TokenError{Name: name, URL: redact.URL(c.TokenURL)}
	secret, err := c.Secret.read(c, func(text string) { w.warn(name, text) })
	if err != nil {
		fail.Err = fmt.Errorf("client_secret: %w", err)
		return nil, fail
	}
	limit := cmp.Or(w.Timeout, tokenTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no whole answer within %s", limit))
	defer cancel()
	conf := clientcredentials.Config{
		ClientID: c.ClientID, ClientSecret: secret, TokenURL: c.TokenURL,
		Scopes: c.Scopes, EndpointParams: c.Params, AuthStyle: oauth2.AuthStyleInHeader,
	}
	if c.AuthStyle == AuthParams {
		conf.AuthStyle = oauth2.AuthStyleInParams
	}
	guard := w.guard().Named(c.TokenURL).As(netguard.Identity{Name: name})
	trip := &tokenTrip{guard: guard, userAgent: cmp.Or(w.UserAgent, "a2alock")}
	client := &http.Client{Transport: trip, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	begin := time.Now()
	got, err := conf.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if err == nil {
		err = usable(got)
	}
	if err == nil {
		life := cmp.Or(trip.life, max(0, time.Until(got.Expiry)), unsaid)
		text := got.AccessToken
		return &token{text: func() string { return text }, since: begin, until: begin.Add(life - min(early, life/10))}, nil
	}
	if ctx.Err() != nil {
		trip.err = context.Cause(ctx) // the transport's word for it is "context deadline exceeded"
	}
	trip.blame(fail, err)
	// The forms that go out: in params, and in the header.
	own := echo.Of(secret, base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(c.ClientID)+":"+url.QueryEscape(secret))))
	if fail.Err != nil && own.In(fail.Err.Error()) {
		fail.Err = errors.New("its answer repeats the secret")
	}
	if own.In(fail.Code) {
		fail.Code = ""
	}
	return nil, fail
}

// usable refuses tokens that are no bearer's: whoever sends one as if it were
// shows it without the proof that it asks for (RFC 6749 7.1).
func usable(got *oauth2.Token) error {
	switch {
	case got.TokenType == "":
		return errors.New("the token has no token_type, and so is not said to be a bearer's")
	case !strings.EqualFold(got.TokenType, "bearer"):
		return errors.New("the token's token_type is not bearer, and no other can be used")
	case check(got.AccessToken) != nil || fits(Bearer{}, got.AccessToken) != nil:
		return errors.New("the token holds characters that no header takes")
	}
	return nil
}

// A tokenTrip carries one token request, and keeps what came of it: the errors
// of package oauth2 quote the answer.
type tokenTrip struct {
	guard     *netguard.Guard
	userAgent string

	status int
	err    error
	life   time.Duration // of the token; 0 where the answer does not say it
}

// RoundTrip implements [http.RoundTripper].
func (t *tokenTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", t.userAgent)
	res, _, err := t.guard.Send(req.Context(), req, netguard.Way{})
	if err != nil {
		t.err = err
		return nil, err
	}
	t.status = res.StatusCode
	data, err := io.ReadAll(io.LimitReader(res.Body, tokenBytes+1))
	res.Body.Close()
	if err == nil && len(data) > tokenBytes {
		err = fmt.Errorf("its answer is over %d bytes", tokenBytes)
	}
	if err != nil {
		t.err = err
		return nil, err
	}
	data, t.life = untimed(data)
	res.Body = io.NopCloser(bytes.NewReader(data))
	return res, nil
}

// untimed takes how long a token lives out of an answer in JSON: where package
// oauth2 cannot read that, it throws the token away.
func untimed(data []byte) ([]byte, time.Duration) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return data, 0
	}
	var life time.Duration
	for _, name := range slices.Sorted(maps.Keys(members)) { // the name as it should be comes last
		if strings.EqualFold(name, "expires_in") {
			life = lifeOf(strings.Trim(string(members[name]), `"`))
			delete(members, name)
		}
	}
	if out, err := json.Marshal(members); err == nil {
		return out, life
	}
	return data, life
}

// lifeOf reads a number of seconds, 0 where it is none.
func lifeOf(text string) time.Duration {
	seconds, err := strconv.ParseFloat(text, 64)
	switch {
	case seconds >= longest.Seconds():
		return longest // also of one that no float holds
	case err != nil || !(seconds > 0): // or not a number
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// oauthCode is the form of the codes that there are (RFC 6749 11.4).
var oauthCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,63}$`) })

// blame says in fail what err, of package oauth2 or our own, is about.
func (t *tokenTrip) blame(fail *TokenError, err error) {
	e, answered := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case t.err != nil:
		fail.Err = t.err
	case answered:
		fail.Status = t.status
		if oauthCode().MatchString(e.ErrorCode) {
			fail.Code = e.ErrorCode
		}
		if t.status/100 == 3 {
			fail.Err = errors.New("a redirect is not followed with a secret: write the URL that it leads to into token_url")
		}
	case strings.HasPrefix(err.Error(), "oauth2: "):
		fail.Status, fail.Err = t.status, errors.New("the answer holds no token")
	default:
		fail.Status, fail.Err = t.status, err
	}
}
