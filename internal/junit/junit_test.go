package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/internal/junit"
	"github.com/a2alock/a2alock/internal/reporttest"
	"github.com/a2alock/a2alock/report"
)

func written(t testing.TB, l *report.Listing) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := junit.Write(&out, l); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWriteGolden(t *testing.T) {
	for _, c := range reporttest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			got := written(t, c.Listing)
			golden.Equal(t, "testdata/"+c.Name+".xml", got)
			check(t, got)
		})
	}
}

// shape is what the schemas of Jenkins and Ant know of the elements that are
// written: attributes, a "!" behind those that must be there, and children.
var shape = map[string]struct{ attrs, children string }{
	"testsuites": {"name tests! failures! errors! time", "testsuite"},
	"testsuite":  {"name! tests! failures! errors! skipped time", "testcase"},
	"testcase":   {"name! classname! time! file", "skipped error failure system-out"},
	"skipped":    {"message", ""},
	"error":      {"message! type!", ""},
	"failure":    {"message! type!", ""},
	"system-out": {"", ""},
}

// check holds a document against the shape, and its counts against its tests.
func check(t testing.TB, data []byte) {
	t.Helper()
	if !utf8.Valid(data) || !bytes.HasPrefix(data, []byte(xml.Header)) || !bytes.HasSuffix(data, []byte(">\n")) {
		t.Errorf("no XML document in UTF-8: %.80q", data)
	}
	for _, r := range string(data) {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			t.Errorf("%U is not legal in XML", r)
		}
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	var path []string
	type counts struct{ tests, failures, errors, skipped int }
	var want []counts // of the elements around
	var got counts
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			known, ok := shape[e.Name.Local]
			parent := ""
			if len(path) > 0 {
				parent = path[len(path)-1]
				ok = ok && has(shape[parent].children, e.Name.Local)
			}
			if !ok {
				t.Fatalf("element %s in %q", e.Name.Local, parent)
			}
			path = append(path, e.Name.Local)
			values := map[string]string{}
			for _, a := range e.Attr {
				if !has(strings.ReplaceAll(known.attrs, "!", ""), a.Name.Local) {
					t.Errorf("%s has an attribute %s", e.Name.Local, a.Name.Local)
				}
				values[a.Name.Local] = a.Value
			}
			for a := range strings.FieldsSeq(known.attrs) {
				if name, must := strings.CutSuffix(a, "!"); must && values[name] == "" && name != "message" {
					t.Errorf("%s has no %s", e.Name.Local, name)
				}
			}
			number := func(name string) int { n, _ := strconv.Atoi(values[name]); return n }
			switch e.Name.Local {
			case "testsuites", "testsuite":
				want = append(want, counts{number("tests"), number("failures"), number("errors"), number("skipped")})
				if e.Name.Local == "testsuite" {
					got = counts{}
				}
			case "testcase":
				got.tests++
			case "failure":
				got.failures++
			case "error":
				got.errors++
			case "skipped":
				got.skipped++
			}
		case xml.EndElement:
			path = path[:len(path)-1]
			if e.Name.Local == "testsuite" {
				suite := want[len(want)-1]
				want = want[:len(want)-1]
				if suite != got {
					t.Errorf("a suite counts %+v, and has %+v", suite, got)
				}
				want[0].tests -= got.tests
				want[0].failures -= got.failures
				want[0].errors -= got.errors
			}
		}
	}
	if len(want) != 1 || want[0] != (counts{}) {
		t.Errorf("the counts of all suites are off by %+v", want)
	}
}

func has(words, word string) bool { return strings.Contains(" "+words+" ", " "+word+" ") }

func TestOutcomes(t *testing.T) {
	waived := &diff.Waived{Reason: "known", Owner: "team", Until: "2026-12-31"}
	item := func(word string, fails bool, w *diff.Waived) report.Item {
		return report.Item{Rule: "r", Word: word, Fails: fails, Message: "m", Waived: w}
	}
	tests := []struct {
		name  string
		items []report.Item
		open  *report.Item
		want  string
	}{
		{"nothing said", nil, nil, `<testcase name="fine"`},
		{"breaking", []report.Item{item("breaking", true, nil)}, nil, `<failure message="m" type="breaking">breaking: m</failure>`},
		{"two of one rule", []report.Item{item("breaking", true, nil), item("breaking", true, nil)}, nil, `tests="1" failures="1"`},
		{"review that fails", []report.Item{item("review", true, nil)}, nil, `<failure message="m" type="review">`},
		{"review that does not", []report.Item{item("review", false, nil)}, nil, `<system-out>review: m</system-out>`},
		{"waived", []report.Item{item("breaking", false, waived)}, nil, `<skipped message="waived until 2026-12-31, by team: known">`},
		{"one waived, one not", []report.Item{item("breaking", true, nil), item("breaking", false, waived)}, nil, `<failure message="m (and 1 more)"`},
		{"one waived, one without consequence", []report.Item{item("compatible", false, nil), item("breaking", false, waived)}, nil, `skipped="0"`},
		{"undecided", nil, &report.Item{Rule: "unreachable", Message: "m"}, `<error message="m" type="unreachable">m</error>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := &report.Listing{Subjects: []report.Subject{{Name: "a.a2a.lock.json", Fine: "fine", Items: tt.items, Open: tt.open}}}
			got := written(t, l)
			check(t, got)
			if !strings.Contains(string(got), tt.want) {
				t.Errorf("%s is not in\n%s", tt.want, got)
			}
		})
	}
}

// A dot would part the name of a class, as in Java.
func TestClassOfALock(t *testing.T) {
	for name, want := range map[string]string{
		"locks/fare.a2a.lock.json": "locks/fare", "fare/a2a.lock.json": "fare", "a2a.lock.json": "a2a_lock_json", "v1.2/x.a2a.lock.json": "v1_2/x",
	} {
		got := written(t, &report.Listing{Subjects: []report.Subject{{Name: name, Fine: "fine"}}})
		if !strings.Contains(string(got), fmt.Sprintf(`classname=%q`, want)) {
			t.Errorf("%s: no class %s in\n%s", name, want, got)
		}
	}
}

func TestManyAndLarge(t *testing.T) {
	for _, l := range []*report.Listing{reporttest.Many(10_000, 100), reporttest.Many(3, 1<<20)} {
		got := written(t, l)
		check(t, got)
		if len(got) > 1<<20 {
			t.Errorf("%d bytes", len(got))
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(reporttest.Hostile)
	f.Add("]]>\r\n\t&#xA;\x00")
	f.Fuzz(func(t *testing.T, s string) {
		i := report.Item{Rule: "r" + s, Word: "w" + s, Fails: true, Message: s, File: s, Waived: &diff.Waived{Reason: s, Owner: s, Until: s}}
		l := &report.Listing{Verdict: s, Errors: []report.Item{i}, Subjects: []report.Subject{{Name: "n" + s, Fine: "f" + s}, {Name: "n", Open: &i, Items: []report.Item{i}}}}
		check(t, written(t, l))
		var back struct {
			Text string `xml:",chardata"`
		}
		if err := xml.Unmarshal([]byte("<a>"+junit.Text(s)+"</a>"), &back); err != nil {
			t.Fatal(err)
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, illegal) && back.Text != s {
			t.Errorf("Text(%q) reads as %q", s, back.Text)
		}
	})
}

func illegal(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}
