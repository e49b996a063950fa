package sarif_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/internal/reporttest"
	"github.com/a2alock/a2alock/internal/sarif"
	"github.com/a2alock/a2alock/report"
)

func written(t testing.TB, l *report.Listing) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := sarif.Write(&out, l, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// compiled reads the schema at path.
func compiled(t testing.TB, path string) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t testing.TB, s *jsonschema.Schema, data []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Errorf("the log is not as the schema has it: %v", err)
	}
}

func TestWriteGolden(t *testing.T) {
	schema := compiled(t, "testdata/schema.json")
	for _, c := range reporttest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			got := written(t, c.Listing)
			golden.Equal(t, "testdata/"+c.Name+".sarif", got)
			validate(t, schema, got)
			harmless(t, got)
			if again := written(t, c.Listing); !bytes.Equal(got, again) {
				t.Error("the same listing gave other bytes")
			}
		})
	}
}

// The schema that OASIS publishes is not part of this repository: it is read from
// where A2ALOCK_SARIF_SCHEMA says, or lies beside the corpus.
func TestPublishedSchema(t *testing.T) {
	path := cmp.Or(os.Getenv("A2ALOCK_SARIF_SCHEMA"), "../../../shared/sarif-schema-2.1.0.json")
	if _, err := os.Stat(path); err != nil {
		t.Skip("no copy of the published schema:", err)
	}
	schema := compiled(t, path)
	for _, c := range reporttest.Cases() {
		validate(t, schema, written(t, c.Listing))
	}
	validate(t, schema, written(t, reporttest.Many(1000, 100)))
}

// The schema that is held against the logs finds faults.
func TestSchemaFindsFaults(t *testing.T) {
	schema := compiled(t, "testdata/schema.json")
	good := string(written(t, reporttest.Cases()[0].Listing))
	for _, change := range [][2]string{
		{`"version": "2.1.0"`, `"version": "2.2.0"`},
		{`"level": "error"`, `"level": "fatal"`},
		{`"startLine": 1`, `"startLine": -1`},
		{`"kind": "external"`, `"kind": "waiver"`},
		{`"ruleIndex":`, `"ruleindex":`},
		{`more%20locks`, `more locks`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if bad == good || schema.Validate(doc) == nil {
			t.Errorf("%s in place of %s passed", change[1], change[0])
		}
	}
}

// logged is what the tests read of a log.
type logged struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID string } }
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Level   string
				Message struct{ Text string }
			}
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
				}
			}
			Suppressions []struct{ Justification string }
		}
	}
}

