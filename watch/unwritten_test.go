package watch

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/verdict"
)

// A logged keeps what was logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// take is what was logged since the last call.
func (l *logged) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// counted is the value of a counter or gauge, or how often a histogram was told; of those with labels the first that
// has these values, in the order of their names.
func (w *world) counted(name string, labels ...string) float64 {
	w.t.Helper()
	families, err := w.engine.Metrics.Registry.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			for _, m := range f.GetMetric() {
				var has []string
				for _, l := range m.GetLabel() {
					has = append(has, l.GetValue())
				}
				if slices.Equal(has, labels) {
					return m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
				}
			}
		}
	}
	w.t.Fatalf("there is no metric %s", name)
	return 0
}

// What cannot be written does not hold; but what is worse counts already, what
// is better does not, and whoever asks is told.
func TestDecisionsWhileNothingCanBeWritten(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 60s")
		for i := range 3 {
			w.add(i)
		}
		w.serve(1, broken(1))
		w.log = &logged{}
		w.start()
		w.pass(10 * time.Minute)
		w.expect("l1", verdict.Breaking, verdict.Fresh)
		w.log.take()
		decided := func(id, skill string, delegate, degraded bool, class verdict.Verdict) {
			t.Helper()
			if d := w.decide(id, skill); d.Delegate != delegate || d.Degraded != degraded || d.Class != class {
				t.Errorf("%s: %s %q = delegate %v, degraded %v, %s, want %v, %v, %s", time.Now().UTC().Format(time.TimeOnly),
					id, skill, d.Delegate, d.Degraded, d.Class, delegate, degraded, class)
			}
		}
		if why := w.engine.Unwritten(); why != "" {
			t.Errorf("unwritten %q from the start", why)
		}
		if err := w.store.Close(); err != nil {
			t.Fatal(err)
		}
		w.serve(0, broken(0))
		w.serve(1, whole(1))
		w.set(2, func(a *agentServer) { a.status = 500 })
		w.pass(10 * time.Minute)
		decided("l0", "", false, true, verdict.Breaking)
		decided("l0", skill, false, true, verdict.Breaking)
		decided("l1", "", false, true, verdict.Breaking)
		decided("l2", "", true, true, verdict.Compatible)
		if d := w.decide("l0", ""); len(d.Findings) != 1 {
			t.Errorf("findings = %+v, want the one that counts already", d.Findings)
		}
		if got := w.engine.Unwritten(); !strings.HasPrefix(got, "since 2000-01-01 00:1") || got != w.engine.Counts().Unwritten {
			t.Errorf("unwritten %q, and counted %q", got, w.engine.Counts().Unwritten)
		}
		if got := strings.Count(w.log.take(), "cannot write to the store"); got != 1 {
			t.Errorf("the log says it %d times, want once", got)
		}
		if n := w.counted("a2alockd_store_write_failures_total"); n < 10 {
			t.Errorf("%v failures are counted", n)
		}

		// Silence takes nothing back; the card of before does.
		w.set(0, func(a *agentServer) { a.status = 500 })
		w.pass(3 * time.Minute)
		decided("l0", "", false, true, verdict.Breaking)
		w.set(0, func(a *agentServer) { a.status, a.card = 0, whole(0) })
		w.pass(3 * time.Minute)
		decided("l0", "", true, true, verdict.Compatible)

		w.end()
		w.end, w.store = nil, nil
		w.set(2, func(a *agentServer) { a.status = 0 })
		w.start()
		w.pass(20 * time.Minute)
		decided("l1", "", true, false, verdict.Compatible)
		decided("l2", "", true, false, verdict.Compatible)
	})
}

// A writing that succeeds again ends it.
func TestWrittenAgain(t *testing.T) {
	run(t, func(w *world) {
		w.log = &logged{}
		w.start()
		w.log.take()
		d := &w.engine.desk
		for range 3 {
			d.Wrote(t.Context(), errors.New("no space left on device"))
			w.pass(time.Minute)
		}
		if got, want := w.engine.Unwritten(), "since 2000-01-01 00:00 UTC: no space left on device"; got != want {
			t.Errorf("unwritten %q, want %q", got, want)
		}
		for range 2 {
			d.Wrote(t.Context(), nil)
		}
		if got := w.engine.Unwritten(); got != "" {
			t.Errorf("unwritten %q after it was written", got)
		}
		log := w.log.take()
		if strings.Count(log, "cannot write to the store") != 1 || strings.Count(log, "the store can be written again") != 1 {
			t.Errorf("logged:\n%s", log)
		}
	})
}

// Whoever asks is told that the locks cannot be read, until they can.
func TestLocksThatCannotBeRead(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.start()
		w.pass(time.Minute)
		root := w.engine.Setup().Config.Root
		moved := root + ".away"
		if err := os.Rename(root, moved); err != nil {
			t.Fatal(err)
		}
		if err := w.engine.Reload(t.Context(), w.engine.Setup()); err == nil {
			t.Fatal("a folder was read that is not there")
		}
		if got := w.engine.Counts().Unread; !strings.HasPrefix(got, "since 2000-01-01 00:01 UTC: ") {
			t.Errorf("unread %q", got)
		}
		if err := os.Rename(moved, root); err != nil {
			t.Fatal(err)
		}
		if err := w.engine.Reload(t.Context(), w.engine.Setup()); err != nil {
			t.Fatal(err)
		}
		if got := w.engine.Counts().Unread; got != "" {
			t.Errorf("unread %q after they were", got)
		}
	})
}

// The log says which locks come and go, once.
func TestLogOfLocks(t *testing.T) {
	run(t, func(w *world) {
		w.add(0)
		w.add(1)
		w.log = &logged{}
		w.start()
		log := w.log.take()
		for _, want := range []string{`msg="lock read" lock=l0 path=`, `msg="lock read" lock=l1 path=`, `msg="catching up" agents=2`} {
			if strings.Count(log, want) != 1 {
				t.Errorf("at the start %q is not there once:\n%s", want, log)
			}
		}
		if strings.Contains(log, "jump") {
			t.Errorf("a clock jumped that did not:\n%s", log)
		}
		w.pass(time.Minute)
		w.log.take()
		w.reload()
		if log := w.log.take(); log != "" {
			t.Errorf("nothing moved, and the log says:\n%s", log)
		}
		w.lock(id(1), url(0))
		w.remove(id(0))
		w.reload()
		log = w.log.take()
		if strings.Count(log, `msg="lock read" lock=l1`) != 1 || strings.Count(log, `msg="lock closed" lock=l0 `) != 1 {
			t.Errorf("one lock changed and one went:\n%s", log)
		}
	})
}
