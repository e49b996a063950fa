package verdict

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/moment"
)

// An op is two bytes: what is observed, and how much time goes by before.
type op [2]byte

// passes are what may go by, in either direction.
var passes = []time.Duration{
	0, second, 30 * second, minute, 5 * minute, 10 * minute, hour, 6 * hour, 24 * hour, 50 * hour,
	-second, -minute, -hour, -50 * hour, 87600 * hour, -87600 * hour,
}

// alphabet is every kind of observation, several of each.
var alphabet = sync.OnceValue(func() []Observation {
	waived := find(diff.Breaking, "skill-removed", "quote", "quote")
	waived.Waived = &diff.Waived{Reason: "r", Owner: "o", Until: "2026-12-31"}
	offsite := stolen
	offsite.CardDigest, offsite.Via = good.CardDigest, "https://elsewhere.example/"
	var list []Observation
	for _, o := range []Observation{
		good, renamed, moved, both, noQuote, noPrice, stolen, extended, offsite, judged("good", waived),
		withReplicas(good), withReplicas(noQuote),
	} {
		unlike := o
		unlike.Began = start
		list = append(list, o, confirmed(o), rechecked(o), notModified(o), by(OnReport, confirmed(o)), by(Local, o), by(Judged, o), unlike)
	}
	list = append(list, notModified(judged("never read")), Observation{Cause: Decided}, Observation{}, Observation{Cause: "unheard of"})
	for _, state := range []card.State{unreachable, card.NotJSON, card.Invalid, "auth-required", ""} {
		o := Observation{Cause: Failed, By: Scheduled, State: state, Detail: "why\nnot"}
		list = append(list, o, by(Confirm, o), by(OnReport, o), by(Local, o))
	}
	list = append(list,
		noStream, report("PushNotificationNotSupportedError", "", "", ""), report("ContentTypeNotSupportedError", "", "quote", "a/b"),
		report("TaskNotFoundError", "", "", ""), Observation{Cause: Reported},
		by(Judged, tick), by(Judged, Observation{Cause: Failed, State: card.Invalid}), ack(Ack{}), ack(Ack{Until: start.Add(100 * hour)}), Observation{Cause: Unacked},
		tick, tick, tick, tick,
	)
	return append(list, Observation{Cause: Removed}) // the last, which few runs draw
})

// A trial is one run with what is remembered of it.
type trial struct {
	*life
	opened map[uint64]bool // episodes of which something was told
	fail   func(format string, args ...any)
}

func newTrial(fail func(format string, args ...any)) *trial {
	return &trial{life: newLife(nil), opened: map[uint64]bool{}, fail: fail}
}

func run(ops []op, fail func(format string, args ...any)) {
	all, t := alphabet(), newTrial(fail)
	for i, x := range ops {
		t.now = t.now.Add(passes[int(x[1])%len(passes)])
		o := all[int(x[0])%len(all)]
		if o.Cause == Removed && x[1]%8 != 0 {
			o = tick
		}
		t.one(i, o)
	}
}

// one takes a step, and holds it to the invariants.
func (t *trial) one(i int, o Observation) {
	was := t.state
	before := encode(was)
	next, events := Step(was, o, Moment{Now: t.now, Seq: t.seq}, t.p)
	bad := func(format string, args ...any) {
		t.fail("step %d, %s at +%s, in %s -> %s: %s: %s", i, label(o), t.now.Sub(start), shape(&was), shape(&next), spell(events), fmt.Sprintf(format, args...))
	}
	if !bytes.Equal(before, encode(was)) {
		bad("the state before was changed")
	}
	t.state = next
	t.numbers(was, next, events, bad)
	t.episodes(was, next, events, bad)
	t.quiet(was, next, o, events, bad)
	t.again(next, o, events, bad)
	t.back(next, o, events, bad)
	t.asked(next, bad)
	t.kept(next, o, bad)
	t.seq += uint64(len(events))
}

type complain func(format string, args ...any)

// numbers: they have no gap, and no event is without a cause that is stored.
func (t *trial) numbers(was, next State, events []Event, bad complain) {
	for i, e := range events {
		if e.Seq != t.seq+uint64(i) || !e.At.Equal(t.now) {
			bad("event %d has number %d and time %s", i, e.Seq, e.At)
		}
	}
	if len(events) > 0 && !Moved(was, next) {
		bad("events, and nothing moved")
	}
}

