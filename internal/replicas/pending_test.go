package replicas

import (
	"testing"
	"time"
)

func TestBetter(t *testing.T) {
	x := &Better{Answer: b, Since: now}
	if x.Hear(a, now.Add(time.Minute)); x.CardDigest != "b" || x.Count != 1 || !x.Last.Equal(now.Add(time.Minute)) {
		t.Errorf("after a better one: %+v", x)
	}
	if x.Hear(Answer{CardDigest: "b"}, now); x.Class != a.Class {
		t.Errorf("after the same card, judged anew: %+v", x)
	}
}

func TestPending(t *testing.T) {
	p := Patience{Times: 2, Over: 5 * time.Minute, Apart: time.Minute}
	at := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
	var none *Pending
	if none.IsStuck(at(99), p) {
		t.Error("nil is stuck")
	}
	x := &Pending{Answer: Answer{At: now}}
	if x.IsStuck(at(5), p) || !x.IsStuck(at(6), p) {
		t.Error("what waits is not stuck when its time is over, or sooner")
	}
	for i := 1; i <= 6; i++ {
		if x.Repeat(at(i), p) {
			t.Error("believed, and no confirmation failed")
		}
	}
	if x.Try(at(6)); x.Repeat(at(6), p) || x.Repeats != 6 || x.IsStuck(at(5), p) {
		t.Errorf("one moment counts twice, or one failure is enough: %+v", x)
	}
	if !x.Repeat(at(7), p) {
		t.Errorf("not believed: %+v", x)
	}
	if x.Try(at(7)); !x.IsStuck(now, p) {
		t.Errorf("not stuck: %+v", x)
	}
}
