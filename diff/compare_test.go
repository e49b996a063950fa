package diff

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/lockfile"
)

const needBook = `{"requires":{"skills":{"book":{"input":["application/json"],"output":["application/json"]}}}}`

func TestOneFindingForManySkills(t *testing.T) {
	c := comparison(t, Example{
		Was:  `{"skills":[{"id":"quote"},{"id":"book"}]}`,
		Now:  `{"skills":[{"id":"quote"},{"id":"book"}],"defaultInputModes":["application/pdf","application/json-seq"]}`,
		Lock: needBook,
	}, exampleClient())
	got := Compare(c).Findings
	if len(got) != 2 {
		t.Fatalf("%d findings, want input-narrowed and input-widened:\n%s", len(got), show(Compare(c)))
	}
	f := got[0]
	if f.Rule != "input-narrowed" || f.Path != "/skills/book/input" || !slices.Equal(f.Skills, []string{"book", "quote"}) {
		t.Errorf("finding = %s %s %v, want input-narrowed at the first skill for both", f.Rule, f.Path, f.Skills)
	}
	if want := `skills "book", "quote": "application/json", which the workflow sends, is no longer accepted`; f.Message != want {
		t.Errorf("message = %s, want %s", f.Message, want)
	}
}

func TestDifferentFindingsStayApart(t *testing.T) {
	c := comparison(t, Example{
		Was:  `{"skills":[{"id":"quote"},{"id":"book","inputModes":["application/json","text/csv"]}]}`,
		Now:  `{"skills":[{"id":"quote","inputModes":["text/plain"]},{"id":"book","inputModes":["text/csv"]}]}`,
		Lock: needBook,
	}, exampleClient())
	if got, want := said(Compare(c)), []string{"input-narrowed", "input-narrowed", "input-widened"}; !slices.Equal(got, want) {
		t.Errorf("rules = %q, want %q", got, want)
	}
}

func TestWorstFirst(t *testing.T) {
	c := comparison(t, Example{
		Now: `{"version":"2.0.0","name":"Booking","capabilities":{"streaming":true},"skills":[{"id":"quote","inputModes":["text/plain"]},{"id":"book"}]}`,
	}, exampleClient())
	result := Compare(c)
	for i, f := range result.Findings[1:] {
		if worstFirst(result.Findings[i], f) > 0 {
			t.Errorf("%s %s before %s %s", result.Findings[i].Class, result.Findings[i].Path, f.Class, f.Path)
		}
	}
	if result.Class != Breaking || result.Findings[0].Rule != "input-narrowed" {
		t.Errorf("class %s, first %s", result.Class, result.Findings[0].Rule)
	}
	if result.AgentVersion != "2.0.0" || result.CardDigest != c.Seen.CardDigest || result.Lock != c.Lock {
		t.Errorf("result = %+v", result)
	}
}

func TestDisabledSkill(t *testing.T) {
	disabled := `"skills":[{"id":"quote","inputModes":"application/json"},{"id":"book"}]`
	tests := []struct {
		name, now, lock string
		state           card.State
		decided         bool
		class           Class
		want            []string
	}{
		{"nothing breaking", `{` + disabled + `,"version":"2.0.0"}`, "", card.Invalid, false, Compatible, []string{"agent-version-changed"}},
		{"something else is breaking", `{` + disabled + `}`, `{"requires":{"streaming":true}}`, Checked, true, Breaking, []string{"streaming-lost"}},
		{"another skill is disabled", `{"skills":[{"id":"quote"},{"id":"book","inputModes":7}]}`, "", Checked, true, Compatible, []string{"skill-lost-unused"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			was := `{"skills":[{"id":"quote"},{"id":"book"}]}`
			r := Compare(comparison(t, Example{Was: was, Now: tt.now, Lock: tt.lock}, exampleClient()))
			if r.State != tt.state || r.Decided != tt.decided || r.Class != tt.class {
				t.Errorf("state %s, decided %v, class %s; want %s, %v, %s", r.State, r.Decided, r.Class, tt.state, tt.decided, tt.class)
			}
			if got := said(r); !slices.Equal(got, tt.want) {
				t.Errorf("rules = %q, want %q", got, tt.want)
			}
			told := r.Detail + strings.Join(r.Notes, "")
			if strings.Contains(told, `"quote" cannot be read`) != strings.Contains(tt.now, disabled) {
				t.Errorf("detail and notes = %q", told)
			}
		})
	}
}

