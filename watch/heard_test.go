package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/verdict"
)

// That most servers have another time is told once, and ends.
func TestLocalClockLooksWrong(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 10m")
		for i := range 4 {
			w.add(i)
		}
		w.log = &logged{}
		w.start()
		w.pass(30 * time.Minute)
		date := func(i int, ahead time.Duration) {
			w.set(i, func(a *agentServer) {
				a.each = func(_ int, a *agentServer) {
					a.header = map[string]string{"Date": time.Now().Add(ahead).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")}
				}
			})
		}
		const wrong, right = "the local clock looks wrong", "the local clock looks right again"
		if log := w.log.take(); strings.Contains(log, "clock") || w.counted("a2alockd_clock_skew_seconds") != 0 {
			t.Errorf("all have our time, and the log says\n%s", log)
		}
		for i := range 3 {
			date(i, time.Hour)
		}
		w.pass(time.Hour)
		if n := strings.Count(w.log.take(), wrong); n != 1 {
			t.Errorf("logged %d times, want once", n)
		}
		if got := w.counted("a2alockd_clock_skew_seconds"); got < 3590 || got > 3610 {
			t.Errorf("ahead by %v s, want an hour", got)
		}
		for i := range 3 {
			date(i, 4*time.Minute)
		}
		w.pass(time.Hour)
		if log := w.log.take(); strings.Count(log, right) != 1 || strings.Contains(log, wrong) || w.counted("a2alockd_clock_skew_seconds") != 0 {
			t.Errorf("all have our time again, and the log says\n%s", log)
		}
	})
}

// What caches say, and that validators never match, is there for whoever looks
// at the lock, and costs the store nothing.
func TestWhatIsHeardOfAnAnswer(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 10m")
		w.add(0).each = func(n int, a *agentServer) {
			a.header = map[string]string{"Age": time.Duration(n).String(), "Via": "1.1 cache\u202e", "Cache-Status": "cdn; hit"}
		}
		w.add(1)
		w.start()
		w.pass(time.Hour)
		v, _ := w.engine.Lock("l0")
		if a := v.Answer; a == nil || !strings.HasPrefix(a.Via, "1.1 cache") || strings.Contains(a.Via, "\u202e") || a.Status != "cdn; hit" || a.Note != "" {
			t.Errorf("of l0: %+v", a)
		}
		if v, _ := w.engine.Lock("l1"); v.Answer != nil {
			t.Errorf("of l1: %+v", v.Answer)
		}
		age := v.Answer.Age
		w.set(1, func(a *agentServer) { a.deaf = true })
		w.pass(time.Hour)
		size, writes := w.store.Size(), w.writes.Load()
		w.pass(10 * time.Hour)
		if n := w.writes.Load() - writes; n > 2*60+2 || w.store.Size() > size {
			t.Errorf("%d writes, and the store grew by %d bytes", n, w.store.Size()-size)
		}
		if v, _ := w.engine.Lock("l0"); v.Answer == nil || v.Answer.Age == age {
			t.Errorf("of l0 later: %+v", v.Answer)
		}
		for range 2 {
			v, _ := w.engine.Lock("l1")
			if v.Answer == nil || !strings.Contains(v.Answer.Note, "never matches") {
				t.Errorf("of l1, whose validator never matches: %+v", v.Answer)
			}
			w.restart()
		}
		w.expect("l1", verdict.Compatible, verdict.Fresh)
		w.set(1, func(a *agentServer) { a.deaf = false })
		w.pass(time.Hour)
		if v, _ := w.engine.Lock("l1"); v.Answer != nil {
			t.Errorf("of l1, whose validator matches: %+v", v.Answer)
		}
	})
}