func read(t testing.TB, data []byte) logged {
	t.Helper()
	var l logged
	if err := json.Unmarshal(data, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEveryResultNamesItsRule(t *testing.T) {
	for _, c := range reporttest.Cases() {
		run := read(t, written(t, c.Listing)).Runs[0]
		spoke := map[string]bool{}
		for _, r := range run.Results {
			spoke[r.RuleID] = true
			if got := run.Tool.Driver.Rules[r.RuleIndex].ID; got != r.RuleID {
				t.Errorf("%s: the rule at the index of %s is %s", c.Name, r.RuleID, got)
			}
		}
		if len(spoke) != len(run.Tool.Driver.Rules) {
			t.Errorf("%s: %d rules are listed, and %d speak", c.Name, len(run.Tool.Driver.Rules), len(spoke))
		}
	}
}

// What could not be decided is no result and no success.
func TestUndecidedIsNoSuccess(t *testing.T) {
	for _, c := range reporttest.Cases() {
		open := len(c.Listing.Errors)
		for _, s := range c.Listing.Subjects {
			if s.Open != nil {
				open++
			}
		}
		inv := read(t, written(t, c.Listing)).Runs[0].Invocations[0]
		if got := len(inv.ToolExecutionNotifications); got != open || inv.ExecutionSuccessful != (open == 0) {
			t.Errorf("%s: %d notifications, success %v; want %d", c.Name, got, inv.ExecutionSuccessful, open)
		}
	}
}

// What is beyond the limit is counted, and it is the least of all.
func TestResultsBeyondTheLimit(t *testing.T) {
	l := &report.Listing{Subjects: []report.Subject{{Name: "many"}}}
	items := make([]report.Item, sarif.MaxResults+2)
	for i := range items {
		items[i] = report.Item{Rule: "skill-gained", Message: "m"}
	}
	items[len(items)-1] = report.Item{Rule: "skill-removed", Level: report.Failure, Message: "m"}
	l.Subjects[0].Items = items
	run := read(t, written(t, l)).Runs[0]
	notes := run.Invocations[0].ToolExecutionNotifications
	if len(run.Results) != sarif.MaxResults || run.Results[0].RuleID != "skill-removed" || len(notes) != 1 || !strings.HasPrefix(notes[0].Message.Text, "2 findings") {
		t.Errorf("%d results, the first of %s, notifications %v", len(run.Results), run.Results[0].RuleID, notes)
	}
}

// harmless holds what no log may have: bytes that are no UTF-8, a mark at the
// start, controls, and links that a stranger wrote.
func harmless(t testing.TB, data []byte) {
	t.Helper()
	if !utf8.Valid(data) || bytes.HasPrefix(data, []byte("\ufeff")) || !json.Valid(data) {
		t.Error("the log is no plain JSON in UTF-8")
	}
	for _, bad := range []string{"\x1b", "\x00", "\u202e", "\u200b", "##["} {
		if bytes.Contains(data, []byte(bad)) {
			t.Errorf("%q is in the log", bad)
		}
	}
	for _, r := range read(t, data).Runs[0].Results {
		if strings.Contains(r.Message.Text, "](") {
			t.Errorf("a link is in %q", r.Message.Text)
		}
	}
}

func TestURI(t *testing.T) {
	tests := []struct{ path, want string }{
		{"locks/a.a2a.lock.json", "locks/a.a2a.lock.json"},
		{"a b/é:1%2,[].json", "a%20b/%C3%A9%3A1%252%2C%5B%5D.json"},
		{"a\nb\x00\xff", "a%0Ab%00%FF"},
		{"../x", "../x"},
	}
	for _, tt := range tests {
		if got := sarif.URI(tt.path); got != tt.want {
			t.Errorf("URI(%q) = %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestPlacesOutsideTheRoot(t *testing.T) {
	for path, want := range map[string]string{"/tmp/a b.json": "file:///tmp/a%20b.json", "C:/a.json": "file:///C%3A/a.json"} {
		l := &report.Listing{Subjects: []report.Subject{{Name: "x", Items: []report.Item{{Rule: "r", Message: "m", File: path}}}}}
		at := read(t, written(t, l)).Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation
		if at.URI != want || at.URIBaseID != "" {
			t.Errorf("%s: %+v, want %s", path, at, want)
		}
	}
}

func FuzzWrite(f *testing.F) {
	f.Add(reporttest.Hostile, reporttest.Hostile)
	f.Add("](", "C:/")
	schema := compiled(f, "testdata/schema.json")
	f.Fuzz(func(t *testing.T, text, path string) {
		i := report.Item{Rule: "r", Message: text, Details: []report.Detail{{Label: "was", Text: text}}, File: path, Line: 1, Column: 1}
		l := &report.Listing{Errors: []report.Item{i}, Subjects: []report.Subject{{Name: "n", Open: &i, Items: []report.Item{i}}}}
		if text == "" {
			return // an item has a message
		}
		data := written(t, l)
		validate(t, schema, data)
		if !utf8.Valid(data) {
			t.Errorf("no UTF-8: %q", data)
		}
		for _, r := range read(t, data).Runs[0].Results {
			if strings.Contains(r.Message.Text, "](") {
				t.Errorf("a link is in %q", r.Message.Text)
			}
		}
		if back, err := url.PathUnescape(sarif.URI(path)); err != nil || back != path {
			t.Errorf("URI(%q) reads as %q, %v", path, back, err)
		}
	})
}