// episodes: resolved comes after something that was told of the same episode,
// trouble has one, and what it has told only grows.
func (t *trial) episodes(was, next State, events []Event, bad complain) {
	for _, e := range events {
		if e.Kind == Resolved && (!t.opened[e.Episode] || e.Class != diff.Compatible) {
			bad("resolved, and nothing of episode %d was told", e.Episode)
		}
		if e.Episode != 0 && !e.Quiet && e.Kind != Closed {
			t.opened[e.Episode] = true
		}
		if e.Episode > e.Seq {
			bad("episode %d of event %d", e.Episode, e.Seq)
		}
	}
	trouble := next.Class() > diff.Compatible || next.Unreachable || next.Invalid || next.Lapsed || next.Suppressed()
	if trouble && next.Episode == nil && !next.Removed {
		bad("trouble without an episode")
	}
	if was.Episode != nil && next.Episode != nil && was.Episode.Start == next.Episode.Start {
		n := len(was.Episode.Told)
		if len(next.Episode.Told) < n || !reflect.DeepEqual(was.Episode.Told, next.Episode.Told[:n]) && n > 0 {
			bad("told %q became %q", was.Episode.Told, next.Episode.Told)
		}
	}
	if next.Ack != nil && (next.Episode == nil || next.Ack.Episode != next.Episode.Start) {
		bad("an ack without its episode")
	}
}

// quiet: what is suppressed is not told, and what is not known improves nothing.
func (t *trial) quiet(was, next State, o Observation, events []Event, bad complain) {
	for _, e := range events {
		if was.Suppressed() && next.Suppressed() && !e.Quiet && e.Class <= was.Damping.Worst.Class {
			bad("%s is told though it is suppressed", e.Kind)
		}
	}
	known := false
	for _, d := range was.Known {
		known = known || d == o.CardDigest
	}
	if o.Cause == Decided && o.NotModified && !known && next.Verdict != was.Verdict {
		bad("a 304 for an unknown card")
	}
	if o.Cause != Decided && o.Cause != Removed && next.Verdict != was.Verdict {
		bad("a verdict without a decision")
	}
	fetched := o.Cause == Decided && !o.By.isLocal()
	if !fetched && next.ValidatedAt.After(was.ValidatedAt) {
		bad("validated by nothing")
	}
	if !o.Fresh && !o.By.isLocal() && next.Class() > was.Class() && next.CardDigest != was.CardDigest && !was.Dispute.IsOn() &&
		(was.Pending == nil || was.Pending.Failed == 0 || was.Pending.Repeats+1 < t.p.FailureThreshold) {
		bad("worse, and not confirmed")
	}
}

// again: the same observation makes no second event.
func (t *trial) again(next State, o Observation, events []Event, bad complain) {
	twice, more := Step(next, o, Moment{Now: t.now, Seq: t.seq + 100}, t.p)
	for _, e := range more {
		for _, f := range events {
			if e.Kind == f.Kind {
				bad("again: %s", spell(more))
			}
		}
	}
	if len(events) == 0 && len(more) == 0 && o.Cause == Tick && Moved(next, twice) {
		bad("a second tick moved something")
	}
}

// back: a clock that goes back reopens nothing, and brings nothing back.
func (t *trial) back(next State, o Observation, events []Event, bad complain) {
	for _, d := range []time.Duration{second, hour, 50 * hour, 87600 * hour} {
		at := Moment{Now: t.now.Add(-d), Seq: t.seq + 100}
		past, more := Step(next, tick, at, t.p)
		if len(more) > 0 || !reflect.DeepEqual(past.Episode, next.Episode) || past.Verdict != next.Verdict {
			bad("%s back: %s", d, spell(more))
		}
		if !next.Removed && next.Freshness(t.now, t.p) == Expired && next.Lapsed != (past.Freshness(at.Now, t.p) == Expired) {
			bad("%s back: no longer expired", d)
		}
		_, more = Step(next, o, at, t.p)
		for _, e := range more {
			for _, f := range events {
				if e.Kind == f.Kind {
					bad("%s back, again: %s", d, spell(more))
				}
			}
		}
	}
}

// asked: what can be asked of a state has an answer.
func (t *trial) asked(next State, bad complain) {
	for _, skill := range []string{"", "quote", "price"} {
		d := Decide(&next, t.now, t.p, skill)
		if skill == "" && d.Delegate && (next.Verdict == Breaking || d.Class == Breaking) {
			bad("breaking, and delegated: %+v", d)
		}
		if d.Class.rank() < next.Verdict.rank() && skill == "" {
			bad("decided better than the verdict: %+v", d)
		}
		if (d.Freshness == Fresh || d.Freshness == Ageing) && d.Class != None && d.Degraded != (next.Suppressed() || next.Pending.IsStuck(t.now, t.p.patience())) {
			bad("degraded for nothing, or suppressed or stuck and not degraded: %+v", d)
		}
	}
	if wants := Wants(&next, t.p); len(wants) > 5 {
		bad("wants %+v", wants)
	}
	// A tick at its time leaves nothing that is due.
	due := NextTick(&next, t.now, t.p)
	if due.IsZero() {
		return
	}
	at := moment.Later(t.now, due)
	ticked, _ := Step(next, tick, Moment{Now: at, Seq: t.seq + 100}, t.p)
	if still := NextTick(&ticked, at, t.p); !still.IsZero() && !still.After(at) {
		bad("the tick of %s leaves one for %s", at.Sub(start), still.Sub(start))
	}
}

