package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The vector of Standard Webhooks' own libraries.
func TestSignIsTheOfficialVector(t *testing.T) {
	secret, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := secret.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("Sign = %s, want %s", got, want)
	}
}

// verify is Standard Webhooks' verification: the age of the timestamp, then one
// signature of version 1 that fits.
func verify(secret Secret, h http.Header, body []byte, now time.Time) error {
	id, stamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return err
	}
	at := time.Unix(seconds, 0)
	if d := now.Sub(at); d > 5*time.Minute || d < -5*time.Minute {
		return fmt.Errorf("timestamp %s is %s away", stamp, d)
	}
	want := secret.Sign(id, at, body)
	for s := range strings.SplitSeq(h.Get("webhook-signature"), " ") {
		if strings.HasPrefix(s, "v1,") && hmac.Equal([]byte(s), []byte(want)) {
			return nil
		}
	}
	return errors.New("no signature fits")
}

func TestSendVerifiesDuringRotation(t *testing.T) {
	old, _ := ParseSecret("whsec_b2xkLW9sZC1vbGQtb2xkLW9sZC1vbGQ=")
	young, _ := ParseSecret("a plain secret of some length")
	other, _ := ParseSecret("whsec_b3RoZXItb3RoZXItb3RoZXItb3RoZXI")
	var header http.Header
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, body = r.Header.Clone(), must(io.ReadAll(r.Body))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	c := Client{URL: server.URL, Secrets: []Secret{old, young}, UserAgent: "a2alockd/1"}
	at := time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)
	event := Event{ID: ID("key"), Source: "/here", Type: "t", Subject: "s", Time: at, Data: map[string]any{"n": 1}}
	if err := c.Send(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Secret{"old": old, "new": young} {
		if err := verify(s, header, body, time.Now()); err != nil {
			t.Errorf("with the %s secret: %v", name, err)
		}
	}
	if verify(other, header, body, time.Now()) == nil {
		t.Error("another secret verifies")
	}
	if verify(old, header, append(body, ' '), time.Now()) == nil {
		t.Error("another body verifies")
	}
	if got := header.Get("Content-Type"); got != "application/cloudevents+json" {
		t.Errorf("Content-Type = %q", got)
	}
	want := `{"specversion":"1.0","id":"` + ID("key") + `","source":"/here","type":"t","subject":"s",` +
		`"time":"2026-10-02T08:30:00Z","datacontenttype":"application/json","data":{"n":1}}`
	if string(body) != want {
		t.Errorf("body = %s\nwant   %s", body, want)
	}
	if header.Get("Webhook-Id") != ID("key") {
		t.Errorf("webhook-id = %s, want the event's id", header.Get("Webhook-Id"))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestID(t *testing.T) {
	id := ID("travel|r|lock@1|1|opened|breaking|sha256:x|0")
	if len(id) != idLength || strings.ToLower(id) != id || strings.Contains(id, ".") {
		t.Errorf("ID = %q, want 26 lower-case characters without a dot", id)
	}
	if ID("a") == ID("b") || ID("a") != "zklycewkdo64v6wcggzzui64jw" {
		t.Error("ID is not a function of its key")
	}
}

func TestParseSecretHidesWhatItRefuses(t *testing.T) {
	for _, s := range []string{"", "whsec_", "whsec_canary!!"} {
		_, err := ParseSecret(s)
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("ParseSecret(%q) = %v, want an error without the secret", s, err)
		}
	}
	s, _ := ParseSecret("canary")
	if got := fmt.Sprintf("%v %+v %#v %s", s, s, s, s); strings.Contains(got, "canary") || strings.Contains(got, "99") {
		t.Errorf("a printed secret shows: %s", got)
	}
}

func TestSendErrors(t *testing.T) {
	tests := []struct {
		name string
		code int
		head http.Header
		want StatusError
	}{
		{"seconds", 429, http.Header{"Retry-After": {"3"}}, StatusError{429, "no", 3 * time.Second}},
		{"a date against another clock", 503, http.Header{
			"Date":        {"Fri, 02 Oct 2026 08:30:00 GMT"},
			"Retry-After": {"Fri, 02 Oct 2026 08:32:00 GMT"},
		}, StatusError{503, "no", 2 * time.Minute}},
		{"the past", 503, http.Header{
			"Date": {"Fri, 02 Oct 2026 08:30:00 GMT"}, "Retry-After": {"Fri, 02 Oct 2026 08:20:00 GMT"},
		}, StatusError{503, "no", 0}},
		{"garbage", 503, http.Header{"Retry-After": {"soon"}}, StatusError{503, "no", 0}},
		{"negative", 503, http.Header{"Retry-After": {"-3"}}, StatusError{503, "no", 0}},
		{"a year", 503, http.Header{"Retry-After": {"31536000"}}, StatusError{503, "no", 24 * time.Hour}},
		{"a redirect is not followed", 307, http.Header{"Location": {"/elsewhere"}}, StatusError{307, "no", 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				maps.Copy(w.Header(), tt.head)
				w.WriteHeader(tt.code)
				io.WriteString(w, "no")
			}))
			defer server.Close()
			c := Client{URL: server.URL + "/canary"}
			err := c.Send(t.Context(), Event{ID: "x"})
			got, ok := errors.AsType[*StatusError](err)
			if !ok || *got != tt.want {
				t.Errorf("Send = %+v, want %+v", err, tt.want)
			}
			if calls != 1 {
				t.Errorf("the server saw %d requests, want 1", calls)
			}
		})
	}
}