func TestPolicyDecidesTheClass(t *testing.T) {
	policy := func(rules map[string]string, text string) func(*Comparison) {
		return func(c *Comparison) {
			p, err := NewPolicy(rules, text)
			if err != nil {
				t.Fatal(err)
			}
			c.Policy = p
		}
	}
	floorless := func(c *Comparison) {
		c.Policy = Policy{Rules: map[string]Class{"interface-origin-changed": Compatible}}
	}
	runRows(t, []row{
		{name: "lowered", now: `{"version":"2.0.0"}`, edit: policy(map[string]string{"agent-version-changed": "compatible"}, ""), want: []string{"agent-version-changed compatible"}},
		{name: "raised", now: `{"version":"2.0.0"}`, edit: policy(map[string]string{"agent-version-changed": "breaking"}, ""), want: []string{"agent-version-changed breaking"}},
		{name: "another rule's", now: `{"version":"2.0.0"}`, edit: policy(map[string]string{"agent-renamed": "breaking"}, ""), want: []string{"agent-version-changed"}},
		{name: "text to review", now: `{"description":"x"}`, edit: policy(nil, "review"), want: []string{"text-changed review"}},
		{name: "text to review, the rule to breaking", now: `{"description":"x"}`, edit: policy(map[string]string{"text-changed": "breaking"}, "review"), want: []string{"text-changed breaking"}},
		{name: "a floor holds whatever made the policy", now: at("JSONRPC 1.0 https://other.example/"), edit: floorless, want: []string{"interface-origin-changed"}},
	})
}

