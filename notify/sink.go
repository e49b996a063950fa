package notify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/slack"
	"github.com/a2alock/a2alock/internal/webhook"
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

// bucketOf is shared by sinks of one channel; nil where there is no limit.
func bucketOf(s sender, shared map[string]*slack.Bucket) *slack.Bucket {
	sink, ok := s.(*slackSink)
	if !ok {
		return nil
	}
	key := sink.client.Bucket()
	if shared[key] == nil {
		shared[key] = slack.NewBucket()
	}
	return shared[key]
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
