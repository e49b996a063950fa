package notify

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/attempt"
	"github.com/a2alock/a2alock/internal/message"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/webhook"
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
	t := &telling{Telling: message.Sample(sink, from, route.Key(sink, from, "sample", at.UTC().Format(time.RFC3339Nano)), at)}
	m := (message.Renderer{PublicURL: strings.TrimSuffix(w.PublicURL, "/")}).Message(&t.Telling)
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	_, err := s.send(ctx, &delivery{id: webhook.ID(t.Row.Key), tellings: []*telling{t}, messages: []*message.Message{m}})
	if err == nil {
		return nil
	}
	return fmt.Errorf("sink %s: %s", sink, attempt.Judge(err, attempt.Secrets(w.Notify.Sinks[sink])).Reason)
}
