package notify

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/slacktest"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A crash is the file as a kill -9 would have left it, and what had been taken
// by then.
type crash struct {
	at   time.Time
	file []byte
	took []string
}

// Whatever is on disk at any commit, a start from there tells all that was to be
// told, in order, and repeats at most one message, under its id.
func TestCrashAtEveryCommit(t *testing.T) {
	t.Run("a sink that works", func(t *testing.T) { crashAtEveryCommit(t, 0) })
	t.Run("a sink that fails at times", func(t *testing.T) { crashAtEveryCommit(t, 3) })
}

// crashAtEveryCommit crashes with a sink that fails every so many requests; 0
// is never.
func crashAtEveryCommit(t *testing.T, fails int) {
	var crashes []crash
	var whole []string
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		calls := 0
		r.answer = func(string) (int, http.Header) {
			if calls++; fails > 0 && calls%fails == 1 {
				return 500, nil
			}
			return 200, nil
		}
		var mu sync.Mutex
		b := &bench{
			t: t, path: filepath.Join(t.TempDir(), "a.db"), notify: hooks("ops"), sink: r,
			open: map[string]uint64{}, wake: make(chan struct{}, 1), reload: make(chan config.Notify),
		}
		b.opts.CommitDuration = func(time.Duration) {
			data, err := os.ReadFile(b.path)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			crashes = append(crashes, crash{time.Now(), data, idsOf(r)})
		}
		b.start()
		b.happen("a", verdict.Opened, diff.Review)
		b.happen("b", verdict.WentAway, diff.Compatible)
		b.happen("a", verdict.Worsened, diff.Breaking)
		b.wait(5 * time.Hour) // a reminder
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.happen("b", verdict.Resolved, diff.Compatible)
		b.wait(time.Hour)
		b.ended()
		b.end()
		whole = idsOf(r)
	})
	if len(crashes) < 20 {
		t.Fatalf("only %d commits", len(crashes))
	}
	for i, c := range crashes {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(c.at)) // each bubble begins at the same moment
			r := &receiver{}
			path := filepath.Join(t.TempDir(), "a.db")
			if err := os.WriteFile(path, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			b := &bench{t: t, path: path, notify: hooks("ops"), sink: r, open: map[string]uint64{}, wake: make(chan struct{}, 1)}
			b.start()
			b.wait(time.Minute)
			var inStore []string
			for _, row := range b.rows() {
				switch {
				case row.State == store.Delivered:
					inStore = append(inStore, webhookID(&row))
				case row.State != store.Superseded || fails == 0:
					t.Errorf("crash %d: %s of %s: %s %q", i, row.Kind, row.Lock, row.State, row.Reason)
				}
			}
			b.end()
			again := idsOf(r)
			repeats := 0
			for _, id := range again {
				if slices.Contains(c.took, id) {
					repeats++
				}
			}
			if repeats > 1 {
				t.Errorf("crash %d: %d repeats, want at most one", i, repeats)
			}
			for _, id := range inStore {
				if !slices.Contains(c.took, id) && !slices.Contains(again, id) {
					t.Errorf("crash %d: %s was lost", i, id)
				}
			}
			order := slices.Compact(append(slices.Clone(c.took), again...))
			if fails == 0 && len(order) <= len(whole) && !slices.Equal(order, whole[:len(order)]) {
				t.Errorf("crash %d: told in the order %v, want %v", i, order, whole)
			}
		})
	}
}

func idsOf(r *receiver) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	for _, s := range r.took {
		list = append(list, s.id)
	}
	return list
}

// A message that may have got through is followed by its end.
func TestUnsureOpeningGetsItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		r.answers(0) // taken, and the answer lost
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.Opened, diff.Review)
		b.wait(21 * time.Second)
		r.answers(500) // which says nothing of the first attempt
		b.wait(10 * time.Second)
		r.answers(200)
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.wait(time.Hour)
		wantTold(t, r, "resolved a")
		b.ended()
	})
}

func TestInsertingTwiceTellsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.Opened, diff.Review)
		row := b.rows()[0]
		b.end()
		b.start()
		row.State, row.EndedAt, row.Attempts = store.Waiting, time.Time{}, 0
		b.update(func(tx *store.Tx) error {
			inserted, err := tx.InsertRow(row)
			if inserted {
				t.Error("a row was inserted twice")
			}
			return err
		})
		b.wait(time.Minute)
		wantTold(t, r, "opened a")
	})
}

// What is being sent when the daemon ends may end well.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		r.answer = func(string) (int, http.Header) {
			time.Sleep(5 * time.Second)
			return 200, nil
		}
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.Opened, diff.Review)
		b.happen("b", verdict.Opened, diff.Review)
		b.end()
		wantTold(t, r, "opened a", "opened b")
		r.answers(200)
		b.start()
		b.wait(time.Minute)
		wantTold(t, r, "opened a", "opened b")
		r.answers(0)
		b.happen("c", verdict.Opened, diff.Review)
		begin := time.Now()
		b.end()
		if took := time.Since(begin); took > defaultGrace {
			t.Errorf("ending took %v", took)
		}
		r.answers(200)
		b.start()
		b.wait(time.Second)
		wantTold(t, r, "opened a", "opened b", "opened c")
	})
}

func TestSlackBot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slacktest.Server{Token: "xoxb-1"}
		n := hooks("ops")
		n.Sinks["ops"] = config.Sink{Slack: &config.Slack{Token: "xoxb-1", Channel: "C1", APIURL: "https://slack.example/api/"}}
		b := newBench(t, n, server)
		b.happen("a", verdict.Opened, diff.Review)
		b.wait(time.Second)
		b.happen("a", verdict.Worsened, diff.Breaking)
		b.wait(4 * time.Minute)
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.wait(time.Minute)
		b.ended()
		posts := server.Posts()
		var got []string
		for _, p := range posts {
			got = append(got, fmt.Sprintf("%s %s %s %v %v %.40s", p.Method, p.ThreadTS, p.Color, p.Broadcast, p.Struck, p.Title))
		}
		ts := posts[0].TS
		want := []string{
			"chat.postMessage  " + yellow + " false false review: https://a.example/.well-known/ag",
			"chat.postMessage " + ts + " " + red + " true false breaking, was review: https://a.example/",
			"chat.update  " + green + " false true review: https://a.example/.well-known/ag",
			"chat.postMessage " + ts + " " + green + " false false resolved after 4 min, was breaking: http",
		}
		if !slices.Equal(got, want) {
			t.Errorf("posted\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !strings.HasPrefix(posts[2].Sections[0], "over: resolved after 4 min") {
			t.Errorf("the edit begins %q", posts[2].Sections[0])
		}
	})
}

// Slack may have taken what it answered with 500, and drops no second.
func TestSlackRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		server := &slacktest.Server{Refuse: func(*http.Request) (int, http.Header, string) {
			if calls++; calls == 1 {
				return 500, nil, ""
			}
			return 0, nil, ""
		}}
		n := hooks("ops")
		n.Sinks["ops"] = config.Sink{Slack: &config.Slack{WebhookURL: "https://hooks.example/services/x"}}
		b := newBench(t, n, server)
		b.happen("a", verdict.Opened, diff.Review)
		b.wait(10 * time.Second)
		posts := server.Posts()
		if len(posts) != 1 || !strings.Contains(posts[0].String(), "note: this may be a repeat") {
			t.Errorf("posts %v, want one that may be a repeat", posts)
		}
	})
}

