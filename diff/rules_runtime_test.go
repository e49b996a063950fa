package diff

import (
	"slices"
	"strings"
	"testing"
)

func TestRuntimeRules(t *testing.T) {
	a, b := "sha256:"+strings.Repeat("a", 64), "sha256:"+strings.Repeat("b", 64)
	replicas := func(digests ...string) func(*Comparison) {
		return func(c *Comparison) { c.Seen.Replicas = digests }
	}
	reports := func(list ...Report) func(*Comparison) {
		return func(c *Comparison) { c.Seen.Reports = list }
	}
	policy := func(rule string, class Class, then func(*Comparison)) func(*Comparison) {
		return func(c *Comparison) {
			c.Policy.Rules = map[string]Class{rule: class}
			then(c)
		}
	}
	stream := Report{Error: "UnsupportedOperationError", Method: "SendStreamingMessage", Path: "/streaming", Value: true}
	input := func(skill string) Report {
		return Report{Error: "ContentTypeNotSupportedError", Skill: skill, Path: "/skills/" + skill + "/input", Value: "application/json"}
	}
	runRows(t, []row{
		// replicas-disagree
		{name: "none in turn", edit: replicas()},
		{name: "one card", edit: replicas(a)},
		{name: "one card in turn", edit: replicas(a, a, a)},
		{name: "two of three", edit: replicas(b, a, b), want: []string{"replicas-disagree"}},
		{name: "beside what the worse card has", now: `{"capabilities":{"streaming":false}}`, was: `{"capabilities":{"streaming":true}}`, lock: `{"requires":{"streaming":true}}`, edit: replicas(a, b), want: []string{"replicas-disagree", "streaming-lost"}},
		{name: "disagree under policy", edit: policy("replicas-disagree", Breaking, replicas(a, b)), want: []string{"replicas-disagree breaking"}},
		// validator-unreliable
		{name: "nothing to say of them", edit: func(c *Comparison) { c.Seen.Unreliable = "" }},
		{name: "several lines", edit: func(c *Comparison) { c.Seen.Unreliable = "one ETag,\ntwo contents" }, want: []string{"validator-unreliable"}},
		// claim-refuted
		{name: "no reports", edit: reports()},
		{name: "a skill that the lock does not require", edit: reports(input("book"))},
		{name: "a skill that the lock requires", edit: reports(input("quote")), want: []string{"claim-refuted review"}},
		{name: "a skill of each kind", edit: reports(input("book"), input("quote")), want: []string{"claim-refuted review"}},
		{name: "of the agent, two", edit: reports(stream, Report{Error: "VersionNotSupportedError", Path: "/interface", Value: "JSONRPC 1.0 https://a.example"}), want: []string{"claim-refuted review", "claim-refuted review"}},
		{name: "of two skills, the same", lock: needTwo, was: twoSkills("", ""), now: twoSkills("", ""), edit: reports(input("quote"), input("book")), want: []string{"claim-refuted review"}},
		{name: "without a method", edit: reports(Report{Error: "UnsupportedOperationError", Path: "/streaming"}), want: []string{"claim-refuted review"}},
		{name: "against no claim", edit: reports(Report{Error: "InvalidAgentResponseError", Method: "SendMessage"})},
		{name: "reported under policy", edit: policy("claim-refuted", Compatible, reports(stream)), want: []string{"claim-refuted compatible"}},
	})
}

// What a report says comes from outside, and is quoted.
func TestRuntimeMessages(t *testing.T) {
	c := comparison(t, Example{}, exampleClient())
	c.Seen.Unreliable = "one ETag,\n two contents"
	c.Seen.Reports = []Report{{Error: "Odd\x1b\nError", Method: "Send\u202eMessage", Path: "/streaming", Value: true}}
	for _, f := range Compare(c).Findings {
		if strings.ContainsAny(f.Message, "\x1b\n\u202e") || strings.Contains(f.Message, "  ") {
			t.Errorf("message %q", f.Message)
		}
		if f.Rule == "claim-refuted" && (f.Was != true || f.Path != "/streaming" || len(f.Skills) > 0) {
			t.Errorf("finding %+v", f)
		}
	}
	c = comparison(t, Example{}, exampleClient())
	c.Seen.Reports = []Report{{Error: "ContentTypeNotSupportedError", Skill: "quote", Path: "/skills/quote/input"}}
	if list := Compare(c).Findings; len(list) != 1 || !slices.Equal(list[0].Skills, []string{"quote"}) {
		t.Errorf("findings = %+v, want one of the skill", list)
	}
}
