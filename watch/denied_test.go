package watch

import (
	"slices"
	"testing"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/verdict"
)

// An agent that shows its public card to whom it does not know any more has not
// lost its skills, whoever judges that when.
func TestAccessLostWithoutAWord(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 5m")
		p := w.partner()
		w.start()
		w.pass(11 * time.Minute)
		w.expect("la", verdict.Compatible, verdict.Fresh)
		p.change(func() { p.skills["token-a"] = "public" })
		w.pass(15 * time.Minute)
		denied := func(when string) {
			t.Helper()
			if s := w.state("la"); w.trouble("la") != fetch.AuthRequired || s.Verdict != verdict.Compatible || len(s.Findings) != 0 {
				t.Errorf("%s: %+v with %+v, want that access is lost", when, s, s.Trouble)
			}
			w.expect("lb", verdict.Compatible, verdict.Fresh)
			w.expect("lp", verdict.Compatible, verdict.Fresh)
		}
		denied("at once")
		w.pass(time.Hour) // most answers are 304
		denied("an hour later")
		w.restart()
		denied("after a restart")
		w.policy.MaxLockAge = time.Hour // all are judged anew, and nobody is asked
		w.reload()
		denied("after a reload")
		w.pass(10 * time.Minute)
		denied("asked again")
		p.change(func() { p.skills["token-a"] = "alpha" })
		w.pass(10 * time.Minute)
		if w.expect("la", verdict.Compatible, verdict.Fresh); w.trouble("la") != "" {
			t.Errorf("it is back, and in trouble: %s", w.trouble("la"))
		}
	})
}

// A good public card that the client cannot speak to is an answer.
func TestExtendedCardThatCannotBeAskedFor(t *testing.T) {
	run(t, func(w *world) {
		w.every("@every 5m")
		p := w.partner()
		w.start()
		w.pass(11 * time.Minute)
		p.change(func() { p.next, p.tokens = true, nil })
		w.pass(15 * time.Minute)
		broken := func(when string) {
			t.Helper()
			for _, id := range []string{"la", "lb", "lp"} {
				w.expect(id, verdict.Breaking, verdict.Fresh)
				if got := w.rules(id); id != "lp" && !slices.Equal(got, []string{"interface-none-usable"}) || w.trouble(id) != "" {
					t.Errorf("%s: %s has the findings %q and trouble %q", when, id, got, w.trouble(id))
				}
			}
		}
		broken("at once")
		w.restart()
		w.policy.MaxLockAge = time.Hour
		w.reload()
		w.pass(10 * time.Minute)
		broken("judged again")
		p.change(func() { p.next = false })
		w.pass(time.Hour)
		for _, id := range []string{"la", "lb", "lp"} {
			w.expect(id, verdict.Compatible, verdict.Fresh)
		}
	})
}
