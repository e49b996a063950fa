// Package attempt says what became of an attempt to send a message: what its
// error means for the message and for its sink, without the sink's secrets, and
// when to try again.
package attempt

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/slack"
	"github.com/a2alock/a2alock/internal/webhook"
	"github.com/a2alock/a2alock/netguard"
)

// An Outcome is what an attempt says about its row and its sink.
type Outcome int

// The outcomes.
const (
	Delivered Outcome = iota
	Retry             // later, by the schedule
	Dead              // never: the message is at fault
	Refused           // the sink is at fault, and a person has to look
	Gone              // and the sink is no more
	CutShort          // nothing: the daemon ended
)

// A Result is what came of an attempt.
type Result struct {
	Outcome Outcome
	Reason  string        // without secrets
	After   time.Duration // how long the sink asked to be left alone
	// Unsure is whether the receiver may have the message all the same.
	Unsure bool
}

// Judge reads the error of a send to a sink with these secrets.
func Judge(err error, secrets []string) Result {
	if err == nil {
		return Result{Outcome: Delivered}
	}
	r := Result{Outcome: Retry}
	code := 0
	if e, ok := errors.AsType[*webhook.StatusError](err); ok {
		code, r.After = e.Code, e.RetryAfter
		err = &webhook.StatusError{Code: code, Reason: hide(e.Reason, secrets)} // before it is cut and quoted
	} else if e, ok := errors.AsType[*slack.Error](err); ok {
		code, r.After = e.Code, e.RetryAfter
		err = &slack.Error{Code: code, Reason: hide(e.Reason, secrets)}
	}
	r.Reason = message.Line(hide(err.Error(), secrets), message.TextWidth)
	if code == 0 {
		// Nothing came back. Unless no connection was made, who knows?
		r.Unsure = !isDial(err)
		return r
	}
	switch {
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
	case code == http.StatusGone:
		r.Outcome = Gone
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusNotFound:
		r.Outcome = Refused
	case code/100 == 4:
		r.Outcome = Dead
	}
	return r
}

// isDial reports whether err is from before a connection stood.
func isDial(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	_, refused := errors.AsType[*netguard.Refused](err)
	_, dns := errors.AsType[*net.DNSError](err)
	return refused || dns
}

// hide takes secrets out of a text, of which none is cut off yet.
func hide(s string, secrets []string) string {
	for _, secret := range secrets {
		s = strings.ReplaceAll(s, secret, "REDACTED")
	}
	return s
}

// shortest is how long a part of a URL is that may be a secret of its own.
const shortest = 8

// Secrets are what no error of a sink may show, the longest first: a part does
// not hide the whole. Of a URL that is every part that can hold a secret, as it
// stands and decoded.
func Secrets(c config.Sink) []string {
	var list []string
	add := func(s string, least int) {
		if len(s) >= least {
			list = append(list, s)
		}
	}
	addURL := func(s string) {
		add(s, 4)
		u, err := url.Parse(s)
		if err != nil {
			return
		}
		add(u.RequestURI(), 4)
		add(u.EscapedPath(), 4)
		add(u.Path, 4)
		password, _ := u.User.Password()
		add(password, 4)
		parts := strings.Split(u.EscapedPath(), "/")
		for pair := range strings.SplitSeq(u.RawQuery, "&") {
			_, value, _ := strings.Cut(pair, "=")
			parts = append(parts, value)
		}
		for _, part := range parts {
			add(part, shortest)
			for _, decode := range []func(string) (string, error){url.PathUnescape, url.QueryUnescape} {
				if plain, err := decode(part); err == nil {
					add(plain, shortest)
				}
			}
		}
	}
	if c.Slack != nil {
		addURL(c.Slack.WebhookURL)
		add(c.Slack.Token, 4)
	}
	if c.Webhook != nil {
		addURL(c.Webhook.URL)
		for _, s := range c.Webhook.Secrets {
			add(s, 4)
			add(strings.TrimPrefix(s, "whsec_"), 4)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(list)
}

// Delays are the pauses after the first, second, … attempt; the last goes on.
var Delays = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Delay is the pause after that many attempts, spread so that rows which failed
// together do not come back together.
func Delay(attempts int) time.Duration {
	d := Delays[min(max(attempts, 1), len(Delays))-1]
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}
