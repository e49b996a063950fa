package notify

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/attempt"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/internal/webhook"
	"github.com/a2alock/a2alock/store"
)

func wantTold(t *testing.T, r *receiver, want ...string) {
	t.Helper()
	if got := r.told(); !slices.Equal(got, want) {
		t.Errorf("told\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestTellsAnEpisode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		b := newBench(t, hooks("travel", "ops"), r)
		b.happen("a", verdict.Opened, diff.Review)
		b.happen("a", verdict.Worsened, diff.Breaking)
		b.happen("b", verdict.WentAway, diff.Compatible)
		b.happen("a", verdict.Flap, diff.Breaking)
		b.happen("a", verdict.Improved, diff.Review)
		b.wait(4 * time.Minute)
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.happen("b", verdict.Resolved, diff.Compatible)
		wantTold(t, r, "opened a", "worsened a", "unreachable b", "improved a", "resolved a", "resolved b")
		b.ended()
		for _, got := range r.taken() {
			if got.host != "travel.example" {
				t.Errorf("%s went to %s", got.kind, got.host)
			}
		}
		if got := r.taken()[4].text; !strings.HasPrefix(got, "resolved after 4 min, was breaking: https://a.example/") {
			t.Errorf("the resolve begins %q", got)
		}
	})
}

// What opened before an outage of a sink gets its resolve; what opened and
// ended inside it comes as one message, or none.
func TestOutageOfASink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		b := newBench(t, hooks("ops"), r)
		b.happen("before", verdict.Opened, diff.Breaking)
		r.answers(500)
		b.wait(time.Minute)
		b.happen("breaking", verdict.Opened, diff.Breaking)
		b.happen("review", verdict.Opened, diff.Review)
		b.happen("standing", verdict.Opened, diff.Review)
		b.wait(2 * time.Hour)
		b.happen("standing", verdict.Worsened, diff.Breaking)
		b.happen("before", verdict.Resolved, diff.Compatible)
		b.happen("breaking", verdict.Resolved, diff.Compatible)
		b.happen("review", verdict.Resolved, diff.Compatible)
		b.wait(4 * time.Hour)
		wantTold(t, r, "opened before")
		r.answers(200)
		b.wait(6 * time.Hour)
		got := r.told()
		slices.Sort(got)
		want := []string{"opened before", "reminder standing", "resolved before", "resolved breaking", "worsened standing"}
		if !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
		for _, m := range r.taken() {
			if m.kind == "resolved" && m.lock == "breaking" && !strings.HasPrefix(m.text, "was breaking for 2 h, is over: ") {
				t.Errorf("the collapsed message begins %q", m.text)
			}
		}
		b.happen("standing", verdict.Resolved, diff.Compatible)
		b.ended()
	})
}

// An opening that waits for its next attempt holds up its own episode, and
// nothing else.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		refuse := true
		r.answer = func(string) (int, http.Header) {
			if refuse {
				refuse = false
				return 503, nil
			}
			return 200, nil
		}
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.WentAway, diff.Compatible)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.happen("b", verdict.Opened, diff.Breaking)
		wantTold(t, r, "opened b")
		b.wait(10 * time.Second)
		wantTold(t, r, "opened b", "unreachable a", "opened a")
		b.happen("a", verdict.Resolved, diff.Compatible)
		wantTold(t, r, "opened b", "unreachable a", "opened a", "resolved a")
	})
}

func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := refusing("travel.example", 503)
		b := newBench(t, hooks("travel", "ops"), r)
		begin := time.Now()
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(80 * time.Hour)
		var at []time.Duration
		var other []string
		ids := map[string]bool{}
		for _, s := range r.requests() {
			switch {
			case s.host != "travel.example":
				other = append(other, s.kind)
			case s.kind == "opened":
				at = append(at, s.at.Sub(begin))
				ids[s.id] = true
			}
		}
		if len(ids) != 1 {
			t.Errorf("%d ids over the attempts, want 1", len(ids))
		}
		if len(at) < 9 || len(at) > 11 || at[len(at)-1] != lifetime {
			t.Fatalf("attempts at %v, want about 10, the last at 72h", at)
		}
		for i, d := range at[1:] {
			if got, want := d-at[i], attempt.Delays[min(i, len(attempt.Delays)-1)]; d != lifetime && (got < want*8/10 || got > want*12/10) {
				t.Errorf("pause %d = %v, want about %v", i+1, got, want)
			}
		}
		if len(other) == 0 || other[0] != "opened" {
			t.Errorf("the fallback was told %q, want the opening first", other)
		}
		b.happen("a", verdict.Resolved, diff.Compatible)
		if got := r.told(); got[len(got)-1] != "resolved a" {
			t.Errorf("the fallback was told %q, want the end too", got)
		}
	})
}

func TestRetryAfterPausesTheSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		limited := true
		r.answer = func(string) (int, http.Header) {
			if limited {
				limited = false
				return 429, http.Header{"Retry-After": {"90"}}
			}
			return 200, nil
		}
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.happen("b", verdict.Opened, diff.Breaking)
		b.wait(89 * time.Second)
		wantTold(t, r)
		b.wait(2 * time.Second)
		wantTold(t, r, "opened b", "opened a")
	})
}

func TestDeadLetter(t *testing.T) {
	for _, status := range []int{400, 413, 422, 405} {
		synctest.Test(t, func(t *testing.T) {
			r := &receiver{answer: func(host string) (int, http.Header) {
				if host == "travel.example" {
					return status, nil
				}
				return 200, nil
			}}
			b := newBench(t, hooks("travel", "ops"), r)
			b.happen("a", verdict.Opened, diff.Breaking)
			wantTold(t, r, "opened a")
			if got := r.taken()[0].text; !strings.Contains(got, "sent here in place of sink travel: answered "+http.StatusText(status)) &&
				!strings.Contains(got, "in place of sink travel: answered 4") {
				t.Errorf("the fallback's message does not say why it has it:\n%s", got)
			}
			b.happen("a", verdict.Resolved, diff.Compatible)
			wantTold(t, r, "opened a", "resolved a")
			b.ended()
		})
	}
}

func TestDisabledSink(t *testing.T) {
	for _, status := range []int{401, 403, 404} {
		synctest.Test(t, func(t *testing.T) {
			r := &receiver{}
			var repaired atomic.Bool
			r.answer = func(host string) (int, http.Header) {
				if !repaired.Load() && host == "travel.example" {
					return status, nil
				}
				return 200, nil
			}
			b := newBench(t, hooks("travel", "ops"), r)
			b.happen("a", verdict.Opened, diff.Breaking)
			b.happen("b", verdict.Opened, diff.Breaking)
			b.wait(3*time.Hour + time.Minute)
			got := r.told()
			slices.Sort(got)
			if want := []string{"daemon ", "opened a", "opened b"}; !slices.Equal(got, want) {
				t.Errorf("%d: the fallback was told %q, want %q", status, got, want)
			}
			probes := 0
			for _, s := range r.requests() {
				if s.host == "travel.example" {
					probes++
				}
			}
			if probes != 4 {
				t.Errorf("%d: %d requests in three hours, want 4", status, probes)
			}
			r.forget()
			repaired.Store(true)
			b.wait(time.Hour)
			got = r.told()
			slices.Sort(got[:2])
			if len(got) < 2 || got[0] != "opened a" || got[1] != "opened b" {
				t.Errorf("%d: repaired, the sink was told %q", status, got)
			}
		})
	}
}

func TestGoneSinkWaitsForItsConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		var back atomic.Bool
		r.answer = func(host string) (int, http.Header) {
			if !back.Load() && host == "travel.example" {
				return 410, nil
			}
			return 200, nil
		}
		b := newBench(t, hooks("travel", "ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(2 * time.Hour)
		back.Store(true)
		b.end()
		b.start()
		b.wait(3 * time.Hour)
		for _, s := range r.taken() {
			if s.host == "travel.example" {
				t.Fatalf("the sink was tried again: %s", s.kind)
			}
		}
		n := hooks("travel", "ops")
		n.Sinks["travel"].Webhook.URL = "https://travel.example/another"
		b.notify = n
		b.reload <- n
		b.wait(time.Second)
		last := r.taken()[len(r.taken())-1]
		if !slices.ContainsFunc(r.taken(), func(s receipt) bool { return s.host == "travel.example" }) {
			t.Errorf("after a change of its configuration the sink was told nothing; last %s to %s", last.kind, last.host)
		}
	})
}

func TestSinkThatIsConfiguredNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := refusing("travel.example", 503)
		b := newBench(t, hooks("travel", "ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.notify = hooks("ops")
		b.reload <- b.notify
		b.wait(time.Second)
		wantTold(t, r, "opened a")
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.ended()
		b.update(func(tx *store.Tx) error {
			if _, known, err := tx.Sink("travel"); known || err != nil {
				t.Errorf("the sink is known still: %v, %v", known, err)
			}
			return nil
		})
	})
}

func TestReminders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		b := newBench(t, hooks("ops"), r)
		begin := time.Now()
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(77 * time.Hour)
		var at []time.Duration
		for _, s := range r.taken()[1:] {
			at = append(at, s.at.Sub(begin).Round(time.Minute))
		}
		if want := []time.Duration{4 * time.Hour, 28 * time.Hour, 52 * time.Hour, 76 * time.Hour}; !slices.Equal(at, want) {
			t.Errorf("reminders at %v, want %v", at, want)
		}
		b.end()
		b.wait(200 * time.Hour)
		r.forget()
		b.start()
		b.wait(2 * time.Minute)
		wantTold(t, r, "reminder a")
		b.update(func(tx *store.Tx) error { // known
			l, _, err := tx.Lock("a")
			if err != nil {
				return err
			}
			l.State.Ack = &verdict.Ack{Author: "eve", At: time.Now(), Until: time.Now().Add(100 * time.Hour), Episode: l.State.Episode.Start, Class: diff.Breaking}
			return tx.PutLock(l)
		})
		r.forget()
		b.wait(99 * time.Hour)
		wantTold(t, r)
		b.wait(2 * time.Hour)
		wantTold(t, r, "reminder a")
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.wait(100 * time.Hour)
		wantTold(t, r, "reminder a", "resolved a")
		b.ended()
	})
}

func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.Opened, diff.Review)
		b.update(func(tx *store.Tx) error {
			return tx.PutSilence(store.Silence{ID: "s1", Match: map[string]string{"owner": "team-*"}, Until: time.Now().Add(30 * time.Minute)})
		})
		b.happen("a", verdict.Worsened, diff.Breaking)
		b.happen("b", verdict.Opened, diff.Breaking)
		b.happen("c", verdict.Opened, diff.Breaking)
		b.happen("c", verdict.Resolved, diff.Compatible)
		b.wait(20 * time.Minute)
		wantTold(t, r, "opened a")
		b.wait(11 * time.Minute)
		got := r.told()
		slices.Sort(got)
		if want := []string{"opened a", "opened b", "worsened a"}; !slices.Equal(got, want) {
			t.Errorf("after the silence: %q, want %q", got, want)
		}
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.happen("b", verdict.Resolved, diff.Compatible)
		b.ended()
		if got := r.told(); len(got) != 5 {
			t.Errorf("told %q, want both ends", got)
		}
	})
}

func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		n := hooks("ops")
		n.Routes[0].GroupBy, n.Routes[0].GroupWindow = []string{"class"}, 30*time.Second
		b := newBench(t, n, r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(10 * time.Second)
		b.happen("b", verdict.Opened, diff.Breaking)
		b.happen("c", verdict.Opened, diff.Review)
		b.wait(19 * time.Second)
		wantTold(t, r)
		b.wait(2 * time.Second)
		if len(r.taken()) != 1 || !strings.Contains(string(r.taken()[0].body), `"settles":["ops|`) {
			t.Fatalf("took %d messages; the first %s", len(r.taken()), r.taken()[0].body)
		}
		b.wait(10 * time.Second)
		wantTold(t, r, " ", "opened c")
		b.ended()
		if id := webhookID(&b.rows()[0]); id != r.taken()[0].id {
			t.Errorf("the group's id is %s, want %s", r.taken()[0].id, id)
		}
	})
}

func TestRemovedLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := answering(503)
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.happen("a", verdict.Closed, diff.Breaking)
		b.wait(time.Hour)
		b.ended()
		if len(r.requests()) != 1 {
			t.Errorf("%d attempts, want 1", len(r.requests()))
		}
	})
}