func TestNewPolicy(t *testing.T) {
	tests := []struct {
		name  string
		rules map[string]string
		text  string
		want  string
	}{
		{"nothing", nil, "", ""},
		{"at the floor", map[string]string{"security-weakened": "review"}, "off", ""},
		{"above the floor", map[string]string{"security-weakened": "breaking"}, "", ""},
		{"below the floor", map[string]string{"security-weakened": "compatible"}, "", "/rules/security-weakened: compatible is below the rule's floor: it cannot be less than review"},
		{"no rule", map[string]string{"skill-removd": "review"}, "", "/rules/skill-removd: no such rule (did you mean skill-removed?)"},
		{"nothing like a rule", map[string]string{"zzz": "review"}, "", "/rules/zzz: no such rule"},
		{"no class", map[string]string{"skill-removed": "error"}, "", `/rules/skill-removed: class "error": want compatible, review or breaking`},
		{"no text policy", nil, "on", `/text_policy: "on": want off, compatible or review`},
		{"all at once", map[string]string{"a/b": "x", "zzz": "x"}, "on", "/rules/a~1b: no such rule\n/rules/zzz: no such rule\n/text_policy: \"on\": want off, compatible or review"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewPolicy(tt.rules, tt.text)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("NewPolicy = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPolicyOfTheLockOverrides(t *testing.T) {
	p, err := NewPolicy(map[string]string{"agent-renamed": "breaking", "skill-gained": "review"}, "review")
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.With(&lockfile.Policy{Rules: map[string]string{"agent-renamed": "compatible"}, TextPolicy: "off"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Rules["agent-renamed"] != Compatible || got.Rules["skill-gained"] != Review || got.TextPolicy != "off" {
		t.Errorf("With = %+v", got)
	}
	if p.Rules["agent-renamed"] != Breaking || p.TextPolicy != "review" {
		t.Errorf("With changed the policy it was called on: %+v", p)
	}
	if same, err := p.With(nil); err != nil || same.TextPolicy != "review" {
		t.Errorf("With(nil) = %+v, %v", same, err)
	}
	if _, err := p.With(&lockfile.Policy{Rules: map[string]string{"interface-insecure": "review"}}); err == nil {
		t.Error("With lowered a floor")
	}
}

func TestClassText(t *testing.T) {
	for _, c := range []Class{Compatible, Review, Breaking} {
		text, err := c.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Class
		if err := back.UnmarshalText(text); err != nil || back != c {
			t.Errorf("%s reads back as %s, %v", text, back, err)
		}
	}
	for _, s := range []string{"", "Breaking", "error"} {
		if c, err := ParseClass(s); err == nil {
			t.Errorf("ParseClass(%q) = %s, want an error", s, c)
		}
	}
	if _, err := Class(7).MarshalText(); err == nil {
		t.Error("Class(7) has a text")
	}
}

// What a lock cannot answer is said once.
func TestNotes(t *testing.T) {
	whole := comparison(t, Example{}, exampleClient())
	if notes := Compare(whole).Notes; len(notes) != 0 {
		t.Errorf("notes of a whole lock = %q", notes)
	}
	minimal := comparison(t, Example{Now: `{"description":"x","version":"1.0.1"}`}, exampleClient())
	minimal.Lock.Profile = nil
	minimal.Lock.Interface = &lockfile.Interface{Binding: "JSONRPC", Version: "1.0"}
	minimal.Lock.CardDigest = ""
	r := Compare(minimal)
	if len(r.Notes) != 1 {
		t.Fatalf("notes = %q, want one", r.Notes)
	}
	for _, what := range []string{"profile", "URL", "card digest"} {
		if !strings.Contains(r.Notes[0], what) {
			t.Errorf("note %q does not speak of the %s", r.Notes[0], what)
		}
	}
	if got := said(r); !slices.Equal(got, []string{"agent-version-changed"}) {
		t.Errorf("rules = %q, want the version alone, which the lock records", got)
	}
}

// Findings are ready for JSON, and text from a card is quoted in messages.
func TestFindingsAreReadyForJSON(t *testing.T) {
	for _, r := range Rules() {
		for _, f := range exampleResult(t, r).Findings {
			if _, err := json.Marshal(f); err != nil {
				t.Errorf("%s: %v", f.Rule, err)
			}
			if f.Path != "" && !strings.HasPrefix(f.Path, "/") {
				t.Errorf("%s: path %q is no pointer", f.Rule, f.Path)
			}
		}
	}
	const hostile = `\u001b[2J\n::error::`
	c := comparison(t, Example{
		Was: `{"name":"a","provider":{"organization":"a","url":"https://a.example"},"skills":[{"id":"quote"}]}`,
		Now: `{"name":"` + hostile + `","version":"` + hostile + `","provider":{"organization":"` + hostile + `","url":"x"},` +
			`"skills":[{"id":"` + hostile + `"}],"capabilities":{"` + hostile + `":1,"extensions":[{"uri":"` + hostile + `","required":true}]},` +
			`"defaultInputModes":["` + hostile + `"],"securityRequirements":[{"schemes":{"` + hostile + `":{}}}]}`,
	}, exampleClient())
	result := Compare(c)
	if len(result.Findings) < 6 {
		t.Errorf("%d findings, want one for each hostile member", len(result.Findings))
	}
	for _, f := range result.Findings {
		if strings.ContainsAny(f.Message, "\x1b\n") {
			t.Errorf("%s: message %q carries foreign text as it is", f.Rule, f.Message)
		}
	}
}

// A rule's check can be called alone.
func TestCheckAlone(t *testing.T) {
	r, _ := Lookup("streaming-lost")
	c := comparison(t, r.Example, exampleClient())
	got := r.Check(&c)
	if len(got) != 1 || got[0].Rule != "streaming-lost" || got[0].Class != Breaking {
		t.Errorf("Check = %+v", got)
	}
}

func TestNoClient(t *testing.T) {
	c := comparison(t, Example{Now: `{"version":"2.0.0"}`}, exampleClient())
	c.Client = nil
	if got := said(Compare(c)); !slices.Equal(got, []string{"agent-version-changed"}) {
		t.Errorf("rules = %q", got)
	}
}