// Thirty agents drift at once while Slack is slow: what waits becomes one
// message, and never more than one goes out in a second.
func TestSlackBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &slacktest.Server{}
		limited := 3
		server.Refuse = func(*http.Request) (int, http.Header, string) {
			if limited--; limited >= 0 {
				return 429, http.Header{"Retry-After": {"3"}}, ""
			}
			return 0, nil, ""
		}
		n := hooks("ops")
		n.Sinks["ops"] = config.Sink{Slack: &config.Slack{WebhookURL: "https://hooks.example/services/x"}}
		b := newBench(t, n, server)
		for i := range 30 {
			b.happen(fmt.Sprintf("agent-%02d", i), verdict.Opened, diff.Breaking)
		}
		b.wait(2 * time.Minute)
		b.ended()
		posts := server.Posts()
		if len(posts) > 5 {
			t.Errorf("%d messages, want a digest", len(posts))
		}
		var all strings.Builder
		for i, p := range posts {
			all.WriteString(p.String())
			if i > 0 && p.At.Sub(posts[i-1].At) < time.Second {
				t.Errorf("messages %v apart", p.At.Sub(posts[i-1].At))
			}
		}
		for i := range 30 {
			if name := fmt.Sprintf("agent-%02d.example", i); !strings.Contains(all.String(), name) {
				t.Errorf("nobody was told of %s", name)
			}
		}
	})
}

// No secret of a sink shows anywhere, whatever fails.
func TestSecretsStaySecret(t *testing.T) {
	const canary = "c4n4ryc4n4ry"
	for _, status := range []int{0, 200, 302, 400, 403, 410, 429, 500} {
		synctest.Test(t, func(t *testing.T) {
			echo := func(r *http.Request) (*http.Response, error) {
				if status == 0 {
					return nil, fmt.Errorf("dialing %s: refused", r.URL)
				}
				w := &bytes.Buffer{}
				fmt.Fprintf(w, `{"ok":false,"error":"no %s %s"}`, r.URL, r.Header.Get("Authorization"))
				return &http.Response{StatusCode: status, Header: http.Header{"Location": {r.URL.String()}}, Body: io.NopCloser(w), Request: r}, nil
			}
			n := hooks("a", "b", "c", "log")
			n.Sinks["a"].Webhook.URL = "https://user:" + canary + "@a.example/" + canary + "?token=" + canary
			n.Sinks["a"].Webhook.Secrets[0] = canary
			n.Sinks["b"] = config.Sink{Slack: &config.Slack{WebhookURL: "https://hooks.example/services/" + canary}}
			n.Sinks["c"] = config.Sink{Slack: &config.Slack{Token: "xoxb-" + canary, Channel: "C1"}}
			n.Sinks["log"] = config.Sink{Log: &config.Log{}}
			for i := range n.Routes {
				n.Routes[i].Continue = true
			}
			b := newBench(t, n, roundTrip(echo))
			b.happen("x", verdict.Opened, diff.Breaking)
			b.wait(10 * time.Minute)
			w := Worker{Notify: n, Transport: roundTrip(echo)}
			tested, err := w.Test(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if len(tested) != 4 {
				t.Errorf("tested %d sinks, want 4", len(tested))
			}
			rows := fmt.Sprintf("%+v %+v", b.rows(), tested)
			b.end()
			file, err := os.ReadFile(b.path)
			if err != nil {
				t.Fatal(err)
			}
			for where, text := range map[string]string{"the log": b.logs.String(), "the rows": rows, "the store": string(file)} {
				if i := strings.Index(text, canary); i >= 0 {
					t.Errorf("%d: %s shows a secret: %q", status, where, text[max(0, i-80):i+20])
				}
			}
			if !strings.Contains(b.logs.String(), "streaming-lost") {
				t.Errorf("the log sink wrote nothing:\n%s", b.logs.String())
			}
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSample(t *testing.T) {
	r := &receiver{}
	w := Worker{Notify: hooks("travel", "ops"), Transport: r, PublicURL: "https://daemon.example/"}
	list, err := w.Test(t.Context(), "1")
	if err != nil || len(list) != 1 || list[0].Err != nil || list[0].Sink != "travel" {
		t.Fatalf("Test(1) = %v, %v; want one delivery to travel", list, err)
	}
	if list, _ = w.Test(t.Context(), ""); len(list) != 2 {
		t.Errorf("Test of all routes tried %d sinks, want 2", len(list))
	}
	if _, err := w.Test(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "1 (owner=team-*:travel), 2 (*:ops)") {
		t.Errorf("Test of an unknown route = %v, want an error that lists them", err)
	}
	if got := r.taken()[0].text; !strings.HasPrefix(got, "a test, nothing happened: https://agent.example/") {
		t.Errorf("the sample begins %q", got)
	}
}
