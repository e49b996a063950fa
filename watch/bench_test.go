package watch

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// benchEngine is an engine with n agents on 64 hosts, none of which is asked.
func benchEngine(b *testing.B, n int) (*Engine, *setup.Setup) {
	b.Helper()
	dir := b.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "locks"), 0o700); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		text := fmt.Sprintf(`{"workflow": "w", "agent": "http://%s/%d", "requires": {"skills": {
			"itinerary-pricing": {"input": ["application/json"], "output": ["application/json"]}}}}`, host(i%64), i)
		if err := os.WriteFile(filepath.Join(dir, "locks", fmt.Sprintf("l%d.a2a.lock.json", i)), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	s, err := store.Open(filepath.Join(dir, "a2alockd.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	cfg := config.Default()
	cfg.Root = dir
	cfg.Daemon.CatchupRate, cfg.Daemon.Schedule = 0, "@every 60s"
	e := &Engine{Store: s, Client: func(*setup.Setup) *fetch.Client { return &fetch.Client{Gates: &gate.Gates{}} }}
	set := &setup.Setup{Config: cfg}
	if err := e.Open(b.Context(), set); err != nil {
		b.Fatal(err)
	}
	return e, set
}

// shows has the agent of a lock show a card, as a request would.
func (e *Engine) shows(ctx context.Context, id string, body []byte, notModified bool) {
	a := e.locks.Load().byID[id].Agent
	f := flight{Agent: a}
	a.Take()
	defer a.Give()
	e.arrived(ctx, f, e.Wall(), fetch.Request{}, &fetch.Answer{
		Body: body, NotModified: notModified, Same: notModified, Final: a.Key.URL, Status: http.StatusOK, Memory: a.Request(e.Store, false, false, false).Memory,
	})
}

func BenchmarkDecide(b *testing.B) {
	e, _ := benchEngine(b, 100)
	for i := range 100 {
		e.shows(b.Context(), fmt.Sprintf("l%d", i), whole(i), false)
	}
	for name, skill := range map[string]string{"plan": skill, "worst": ""} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				d, err := e.Decide(fmt.Sprintf("l%d", i%100), skill)
				if err != nil || !d.Delegate || skill != "" && d.Plan == nil {
					b.Fatal(d, err)
				}
			}
		})
	}
}

func BenchmarkQuietRefresh(b *testing.B) {
	e, _ := benchEngine(b, 1)
	e.shows(b.Context(), "l0", whole(0), false)
	body := whole(0)
	b.ReportAllocs()
	for b.Loop() {
		e.shows(b.Context(), "l0", body, true)
	}
}

// BenchmarkLaunch is what it takes to schedule ten thousand agents, and to read
// their locks again.
func BenchmarkLaunch(b *testing.B) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e, set := benchEngine(b, 10_000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.Run("replan", func(b *testing.B) {
		for b.Loop() {
			e.replan(b.Context(), 0)
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/10_000, "B/agent")
	})
	b.Run("reload", func(b *testing.B) {
		for b.Loop() {
			if err := e.Reload(b.Context(), set); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			again := &Engine{Store: e.Store, Client: e.Client}
			if err := again.Open(b.Context(), set); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("counts", func(b *testing.B) {
		for b.Loop() {
			e.Counts()
		}
	})
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			e.Locks(Filter{Freshness: string(verdict.Ageing)}, "l5", 100)
		}
	})
}
