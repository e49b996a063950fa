package replicas

import (
	"slices"
	"testing"
	"time"

	"github.com/a2alock/a2alock/diff"
)

var (
	now = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	a   = Answer{CardDigest: "a"}
	b   = Answer{CardDigest: "b", Class: diff.Breaking}
)

func TestDispute(t *testing.T) {
	var none *Dispute
	if none.IsOn() {
		t.Error("nil is on")
	}
	d := &Dispute{First: now}
	d.Disagree(b, a, now)
	if d.IsOn() || d.Run != 1 || d.Card != "a" {
		t.Errorf("after one: %+v", d)
	}
	d.Disagree(b, a, now.Add(time.Minute))
	if !d.IsOn() || d.Run != 1 || !d.Since.Equal(now.Add(time.Minute)) || len(d.Answers) != 2 || d.Worst().CardDigest != "b" {
		t.Errorf("after two: %+v", d)
	}
	d.Hear(a, now.Add(2*time.Minute))
	if d.Run != 2 || !d.Since.Equal(now.Add(time.Minute)) || !d.Seen.Equal(now.Add(2*time.Minute)) {
		t.Errorf("after the same answer: %+v", d)
	}
	d.Hear(Answer{CardDigest: "a", Via: "https://elsewhere.example/"}, now)
	if d.Run != 1 {
		t.Errorf("the same card by another way makes a run of %d", d.Run)
	}
}

func TestMemory(t *testing.T) {
	for interval, want := range map[time.Duration]time.Duration{0: time.Hour, 30 * time.Minute: time.Hour, 24 * time.Hour: 48 * time.Hour} {
		if got := Memory(interval); got != want {
			t.Errorf("Memory(%s) = %s, want %s", interval, got, want)
		}
	}
}

func TestRaises(t *testing.T) {
	const grace, stable = 30 * time.Minute, 10 * time.Minute
	d := &Dispute{First: now, Began: now.Add(time.Minute)}
	if got := d.Raises(grace, stable).Sub(now); got != grace {
		t.Errorf("raises after %s", got)
	}
	d.Began = now.Add(59 * time.Minute)
	if got := d.Raises(grace, stable).Sub(now); got != 69*time.Minute {
		t.Errorf("raises after %s, want ten minutes of dispute", got)
	}
}

func TestNote(t *testing.T) {
	d := &Dispute{}
	d.Note(b)
	for _, digest := range []string{"c", "d", "e", "c", "f"} {
		d.Note(Answer{CardDigest: digest})
	}
	var got []string
	for _, x := range d.Answers {
		got = append(got, x.CardDigest)
	}
	if want := []string{"b", "e", "c", "f"}; !slices.Equal(got, want) {
		t.Errorf("answers %q, want the worst and the last three, %q", got, want)
	}
	kept := d.Answers
	d.Correct(Answer{CardDigest: "b"})
	if d.Worst().Class != diff.Compatible || kept[0].Class != diff.Breaking {
		t.Error("a correction is not taken, or changes the list of before")
	}
	d.Correct(Answer{CardDigest: "x"})
	if len(d.Answers) != Most {
		t.Errorf("%d answers", len(d.Answers))
	}
}
