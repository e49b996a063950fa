package report

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/lockfile"
)

const digest = "sha256:6f1c000000000000000000000000000000000000000000000000000000000000"

// rich is a report with everything that a report can have.
func rich() []*diff.Result {
	skill := []string{"itinerary-pricing"}
	return []*diff.Result{
		{
			Lock: &lockfile.Lock{
				Path: "locks/maps.a2a.lock.json", Workflow: "travel", Owner: "team-travel",
				Agent: "https://maps.partner.example/.well-known/agent-card.json",
			},
			State: diff.Checked, Decided: true, Class: diff.Compatible,
			CardDigest: digest, AgentVersion: "1.0.0",
			Findings: []diff.Finding{
				{Rule: "skill-gained", Class: diff.Compatible, Path: "/skills/route", Now: "route", Message: "the agent offers another skill, route"},
				{Rule: "capability-gained", Class: diff.Compatible, Path: "/push", Was: false, Now: true, Message: "push is offered now"},
			},
			Notes: []string{"the lock records no profile: a2alock pin locks/maps.a2a.lock.json adds it"},
		},
		{
			Lock: &lockfile.Lock{
				Path: "locks/pricing.a2a.lock.json", Workflow: "travel", Owner: "team-travel", Fallback: "human", Identity: "pricing",
				Agent: "https://pricing.partner.example/.well-known/agent-card.json",
			},
			State: diff.Checked, Decided: true, Class: diff.Breaking,
			CardDigest: digest, AgentVersion: "3.3.0",
			Findings: []diff.Finding{
				{
					Rule: "input-narrowed", Class: diff.Breaking, Path: "/skills/itinerary-pricing/input", Skills: skill,
					Was: []string{"application/json", "text/plain"}, Now: []string{"application/pdf"}, Message: "application/json is no longer accepted",
					Fingerprint: "fedcba9876543210",
				},
				{
					Rule: "scheme-changed", Class: diff.Breaking, Path: "/schemes/key", Skills: []string{"hotel", "itinerary-pricing"},
					Was: map[string]any{"kind": "apiKey", "in": "header", "name": "X-Key"}, Now: jsontext.Value(`{"kind":"http","scheme":"bearer"}`),
					Message: "the scheme is another one",
				},
				{Rule: "interface-tenant-changed", Class: diff.Review, Path: "/interface/tenant", Was: "", Now: "eu", Message: "the tenant changed"},
				{Rule: "agent-version-changed", Class: diff.Review, Path: "/agent_version", Was: "3.2.0", Message: "the version went away"},
				{Rule: "output-narrowed", Class: diff.Review, Path: "/skills/itinerary-pricing/output", Skills: skill, Was: []string{"a/b"}, Now: []string{}, Message: "a/b is gone"},
				{Rule: "fallback-lost", Class: diff.Compatible, Path: "/interfaces/GRPC+1.0", Was: "GRPC 1.0", Message: "another interface is gone"},
				{
					Rule: "streaming-lost", Class: diff.Breaking, Path: "/streaming", Was: true, Now: false, Message: "streaming is gone",
					Fingerprint: "0123456789abcdef",
					Waived:      &diff.Waived{Reason: "polling is fine until the agent is back", Owner: "team-travel", Until: "2026-12-31"},
				},
			},
		},
		{
			Lock: &lockfile.Lock{
				Path: "locks/weather.a2a.lock.json", Owner: "team-travel", Fallback: "https://weather.example/card.json",
				Agent: "https://weather.partner.example/.well-known/agent-card.json",
			},
			State: "unreachable", Detail: "https://weather.partner.example/.well-known/agent-card.json answered 502 Bad Gateway",
		},
		{
			Lock:  &lockfile.Lock{Path: "locks/visa.a2a.lock.json", Agent: "https://visa.example/card.json"},
			State: card.Invalid, Detail: "skill apply is disabled: /skills/0/inputModes: a text, want a list", CardDigest: digest,
			Findings: []diff.Finding{{Rule: "agent-renamed", Class: diff.Review, Path: "/name", Was: "Visa", Now: "Visas", Message: "the agent has another name"}},
		},
	}
}

const hostileText = "\x1b]52;c;YQ==\a\x1b[2J\x1b]8;;https://evil.example\x1b\\click\x7f\u009b31m\u202egnp.exe\u2066\u200b\u00ad\U000e0041\x00\r\n" +
	"::error file=x::forged\n##[error]forged ##vso[task.setvariable variable=x]y %0A::warning::z \xff\xfe \u2028end"

