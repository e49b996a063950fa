package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/store"
)

var (
	kills = flag.Int("kills", 10, "at how many random moments TestKill kills a2alockd")
	seed  = flag.Uint64("killseed", 0, "the moments of TestKill; 0: others each time")
)

// TestKill kills a real daemon at random moments, and now and then ends it in
// good order, while agents drift and come back. Every episode is told, from its
// opening to its end; one message comes again per crash at most, under its own
// id, and an orderly end adds none; what people said is kept.
func TestKill(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("-killseed %d", *seed)
	k := newKilling(t)
	for i := range *kills {
		k.round(i)
	}
	k.finish()
}

// A killing is the world around a daemon that is killed.
type killing struct {
	t    *testing.T
	rand *rand.Rand
	dir  string
	hook *hook
	// prompt has the receiver answer at once: until the end it takes its time, so
	// that messages are under way when the daemon is killed.
	prompt atomic.Bool
	told   chan struct{} // a message has come, and waits for its answer

	mu    sync.Mutex
	bad   map[string]bool // agents whose card breaks their lock now
	cards *httptest.Server

	crashes   int             // and orderly ends
	mayBe     map[string]bool // whether the steady lock is acknowledged: what it may say
	silences  []string        // that were answered
	reminder  time.Time       // of the steady lock's episode
	ends      []end
	drifted   int             // agents that went bad, one a round
	recovered map[string]bool // agents that are good again
}

// An end is one of a daemon.
type end struct {
	messages int // that had come by then
	orderly  bool
}