// kept: what the store gives back is what it was given.
func (t *trial) kept(next State, o Observation, bad complain) {
	data := encode(next)
	var back State
	if err := json.Unmarshal(data, &back); err != nil {
		bad("%v in %s", err, data)
		return
	}
	if again := encode(back); !bytes.Equal(data, again) {
		bad("%s became %s", data, again)
	}
	a, some := Step(next, o, Moment{Now: t.now, Seq: t.seq + 100}, t.p)
	b, others := Step(back, o, Moment{Now: t.now, Seq: t.seq + 100}, t.p)
	if !reflect.DeepEqual(some, others) || !bytes.Equal(encode(a), encode(b)) {
		bad("after a restart: %s, before: %s", spell(others), spell(some))
	}
}

func encode(s State) []byte {
	data, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return data
}

func TestStepLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ops := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) op {
			return op{rapid.Byte().Draw(t, "observation"), rapid.Byte().Draw(t, "passes")}
		}), 1, 60).Draw(t, "ops")
		run(ops, t.Fatalf)
	})
}

// Stories of two are tried to the last one: each second observation in every
// state that a first one makes.
func TestStepLawsShort(t *testing.T) {
	n := len(alphabet())
	if n > 256 {
		t.Fatalf("%d observations, and a byte to name one", n)
	}
	seen := map[string]bool{}
	for _, o := range alphabet() {
		first := newTrial(t.Fatalf)
		first.one(0, o)
		name := shape(&first.state) + first.state.CardDigest
		if seen[name] {
			continue
		}
		seen[name] = true
		for _, o := range alphabet() {
			for _, d := range passes[:7] {
				second := *first.life
				second.now = second.now.Add(d)
				(&trial{life: &second, opened: maps.Clone(first.opened), fail: t.Fatalf}).one(1, o)
			}
		}
	}
}

func FuzzStep(f *testing.F) {
	f.Add([]byte{0, 0, 33, 6, 34, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		var ops []op
		for len(data) > 1 && len(ops) < 200 {
			ops = append(ops, op{data[0], data[1]})
			data = data[2:]
		}
		run(ops, t.Fatalf)
	})
}

// The stories under testdata/fuzz are written by this test, so that they stay
// what their names say when the alphabet grows.
func TestFuzzSeeds(t *testing.T) {
	all := alphabet()
	find := func(o Observation) byte {
		for i, x := range all {
			if reflect.DeepEqual(o, x) {
				return byte(i)
			}
		}
		t.Fatalf("%s is not in the alphabet", label(o))
		return 0
	}
	type beat struct {
		o      Observation
		passed byte
	}
	stories := map[string][]beat{
		"confirmed":    {{good, 0}, {noQuote, 6}, {confirmed(noQuote), 2}, {good, 6}, {rechecked(good), 5}},
		"unreachable":  {{good, 0}, {Observation{Cause: Failed, By: Scheduled, State: unreachable, Detail: "why\nnot"}, 6}, {tick, 9}, {good, 6}},
		"disputed":     {{good, 0}, {noQuote, 3}, {confirmed(good), 2}, {noQuote, 3}, {confirmed(good), 2}, {tick, 6}, {by(Judged, withReplicas(noQuote)), 0}},
		"damped":       {{good, 0}, {noQuote, 3}, {confirmed(noQuote), 2}, {good, 3}, {rechecked(good), 5}, {noQuote, 3}, {confirmed(noQuote), 2}, {good, 3}, {rechecked(good), 5}, {tick, 7}},
		"reported":     {{good, 0}, {noStream, 6}, {by(OnReport, confirmed(good)), 3}, {tick, 8}},
		"clock-leaps":  {{good, 14}, {noQuote, 15}, {confirmed(noQuote), 2}, {ack(Ack{}), 12}, {tick, 14}, {good, 15}},
		"acknowledged": {{renamed, 0}, {confirmed(renamed), 2}, {ack(Ack{}), 3}, {both, 3}},
	}
	for name, story := range stories {
		var data []byte
		for _, b := range story {
			data = append(data, find(b.o), b.passed)
		}
		path := filepath.Join("testdata", "fuzz", "FuzzStep", name)
		want := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", data)
		got, err := os.ReadFile(path)
		if os.Getenv("UPDATE") == "1" {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err != nil || string(got) != want {
			t.Errorf("%s is stale: UPDATE=1 go test rewrites it", path)
		}
	}
}