// hostile is what an agent's author can put into a report.
func hostile() []*diff.Result {
	long := strings.Repeat("é\u200b", 10_000)
	return []*diff.Result{{
		Lock: &lockfile.Lock{
			Path: "::error::" + hostileText, Workflow: hostileText, Owner: "::set-output name=x::y", Identity: "\n::error::id",
			Agent: "https://h.example/a?x=1&y=<b>|c#" + hostileText, Fallback: "\n##[endgroup]",
		},
		State: diff.Checked, Decided: true, Class: diff.Breaking, CardDigest: digest, AgentVersion: "1.0\n::error::v",
		Findings: []diff.Finding{
			{
				Rule: "skill-removed", Class: diff.Breaking, Path: "/skills/" + hostileText, Skills: []string{"::stop-commands::x", hostileText},
				Was: hostileText, Now: long, Message: hostileText,
			},
			{
				Rule: "extension-params-changed", Class: diff.Review, Path: "/declared_extensions/x/params", Message: "::warning::" + long,
				Was: map[string]any{hostileText: []any{hostileText, 1, nil}}, Now: jsontext.Value(`{"a":"\u001b[2J<&>","b":[` + strings.Repeat("1,", 500) + `1]}`),
			},
			{Rule: "output-narrowed", Class: diff.Review, Was: slices.Repeat([]string{"::error::x"}, 100), Now: []string{" ::error::x", "", "a, b", "(none)"}},
			{Rule: "text-changed", Class: diff.Compatible, Path: "/\n::error::p", Message: "\n::error::m"},
			{
				Rule: "push-lost", Class: diff.Breaking, Message: hostileText, Fingerprint: "0123456789abcdef",
				Waived: &diff.Waived{Reason: "\n::error::" + hostileText, Owner: hostileText, Until: "::error::" + long},
			},
		},
		Notes: []string{"::error::note"},
	}, {
		Lock:  &lockfile.Lock{Path: "b.a2a.lock.json", Agent: "https://h.example/"},
		State: "not-json", Detail: "\n::error::" + hostileText,
	}}
}

