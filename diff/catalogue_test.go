package diff

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/lockfile"
)

func TestRulesAreWhole(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	design, err := os.ReadFile("../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(design), "\n")
	seen := map[string]bool{}
	for _, r := range Rules() {
		if !id.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("id %q: malformed, or there twice", r.ID)
		}
		seen[r.ID] = true
		for field, text := range map[string]string{
			"Title": r.Title, "Why": r.Why, "Do": r.Do, "Spec or Design": r.Spec + r.Design, "Subject": r.Subject,
			"Example": r.Example.Was + r.Example.Now + r.Example.Seen + r.Example.Lock + r.Example.Unreliable + strings.Join(r.Example.Replicas, "") +
				r.Example.Change + r.Example.Written + r.Example.Only,
		} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %s is empty", r.ID, field)
			}
		}
		for field, text := range map[string]string{"Why": r.Why, "Do": r.Do} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s is no sentence: %q", r.ID, field, text)
			}
		}
		if strings.HasSuffix(r.Title, ".") {
			t.Errorf("%s: Title ends in a full stop", r.ID)
		}
		if (r.Spec == "") == (r.Design == "") {
			t.Errorf("%s: Spec %q and Design %q, want one of them", r.ID, r.Spec, r.Design)
		}
		if r.Design != "" && !slices.Contains(sections, "## "+r.Design) {
			t.Errorf("%s: docs/design.md has no section %q", r.ID, r.Design)
		}
		if r.Check == nil && r.Review == nil || (r.Check == nil) != (r.Subject == lockChangeSubject) {
			t.Errorf("%s: no check, or one of another subject", r.ID)
		}
		if got, ok := Lookup(r.ID); !ok || got.ID != r.ID {
			t.Errorf("Lookup(%q) = %q, %v", r.ID, got.ID, ok)
		}
	}
	for general, specific := range replacedBy() {
		for _, id := range append(slices.Clone(specific), general) {
			if !seen[id] {
				t.Errorf("replacedBy names %q, which is no rule", id)
			}
		}
	}
	for _, r := range Rules() {
		for _, id := range r.Example.Also {
			if !seen[id] {
				t.Errorf("%s: Also names %q, which is no rule", r.ID, id)
			}
		}
	}
}

// Ids and classes are a contract with policies, waivers and scripts: once
// published they stay. A line may be added to the golden file; one that
// changes or goes needs a reason in the change that does it.
func TestRuleIDsStay(t *testing.T) {
	var b strings.Builder
	for _, r := range Rules() {
		floor := ""
		if r.Floor {
			floor = " floor"
		}
		fmt.Fprintf(&b, "%s %s%s\n", r.ID, r.Class, floor)
	}
	golden.Equal(t, "testdata/rules.txt", []byte(b.String()))
}

func TestReferences(t *testing.T) {
	for _, tt := range []struct {
		rule       Rule
		want, mark string
	}{
		{Rule{Spec: "4.4.5", Class: Breaking, Floor: true}, "A2A 4.4.5", "breaking†"},
		{Rule{Spec: "RFC 8785", Class: Review}, "RFC 8785", "review"},
		{Rule{Design: "Waivers"}, "docs/design.md, Waivers", "compatible"},
	} {
		if got, mark := tt.rule.Reference(), tt.rule.Mark(); got != tt.want || mark != tt.mark {
			t.Errorf("%+v: %q and %q, want %q and %q", tt.rule, got, mark, tt.want, tt.mark)
		}
	}
}

func TestMarkdownIsCurrent(t *testing.T) {
	golden.Equal(t, "../docs/rules.md", markdown())
}

func TestExamples(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			result := exampleResult(t, r)
			want := append([]string{r.ID}, r.Example.Also...)
			if r.Example.Mild {
				want[0] += " review"
			}
			slices.Sort(want)
			if got := said(result); !slices.Equal(got, want) {
				t.Errorf("rules = %q, want %q\n%s", got, want, show(result))
			}
			for _, f := range result.Findings {
				if f.Message == "" || strings.Contains(f.Message, "%!") {
					t.Errorf("%s: message %q", f.Rule, f.Message)
				}
			}
			if !result.Decided || result.State != Checked {
				t.Errorf("state %s, decided %v", result.State, result.Decided)
			}
		})
	}
}

// Whatever a card says, it is no change to itself.
func TestSameIsSilent(t *testing.T) {
	pinned := 0
	for _, r := range Rules() {
		for side, fragment := range map[string]string{"was": r.Example.Was, "now": r.Example.Now} {
			reading := read(t, overlay(t, ExampleCard, fragment), exampleClient())
			c, ok := pinAll(reading, exampleClient())
			if !ok {
				continue // not a card that can be pinned
			}
			pinned++
			result := Compare(c)
			if len(result.Findings) > 0 || len(result.Notes) > 0 || result.Class != Compatible || !result.Decided {
				t.Errorf("%s/%s compared with itself: %s\n%q", r.ID, side, show(result), result.Notes)
			}
		}
	}
	if pinned < len(Rules()) {
		t.Errorf("%d examples could be pinned, want at least one a rule", pinned)
	}
}

// pinAll pins every skill that can be, and compares with the very card.
func pinAll(r *compile.Reading, cl *compile.Client) (Comparison, bool) {
	ids := slices.Sorted(maps.Keys(r.Profile.Skills))
	o := lockfile.PinOptions{Skills: ids, Agent: "https://agent.example/.well-known/agent-card.json", CardDigest: r.Digest}
	l, _, err := lockfile.Pin(r.Profile, cl, o)
	for i := 0; err != nil && i < len(ids); i++ {
		o.Skills = ids[i : i+1]
		l, _, err = lockfile.Pin(r.Profile, cl, o)
	}
	if err != nil {
		return Comparison{}, false
	}
	return Comparison{
		Lock: l, Now: r.Profile, Client: cl,
		Seen: Seen{CardDigest: r.Digest, URL: l.Agent},
	}, true
}

// No real card is a change to itself either.
func TestRealCardsAreSilent(t *testing.T) {
	files, _ := filepath.Glob("../../shared/corpus/cards/*")
	if len(files) == 0 {
		t.Skip("no corpus here")
	}
	cl := exampleClient()
	cl.Interfaces = nil
	for _, b := range []string{"JSONRPC", "HTTP+JSON", "GRPC"} {
		for _, v := range []string{"1.0", "0.3", "0.2"} {
			cl.Interfaces = append(cl.Interfaces, compile.Transport{Binding: b, Version: v})
		}
	}
	pinned := 0
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := compile.Read(body, cl, card.Options{})
		if r.Err != nil {
			continue
		}
		c, ok := pinAll(r, cl)
		if !ok {
			continue
		}
		pinned++
		if result := Compare(c); len(result.Findings) > 0 {
			t.Errorf("%s compared with itself: %s", file, show(result))
		}
	}
	t.Logf("%d of %d cards pinned", pinned, len(files))
	if pinned < len(files)/3 {
		t.Errorf("%d of %d cards could be pinned, want a third", pinned, len(files))
	}
}

func TestSuggest(t *testing.T) {
	for id, want := range map[string]string{
		"skill-removd":                       "skill-removed",
		"Skill_Removed":                      "skill-removed",
		"streaming-lost":                     "streaming-lost",
		"streamin-lost":                      "streaming-lost",
		"scheme-endpoint":                    "scheme-endpoint-changed",
		"":                                   "",
		"x":                                  "",
		"quite-another-one":                  "",
		strings.Repeat("skill-removed", 100): "",
	} {
		if got := Suggest(id); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", id, got, want)
		}
	}
}
