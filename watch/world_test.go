package watch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/credential"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/internal/extended"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/internal/moment"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/netguard"
	"github.com/a2alock/a2alock/rpc"
	"github.com/a2alock/a2alock/store"
)

// A world is an engine in a bubble, with the real store, and agents on a network
// of pipes: every host of example.com, over plain HTTP.
type world struct {
	t   *testing.T
	dir string
	cfg *config.Config
	// policy is what is judged by, in the place of that of cfg.
	policy diff.Policy

	store  *store.Store
	engine *Engine
	end    func() // of the engine
	jump   atomic.Int64
	told   atomic.Int64
	writes atomic.Int64
	wake   chan struct{} // of deliveries
	log    *logged       // nil: nobody reads it

	listener *pipe
	server   *http.Server
	guard    *netguard.Guard

	mu     sync.Mutex
	agents map[string]*agentServer // by host and path
	asked  []asked
	down   bool // nobody can be reached
}

// asked is one request as it reached an agent.
type asked struct {
	at          time.Time // by the wall clock
	url         string
	conditional bool
	past        bool // every cache
}

// An agentServer is one agent: what it answers.
type agentServer struct {
	card   []byte
	status int               // 0: 200
	header map[string]string // beside the ETag
	noETag bool
	deaf   bool // it does not look at validators
	hang   time.Duration
	each   func(n int, s *agentServer) // before the n-th answer, from 1
	count  int
	// answers instead, where it is set.
	answers http.HandlerFunc
}

type pipe struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error   { return nil }
func (p *pipe) Addr() net.Addr { return &net.TCPAddr{} }

// public resolves every name to one public address.
type public struct{}

func (public) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}

// run runs test in a bubble of its own. Time begins at 2000-01-01 in it.
func run(t *testing.T, test func(*world)) {
	t.Helper()
	dir := scratch(t)
	synctest.Test(t, func(t *testing.T) {
		w := &world{
			t: t, dir: dir, cfg: config.Default(), agents: map[string]*agentServer{},
			wake:     make(chan struct{}, 1),
			listener: &pipe{conns: make(chan net.Conn), done: make(chan struct{})},
		}
		w.cfg.Root = dir
		w.server = &http.Server{Handler: w, ErrorLog: log.New(io.Discard, "", 0)}
		go func() { _ = w.server.Serve(w.listener) }()
		w.guard = &netguard.Guard{Resolver: public{}, Dial: w.dial, IdlePerHost: 1}
		for i := range 64 {
			w.guard.HTTP = append(w.guard.HTTP, host(i))
		}
		defer func() {
			w.stop()
			w.guard.CloseIdle()
			close(w.listener.done)
			_ = w.server.Close()
		}()
		test(w)
	})
}

// scratch is a folder in memory where the system has one: simulated days commit
// often, and what a disk does is tested with the store.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "a2alock")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func host(i int) string { return fmt.Sprintf("a%d.example.com", i) }

func (w *world) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	w.mu.Lock()
	down := w.down
	w.mu.Unlock()
	if down {
		return nil, errors.New("network is unreachable")
	}
	ours, theirs := net.Pipe()
	select {
	case w.listener.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// wall is the engine's wall clock.
func (w *world) wall() time.Time {
	return time.Now().Add(time.Duration(w.jump.Load())).Round(0)
}

// ServeHTTP answers for every agent.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	url := "http://" + r.Host + r.RequestURI
	w.mu.Lock()
	w.asked = append(w.asked, asked{
		at: w.wall(), url: url, conditional: r.Header.Get("If-None-Match") != "", past: r.Header.Get("Cache-Control") == "no-cache",
	})
	a := w.agents[url]
	if a == nil || w.down {
		w.mu.Unlock()
		http.NotFound(rw, r)
		return
	}
	a.count++
	if a.each != nil {
		a.each(a.count, a)
	}
	s := *a
	w.mu.Unlock()
	if s.answers != nil {
		s.answers(rw, r)
		return
	}
	if s.hang > 0 {
		select {
		case <-time.After(s.hang):
		case <-r.Context().Done():
			return
		}
	}
	for k, v := range s.header {
		rw.Header().Set(k, v)
	}
	rw.Header().Set("Content-Type", "application/json")
	etag := fmt.Sprintf(`"%x"`, sha256.Sum256(s.card))
	switch {
	case s.status != 0:
		rw.WriteHeader(s.status)
	case !s.noETag && !s.deaf && r.Header.Get("If-None-Match") == etag:
		rw.Header().Set("ETag", etag)
		rw.WriteHeader(http.StatusNotModified)
	default:
		if !s.noETag {
			rw.Header().Set("ETag", etag)
		}
		_, _ = rw.Write(s.card)
	}
}

