package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/a2alock/a2alock/internal/slacktest"
)

// hookSecret is what messages to a [hook] are signed with.
const hookSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

// A hook is a receiver of messages, which holds them to Standard Webhooks.
type hook struct {
	server *httptest.Server
	slack  slacktest.Server // under /services/ and /api/
	closed chan struct{}

	mu     sync.Mutex
	status int // 0: no answer
	had    []had
	faults []string
	asked  string    // with what it was asked for cards
	took   func(had) // where not nil, called for each message before it is answered
}

// A had is one message as it came.
type had struct {
	id    string
	event struct {
		ID      string
		Type    string
		Subject string
		Data    json.RawMessage
	}
	request string // header and body
	body    []byte
}

func newHook() *hook {
	h := &hook{status: http.StatusNoContent, closed: make(chan struct{})}
	h.server = httptest.NewServer(h)
	return h
}

func (h *hook) close() {
	close(h.closed)
	h.server.Close()
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender is gone, and has not told anything
	}
	m := had{id: r.Header.Get("Webhook-Id"), request: r.Method + " " + r.URL.Path + "\n" + headers(r.Header) + string(body) + "\n", body: body}
	if r.Method == http.MethodGet { // an agent that moved here
		h.mu.Lock()
		h.asked += r.Method + " " + r.URL.Path + "\n" + headers(r.Header)
		h.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	if isSlack(r) {
		h.serveSlack(w, r, body)
		return
	}
	fault := verify(r.Header, body)
	if err := json.Unmarshal(body, &m.event); err != nil {
		fault = err.Error()
	}
	if m.event.ID != m.id {
		fault = fmt.Sprintf("the id of the event is %q, that of the webhook %q", m.event.ID, m.id)
	}
	h.mu.Lock()
	if fault != "" {
		h.faults = append(h.faults, fault)
	}
	h.had = append(h.had, m)
	status, took := h.status, h.took
	h.mu.Unlock()
	if took != nil {
		took(m)
	}
	if status == 0 {
		select {
		case <-h.closed:
		case <-r.Context().Done():
		}
		return
	}
	refuse(w, r, status)
}

// refuse answers with status, and tells the sender its own secrets.
func refuse(w http.ResponseWriter, r *http.Request, status int) {
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		fmt.Fprintf(w, "%s %s\n", r.URL, r.Header.Get("Authorization"))
	}
}

// isSlack reports whether a request is for an incoming webhook of Slack's, or
// its API.
func isSlack(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/services/") || strings.HasPrefix(r.URL.Path, "/api/")
}

func (h *hook) serveSlack(w http.ResponseWriter, r *http.Request, body []byte) {
	h.mu.Lock()
	status := h.status
	h.mu.Unlock()
	if status != http.StatusNoContent {
		refuse(w, r, status)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.slack.ServeHTTP(w, r)
}

func headers(h http.Header) string {
	var b strings.Builder
	_ = h.Write(&b)
	return b.String()
}

// verify says what is wrong with a signature, as a receiver of Standard
// Webhooks would.
func verify(h http.Header, body []byte) string {
	id, at := h.Get("Webhook-Id"), h.Get("Webhook-Timestamp")
	var seconds int64
	if _, err := fmt.Sscan(at, &seconds); err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return fmt.Sprintf("webhook-timestamp: %q", at)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(hookSecret, "whsec_"))
	if err != nil {
		return err.Error()
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for sig := range strings.FieldsSeq(h.Get("Webhook-Signature")) {
		if hmac.Equal([]byte(sig), []byte(want)) {
			return ""
		}
	}
	return "webhook-signature: none that verifies"
}

// messages are those that came so far, and what was wrong with them.
func (h *hook) messages() ([]had, []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]had(nil), h.had...), append([]string(nil), h.faults...)
}

func (h *hook) answer(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}
