package attempt

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/slack"
	"github.com/a2alock/a2alock/internal/webhook"
)

func TestJudge(t *testing.T) {
	status := func(code int) error { return &webhook.StatusError{Code: code, RetryAfter: time.Second} }
	for _, tt := range []struct {
		name string
		err  error
		want Result
	}{
		{"nothing", nil, Result{}},
		{"a redirect", status(302), Result{Outcome: Retry, Reason: "answered 302 Found", After: time.Second}},
		{"bad", status(400), Result{Outcome: Dead, Reason: "answered 400 Bad Request", After: time.Second}},
		{"not allowed", status(401), Result{Outcome: Refused, Reason: "answered 401 Unauthorized", After: time.Second}},
		{"not there", status(404), Result{Outcome: Refused, Reason: "answered 404 Not Found", After: time.Second}},
		{"too slow", status(408), Result{Outcome: Retry, Reason: "answered 408 Request Timeout", After: time.Second}},
		{"gone", status(410), Result{Outcome: Gone, Reason: "answered 410 Gone", After: time.Second}},
		{"broken", status(503), Result{Outcome: Retry, Reason: "answered 503 Service Unavailable", After: time.Second}},
		{"Slack's word", &slack.Error{Code: 403, Reason: "missing_scope"}, Result{Outcome: Refused, Reason: `Slack answered 403: "missing_scope"`}},
		{"no connection", &net.OpError{Op: "dial", Err: errors.New("refused")}, Result{Outcome: Retry, Reason: "dial: refused"}},
		{"no answer", errors.New("reset"), Result{Outcome: Retry, Reason: "reset", Unsure: true}},
	} {
		if got := Judge(tt.err, nil); got != tt.want {
			t.Errorf("%s: Judge = %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// What a refusing receiver repeats of its URL, however long and in whatever form,
// stands nowhere.
func TestReasonHidesEveryFormOfAURL(t *testing.T) {
	c := config.Sink{Webhook: &config.Webhook{
		URL:     "https://ops.example/in/c4n4ry%2Dsegment?key=c4n4ry%20value%21&v=1",
		Secrets: []string{"whsec_YzRuNHJ5LXNlY3JldC1zZWNyZXQ="},
	}}
	secrets := Secrets(c)
	for _, shown := range []string{
		c.Webhook.URL, "/in/c4n4ry%2Dsegment", "/in/c4n4ry-segment", "c4n4ry-segment", "c4n4ry%2Dsegment",
		"c4n4ry value!", "c4n4ry%20value%21", c.Webhook.Secrets[0], "YzRuNHJ5LXNlY3JldC1zZWNyZXQ=",
	} {
		for pad := range 210 {
			said := strings.Repeat("x", pad) + shown
			for _, err := range []error{
				&webhook.StatusError{Code: 403, Reason: said}, &slack.Error{Code: 403, Reason: said}, errors.New(said),
			} {
				if got := Judge(err, secrets).Reason; strings.Contains(got, "c4n") || strings.Contains(got, "YzRu") {
					t.Fatalf("%q behind %d bytes is shown as %q", shown, pad, got)
				}
			}
		}
	}
}
