package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

func TestListingLevels(t *testing.T) {
	tests := []struct {
		name    string
		finding diff.Finding
		failOn  diff.Class
		level   Level
		word    string
		fails   bool
		help    bool
	}{
		{"breaking", diff.Finding{Rule: "skill-removed", Class: diff.Breaking}, diff.Breaking, Failure, "breaking", true, true},
		{"review", diff.Finding{Rule: "agent-renamed", Class: diff.Review}, diff.Breaking, Warning, "review", false, true},
		{"review that fails", diff.Finding{Rule: "agent-renamed", Class: diff.Review}, diff.Review, Warning, "review", true, true},
		{"compatible", diff.Finding{Rule: "skill-gained"}, diff.Review, Note, "compatible", false, false},
		{"waived", diff.Finding{Rule: "skill-removed", Class: diff.Breaking, Waived: &diff.Waived{}}, diff.Review, Note, "breaking", false, false},
		{"of no rule that is known", diff.Finding{Rule: "x", Class: diff.Breaking}, diff.Review, Failure, "breaking", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := New([]*diff.Result{{
				Lock: &lockfile.Lock{Path: "a"}, State: diff.Checked, Decided: true, Class: tt.finding.Class, Findings: []diff.Finding{tt.finding},
			}}, tt.failOn, nil)
			i := r.Listing().Subjects[0].Items[0]
			if i.Level != tt.level || i.Word != tt.word || i.Fails != tt.fails || (i.Help != "") != tt.help {
				t.Errorf("level %v, word %q, fails %v, help %q", i.Level, i.Word, i.Fails, i.Help)
			}
		})
	}
}

func TestListingOfRichReport(t *testing.T) {
	l := New(rich(), diff.Breaking, []string{"a2alock.yaml:3: no such key"}).Listing()
	if !strings.HasPrefix(l.Verdict, "breaking: ") || len(l.Errors) != 1 || l.Errors[0].Message != "a2alock.yaml:3: no such key" {
		t.Errorf("verdict %q, errors %+v", l.Verdict, l.Errors)
	}
	for i, s := range l.Subjects {
		open := New(rich(), diff.Breaking, nil).Locks[i].Class == nil
		if s.Name == "" || s.Fine == "" || open != (s.Open != nil) {
			t.Errorf("%+v", s)
		}
		for n := 1; n < len(s.Items); n++ {
			if s.Items[n].Level > s.Items[n-1].Level {
				t.Errorf("%s: %s comes after %s", s.Name, s.Items[n].Rule, s.Items[n-1].Rule)
			}
		}
	}
	pricing := l.Subjects[1].Items[0]
	want := "application/json is no longer accepted\n" +
		"at: /skills/itinerary-pricing/input\nwas: application/json, text/plain\nnow: application/pdf\n" +
		"agent: https://pricing.partner.example/.well-known/agent-card.json\nowner: team-travel\nfallback: human\n" +
		"do: " + pricing.Help
	if diff := cmp.Diff(want, pricing.Text()); diff != "" {
		t.Error(diff)
	}
}

// What other tools show holds no secret of a URL and nothing unseen.
func TestListingIsSafe(t *testing.T) {
	const s = "x\x1b[2J\n::error::\u202e https://u:hunter2@evil.example/?token=hunter2"
	results := []*diff.Result{
		{
			Lock: &lockfile.Lock{Path: "a", Owner: "\x1b\n::", Agent: s, Fallback: s}, State: diff.Checked, Decided: true, Class: diff.Breaking,
			Findings: []diff.Finding{{Rule: "skill-removed", Class: diff.Breaking, Was: s, Now: []string{s}, Message: s}},
		},
		{Lock: &lockfile.Lock{Path: "b"}, State: card.NotJSON, Detail: s},
	}
	v := NewValidation("c.json", &compile.Reading{Findings: []card.Finding{{Code: "missing", Severity: card.Error, Path: "/a", Message: s}}})
	for _, l := range []*Listing{New(results, diff.Breaking, []string{s}).Listing(), v.Listing()} {
		items := l.Errors
		for _, sub := range l.Subjects {
			items = append(items, sub.Items...)
			if sub.Open != nil {
				items = append(items, *sub.Open)
			}
		}
		if len(items) == 0 {
			t.Fatal("nothing listed")
		}
		for _, i := range items {
			for line := range strings.SplitSeq(i.Text(), "\n") {
				if line != Line(line) || strings.Contains(line, "hunter2") {
					t.Errorf("%s: %q", i.Rule, line)
				}
			}
		}
	}
}

func TestListingOfValidation(t *testing.T) {
	findings := []card.Finding{
		{Code: "snake-case", Severity: card.Warning, Path: "/a_b", Message: "a_b: read as aB"},
		{Code: "missing", Severity: card.Gap, Message: "description: missing"},
		{Code: "wrong-type", Severity: card.Error, Scope: card.ScopeSkill, Path: "/skills/0/id", Message: "id: a number"},
	}
	for file, want := range map[string]string{"c.json": "c.json", "-": "", "https://a.example/card.json": ""} {
		s := NewValidation(file, &compile.Reading{Card: &card.Card{Shape: card.Shape10}, Findings: findings}).Listing().Subjects[0]
		if s.Name != file || s.File != want {
			t.Errorf("%s: name %q, file %q", file, s.Name, s.File)
		}
		var got []string
		for _, i := range s.Items {
			got = append(got, i.Word+" "+i.Rule+" "+i.Pointer+" "+i.Message)
		}
		if diff := cmp.Diff([]string{
			"error wrong-type /skills/0/id id: a number (disables this skill)",
			"gap missing  description: missing",
			"warning snake-case /a_b a_b: read as aB",
		}, got); diff != "" {
			t.Error(diff)
		}
		if !s.Items[0].Fails || s.Items[1].Fails {
			t.Error("an error fails, and nothing else")
		}
	}
	if l := InvalidRun("c.json", []string{"no"}).Listing(); len(l.Subjects) != 0 || len(l.Errors) != 1 {
		t.Errorf("a run that got to nothing lists %+v", l)
	}
}
