package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// A format is one way to write what a2alock found.
type format struct {
	name  string
	write func(io.Writer) error
}

// formats writes a report and a validation in which s stands wherever text from
// elsewhere can stand, and v where a value from a card can.
func formats(s string, v any) []format {
	lock := func(name string) *lockfile.Lock {
		return &lockfile.Lock{Path: name, Workflow: s, Owner: s, Agent: s, Identity: s, Fallback: s}
	}
	waived := diff.Finding{Rule: "agent-renamed", Class: diff.Review, Path: s, Message: s, Waived: &diff.Waived{Reason: s, Owner: s, Until: s}}
	results := []*diff.Result{
		{
			Lock: lock(s), State: diff.Checked, Decided: true, Class: diff.Breaking, CardDigest: s, AgentVersion: s, Notes: []string{s},
			Findings: []diff.Finding{
				{Rule: "skill-removed", Class: diff.Breaking, Path: s, Was: v, Now: s, Skills: []string{s}, Message: s},
				{Rule: "text-changed", Class: diff.Compatible, Path: s, Was: map[string]any{s: []any{v, s}}, Now: []string{s, s}, Message: s},
				waived,
			},
		},
		{Lock: lock("b.a2a.lock.json"), State: card.NotJSON, Detail: s},
	}
	r := New(results, diff.Review, []string{s})
	validation := NewValidation(s, &compile.Reading{
		Card:     &card.Card{Shape: card.Shape10},
		Findings: []card.Finding{{Code: "missing", Severity: card.Error, Scope: card.ScopeSkill, Path: s, Message: s}},
	})
	since := *r
	since.Base = &Base{Ref: s, Commit: s}
	impact, review := &Impact{r}, &Review{&since}
	text := func(w func(io.Writer, TextOptions) error) func(io.Writer) error {
		return func(out io.Writer) error { return w(out, TextOptions{}) }
	}
	return []format{
		{"report.txt", text(r.Text)},
		{"report.json", r.JSON},
		{"report.md", r.Markdown},
		{"impact.txt", text(impact.Text)},
		{"impact.md", impact.Markdown},
		{"review.md", review.Markdown},
		{"validation.txt", text(validation.Text)},
		{"validation.json", validation.JSON},
		{"validation.md", validation.Markdown},
	}
}

// Whatever a card says, in every format: no line that a terminal or a CI system
// acts on, JSON that holds the text as it was, and Markdown that has none of it
// outside of code spans.
func FuzzFormats(f *testing.F) {
	for _, s := range []string{
		hostileText, "", "\n", "`", "``a`` ``` b", "a|b\\|c\\", "\n::error::x", "##vso[task.complete]", "<details><img src=x onerror=alert(1)>",
		"[a](javascript:1)", "\u202e\u2066", "\xff\xfe", "__proto__", strings.Repeat("long ", 200), "\u2028# heading", "x\r\n- [x] task\r\n",
	} {
		f.Add(s, []byte(`{"a":"`+"\u200b"+`","b":[1,null]}`))
	}
	f.Add("x", []byte(`"\u001b[2J::error::"`))
	f.Fuzz(func(t *testing.T, s string, value []byte) {
		s += "x" // a blank is shown as a word of ours
		var v any = string(value)
		if jsontext.Value(value).IsValid() {
			v = jsontext.Value(value)
		}
		plain := formats("x", jsontext.Value(`"x"`))
		for i, format := range formats(s, v) {
			var out, known bytes.Buffer
			if err := format.write(&out); err != nil {
				t.Fatalf("%s: %v", format.name, err)
			}
			inert(t, format.name, out.Bytes())
			if err := plain[i].write(&known); err != nil {
				t.Fatal(err)
			}
			switch {
			case strings.HasSuffix(format.name, ".json"):
				checkData(t, format.name, out.Bytes(), s)
			case len(lines(out.Bytes())) != len(lines(known.Bytes())):
				t.Errorf("%s: %d lines, and %d for a plain text:\n%s", format.name, len(lines(out.Bytes())), len(lines(known.Bytes())), out.Bytes())
			case strings.HasSuffix(format.name, ".md"):
				for n, line := range lines(out.Bytes()) {
					if got, want := outsideCode(t, line), outsideCode(t, lines(known.Bytes())[n]); got != want {
						t.Errorf("%s: %q outside of code spans, want %q, in %q", format.name, got, want, line)
					}
				}
			}
		}
	})
}

// checkData wants JSON that says s where it was said.
func checkData(t *testing.T, name string, data []byte, s string) {
	t.Helper()
	var got struct {
		Errors   []string
		Findings []card.Finding
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("%s: %v in %s", name, err, data)
	}
	if !utf8.ValidString(s) {
		return
	}
	if len(got.Errors) > 0 && got.Errors[0] != s || len(got.Findings) > 0 && got.Findings[0].Message != s {
		t.Errorf("%s: %q and %+v, want %q", name, got.Errors, got.Findings, s)
	}
}
