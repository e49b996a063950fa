package notify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/slack"
	"github.com/a2alock/a2alock/internal/webhook"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/store"
)

// A delivery is what goes out as one message: one telling, or many of a group.
type delivery struct {
	id       string // the webhook-id
	tellings []*telling
	messages []*message.Message // one for each telling
	// thread is where the episode of a single telling goes on; opening is what
	// stands there.
	thread  store.Thread
	opening *message.Message
}

// A sender is one kind of sink. It returns where a message began that can be
// gone on from.
type sender interface {
	send(ctx context.Context, d *delivery) (store.Thread, error)
}

// newSender makes what a sink is configured to be.
func (w *Worker) newSender(name string, c config.Sink) (sender, error) {
	switch {
	case c.Slack != nil:
		return &slackSink{public: w.PublicURL, client: slack.Client{
			WebhookURL: c.Slack.WebhookURL, Token: c.Slack.Token, Channel: c.Slack.Channel,
			APIURL: c.Slack.APIURL, Transport: w.Transport,
		}}, nil
	case c.Webhook != nil:
		hook := &webhookSink{client: webhook.Client{
			URL: c.Webhook.URL, Transport: w.Transport, UserAgent: w.UserAgent,
		}, source: cmp.Or(w.PublicURL, "/a2alockd")}
		for _, s := range c.Webhook.Secrets {
			secret, err := webhook.ParseSecret(s)
			if err != nil {
				return nil, fmt.Errorf("sink %s: %w", name, err)
			}
			hook.client.Secrets = append(hook.client.Secrets, secret)
		}
		return hook, nil
	}
	return &logSink{log: w.log(), sink: name}, nil
}

// secretsOf are what no error of a sink may show.
func secretsOf(c config.Sink) []string {
	var list []string
	add := func(s string) {
		if len(s) > 3 {
			list = append(list, s)
		}
	}
	addURL := func(s string) {
		add(s)
		if u, err := url.Parse(s); err == nil {
			add(u.RequestURI())
			add(u.Path)
		}
	}
	if c.Slack != nil {
		addURL(c.Slack.WebhookURL)
		add(c.Slack.Token)
	}
	if c.Webhook != nil {
		addURL(c.Webhook.URL)
		for _, s := range c.Webhook.Secrets {
			add(s)
		}
	}
	return list
}

// configDigest names a configuration: a sink that was given up on is tried
// again with another.
func configDigest(c config.Sink) string {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // a struct of strings
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// A bucket lets one message a second through to one channel.
type bucket struct{ *rate.Limiter }

// bucketOf is shared by sinks of one channel; nil where there is no limit.
func bucketOf(s sender, shared map[string]*bucket) *bucket {
	sink, ok := s.(*slackSink)
	if !ok {
		return nil
	}
	key := sink.client.Bucket()
	if shared[key] == nil {
		shared[key] = &bucket{rate.NewLimiter(rate.Every(time.Second), 1)}
	}
	return shared[key]
}

func (b *bucket) wait(ctx context.Context) error {
	if b == nil {
		return ctx.Err()
	}
	return b.Wait(ctx)
}

// A logSink writes to the daemon's log.
type logSink struct {
	log  *slog.Logger
	sink string
}

func (s *logSink) send(ctx context.Context, d *delivery) (store.Thread, error) {
	for _, m := range d.messages {
		level := slog.LevelWarn
		if m.Over || m.Class == diff.Compatible {
			level = slog.LevelInfo
		}
		s.log.Log(ctx, level, "notification", "sink", s.sink, "kind", string(m.Kind), "class", m.Class.String(), "text", m.Text())
	}
	return store.Thread{}, nil
}

// An outcome is what an attempt says about its row and its sink.
type outcome int

const (
	delivered outcome = iota
	retry             // later, by the schedule
	dead              // never: the message is at fault
	refused           // the sink is at fault, and a person has to look
	gone              // and the sink is no more
	cutShort          // nothing: the daemon ended
)

// A result is what came of an attempt.
type result struct {
	outcome outcome
	reason  string        // without secrets
	after   time.Duration // how long the sink asked to be left alone
	// unsure is whether the receiver may have the message all the same.
	unsure bool
}

// judge reads the error of a send.
func judge(err error, secrets []string) result {
	if err == nil {
		return result{outcome: delivered}
	}
	r := result{outcome: retry, reason: scrub(err.Error(), secrets)}
	code := 0
	if e, ok := errors.AsType[*webhook.StatusError](err); ok {
		code, r.after = e.Code, e.RetryAfter
	} else if e, ok := errors.AsType[*slack.Error](err); ok {
		code, r.after = e.Code, e.RetryAfter
	} else {
		// Nothing came back. Unless no connection was made, who knows?
		r.unsure = !isDial(err)
		return r
	}
	switch {
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
	case code == http.StatusGone:
		r.outcome = gone
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusNotFound, code/100 == 3:
		r.outcome = refused // a redirect is not followed: whoever moved a receiver tells its senders
	case code/100 == 4:
		r.outcome = dead
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

// scrub takes secrets out of what an error says, and makes a line of it.
func scrub(s string, secrets []string) string {
	for _, secret := range secrets {
		s = strings.ReplaceAll(s, secret, "REDACTED")
	}
	return message.Line(s, message.TextWidth)
}

// A webhookSink posts signed CloudEvents.
type webhookSink struct {
	client webhook.Client
	source string
}

const eventType = "com.github.a2alock."

func (s *webhookSink) send(ctx context.Context, d *delivery) (store.Thread, error) {
	first := d.tellings[0]
	e := webhook.Event{ID: d.id, Source: s.source, Type: eventType + string(first.Row.Kind), Subject: first.Row.Lock, Time: first.At()}
	if len(d.tellings) == 1 {
		e.Data = message.NewPayload(&first.Telling, d.messages[0])
		return store.Thread{}, s.client.Send(ctx, e)
	}
	var group struct {
		Settles  []string           `json:"settles"` // the keys of what it tells
		Messages []*message.Payload `json:"messages"`
	}
	for i, t := range d.tellings {
		group.Settles = append(group.Settles, t.Row.Key)
		group.Messages = append(group.Messages, message.NewPayload(&t.Telling, d.messages[i]))
		if at := t.At(); at.After(e.Time) {
			e.Time = at
		}
	}
	e.Type, e.Subject, e.Data = eventType+"group", "", group
	return store.Thread{}, s.client.Send(ctx, e)
}