// written returns both forms of the report; the text says DO where it has a
// rule's own words, which are the rule's to change.
func written(t *testing.T, r *Report, o TextOptions) (text, js []byte) {
	t.Helper()
	var a, b bytes.Buffer
	if err := r.Text(&a, o); err != nil {
		t.Fatal(err)
	}
	if err := r.JSON(&b); err != nil {
		t.Fatal(err)
	}
	s := a.String()
	for _, l := range r.Locks {
		for _, f := range l.Findings {
			rule, ok := diff.Lookup(f.Rule)
			if !ok {
				t.Fatalf("no rule %s", f.Rule)
			}
			if f.Class != diff.Compatible && f.Waived == nil && !strings.Contains(a.String(), "  "+rule.Do+"\n") {
				t.Errorf("the text does not say what to do about %s: %q", f.Rule, rule.Do)
			}
			s = strings.ReplaceAll(s, rule.Do, "DO "+f.Rule)
		}
	}
	return []byte(s), b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, r := range map[string]*Report{
		"rich":       New(rich(), diff.Breaking, nil),
		"hostile":    New(hostile(), diff.Review, []string{"\n::error::" + hostileText}),
		"compatible": New(rich()[:1], diff.Review, nil),
		"undecided":  New(rich()[2:], diff.Breaking, nil),
		"errors":     New(nil, diff.Breaking, []string{`a2alock.yaml:2:1: intervall: unknown key`}),
		"nothing":    New(nil, diff.Breaking, nil),
	} {
		text, js := written(t, r, TextOptions{})
		golden.Equal(t, "testdata/"+name+".txt", text)
		golden.Equal(t, "testdata/"+name+".json", js)
		inert(t, name, text)
		inert(t, name, js)
		if err := compiled(t).Validate(instance(t, js)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		last := lines(text)[len(lines(text))-1]
		if !strings.HasPrefix(last, r.Status+": ") || !strings.HasSuffix(last, "(fails on "+r.FailOn.String()+")") {
			t.Errorf("%s: last line %q, want the verdict and the level", name, last)
		}
		if first := lines(text)[0]; !strings.HasPrefix(first, r.Status+": ") {
			t.Errorf("%s: first line %q, want the verdict", name, first)
		}
	}
}

func lines(b []byte) []string { return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") }

// inert fails for output on which a terminal or a CI system would act.
func inert(t *testing.T, name string, out []byte) {
	t.Helper()
	for _, line := range lines(out) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[") {
			t.Errorf("%s: a command in %q", name, line)
		}
		if got := unseen(line); got != "" {
			t.Errorf("%s: unseen %s in %.200q", name, got, line)
		}
	}
}

func TestColorOnlyWhereAsked(t *testing.T) {
	r := New(rich(), diff.Breaking, nil)
	plain, _ := written(t, r, TextOptions{})
	painted, _ := written(t, r, TextOptions{Color: true})
	if bytes.ContainsRune(plain, '\x1b') {
		t.Error("plain text has colours")
	}
	stripped := strings.NewReplacer("\x1b[1;31m", "", "\x1b[33m", "", "\x1b[32m", "", "\x1b[35m", "", "\x1b[2m", "", "\x1b[0m", "").Replace(string(painted))
	if !bytes.Contains(painted, []byte("\x1b[1;31mbreaking\x1b[0m")) || stripped != string(plain) {
		t.Errorf("colours change more than colours:\n%s", cmp.Diff(string(plain), stripped))
	}
}

// The data that goes in comes out, save for bytes that are no text.
func TestJSONKeepsTheData(t *testing.T) {
	_, js := written(t, New(hostile(), diff.Breaking, nil), TextOptions{})
	var got Report
	var loose struct {
		Locks []struct{ Findings []struct{ Was, Now any } }
	}
	if err := json.Unmarshal(js, &loose); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(js, &got); err != nil {
		t.Fatal(err)
	}
	want := strings.ToValidUTF8(strings.ReplaceAll(hostileText, "\xff\xfe", "\ufffd\ufffd"), "!")
	f := loose.Locks[0].Findings
	if f[0].Was != want || f[0].Now != strings.Repeat("é\u200b", 10_000) {
		t.Errorf("was = %.200q, want %q", f[0].Was, want)
	}
	if got.Locks[0].Findings[0].Message != want || !slices.Contains(got.Locks[0].Findings[0].Skills, want) {
		t.Errorf("message = %q, want %q", got.Locks[0].Findings[0].Message, want)
	}
	if bytes.Contains(js, []byte(`\u003c`)) || bytes.Contains(js, []byte(`\u0026`)) {
		t.Error("JSON is escaped for HTML")
	}
}

func TestJSONIsDeterministic(t *testing.T) {
	_, first := written(t, New(hostile(), diff.Breaking, nil), TextOptions{})
	for range 20 {
		if _, again := written(t, New(hostile(), diff.Breaking, nil), TextOptions{}); !bytes.Equal(first, again) {
			t.Fatal("two equal reports differ")
		}
	}
}

func TestStatusAndExit(t *testing.T) {
	one := func(decided bool, class diff.Class, found ...diff.Class) *diff.Result {
		r := &diff.Result{State: diff.Checked, Decided: decided, Class: class}
		if !decided {
			r.State = "unreachable"
		}
		for _, c := range found {
			r.Findings = append(r.Findings, diff.Finding{Class: c})
		}
		return r
	}
	compatible, review, breaking := one(true, diff.Compatible), one(true, diff.Review, diff.Review), one(true, diff.Breaking, diff.Breaking, diff.Compatible)
	open, openReview := one(false, 0), one(false, 0, diff.Review)
	for _, tt := range []struct {
		name    string
		results []*diff.Result
		failOn  diff.Class
		errs    []string
		status  string
		exit    int
		counts  Counts
	}{
		{name: "nothing", status: "compatible"},
		{name: "compatible", results: []*diff.Result{compatible}, status: "compatible"},
		{name: "review below the level", results: []*diff.Result{compatible, review}, failOn: diff.Breaking, status: "review", counts: Counts{Review: 1}},
		{name: "review at the level", results: []*diff.Result{review}, failOn: diff.Review, status: "review", exit: 1, counts: Counts{Review: 1}},
		{name: "breaking", results: []*diff.Result{review, breaking}, failOn: diff.Breaking, status: "breaking", exit: 1, counts: Counts{Breaking: 1, Review: 1, Compatible: 1}},
		{name: "breaking above the level", results: []*diff.Result{breaking}, failOn: diff.Review, status: "breaking", exit: 1, counts: Counts{Breaking: 1, Compatible: 1}},
		{name: "undecided", results: []*diff.Result{compatible, open}, status: "undecided", exit: 3, counts: Counts{Undecided: 1}},
		{name: "undecided and review below the level", results: []*diff.Result{open, review}, failOn: diff.Breaking, status: "undecided", exit: 3, counts: Counts{Review: 1, Undecided: 1}},
		{name: "undecided and review at the level", results: []*diff.Result{open, review}, failOn: diff.Review, status: "review", exit: 1, counts: Counts{Review: 1, Undecided: 1}},
		{name: "undecided and breaking", results: []*diff.Result{breaking, open}, status: "breaking", exit: 1, counts: Counts{Breaking: 1, Compatible: 1, Undecided: 1}},
		{name: "undecided with a finding at the level", results: []*diff.Result{openReview}, failOn: diff.Review, status: "review", exit: 1, counts: Counts{Review: 1, Undecided: 1}},
		{name: "errors", errs: []string{"x"}, status: "undecided", exit: 2},
		{name: "errors beside a pass", results: []*diff.Result{compatible}, errs: []string{"x"}, status: "undecided", exit: 2},
		{name: "no level means breaking", results: []*diff.Result{compatible}, failOn: diff.Compatible, status: "compatible"},
	} {
		r := New(tt.results, tt.failOn, tt.errs)
		if r.Status != tt.status || r.Exit() != tt.exit || r.Counts != tt.counts {
			t.Errorf("%s: status %s, exit %d, counts %+v; want %s, %d, %+v", tt.name, r.Status, r.Exit(), r.Counts, tt.status, tt.exit, tt.counts)
		}
		if r.FailOn == diff.Compatible {
			t.Errorf("%s: fails on compatible", tt.name)
		}
	}
}

func TestWorstLockComesFirst(t *testing.T) {
	text, _ := written(t, New(rich(), diff.Breaking, nil), TextOptions{})
	at := -1
	for _, want := range []string{"breaking  locks/pricing", "undecided  locks/weather", "undecided  locks/visa", "compatible  locks/maps"} {
		i := bytes.Index(text, []byte("\n"+want))
		if i <= at {
			t.Errorf("%s stands at %d, want it after %d", want, i, at)
		}
		at = i
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report.json", instance(t, Schema())); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func instance(t *testing.T, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The schema and the structs name the same members, in the same order where
// they are required, and only omitted ones are optional.
func TestSchemaHasTheSameMembers(t *testing.T) {
	var root struct {
		shape
		Defs map[string]shape `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		of     any
		schema shape
	}{
		{Report{}, root.shape},
		{Counts{}, root.Properties["counts"]},
		{Lock{}, root.Defs["lock"]},
		{diff.Finding{}, root.Defs["finding"]},
	} {
		typ := reflect.TypeOf(tt.of)
		var required, all []string
		for field := range typ.Fields() {
			name, opts, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			all = append(all, name)
			if opts == "" {
				required = append(required, name)
			}
		}
		if diff := cmp.Diff(required, tt.schema.Required); diff != "" {
			t.Errorf("%s: required (-struct +schema):\n%s", typ, diff)
		}
		slices.Sort(all)
		var props []string
		for name := range tt.schema.Properties {
			props = append(props, name)
		}
		slices.Sort(props)
		if diff := cmp.Diff(all, props); diff != "" {
			t.Errorf("%s: members (-struct +schema):\n%s", typ, diff)
		}
	}
}

type shape struct {
	Required   []string         `json:"required"`
	Properties map[string]shape `json:"properties"`
}

func TestSchemaRefuses(t *testing.T) {
	_, js := written(t, New(rich(), diff.Breaking, nil), TextOptions{})
	for _, edit := range [][2]string{
		{`"status": "breaking"`, `"status": "bad"`},
		{`"fail_on": "breaking"`, `"fail_on": "compatible"`},
		{`"errors": []`, `"errors": null`},
		{`"skills": []`, `"skills": null`},
		{`"class": null`, `"class": "undecided"`},
		{`"waived": 1`, `"waived": -1`},
		{`"rule": "skill-gained"`, `"rule": ""`},
	} {
		bad := bytes.Replace(js, []byte(edit[0]), []byte(edit[1]), 1)
		if bytes.Equal(bad, js) || compiled(t).Validate(instance(t, bad)) == nil {
			t.Errorf("the schema accepts %s", edit[1])
		}
	}
}
