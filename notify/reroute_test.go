package notify

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// renamed is hooks("ops") with another name for its sink.
func renamed(name string) config.Notify {
	n := hooks(name)
	n.Fallback = ""
	return n
}

// What waits for a sink that is configured no more goes where the routes lead
// now, over a reload and over a restart, with its end.
func TestRowsOfASinkThatIsNoMoreGoElsewhere(t *testing.T) {
	for name, turn := range map[string]func(*bench, config.Notify){
		"reload":  func(b *bench, n config.Notify) { b.notify = n; b.reload <- n },
		"restart": func(b *bench, n config.Notify) { b.end(); b.notify = n; b.start() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := refusing("ops.example", 503)
				b := newBench(t, renamed("ops"), r)
				b.happen("a", verdict.Opened, diff.Breaking)
				b.happen("b", verdict.WentAway, diff.Compatible)
				b.update(func(tx *store.Tx) error {
					_, err := tx.InsertRow(store.Row{
						Key: "d", Sink: "ops", Kind: store.KindDaemon, Text: "the store was damaged", Class: diff.Review,
						CreatedAt: time.Now(), DueAt: time.Now(), State: store.Waiting,
					})
					return err
				})
				b.wait(time.Second)
				wantTold(t, r)
				turn(b, renamed("new"))
				b.wait(time.Minute)
				wantTold(t, r, "opened a", "unreachable b", "daemon ")
				b.happen("a", verdict.Resolved, diff.Compatible)
				b.happen("b", verdict.Resolved, diff.Compatible)
				b.wait(time.Minute)
				wantTold(t, r, "opened a", "unreachable b", "daemon ", "resolved a", "resolved b")
				b.ended()
			})
		})
	}
}

// What began and ended while the sink was down is told as one that is over.
func TestEndsGoElsewhereToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := refusing("ops.example", 503)
		b := newBench(t, renamed("ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.happen("b", verdict.Opened, diff.Review)
		b.wait(time.Minute)
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.happen("b", verdict.Resolved, diff.Compatible)
		b.wait(time.Second)
		n := renamed("new")
		b.notify = n
		b.reload <- n
		b.wait(time.Minute)
		wantTold(t, r, "resolved a")
		for _, m := range r.taken() {
			if !strings.HasPrefix(m.text, "was breaking for") {
				t.Errorf("told %q", m.text)
			}
		}
		b.ended()
	})
}

// A sink that goes and comes again is told what nobody has heard.
func TestASinkThatComesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		r.answers(503)
		b := newBench(t, renamed("ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(time.Second)
		for _, name := range []string{"lost", "ops"} {
			b.notify = renamed(name)
			b.reload <- b.notify
			b.wait(time.Second)
		}
		r.answers(200)
		b.wait(time.Hour)
		wantTold(t, r, "opened a")
		b.ended()
	})
}

// Whoever is first told of a trouble by a reminder is told its end.
func TestAReminderIsBeingTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		b := newBench(t, renamed("old"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(time.Minute)
		n := renamed("new")
		n.Sinks["old"] = renamed("old").Sinks["old"]
		b.notify = n
		b.reload <- n
		b.wait(5 * time.Hour)
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.wait(time.Minute)
		hosts := map[string]string{}
		for _, m := range r.taken() {
			hosts[m.host] += m.kind + " "
		}
		if hosts["old.example"] != "opened resolved " || hosts["new.example"] != "reminder resolved " {
			t.Errorf("told %q", hosts)
		}
		b.ended()
	})
}