func TestSendErrorsHideTheURL(t *testing.T) {
	for _, u := range []string{"http://127.0.0.1:1/canary", "http://[canary", "canary:// x"} {
		c := Client{URL: u}
		if err := c.Send(t.Context(), Event{ID: "x"}); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("Send to %s = %v, want an error without the URL", u, err)
		}
	}
}

func TestHashOf(t *testing.T) {
	for i := range 1000 {
		key := fmt.Sprint("key ", i)
		sum := sha256.Sum256([]byte(key))
		if got, ok := HashOf(ID(key)); !ok || !bytes.Equal(got, sum[:16]) {
			t.Fatalf("HashOf(%s) = %x, %v, want %x", ID(key), got, ok, sum[:16])
		}
	}
	for _, id := range []string{"", "nosuch", strings.Repeat("a", 25), strings.Repeat("a", 27), strings.Repeat("A", 26), strings.Repeat("1", 26)} {
		if _, ok := HashOf(id); ok {
			t.Errorf("HashOf(%q) takes it for an id", id)
		}
	}
}

// A reason is whole, so that what is secret in it can be found.
func TestReasonIsNotCut(t *testing.T) {
	said := strings.Repeat("x", 190) + "canary-that-is-long"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, said)
	}))
	defer server.Close()
	err := (&Client{URL: server.URL}).Send(t.Context(), Event{ID: "x"})
	if got, ok := errors.AsType[*StatusError](err); !ok || got.Reason != said {
		t.Errorf("Send = %+v, want the reason %q", err, said)
	}
}

// A body is a body that says nothing until it is closed.
type body struct{ closed chan struct{} }

func (b body) Read([]byte) (int, error) { <-b.closed; return 0, io.ErrClosedPipe }

func (b body) Close() error { close(b.closed); return nil }

func TestSendEndsWhereTheAnswerDoesNot(t *testing.T) {
	for code, after := range map[int]time.Duration{101: 0, 503: sendTimeout, 200: sendTimeout} {
		synctest.Test(t, func(t *testing.T) {
			b := body{make(chan struct{})}
			c := Client{URL: "https://hooks.example/", Transport: answers(func() *http.Response {
				return &http.Response{StatusCode: code, Body: onceClosed{b, sync.OnceValue(b.Close)}}
			})}
			begun := time.Now()
			err := c.Send(t.Context(), Event{ID: "x"})
			if got, ok := errors.AsType[*StatusError](err); code != 200 && (!ok || got.Code != code) || code == 200 && err != nil {
				t.Errorf("%d: Send = %v", code, err)
			}
			if got := time.Since(begun); got != after {
				t.Errorf("%d: Send took %s, want %s", code, got, after)
			}
			<-b.closed
		})
	}
}

type onceClosed struct {
	io.Reader
	close func() error
}

func (b onceClosed) Close() error { return b.close() }

type answers func() *http.Response

func (f answers) RoundTrip(*http.Request) (*http.Response, error) { return f(), nil }