func newKilling(t *testing.T) *killing {
	k := &killing{
		t: t, rand: rand.New(rand.NewPCG(*seed, 0)), dir: t.TempDir(), hook: newHook(),
		told: make(chan struct{}, 1), bad: map[string]bool{"steady": true}, mayBe: map[string]bool{"": true}, recovered: map[string]bool{},
	}
	t.Cleanup(k.hook.close)
	k.hook.took = func(had) {
		select {
		case k.told <- struct{}{}:
		default:
		}
		if !k.prompt.Load() {
			time.Sleep(rand.N(30 * time.Millisecond))
		}
	}
	k.cards = httptest.NewServer(http.HandlerFunc(k.serveCard))
	t.Cleanup(k.cards.Close)
	text := `locks: [locks]
daemon:
  listen: 127.0.0.1:0
  schedule: "@every 1s"
  own_hosts: [127.0.0.1]
  flights: 64
  host_flights: 64
  host_gap: 0
  catchup_rate: 0
  confirm_after: 100ms
  min_stable: 100ms
notify:
  sinks: {ops: {webhook: {url: "` + k.hook.server.URL + `", secrets: ["` + hookSecret + `"]}}}
  routes: [{sinks: [ops], reminders: [4h, 24h]}]
`
	if err := os.WriteFile(filepath.Join(k.dir, "a2alock.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(k.dir, "locks"), 0o700); err != nil {
		t.Fatal(err)
	}
	k.lock("steady")
	return k
}

// serveCard serves the card of the agent that the path names.
func (k *killing) serveCard(w http.ResponseWriter, r *http.Request) {
	name := strings.Trim(r.URL.Path, "/")
	k.mu.Lock()
	bad := k.bad[name]
	k.mu.Unlock()
	card := agenttest.TravelCard(k.cards.URL)
	if bad {
		card = agenttest.Merge(card, `{"capabilities": {"streaming": false}}`)
	}
	etag := fmt.Sprintf(`"%s %v"`, name, bad)
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(card)
}

func (k *killing) turn(name string, bad bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bad[name] = bad
}

// lock writes the lock of an agent; the daemon sees it by itself.
func (k *killing) lock(name string) {
	text := fmt.Sprintf(`{"workflow": "kill", "agent": %q, "requires": {"streaming": true,
"skills": {"fare-rules": {"input": ["text/plain"], "output": ["text/plain"]}}}}`, k.cards.URL+"/"+name)
	// Whole at once: half of a lock is a broken one, and would be told.
	path := filepath.Join(k.dir, "locks", name+".a2a.lock.json")
	err := os.WriteFile(path+".new", []byte(text), 0o600)
	if err = errors.Join(err, os.Rename(path+".new", path)); err != nil {
		k.t.Fatal(err)
	}
}

// round starts the daemon, has things happen, and kills it.
func (k *killing) round(i int) {
	t := k.t
	t.Helper()
	p, err := begin(k.dir, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	orderly := k.rand.IntN(5) == 0
	ms := func(from, to int) time.Duration { return time.Duration(from+k.rand.IntN(to-from)) * time.Millisecond }
	switch mode := k.rand.IntN(3); mode {
	case 0: // while it starts
		k.happen(i)
		time.Sleep(ms(5, 400))
		k.end(p, orderly)
	default:
		if err := p.up(); err != nil {
			t.Fatal(err)
		}
		k.see(p)
		k.happen(i)
		speaking := make(chan struct{})
		go func() {
			defer close(speaking)
			k.speak(p, i)
		}()
		if mode == 1 { // after something has happened
			time.Sleep(ms(5, 400))
		} else { // while a message is on its way
			select {
			case <-k.told: // of before
			default:
			}
			select {
			case <-k.told:
			case <-time.After(2 * time.Second): // there may be none
			}
			time.Sleep(ms(0, 40))
		}
		k.end(p, orderly)
		<-speaking
	}
	k.crashes++
	had, _ := k.hook.messages()
	k.ends = append(k.ends, end{len(had), orderly})
	if text := p.log.String(); strings.Contains(text, "DATA RACE") || strings.Contains(text, "level=ERROR") || strings.Contains(text, "panic") {
		t.Errorf("crash %d: the log has\n%s", i, text)
	}
	k.inspect()
}

// end kills the daemon, or has it end by itself, as it may at any moment.
func (k *killing) end(p *process, orderly bool) {
	if !orderly {
		p.kill()
		return
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		k.t.Fatal(err)
	}
	code, err := p.wait()
	if early := code == syscall.SIGTERM.String() && p.addr == ""; err != nil || code != "0" && !early {
		k.t.Errorf("end %d: by SIGTERM a2alockd ended with %s, %v:\n%s", k.crashes, code, err, p.log)
	}
}

// happen has one more agent drift, and those come back whose opening was told.
func (k *killing) happen(i int) {
	name := fmt.Sprintf("agent-%03d", i)
	k.turn(name, true)
	k.lock(name)
	k.drifted++
	k.recover()
}

func (k *killing) recover() {
	had, _ := k.hook.messages()
	for _, m := range had {
		if m.event.Subject != "steady" && kindOf(m) == "opened" && !k.recovered[m.event.Subject] {
			k.recovered[m.event.Subject] = true
			k.turn(m.event.Subject, false)
		}
	}
}

func (k *killing) isTold(what string) bool {
	all, _ := k.hook.messages()
	return slices.ContainsFunc(all, func(m had) bool { return whatOf(m) == what })
}

// kindOf is the kind of what a message tells.
func kindOf(m had) string { return m.event.Type[strings.LastIndexByte(m.event.Type, '.')+1:] }

// whatOf names what a message tells.
func whatOf(m had) string { return kindOf(m) + " " + m.event.Subject }

// speak silences, and acknowledges the steady lock or takes that back. What
// was not answered may hold or not.
func (k *killing) speak(p *process, i int) {
	body := fmt.Sprintf(`{"match": {"lock": "other-%d"}, "author": "test", "reason": "round %d", "until": "2099-01-01T00:00:00Z"}`, i, i)
	if status, answer, err := p.call(http.MethodPost, "v1/silences", "", body); err == nil && status == http.StatusOK {
		var s store.Silence
		if err := json.Unmarshal([]byte(answer), &s); err != nil {
			k.t.Error(err)
		}
		k.silences = append(k.silences, s.ID)
	}
	if !k.isTold("opened steady") {
		return // what is known before it is told need not be told
	}
	word := ""
	status, _, err := 0, "", error(nil)
	if i%3 == 2 {
		status, _, err = p.call(http.MethodDelete, "v1/locks/steady/ack", "", "")
	} else {
		word = fmt.Sprint("round ", i)
		status, _, err = p.call(http.MethodPost, "v1/locks/steady/ack", "", fmt.Sprintf(`{"author": "test", "reason": %q}`, word))
	}
	switch {
	case err != nil:
		k.mayBe[word] = true
	case status == http.StatusNoContent:
		k.mayBe = map[string]bool{word: true}
	}
}

// see asks a daemon that has just started what people said before.
func (k *killing) see(p *process) {
	t := k.t
	t.Helper()
	_, answer, err := p.call(http.MethodGet, "v1/silences?limit=500", "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range k.silences {
		if !strings.Contains(answer, `"`+id+`"`) {
			t.Errorf("after crash %d: the silence %s was lost", k.crashes, id)
		}
	}
	_, answer, err = p.call(http.MethodGet, "v1/locks/steady", "", "")
	if err != nil {
		t.Fatal(err)
	}
	var steady struct{ Ack *struct{ Reason string } }
	if err := json.Unmarshal([]byte(answer), &steady); err != nil {
		t.Fatal(err)
	}
	word := ""
	if steady.Ack != nil {
		word = steady.Ack.Reason
	}
	if !k.mayBe[word] {
		t.Errorf("after crash %d: the steady lock is acknowledged as %q, want one of %v", k.crashes, word, k.mayBe)
	}
	k.mayBe = map[string]bool{word: true}
}

// inspect reads the store that a crash left.
func (k *killing) inspect() {
	t := k.t
	t.Helper()
	path := filepath.Join(k.dir, "a2alockd.db")
	if _, err := os.Stat(path); err != nil {
		return // killed before it was begun
	}
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return // and before anything was in it
	}
	if err := store.Check(path); err != nil {
		t.Errorf("crash %d: %v", k.crashes, err)
	}
	var out strings.Builder
	if err := store.Export(path, &out); err != nil {
		t.Fatalf("crash %d: %v", k.crashes, err)
	}
	for line := range strings.Lines(out.String()) {
		var r struct {
			Kind   string
			Record json.RawMessage
		}
		var ep store.Episode
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Kind != "episode" {
			continue
		}
		if err := json.Unmarshal(r.Record, &ep); err != nil {
			t.Fatal(err)
		}
		if ep.Lock != "steady" {
			continue
		}
		for route, reminder := range ep.Reminders {
			if k.reminder.IsZero() {
				k.reminder = reminder.At
			}
			if !reminder.At.Equal(k.reminder) || reminder.Ordinal != 1 {
				t.Errorf("crash %d: the reminder on route %s is number %d at %v, want the first at %v", k.crashes, route, reminder.Ordinal, reminder.At, k.reminder)
			}
		}
	}
}

// finish lets the daemon be, until all is told, and counts.
func (k *killing) finish() {
	t := k.t
	t.Helper()
	k.prompt.Store(true)
	p := start(t, k.dir)
	k.see(p)
	want := map[string]bool{"opened steady": true}
	for i := range k.drifted {
		name := fmt.Sprintf("agent-%03d", i)
		want["opened "+name], want["resolved "+name] = true, true
	}
	err := poll(func() error {
		k.recover()
		for what := range want {
			if !k.isTold(what) {
				return fmt.Errorf("nobody was told: %s", what)
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%v, of %d messages; the daemon says\n%s", err, len(want), p.log)
	}
	k.speak(p, 0)
	if !maps.Equal(k.mayBe, map[string]bool{"round 0": true}) || len(k.silences) == 0 {
		t.Errorf("acknowledged as %v, with %d silences: want the last word, and one at least", k.mayBe, len(k.silences))
	}
	p.kill()
	p = start(t, k.dir)
	k.see(p)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code, err := p.wait(); err != nil || code != "0" {
		t.Errorf("the daemon ended with %s, %v:\n%s", code, err, p.log)
	}
	k.inspect()
	if k.reminder.IsZero() {
		t.Error("the steady lock has no reminder")
	}
	k.count(want)
}

// count holds what was told against what should have been.
func (k *killing) count(want map[string]bool) {
	t := k.t
	t.Helper()
	had, faults := k.hook.messages()
	if len(faults) > 0 {
		t.Errorf("the receiver found %q", faults)
	}
	ids, repeats := map[string]string{}, 0
	// One message may have been under way at each end, and comes again once: the last
	// that had come, or the one that was just coming. It waits for its next attempt, so
	// that it may be after another end.
	ends, left, underWay := k.ends, 0, map[string]int{}
	for i, m := range had {
		for len(ends) > 0 && i >= ends[0].messages {
			if n := ends[0].messages; !ends[0].orderly {
				left++
				for _, m := range had[max(n-1, 0):min(n+1, len(had))] {
					underWay[whatOf(m)]++
				}
			}
			ends = ends[1:]
		}
		what := whatOf(m)
		if !want[what] {
			t.Errorf("told, and nothing happened: %s: %s", what, m.body)
		}
		id, again := ids[what]
		switch {
		case !again:
			ids[what] = m.id
			if name, ok := strings.CutPrefix(what, "resolved "); ok && ids["opened "+name] == "" {
				t.Errorf("%s came before its opening", what)
			}
		case id != m.id:
			t.Errorf("%s was told twice, as %s and %s", what, id, m.id)
		default:
			repeats++
			left--
			underWay[what]--
			if left < 0 || underWay[what] < 0 {
				t.Errorf("after end %d: too many messages came again: %s", len(k.ends)-len(ends), what)
			}
		}
	}
	t.Logf("%d ends, %d messages, %d of them again", k.crashes, len(had), repeats)
}
