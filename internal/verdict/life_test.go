package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
)

var start = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// A life is a lock over time.
type life struct {
	t     testing.TB
	state State
	now   time.Time
	seq   uint64
	p     *Params
}

func newLife(t testing.TB) *life {
	return &life{t: t, now: start, seq: 1, p: DefaultParams()}
}

// after lets time go by.
func (l *life) after(d time.Duration) *life {
	l.now = l.now.Add(d)
	return l
}

// step takes o, and returns the events as "kind", quiet ones in brackets.
func (l *life) step(o Observation) string {
	l.t.Helper()
	return spell(l.raw(o))
}

func (l *life) raw(o Observation) []Event {
	l.t.Helper()
	was := l.state
	next, events := Step(was, o, Moment{Now: l.now, Seq: l.seq}, l.p)
	l.state = next
	l.seq += uint64(len(events))
	return events
}

func spell(events []Event) string {
	var words []string
	for _, e := range events {
		word := string(e.Kind)
		if e.Quiet {
			word = "(" + word + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// want fails unless o leads to those events.
func (l *life) want(o Observation, events string) *life {
	l.t.Helper()
	if got := l.step(o); got != events {
		l.t.Fatalf("%s at +%s: events %q, want %q\nin %s", label(o), l.now.Sub(start), got, events, shape(&l.state))
	}
	return l
}

// is fails unless verdict and freshness are those.
func (l *life) is(v Verdict, f Freshness) *life {
	l.t.Helper()
	verdict := l.state.Verdict
	if verdict == "" {
		verdict = None
	}
	if got := l.state.Freshness(l.now, l.p); verdict != v || got != f {
		l.t.Fatalf("at +%s: %s and %s, want %s and %s", l.now.Sub(start), verdict, got, v, f)
	}
	return l
}

// find makes a finding; its fingerprint is by rule, what and path.
func find(class diff.Class, rule, what string, skills ...string) diff.Finding {
	return diff.Finding{
		Rule: rule, Class: class, Path: "/" + what, Was: "was", Now: what, Skills: skills,
		Message: "the thing is " + what, Fingerprint: fmt.Sprintf("%.16s", rule+what+strings.Repeat("0", 16)),
	}
}

// The cards of the tests: each has a digest, and what the lock makes of it.
var (
	good     = Observation{Cause: Decided, By: Scheduled, CardDigest: "good", ProfileDigest: "p1"}
	renamed  = judged("renamed", find(diff.Review, "agent-renamed", "renamed"))
	moved    = judged("moved", find(diff.Review, "card-moved", "moved"))
	both     = judged("both", find(diff.Review, "agent-renamed", "renamed"), find(diff.Review, "card-moved", "moved"))
	noQuote  = judged("noQuote", find(diff.Breaking, "skill-removed", "quote", "quote"))
	noPrice  = judged("noPrice", find(diff.Breaking, "skill-removed", "price", "price"))
	stolen   = judged("stolen", find(diff.Breaking, "interface-origin-changed", "stolen"))
	extended = judged("extended", find(diff.Compatible, "skill-gained", "extra", "extra"))
	tick     = Observation{Cause: Tick}
	down     = Observation{Cause: Failed, By: Scheduled, State: unreachable, Detail: "connection refused"}
	html     = Observation{Cause: Failed, By: Scheduled, State: card.NotJSON, Detail: "HTML"}
)

func judged(digest string, findings ...diff.Finding) Observation {
	o := Observation{Cause: Decided, By: Scheduled, CardDigest: digest, ProfileDigest: "p-" + digest, Findings: findings}
	for _, f := range findings {
		if f.Waived == nil {
			o.Class = max(o.Class, f.Class)
		}
	}
	return o
}

func confirmed(o Observation) Observation { o.By, o.Fresh = Confirm, true; return o }
func rechecked(o Observation) Observation { o.By, o.Fresh = Recheck, true; return o }
func notModified(o Observation) Observation {
	o.NotModified = true
	return o
}
func by(b By, o Observation) Observation { o.By = b; return o }

func report(err, method, skill, value string) Observation {
	return Observation{Cause: Reported, Report: Report{Error: err, Method: method, Skill: skill, Value: value}}
}

var noStream = report("UnsupportedOperationError", "SendStreamingMessage", "quote", "")

// on brings a life to a confirmed verdict.
func (l *life) on(o Observation) *life {
	l.t.Helper()
	l.step(o)
	if o.Class > diff.Compatible {
		l.after(30 * time.Second).step(confirmed(o))
	}
	if got := l.state.Class(); got != o.Class || l.state.Verdict.rank() < 0 {
		l.t.Fatalf("on %s: verdict %q", o.CardDigest, l.state.Verdict)
	}
	return l
}

// shape says in words which parts of a state are there.
func shape(s *State) string {
	words := []string{string(s.Verdict)}
	if s.Verdict == "" {
		words[0] = string(None)
	}
	add := func(holds bool, format string, args ...any) {
		if holds {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(s.Unreachable, "unreachable")
	add(s.Invalid, "invalid")
	add(s.Lapsed, "expired")
	if t := s.Trouble; t != nil {
		add(!s.Unreachable && t.Fetches > 0, "failed ×%d", t.Fetches)
		add(!s.Invalid && t.Bytes > 0, "undecodable ×%d", t.Bytes)
	}
	if s.Pending != nil {
		add(true, "pending %s", s.Pending.Class)
	}
	if s.Better != nil {
		add(true, "%s for %d", s.Better.Class, s.Better.Count)
	}
	if d := s.Dispute; d != nil {
		add(!d.IsOn(), "disagreed once")
		add(d.IsOn() && !d.Raised, "disputed")
		add(d.IsOn() && d.Raised, "replicas disagree")
	}
	add(s.Suppressed(), "suppressed")
	add(s.Stale != nil, "marked-stale")
	add(slices.ContainsFunc(s.Reports, func(r Report) bool { return r.Operation != "" }), "evidence")
	add(s.Ack != nil, "acked")
	add(s.Removed, "removed")
	return strings.Join(words, ", ")
}

// label says in words what an observation is.
func label(o Observation) string {
	words := []string{string(o.Cause)}
	if o.Cause == Decided {
		words[0] = o.Class.String() + " " + o.CardDigest
	}
	if o.By != "" && o.By != Scheduled {
		words = append(words, "by "+string(o.By))
	}
	if o.NotModified {
		words = append(words, "304")
	}
	if o.State != "" {
		words = append(words, string(o.State))
	}
	if o.Report.Error != "" {
		words = append(words, o.Report.Error)
	}
	return strings.Join(words, " ")
}

// What is wrong with a card begins with its state already.
func TestGoneNamesTheStateOnce(t *testing.T) {
	for _, tt := range []struct{ detail, want string }{
		{"card-invalid: /skills: empty", "card-invalid: /skills: empty"},
		{"/skills: empty", "card-invalid: /skills: empty"},
		{"", "card-invalid"},
	} {
		l := newLife(t)
		l.step(Observation{Cause: Failed, State: card.Invalid, Detail: tt.detail})
		if l.state.Gone != tt.want {
			t.Errorf("detail %q: gone %q, want %q", tt.detail, l.state.Gone, tt.want)
		}
	}
}
