package standing

import (
	"errors"
	"testing"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/lockset"
	"github.com/a2alock/a2alock/internal/verdict"
)

func TestFilter(t *testing.T) {
	f := &lockset.File{
		ID: "pricing", Path: "/w/locks/pricing.a2a.lock.json", Broken: errors.New("cut off"),
		Info: lockset.Info{Workflow: "travel", Owner: "team", Agent: "https://a.example.com/card.json"},
	}
	v := Of(f, &verdict.State{Since: time.Unix(0, 0)})
	if v.Class != verdict.None || v.Broken != "cut off" || v.Validated != nil || v.Since == nil || v.Since.Location() != time.UTC {
		t.Errorf("view = %+v", v)
	}
	v.AgentID = "a.example.com-1"
	for _, tt := range []struct {
		f    Filter
		want bool
	}{
		{Filter{}, true},
		{Filter{Class: "none", Freshness: "ageing", Owner: "team", Workflow: "travel"}, true},
		{Filter{Class: "review"}, false},
		{Filter{Freshness: "fresh"}, false},
		{Filter{Owner: "tea"}, false},
		{Filter{Workflow: "t"}, false},
		{Filter{Agent: "a.example.com-1"}, true},
		{Filter{Agent: "https://a.example.com/"}, true},
		{Filter{Agent: "a.example.com"}, false},
		{Filter{Path: "pricing.a2a.lock.json"}, true},
		{Filter{Path: "locks/pricing.a2a.lock.json"}, true},
		{Filter{Path: "icing.a2a.lock.json"}, false},
	} {
		if got := tt.f.Chooses(&v); got != tt.want {
			t.Errorf("%+v chooses it: %v, want %v", tt.f, got, tt.want)
		}
	}
}

func TestAddAge(t *testing.T) {
	c := Counts{Now: time.Unix(100, 0)}
	for i, at := range []int64{90, 120, 50, 70, 20} {
		c.AddAge(string(rune('a'+i)), time.Unix(at, 0), 2)
	}
	want := []Age{{"a", 10}, {"b", 0}, {overflow, 80}}
	if len(c.PerAgent) != 3 || c.PerAgent[0] != want[0] || c.PerAgent[1] != want[1] || c.PerAgent[2] != want[2] {
		t.Errorf("ages = %v, want %v", c.PerAgent, want)
	}
}

// A reader sees what may yet become the verdict.
func TestWaiting(t *testing.T) {
	at := time.Unix(60, 0)
	worse, better := verdict.Answer{Class: diff.Breaking, At: at}, verdict.Answer{Class: diff.Compatible, At: at}
	v := Of(&lockset.File{}, &verdict.State{
		Verdict: verdict.Review, ValidatedAt: at.Add(time.Hour), Kept: at,
		Pending: &verdict.Pending{Answer: worse}, Better: &verdict.Better{Answer: better, Since: at},
		Dispute: &verdict.Dispute{Count: 2, Began: at, Answers: []verdict.Answer{better, worse}},
	})
	want := Waiting{verdict.Breaking, at.UTC()}
	if v.Pending == nil || *v.Pending != want || v.Dispute == nil || *v.Dispute != want {
		t.Errorf("pending %v, dispute %v, want %v", v.Pending, v.Dispute, want)
	}
	if v.Better == nil || *v.Better != (Waiting{verdict.Compatible, at.UTC()}) {
		t.Errorf("better %v", v.Better)
	}
	if v.Validated == nil || !v.Validated.Equal(at) {
		t.Errorf("validated at %v, want when the card behind the verdict was", v.Validated)
	}
	if v := Of(&lockset.File{}, &verdict.State{Dispute: &verdict.Dispute{Count: 1}}); v.Pending != nil || v.Better != nil || v.Dispute != nil {
		t.Errorf("nothing waits: %+v", v)
	}
}