func url(i int) string { return "http://" + host(i) + "/card.json" }

// whole is the card as it was pinned; without are others that it may become.
func whole(i int) []byte { return agenttest.TravelCard("http://" + host(i)) }

// broken lacks streaming, which locks need.
func broken(i int) []byte {
	return agenttest.Merge(whole(i), `{"capabilities": {"streaming": false}}`)
}

// add makes an agent, and a lock about it.
func (w *world) add(i int) *agentServer {
	w.t.Helper()
	a := &agentServer{card: whole(i)}
	w.mu.Lock()
	w.agents[url(i)] = a
	w.mu.Unlock()
	w.lock(id(i), url(i))
	return a
}

func id(i int) string { return fmt.Sprintf("l%d", i) }

// lock writes a lock file.
func (w *world) lock(id, url string) {
	w.t.Helper()
	w.write(id, fmt.Sprintf(`{"workflow": "travel", "owner": "team", "agent": %q, "fallback": "human", "requires": {"streaming": true, "skills": {
		"itinerary-pricing": {"input": ["application/json"], "output": ["application/json"]}
	}}}`, url))
}

func (w *world) write(id, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Join(w.dir, "locks"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "locks", id+".a2a.lock.json"), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(id string) {
	w.t.Helper()
	if err := os.Remove(filepath.Join(w.dir, "locks", id+".a2a.lock.json")); err != nil {
		w.t.Fatal(err)
	}
}

// set changes an agent.
func (w *world) set(i int, change func(*agentServer)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w.agents[url(i)])
}

func (w *world) serve(i int, card []byte) { w.set(i, func(a *agentServer) { a.card = card }) }

// setup is a configuration like the world's, of its own.
func (w *world) setup() *setup.Setup {
	cfg := *w.cfg
	return &setup.Setup{Config: &cfg, Policy: w.policy}
}

// start opens the store and runs an engine.
func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	w.open(ctx)
	done := make(chan struct{})
	go func() { w.engine.Run(ctx); close(done) }()
	w.end = func() { cancel(); <-done }
	synctest.Wait()
}

// open opens the store and an engine.
func (w *world) open(ctx context.Context) {
	w.t.Helper()
	if w.store == nil {
		s, err := store.Open(filepath.Join(w.dir, "a2alockd.db"), store.Options{CommitDuration: func(time.Duration) { w.writes.Add(1) }})
		if err != nil {
			w.t.Fatal(err)
		}
		w.store = s
	}
	w.engine = &Engine{Store: w.store, Client: w.client, Told: w.ring, Wall: w.wall, Version: "1"}
	if w.log != nil {
		w.engine.Log = slog.New(slog.NewTextHandler(w.log, nil))
	}
	if err := w.engine.Open(ctx, w.setup()); err != nil {
		w.t.Fatal(err)
	}
}

// begin has agents with a lock each run by a schedule for as long as d.
func (w *world) begin(schedule string, agents int, d time.Duration) {
	w.t.Helper()
	w.every(schedule)
	for i := range agents {
		w.add(i)
	}
	w.start()
	w.pass(d)
}

// refresh is a person's wish that a lock's agent be asked.
func (w *world) refresh(id string) {
	w.t.Helper()
	if err := w.engine.Refresh(w.t.Context(), id); err != nil {
		w.t.Fatal(err)
	}
}

// report is what an orchestrator met.
func (w *world) report(id string, r Runtime) {
	w.t.Helper()
	if err := w.engine.Report(w.t.Context(), id, r); err != nil {
		w.t.Fatal(err)
	}
}