// A secret is rotated while a message waits for its next attempt.
func TestRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := answering(503)
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(10 * time.Minute)
		n := hooks("ops")
		secrets := []string{"whsec_b2xkLW9sZC1vbGQtb2xkLW9sZC1vbGQ=", n.Sinks["ops"].Webhook.Secrets[0]}
		n.Sinks["ops"].Webhook.Secrets = secrets
		b.notify = n
		r.answers(200)
		b.reload <- n
		b.wait(40 * time.Minute)
		first, last := r.requests()[0], r.taken()[0]
		if first.id != last.id || first.header.Get("Webhook-Timestamp") == last.header.Get("Webhook-Timestamp") {
			t.Errorf("attempts %s at %s and %s at %s; want one id, and the time of each attempt",
				first.id, first.header.Get("Webhook-Timestamp"), last.id, last.header.Get("Webhook-Timestamp"))
		}
		var want []string
		for _, s := range secrets {
			secret, err := webhook.ParseSecret(s)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, secret.Sign(last.id, last.at, last.body))
		}
		if got := last.header.Get("Webhook-Signature"); got != strings.Join(want, " ") {
			t.Errorf("signature = %s, want %s", got, strings.Join(want, " "))
		}
	})
}

// A clock that went back holds nothing up.
func TestClockGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{}
		b := newBench(t, hooks("ops"), r)
		later := time.Now().Add(100 * time.Hour)
		b.update(func(tx *store.Tx) error {
			if err := tx.PutSink(store.Sink{Name: "ops", Config: configDigest(b.notify.Sinks["ops"]), PausedTo: later}); err != nil {
				return err
			}
			_, err := tx.InsertRow(store.Row{
				Key: "k", Sink: "ops", Kind: store.KindDaemon, Text: "hello", State: store.Waiting, CreatedAt: later, DueAt: later,
			})
			return err
		})
		b.wake <- struct{}{}
		b.wait(time.Second)
		if len(r.taken()) != 1 {
			t.Errorf("%d messages, want 1", len(r.taken()))
		}
	})
}

// What is acknowledged before it was told is told all the same, and not again,
// save its end.
func TestAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := answering(503)
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.update(func(tx *store.Tx) error {
			l, _, err := tx.Lock("a")
			if err != nil {
				return err
			}
			l.State.Ack = &verdict.Ack{Author: "eve\u202e", Episode: l.State.Episode.Start, Class: diff.Breaking}
			return tx.PutLock(l)
		})
		r.answers(200)
		b.wait(10 * time.Hour)
		wantTold(t, r, "opened a")
		b.happen("a", verdict.Resolved, diff.Compatible)
		wantTold(t, r, "opened a", "resolved a")
		b.ended()
	})
}

// A reload disturbs no sink that it leaves as it is, and waits for none.
func TestReloadStopsWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{answer: func(host string) (int, http.Header) {
			if host == "travel.example" || host == "slow.example" {
				return 0, nil // never
			}
			return 200, nil
		}}
		toAll := func(names ...string) config.Notify {
			n := hooks(names...)
			n.Routes = n.Routes[len(names)-1:]
			n.Routes[0].Sinks = names
			return n
		}
		b := newBench(t, toAll("travel", "slow", "ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(time.Second)
		before := len(r.requests())
		n := toAll("travel", "new", "slow", "ops")
		n.Sinks["travel"].Webhook.URL = "https://moved.example/hook"
		b.notify = n
		b.reload <- n
		b.happen("b", verdict.Opened, diff.Breaking)
		b.wait(time.Second)
		hosts := map[string]int{}
		for _, s := range r.requests()[before:] {
			hosts[s.host]++
		}
		if hosts["ops.example"] == 0 || hosts["new.example"] == 0 || hosts["moved.example"] > 0 || hosts["slow.example"] > 0 {
			t.Errorf("a second after the reload: %v", hosts)
		}
		b.wait(sendTimeout)
		for _, s := range r.requests()[before:] {
			hosts[s.host]++
		}
		if hosts["moved.example"] == 0 || hosts["travel.example"] > 0 {
			t.Errorf("after the stopped one's time: %v", hosts)
		}
	})
}
