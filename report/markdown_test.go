package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/lockfile"
)

func TestMarkdownGolden(t *testing.T) {
	for name, r := range map[string]*Report{
		"rich":      New(rich(), diff.Review, nil),
		"hostile":   New(append(hostile(), hostileMarkdown()), diff.Breaking, []string{"::error::" + hostileText + "<script>"}),
		"undecided": New(rich()[2:], diff.Breaking, nil),
		"nothing":   New(nil, diff.Breaking, nil),
	} {
		var out bytes.Buffer
		if err := r.Markdown(&out); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, l := range r.Locks {
			for _, f := range l.Findings {
				if rule, ok := diff.Lookup(f.Rule); ok {
					text = strings.ReplaceAll(text, "do: "+rule.Do, "do: DO "+f.Rule)
				}
			}
		}
		golden.Equal(t, "testdata/"+name+".md", []byte(text))
		inert(t, name, out.Bytes())
		harmless(t, name, text)
	}
}

// hostileMarkdown is what an author could hope to see rendered.
func hostileMarkdown() *diff.Result {
	const text = "</details><img src=x onerror=alert(1)> [click](javascript:alert(1)) ![i](https://evil.example/i.png) " +
		"@everyone https://evil.example `code` ``two`` | cell | **bold** #1 \n# heading\n- [x] task ```\nfence"
	return &diff.Result{
		Lock: &lockfile.Lock{Path: text, Agent: text, Owner: text, Workflow: text, Fallback: text}, State: diff.Checked, Decided: true, Class: diff.Breaking,
		Findings: []diff.Finding{
			{Rule: "skill-removed", Class: diff.Breaking, Path: "/skills/" + text, Was: text, Now: "`", Message: text},
			{Rule: "text-changed", Class: diff.Compatible, Path: text, Message: "`" + text + "`"},
		},
		Notes: []string{text},
	}
}

// harmless fails when anything but our own words stands outside of code spans.
func harmless(t *testing.T, name, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		rest := outsideCode(t, line)
		for _, s := range []string{"<img", "<script", "](", "@everyone", "evil.example", "javascript", "::error", "⏎", "# heading", "\x1b"} {
			if strings.Contains(rest, s) {
				t.Errorf("%s: %q outside of a code span in %.300q", name, s, line)
			}
		}
	}
}

// outsideCode takes the code spans out of a line, as CommonMark 6.1 finds them.
func outsideCode(t *testing.T, line string) string {
	t.Helper()
	var out strings.Builder
	for {
		i := strings.IndexByte(line, '`')
		if i < 0 {
			return out.String() + line
		}
		out.WriteString(line[:i])
		line = line[i:]
		n := len(line) - len(strings.TrimLeft(line, "`"))
		end := closing(line[n:], n)
		if end < 0 {
			t.Errorf("an open code span in %.300q", line)
			return out.String() + line
		}
		line = line[n+end+n:]
	}
}

// closing finds a run of exactly n backticks.
func closing(s string, n int) int {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		if run == n {
			return at
		}
		at += run
	}
}

func TestMarkdownFitsIntoAComment(t *testing.T) {
	many := hostile()[0]
	for range 2000 {
		many.Findings = append(many.Findings, many.Findings[0])
	}
	var results []*diff.Result
	for range 300 {
		results = append(results, many)
	}
	r := New(results, diff.Breaking, nil)
	var out bytes.Buffer
	if err := r.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 65_000 {
		t.Errorf("%d bytes", out.Len())
	}
	for _, want := range []string{"found no room here", "(fails on breaking)", "more locks"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("a cut report does not say %q", want)
		}
	}
}

func TestValidationMarkdown(t *testing.T) {
	v := NewValidation("card <b>.json", &compile.Reading{
		Card: &card.Card{Shape: card.Shape10},
		Findings: []card.Finding{
			{Code: "missing", Severity: card.Gap, Path: "/version", Message: "version: missing"},
			{Code: "wrong-type", Severity: card.Error, Scope: card.ScopeSkill, Path: "/skills/0/a|b", Message: "<img src=x> | `tick` @everyone"},
		},
	})
	var out bytes.Buffer
	if err := v.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/validation.md", out.Bytes())
	harmless(t, "validation", out.String())
}

// Whatever a text holds, its code span ends where it should.
func FuzzCode(f *testing.F) {
	for _, s := range []string{"", "`", "``", "a`b", "` `", "\\`", "|", "<b>", "a\nb", "\x1b[2J", "\u202e", "::error::"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		span := Code(s)
		if strings.ContainsAny(span, "\r\n") || unseen(span) != "" {
			t.Errorf("Code(%q) = %q is not one visible line", s, span)
		}
		if rest := outsideCode(t, span); rest != "" && rest != "(empty)" {
			t.Errorf("Code(%q) = %q leaves %q outside", s, span, rest)
		}
	})
}