// read looks into the store.
func (w *world) read(see func(*store.Tx) error) {
	w.t.Helper()
	if err := w.store.View(see); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) ring() {
	w.told.Add(1)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *world) client(s *setup.Setup) *fetch.Client {
	d := s.Config.Daemon
	c := &fetch.Client{Guard: w.guard, Timeout: s.Config.Limits.Timeout, Gates: &gate.Gates{
		Flights: d.Flights, HostFlights: d.HostFlights, Gap: d.HostGap, Own: d.OwnHosts,
	}}
	if len(s.Config.Credentials) > 0 {
		var err error
		if c.Wallet, err = credential.New(s.Config.Credentials); err != nil {
			w.t.Error(err)
			return c
		}
		c.Wallet.Guard = w.guard
		c.Extend = (&extended.Reader{Client: &s.Config.Client, Calls: rpc.Client{Guard: w.guard}, Wallet: c.Wallet}).Extend
	}
	return c
}

// stop ends the engine, and the store.
func (w *world) stop() {
	w.t.Helper()
	if w.end != nil {
		w.end()
		w.end = nil
	}
	if w.store != nil {
		if err := w.store.Close(); err != nil {
			w.t.Error(err)
		}
		w.store = nil
	}
}

func (w *world) restart() {
	w.t.Helper()
	w.stop()
	w.start()
}

func (w *world) reload() {
	w.t.Helper()
	if err := w.engine.Reload(w.t.Context(), w.setup()); err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
}

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// lull lets time pass until no agent has a slot of its own for d: whatever the
// phases, what a test counts from then on is of its own making.
func (w *world) lull(d time.Duration) {
	w.t.Helper()
	for range 10_000 {
		var next time.Time
		w.engine.desk.Mu.RLock()
		for _, a := range w.engine.agents {
			next = moment.Earlier(next, a.Plan.Next(w.wall()).Due)
		}
		w.engine.desk.Mu.RUnlock()
		wait := next.Sub(w.wall())
		if wait > d {
			return
		}
		w.pass(wait + time.Millisecond)
	}
	w.t.Fatalf("slots leave no lull of %s", d)
}

// state is where a lock stands.
func (w *world) state(id string) *verdict.State {
	w.t.Helper()
	lock := w.engine.locks.Load().byID[id]
	if lock == nil {
		w.t.Fatalf("there is no lock %s", id)
	}
	return lock.State()
}

// kinds are the events of a lock that the store has, the oldest first.
func (w *world) kinds(id string) string {
	w.t.Helper()
	var kinds []string
	w.read(func(tx *store.Tx) error {
		list, _, err := tx.Transitions(id, store.Page{Limit: 1000})
		for _, t := range list {
			kinds = append(kinds, string(t.Kind))
		}
		return err
	})
	slices.Reverse(kinds)
	return strings.Join(kinds, " ")
}

// rows are the messages of the outbox, as their kinds, or the texts of those
// about the daemon.
func (w *world) rows() []string {
	w.t.Helper()
	var list []string
	w.read(func(tx *store.Tx) error {
		for p := (store.Page{Limit: 500}); ; {
			rows, next, err := tx.Rows(store.RowQuery{}, p)
			for _, r := range rows {
				if r.Text != "" {
					list = append(list, r.Text)
				} else {
					list = append(list, string(r.Kind))
				}
			}
			if p.After = next; err != nil || next == "" {
				return err
			}
		}
	})
	return list
}

// times are when an agent was asked, since the last call.
func (w *world) times(i int) (list []time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.asked {
		if a.url == url(i) {
			list = append(list, a.at)
		}
	}
	w.asked = slices.DeleteFunc(w.asked, func(a asked) bool { return a.url == url(i) })
	return list
}

func (w *world) decide(id, skill string) *Decision {
	w.t.Helper()
	d, err := w.engine.Decide(id, skill)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

const skill = "itinerary-pricing"

// expect holds what a lock is at: its class and freshness.
func (w *world) expect(id string, class verdict.Verdict, fresh verdict.Freshness) {
	w.t.Helper()
	v, ok := w.engine.Lock(id)
	if !ok || v.Class != class || v.Freshness != fresh {
		w.t.Errorf("%s: %s is %s and %s (%s), want %s and %s", time.Now().UTC().Format(time.DateTime), id, v.Class, v.Freshness, v.Gone, class, fresh)
	}
}
