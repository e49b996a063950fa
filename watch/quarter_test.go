package watch

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/notify"
	"github.com/a2alock/a2alock/store"
)

// A sink is a webhook's receiver.
type sink struct {
	mu     sync.Mutex
	status int
	got    []message
}

type message struct {
	at   time.Time
	id   string
	text string
}

func (s *sink) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status == http.StatusOK {
		s.got = append(s.got, message{time.Now(), r.Header.Get("webhook-id"), string(body)})
	}
	return &http.Response{StatusCode: s.status, Body: http.NoBody, Header: http.Header{}, Request: r}, nil
}

func (s *sink) answers(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// told counts the messages that hold all of words.
func (s *sink) told(words ...string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.got {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(m.text, word) }) {
			n++
		}
	}
	return n
}

// deliver runs deliveries beside the engine until the function it gives is
// called.
func (w *world) deliver(s *sink) (end func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	worker := &notify.Worker{Store: w.store, Notify: w.cfg.Notify, Transport: s, Wake: w.wake}
	go func() {
		defer close(done)
		if err := worker.Run(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	return func() { cancel(); <-done }
}

func (w *world) hook() {
	w.cfg.Notify = config.Notify{
		Sinks: map[string]config.Sink{"ops": {Webhook: &config.Webhook{
			URL: "https://hook.example.com/", Secrets: []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
		}}},
		Routes: []config.Route{{
			Sinks: []string{"ops"}, MinClass: diff.Review.String(), Resolve: true, Reminders: []time.Duration{4 * time.Hour, 24 * time.Hour},
		}},
		Fallback: "ops",
	}
}

// A sink that is away for six hours: what was told to have begun is told to have
// ended, in order, and nothing twice.
func TestSinkAway(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 5m")
		w.hook()
		for i := range 3 {
			w.add(i)
		}
		s := &sink{status: http.StatusOK}
		w.start()
		end := w.deliver(s)
		defer func() { end() }()
		w.pass(10 * time.Minute)
		w.serve(0, broken(0))
		w.pass(10 * time.Minute)
		if s.told("l0.a2a", "opened") != 1 {
			w.t.Fatalf("told: %v, events: %s", s.got, w.kinds("l0"))
		}
		s.answers(http.StatusInternalServerError)
		w.serve(0, whole(0))
		w.serve(1, broken(1)) // begins and ends inside
		w.pass(time.Hour)
		w.serve(1, whole(1))
		w.serve(2, broken(2)) // goes on
		w.pass(2 * time.Hour)
		end()
		w.restart()
		end = w.deliver(s)
		w.pass(3 * time.Hour)
		s.answers(http.StatusOK)
		w.pass(24 * time.Hour)
		if got := []int{s.told("l0.a2a", "resolved"), s.told("l1.a2a", "opened"), s.told("l2.a2a", "opened"), s.told("l2.a2a", "resolved")}; !slices.Equal(got, []int{1, 0, 1, 0}) {
			t.Errorf("resolves of l0, openings of l1 and l2, resolves of l2: %v", got)
		}
		ids := map[string]bool{}
		for _, m := range s.got {
			if ids[m.id] {
				t.Errorf("%s came twice", m.id)
			}
			ids[m.id] = true
		}
	})
}

