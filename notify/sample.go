package notify

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/internal/webhook"
	"github.com/a2alock/a2alock/store"
)

// A Tested is what came of a sample message to one sink.
type Tested struct {
	Route, Sink string
	Err         error // nil: delivered. It holds no secret
}

// Test sends one sample message to each sink of a route, named by its place
// from 1 or by its ID, or of all routes where it is "". It needs no store. The
// error is about the route, or a sink's configuration.
func (w *Worker) Test(ctx context.Context, name string) ([]Tested, error) {
	var list []Tested
	var ids []string
	at := time.Now()
	for i, to := range route.New(&w.Notify).Routes() {
		ids = append(ids, fmt.Sprintf("%d (%s)", i+1, to.ID))
		if name != "" && name != to.ID && name != strconv.Itoa(i+1) {
			continue
		}
		for _, sink := range to.Sinks {
			s, err := w.newSender(sink, w.Notify.Sinks[sink])
			if err != nil {
				return nil, err
			}
			r := w.sample(ctx, s, sink, to.ID, at)
			list = append(list, Tested{Route: to.ID, Sink: sink, Err: r})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("route %q: want one of %s", name, strings.Join(ids, ", "))
	}
	return list, nil
}

func (w *Worker) sample(ctx context.Context, s sender, sink, from string, at time.Time) error {
	const digest = "sample"
	t := &telling{Telling: message.Telling{
		Now: at,
		Row: store.Row{
			Key: route.Key(sink, from, digest, at.UTC().Format(time.RFC3339Nano)), Sink: sink, Route: from,
			Lock: digest, Kind: store.KindSample, Class: diff.Review, CreatedAt: at,
		},
		Lock: &store.Lock{
			ID: digest, Path: "sample.a2a.lock.json", URL: "https://agent.example/.well-known/agent-card.json",
			Workflow: "sample", Owner: "you", Fallback: "human", State: verdict.State{Verdict: verdict.Review},
		},
		Transition: &store.Transition{
			Event: verdict.Event{Kind: store.KindSample, At: at, Class: diff.Review, Was: verdict.Compatible},
			Findings: []diff.Finding{{
				Rule: "agent-version-changed", Class: diff.Review, Was: "3.2.0", Now: "3.3.0",
				Message: "nothing happened: this is what a finding looks like",
			}},
		},
	}}
	m := (message.Renderer{PublicURL: strings.TrimSuffix(w.PublicURL, "/")}).Message(&t.Telling)
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	_, err := s.send(ctx, &delivery{id: webhook.ID(t.Row.Key), tellings: []*telling{t}, messages: []*message.Message{m}})
	if err == nil {
		return nil
	}
	return fmt.Errorf("sink %s: %s", sink, judge(err, secretsOf(w.Notify.Sinks[sink])).reason)
}
