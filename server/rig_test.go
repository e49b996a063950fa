package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/internal/metrics"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/store"
	"github.com/a2alock/a2alock/watch"
)

// quick is a configuration by which things happen while a test waits.
const quick = `
daemon:
  confirm_after: 100ms
  min_stable: 100ms
notify:
  sinks:
    ops: {webhook: {url: "https://ops.example/hook", secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]}}
  routes:
    - {sinks: [ops]}
`

// A rig is the API of an engine and a store that are real. Nothing is asked of
// any agent before [rig.run].
type rig struct {
	t      testing.TB
	api    *Server
	engine *watch.Engine
	store  *store.Store
	http   *httptest.Server
	client *http.Client
	woken  int
}

// newRig makes a rig that watches the locks by name.
func newRig(t testing.TB, config string, locks map[string]*lockfile.Lock) *rig {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "a2alock.yaml")
	check(t, os.WriteFile(path, []byte(config), 0o600))
	for name, l := range locks {
		text, err := lockfile.Format(l)
		check(t, err)
		check(t, os.MkdirAll(filepath.Join(dir, "locks"), 0o700))
		check(t, os.WriteFile(filepath.Join(dir, "locks", name+"."+lockfile.Suffix), text, 0o600))
	}
	s, err := setup.Load(path)
	check(t, err)
	db, err := store.Open(filepath.Join(dir, "a2alockd.db"), store.Options{})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	r := &rig{t: t, store: db}
	m := metrics.New("1.2.3")
	r.engine = &watch.Engine{Store: db, Metrics: m, Client: func(s *setup.Setup) *fetch.Client {
		c := s.Fetcher("a2alockd/1.2.3")
		c.Gates = &gate.Gates{Gap: -1}
		return c
	}}
	check(t, r.engine.Open(t.Context(), s))
	r.api = &Server{Engine: r.engine, Store: db, Metrics: m, Version: "1.2.3", Wake: func() { r.woken++ }}
	m.Watch(r.api.Collector())
	r.http = httptest.NewServer(r.api.Handler())
	t.Cleanup(r.http.Close)
	r.client = r.http.Client()
	return r
}

// run has the engine work until the test ends.
func (r *rig) run() {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { r.engine.Run(ctx) })
	r.t.Cleanup(func() { cancel(); running.Wait() })
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// An answer is what came back.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

// ask sends a request; each header is "Name: value". A body is JSON unless a
// header says otherwise.
func (r *rig) ask(method, path, body string, headers ...string) answer {
	r.t.Helper()
	req, err := http.NewRequest(method, r.http.URL+path, strings.NewReader(body))
	check(r.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Set(name, value)
	}
	res, err := r.client.Do(req)
	check(r.t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	check(r.t, err)
	return answer{res.StatusCode, res.Header, data}
}

// get decodes an answer with code 200.
func get[T any](r *rig, path string) (v T) {
	r.t.Helper()
	a := r.ask(http.MethodGet, path, "")
	if a.code != http.StatusOK {
		r.t.Fatalf("GET %s = %d %s", path, a.code, a.body)
	}
	d := json.NewDecoder(bytes.NewReader(a.body))
	check(r.t, d.Decode(&v))
	return v
}

// until waits for a lock's class, and that nobody is asked any more.
func (r *rig) until(id string, class verdict.Verdict) {
	r.t.Helper()
	var v watch.View
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if v, _ = r.engine.Lock(id); v.Class == class && v.Pending == nil && v.NextRefresh != nil {
			return
		}
	}
	r.t.Fatalf("lock %s is %s, want %s", id, v.Class, class)
}

// lockOf is a lock on the travel agent at url, that needs it to stream.
func lockOf(url string) *lockfile.Lock {
	return &lockfile.Lock{
		Workflow: "travel", Owner: "team-travel", Agent: url, Fallback: "ask a person",
		Requires: lockfile.Requires{Streaming: true, Skills: map[string]lockfile.Need{
			"itinerary-pricing": {Input: []string{"application/json"}, Output: []string{"application/json"}},
		}},
	}
}

// travel is a rig on a running agent, of which one lock is compatible. The test
// runs beside others: it waits most of the time, for commits.
func travel(t *testing.T) (*rig, *agenttest.Agent) {
	t.Parallel()
	agent := agenttest.Start(t, agenttest.Config{})
	r := newRig(t, quick, map[string]*lockfile.Lock{"pricing": lockOf(agent.CardURL())})
	r.run()
	r.until("pricing", verdict.Compatible)
	return r, agent
}

// breaks has the agent lose what the lock needs.
func (r *rig) breaks(agent *agenttest.Agent) {
	r.t.Helper()
	agent.SetCard(agenttest.Merge(agent.Card(), `{"capabilities": {"streaming": false}}`))
	if a := r.ask(http.MethodPost, "/v1/locks/pricing/refresh", ""); a.code != http.StatusNoContent {
		r.t.Fatalf("refresh = %d %s", a.code, a.body)
	}
	r.until("pricing", verdict.Breaking)
}

// many are n locks on as many agents that nobody asks.
func many(n int) map[string]*lockfile.Lock {
	locks := map[string]*lockfile.Lock{}
	for i := range n {
		l := lockOf(fmt.Sprintf("https://agent-%d.example/.well-known/agent-card.json", i))
		l.Owner = fmt.Sprintf("team-%d", i%10)
		locks[fmt.Sprintf("lock-%05d", i)] = l
	}
	return locks
}