// Ninety days of drift, outages, clocks that change in three zones, reminders and
// restarts. Once all is whole again every lock says so, each daily slot was run,
// every message that is due was delivered or is superseded, no message came twice,
// and whoever was told of an episode was told once that it has ended.
func TestNinetyDays(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}
	run(t, func(w *world) {
		rnd := rand.New(rand.NewPCG(1, 2))
		w.hook()
		w.every("@every 6h")
		w.cfg.Daemon.Agents = map[string]config.Agent{}
		for i := range 9 {
			w.add(i)
			if i < 3 {
				w.cfg.Daemon.Agents[url(i)] = config.Agent{Schedule: "30 2 * * *", Timezone: zones[i]}
			}
		}
		s := &sink{status: http.StatusOK}
		time.Sleep(time.Until(day(2000, 1, 25)))
		w.start()
		end := w.deliver(s)
		defer func() { end() }()
		slots := [3]map[string]int{{}, {}, {}}
		for d := range 66 {
			switch i := rnd.IntN(9); rnd.IntN(6) {
			case 0:
				w.serve(i, broken(i))
			case 1:
				w.serve(i, whole(i))
			case 2:
				w.set(i, func(a *agentServer) { a.status = http.StatusServiceUnavailable })
			case 3:
				w.set(i, func(a *agentServer) { a.status = 0 })
			case 4:
				end()
				w.restart()
				end = w.deliver(s)
			case 5:
				s.answers(http.StatusBadGateway)
			}
			w.pass(24 * time.Hour)
			s.answers(http.StatusOK)
			for i := range 3 {
				slot := w.engine.locks.Load().byID[id(i)].Agent
				w.engine.desk.Mu.RLock()
				slots[i][slot.Seen.Slot.Format(time.RFC3339)]++
				w.engine.desk.Mu.RUnlock()
			}
			if d%11 == 10 { // all whole again, for four days
				for i := range 9 {
					w.set(i, func(a *agentServer) { a.status, a.card = 0, whole(i) })
				}
				w.pass(4 * 24 * time.Hour)
				for i := range 9 {
					w.expect(id(i), verdict.Compatible, verdict.Fresh)
				}
			}
		}
		end()
		end = func() {}
		synctest.Wait()
		for i := range 3 {
			if n := len(slots[i]); n < 65 || n > 67 {
				t.Errorf("%s: %d slots were run on 66 days", zones[i], n)
			}
		}
		w.balance(s)
	})
}

// endsOnce holds that an episode which was told of was told once to have ended,
// and another not at all.
func (w *world) endsOnce(lock string, rows []store.Row) {
	told, ended := 0, 0
	for _, r := range rows {
		switch {
		case r.State != store.Delivered:
		case r.Kind == verdict.Resolved:
			ended++
		default:
			told++
		}
	}
	if want := min(told, 1); ended != want {
		w.t.Errorf("%s: an episode of %d messages was told %d times to have ended, want %d", lock, told, ended, want)
	}
}

// balance holds what was told to what happened.
func (w *world) balance(s *sink) {
	opened, resolved := 0, 0
	w.read(func(tx *store.Tx) error {
		if open, _, err := tx.OpenEpisodes(store.Page{Limit: 10}); err != nil || len(open) > 0 {
			w.t.Errorf("%d episodes are open, %v", len(open), err)
		}
		for i := range 9 {
			list, _, err := tx.Episodes(id(i), store.Page{Limit: 1000})
			if err != nil {
				return err
			}
			for _, ep := range list {
				rows, err := tx.EpisodeRows(id(i), ep.Start)
				if err != nil {
					return err
				}
				w.endsOnce(ep.Lock, rows)
				for _, r := range rows {
					switch {
					case r.State == store.Waiting || r.State == store.Dead:
						w.t.Errorf("%s of %s is %s: %s", r.Kind, id(i), r.State, r.Reason)
					case r.State == store.Delivered && r.Kind == verdict.Resolved:
						resolved++
					}
				}
				opened++
			}
		}
		return nil
	})
	if opened < 5 || resolved < 3 || s.told("reminder") == 0 {
		w.t.Errorf("%d episodes, %d resolves and %d reminders: too quiet a time to tell", opened, resolved, s.told("reminder"))
	}
	if n := s.told("resolved"); n < resolved {
		w.t.Errorf("%d resolves arrived, want %d", n, resolved)
	}
	ids := map[string]bool{}
	for _, m := range s.got {
		if ids[m.id] {
			w.t.Errorf("%s came twice", m.id)
		}
		ids[m.id] = true
	}
}
