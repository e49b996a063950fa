package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// review is one of results, compared with base.
func review(results []*diff.Result, base *Base) *Review {
	r := New(results, diff.Breaking, nil)
	r.Base = base
	return &Review{r}
}

// reviewText is its text.
func reviewText(t *testing.T, results []*diff.Result, base *Base) string {
	t.Helper()
	var out bytes.Buffer
	if err := review(results, base).Text(&out, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// revised is one changed lock with findings.
func revised(findings ...diff.Finding) *diff.Result {
	r := &diff.Result{
		Lock:  &lockfile.Lock{Path: "a.a2a.lock.json", Workflow: "travel", Agent: "https://a.example/card.json"},
		State: diff.Checked, Decided: true, Findings: findings,
	}
	for _, f := range findings {
		if f.Waived == nil {
			r.Class = max(r.Class, f.Class)
		}
	}
	return r
}

func TestReviewOfNoChange(t *testing.T) {
	for _, tt := range []struct {
		base *Base
		want string
	}{
		{nil, "compatible: no lock changed\n"},
		{&Base{Ref: "origin/main", Commit: "abc1234567"}, "compatible: no lock changed since origin/main (abc1234)\n"},
	} {
		if got := reviewText(t, nil, tt.base); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// A reviewer reads what is asked before what the agent did, and what to do last.
func TestReviewOrder(t *testing.T) {
	text := reviewText(t, []*diff.Result{revised(
		diff.Finding{Rule: "lock-owner-changed", Class: diff.Review, Path: "/owner", Message: "the owner is another"},
		diff.Finding{Rule: "agent-version-changed", Class: diff.Review, Message: "the version is another"},
		diff.Finding{Rule: "lock-requirement-dropped", Class: diff.Review, Path: "/requires/streaming", Message: "streaming went"},
		diff.Finding{Rule: "lock-evidence-removed", Class: diff.Review, Path: "/verified/streaming", Message: "evidence went"},
		diff.Finding{Rule: "lock-scopes-widened", Class: diff.Review, Path: "/requires/skills/quote/scopes", Message: "a scope came"},
	)}, &Base{Ref: "main", Commit: "abcdef0123"})
	at := -1
	for _, want := range []string{
		"review: 5 review findings in 1 lock, compared with main (abcdef0)\n", "review  a.a2a.lock.json\n",
		"  asks now\n    review      lock-scopes-widened: a scope came\n",
		"  no longer asks\n    review      lock-requirement-dropped: streaming went\n",
		"  the agent changed\n    review      agent-version-changed: the version is another\n",
		"  evidence, trust and waivers\n    review      lock-evidence-removed at /verified/streaming: evidence went\n",
		"  the file\n    review      lock-owner-changed at /owner: the owner is another\n",
		"  to do\n    - lock-owner-changed: ", "review: 1 of 1 lock (fails on breaking)\n",
	} {
		next := strings.Index(text, want)
		if next <= at {
			t.Errorf("%q stands at %d, want it after %d, in:\n%s", want, next, at, text)
		}
		at = next
	}
}

// That nothing else is asked is said of what was compared alone.
func TestReviewSaysNothingOfWhatWasNotCompared(t *testing.T) {
	const none = "asks now: nothing that it did not"
	undecided := &diff.Result{Lock: &lockfile.Lock{Path: "a"}, State: diff.NoBase, Detail: "lost"}
	for name, c := range map[string]struct {
		result *diff.Result
		says   bool
	}{
		"compared":  {revised(), true},
		"undecided": {undecided, false},
		"invalid":   {revised(diff.Finding{Rule: "lock-invalid", Class: diff.Breaking, Message: "no lock"}), false},
	} {
		if text := reviewText(t, []*diff.Result{c.result}, nil); strings.Contains(text, none) != c.says {
			t.Errorf("%s: it says %q: %v, want %v, in:\n%s", name, none, !c.says, c.says, text)
		}
		var out bytes.Buffer
		if err := review([]*diff.Result{c.result}, nil).Markdown(&out); err != nil {
			t.Fatal(err)
		}
		if says := strings.Contains(out.String(), "Nothing that it did not."); says != c.says {
			t.Errorf("%s: the Markdown says so: %v, want %v, in:\n%s", name, says, c.says, out.String())
		}
	}
}

func TestReviewShortens(t *testing.T) {
	var findings []diff.Finding
	for i := range 10 {
		findings = append(findings, diff.Finding{Rule: "skill-gained", Class: diff.Compatible, Message: fmt.Sprintf("%d %s", i, strings.Repeat("word ", 100))})
	}
	findings = append(findings, diff.Finding{Rule: "skill-removed", Class: diff.Breaking, Message: strings.Repeat("w", 200) + " end", Fingerprint: "0123456789abcdef"})
	findings = append(findings, diff.Finding{
		Rule: "lock-owner-changed", Class: diff.Review, Message: "x",
		Waived: &diff.Waived{Reason: "agreed", Owner: "ann", Until: "2027-01-01"},
	})
	text := reviewText(t, []*diff.Result{revised(findings...)}, nil)
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(line) > reviewWidth+1 && !strings.Contains(line, strings.Repeat("w", 200)) {
			t.Errorf("a line of %d characters: %q", utf8.RuneCountInString(line), line)
		}
	}
	for _, want := range []string{
		"skill-gained: 2 ", "    compatible  and 7 more, which --format json has\n", "(id=0123456789abcdef)",
		"waived      lock-owner-changed: x (review, until 2027-01-01 by ann: agreed)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "skill-gained: 3 ") {
		t.Errorf("more than %d compatible findings in:\n%s", maxQuiet, text)
	}
}

func TestReviewMarkdownFitsIntoAComment(t *testing.T) {
	var many []*diff.Result
	for range 200 {
		many = append(many, revised(slices.Repeat([]diff.Finding{{Rule: "skill-removed", Class: diff.Breaking, Message: strings.Repeat("m", 350)}}, 5)...))
	}
	var out bytes.Buffer
	if err := review(many, &Base{Ref: "main", Commit: "abc"}).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 65_000 || !strings.Contains(out.String(), "found no room here") {
		t.Errorf("%d bytes of Markdown, want them to fit, and to say what is left out", out.Len())
	}
}

// However a text is broken into lines, none of them is a command or a control.
func FuzzReviewText(f *testing.F) {
	for _, s := range []string{hostileText, strings.Repeat("x", 85) + " ::error::y", strings.Repeat("x ", 60) + "##vso[a]", "\x1b[2J\n", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := revised(
			diff.Finding{Rule: "lock-owner-changed", Class: diff.Review, Message: s, Was: s},
			diff.Finding{Rule: "text-changed", Class: diff.Compatible, Message: s},
			diff.Finding{Rule: "skill-removed", Class: diff.Breaking, Message: s, Waived: &diff.Waived{Reason: s, Owner: s, Until: s}},
		)
		r.Notes = []string{s}
		r.Lock = &lockfile.Lock{Path: s, Workflow: s, Owner: s, Agent: s, Fallback: s}
		inert(t, "review.txt", []byte(reviewText(t, []*diff.Result{r, {Lock: r.Lock, State: diff.NoBase, Detail: s}}, &Base{Ref: s, Commit: s})))
	})
}
