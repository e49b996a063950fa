// Package reporttest has results on which the formats of other tools are tested:
// a rich one, and one in which every text is a stranger's.
package reporttest

import (
	"fmt"
	"strings"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/report"
)

// Hostile is a text that would act on everything that reads it unescaped.
const Hostile = "\x1b[2J\x1b]8;;https://evil.example\a\n::error file=a::x\n::set-output name=a::b\r\n##[group]x %0A::stop-commands::t " +
	"]]> <script>&amp;</script> <!-- -- --> \x00\x01\ufffe\uffff\xff\xed\xa0\x80 \u202egnirts\u202c \u200b\u2028\u2029 " +
	"[click](https://evil.example/) {0} `code` | @all #1 \u00a0\U000e0041 file=b,line=1 é 漢 😀"

// A Case is one result, placed as a command places it.
type Case struct {
	Name    string
	Listing *report.Listing
}

// Cases are the results that each format has a golden file for.
func Cases() []Case {
	return []Case{
		{"rich", placed(report.New(rich(), diff.Review, nil).Listing())},
		{"hostile", placed(report.New(hostile(), diff.Breaking, []string{Hostile, "a2alock.yaml:3: " + Hostile}).Listing())},
		{"validation", placed(validation().Listing())},
		{"errors", report.New(nil, diff.Breaking, []string{"locks/a.a2a.lock.json: /card_digest: want sha256: and 64 hex digits"}).Listing()},
		{"nothing", report.New(nil, diff.Breaking, nil).Listing()},
	}
}

// Many is a result of n findings in one lock, every third breaking and every
// third review, with a message of size bytes.
func Many(n, size int) *report.Listing {
	l := lock("locks/many.a2a.lock.json")
	r := &diff.Result{Lock: l, State: diff.Checked, Decided: true, Class: diff.Breaking}
	message := strings.Repeat(Hostile, size/len(Hostile)+1)[:size]
	for i := range n {
		r.Findings = append(r.Findings, diff.Finding{
			Rule: []string{"skill-removed", "agent-renamed", "text-changed"}[i%3], Class: diff.Class(2 - i%3),
			Path: fmt.Sprintf("/skills/s%d", i), Message: message, Fingerprint: fmt.Sprintf("%016x", i),
		})
	}
	return placed(report.New([]*diff.Result{r}, diff.Breaking, nil).Listing())
}

// placed gives every item in a file a line, as if it had been looked for.
func placed(l *report.Listing) *report.Listing {
	for s := range l.Subjects {
		for i := range l.Subjects[s].Items {
			if item := &l.Subjects[s].Items[i]; item.File != "" {
				item.Line, item.Column = 10+i, 3
			}
		}
	}
	return l
}

func lock(path string) *lockfile.Lock {
	return &lockfile.Lock{
		Path: path, Workflow: "travel", Owner: "team-travel", Fallback: "human",
		Agent: "https://pricing.partner.example/.well-known/agent-card.json",
	}
}

func rich() []*diff.Result {
	waived := &diff.Waived{Reason: "polling is fine until the agent is back", Owner: "team-travel", Until: "2026-12-31"}
	return []*diff.Result{
		{Lock: lock("locks/clean.a2a.lock.json"), State: diff.Checked, Decided: true},
		{
			Lock: lock("locks/pricing.a2a.lock.json"), State: diff.Checked, Decided: true, Class: diff.Breaking,
			Findings: []diff.Finding{
				{
					Rule: "input-narrowed", Class: diff.Breaking, Path: "/skills/quote/input", Skills: []string{"quote"},
					Was: []string{"application/json", "text/plain"}, Now: []string{"text/plain"},
					Message: `skill "quote": "application/json" is no longer accepted`, Fingerprint: "fedcba9876543210",
				},
				{
					Rule: "input-narrowed", Class: diff.Breaking, Path: "/skills/fare/input", Skills: []string{"fare"},
					Was: []string{"text/csv"}, Now: []string{}, Message: `skill "fare": "text/csv" is no longer accepted`, Fingerprint: "0edcba9876543210",
				},
				{Rule: "agent-version-changed", Class: diff.Review, Path: "/agent_version", Was: "3.2.0", Now: "3.3.0", Message: `the agent's version was "3.2.0" and is "3.3.0"`, Fingerprint: "1edcba9876543210"},
				{Rule: "skill-gained", Class: diff.Compatible, Path: "/skills/route", Now: "route", Message: `the agent offers another skill, "route"`, Fingerprint: "2edcba9876543210"},
				{Rule: "streaming-lost", Class: diff.Breaking, Path: "/streaming", Was: true, Now: false, Message: "the lock requires streaming, which the card no longer offers", Fingerprint: "0123456789abcdef", Waived: waived},
			},
		},
		{Lock: lock("more locks/é:1,2.a2a.lock.json"), State: "unreachable", Detail: "https://pricing.partner.example/.well-known/agent-card.json answered 502 Bad Gateway"},
		{
			Lock: lock("locks/disabled.a2a.lock.json"), State: card.Invalid, Detail: "skill apply is disabled: /skills/0/inputModes: a text, want a list",
			Findings: []diff.Finding{{Rule: "agent-renamed", Class: diff.Review, Path: "/name", Was: "Visa", Now: "Visas", Message: "the agent has another name"}},
		},
		{
			Lock: &lockfile.Lock{Agent: "https://new.example/card.json"}, State: diff.Checked, Decided: true, Class: diff.Review,
			Findings: []diff.Finding{{Rule: "agent-renamed", Class: diff.Review, Path: "/name", Was: "Visa", Now: "Visas", Message: "the agent has another name"}},
		},
	}
}

func hostile() []*diff.Result {
	l := &lockfile.Lock{Path: Hostile + ".a2a.lock.json", Workflow: Hostile, Owner: Hostile, Agent: Hostile, Identity: Hostile, Fallback: Hostile}
	return []*diff.Result{
		{
			Lock: l, State: diff.Checked, Decided: true, Class: diff.Breaking, CardDigest: Hostile, AgentVersion: Hostile, Notes: []string{Hostile},
			Findings: []diff.Finding{
				{Rule: "skill-removed", Class: diff.Breaking, Path: "/" + Hostile, Was: Hostile, Now: []string{Hostile, Hostile}, Skills: []string{Hostile, "b"}, Message: Hostile, Fingerprint: "fedcba9876543210"},
				{Rule: "text-changed", Class: diff.Compatible, Path: Hostile, Was: map[string]any{Hostile: Hostile}, Message: Hostile},
				{Rule: "agent-renamed", Class: diff.Review, Path: Hostile, Message: Hostile, Waived: &diff.Waived{Reason: Hostile, Owner: Hostile, Until: Hostile}},
			},
		},
		{Lock: lock("locks/" + Hostile), State: card.NotJSON, Detail: Hostile},
	}
}

func validation() *report.Validation {
	return report.NewValidation("cards/a card.json", &compile.Reading{
		Card: &card.Card{Shape: card.Shape10},
		Findings: []card.Finding{
			{Code: "missing", Severity: card.Gap, Path: "/skills/0/tags", Message: "tags: missing"},
			{Code: "wrong-type", Severity: card.Error, Scope: card.ScopeSkill, Path: "/skills/1/id", Message: "id: a number, want a text"},
			{Code: "snake-case", Severity: card.Warning, Path: "/default_input_modes", Message: "default_input_modes: read as defaultInputModes"},
			{Code: "wrong-type", Severity: card.Warning, Path: "/" + Hostile, Message: Hostile},
		},
	})
}
