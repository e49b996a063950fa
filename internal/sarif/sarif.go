// Package sarif writes a result as SARIF 2.1.0, the format of static analysis
// that code scanning services take.
//
// Each finding is a result of its rule, at its line of the lock; a waived one
// is suppressed from outside the code, with the waiver's reason. What could not
// be decided is no finding: it is a notification, and then the run was no
// success. The rules come with what `a2alock explain` says of them.
package sarif

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/report"
)

// MaxResults is how many results GitHub takes of one run. What is beyond it is
// counted in a notification.
const MaxResults = 25_000

// root is the name by which locations refer to the root of the repository.
const root = "SRCROOT"

// The addresses of the schema and of the project.
const (
	schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	home   = "https://github.com/a2alock/a2alock"
)

// Write writes the listing as one SARIF log with one run, for the version of
// a2alock that is named, with a final newline. Equal listings give equal bytes.
func Write(w io.Writer, l *report.Listing, version string) error {
	b := builder{index: map[string]int{}, rules: []rule{}, results: []result{}, notes: []notification{}}
	b.list(l)
	return report.WriteJSON(w, log{
		Schema: schema, Version: "2.1.0",
		Runs: []run{{
			Tool: tool{driver{
				Name: "a2alock", Version: version, InformationURI: home, Rules: b.rules,
			}},
			Invocations: []invocation{{Success: !b.failed, Notifications: b.notes}},
			Bases:       map[string]location{root: {Description: &message{Text: "The root of the repository."}}},
			Results:     b.results, ColumnKind: "unicodeCodePoints",
		}},
	})
}

type builder struct {
	rules   []rule
	index   map[string]int // of a rule, by its id
	results []result
	notes   []notification
	failed  bool // whether something could not be decided
}

func (b *builder) list(l *report.Listing) {
	for i := range l.Errors {
		b.open(&l.Errors[i])
	}
	var items []*report.Item
	for _, s := range l.Subjects {
		if s.Open != nil {
			b.open(s.Open)
		}
		for i := range s.Items {
			items = append(items, &s.Items[i])
		}
	}
	if left := len(items) - MaxResults; left > 0 {
		slices.SortStableFunc(items, func(a, b *report.Item) int { return cmp.Compare(b.Level, a.Level) })
		items = items[:MaxResults]
		b.notes = append(b.notes, notification{
			Level: "warning", Message: message{Text: fmt.Sprintf("%d findings more than code scanning takes were left out, the least of all", left)},
		})
	}
	b.describe(items)
	for _, i := range items {
		b.results = append(b.results, b.result(i))
	}
}

// open notes what kept something from being decided.
func (b *builder) open(i *report.Item) {
	b.failed = true
	b.notes = append(b.notes, notification{
		Level: "error", Message: message{Text: text(i)}, Locations: places(i),
	})
}

// describe lists the rules that speak, by id.
func (b *builder) describe(items []*report.Item) {
	levels := map[string]report.Level{}
	for _, i := range items {
		levels[i.Rule] = max(levels[i.Rule], i.Level)
	}
	ids := make([]string, 0, len(levels))
	for id := range levels {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for n, id := range ids {
		b.index[id] = n
		b.rules = append(b.rules, describe(id, levels[id]))
	}
}

func (b *builder) result(i *report.Item) result {
	r := result{
		RuleID: i.Rule, RuleIndex: b.index[i.Rule], Level: level(i.Level),
		Message: message{Text: text(i)}, Locations: places(i), Suppressions: []suppression{},
	}
	if i.Fingerprint != "" {
		r.Fingerprints = map[string]string{"a2alock/v1": i.Fingerprint}
	}
	if i.Waived != nil {
		r.Level = level(worth(i))
		r.Suppressions = []suppression{{
			Kind: "external", Status: "accepted", Justification: Plain(report.Justification(i.Waived)),
		}}
	}
	return r
}

// worth is the level of a waived item as if it were not: the suppression is
// what takes its weight.
func worth(i *report.Item) report.Level {
	switch i.Word {
	case "breaking":
		return report.Failure
	case "review":
		return report.Warning
	}
	return report.Note
}

func level(l report.Level) string {
	switch l {
	case report.Failure:
		return "error"
	case report.Warning:
		return "warning"
	}
	return "note"
}

// text is the item's text, in which nothing is a link: SARIF 3.11.6 has
// [text](address) in every message, and the text may be a stranger's.
func text(i *report.Item) string { return Plain(i.Text()) }

// Plain breaks up what SARIF would take for a link.
func Plain(s string) string { return strings.ReplaceAll(s, "](", "]<U+0028>") }

// places is where an item stands; none for what is in no file.
func places(i *report.Item) []place {
	if i.File == "" {
		return []place{}
	}
	p := place{physical{Artifact: location{URI: URI(i.File), Base: root}}}
	if path.IsAbs(i.File) || isDrive(i.File) {
		p.Physical.Artifact = location{URI: "file://" + URI("/"+strings.TrimPrefix(i.File, "/"))}
	}
	if i.Line > 0 {
		p.Physical.Region = &region{Line: i.Line, Column: i.Column}
	}
	return []place{p}
}

// isDrive is whether a path begins with the letter of a drive.
func isDrive(p string) bool { return len(p) > 2 && p[1] == ':' && p[2] == '/' }

// URI is a slashed path as a reference of RFC 3986. Of its bytes only those stay
// that mean nothing but themselves.
func URI(p string) string {
	var b strings.Builder
	for _, c := range []byte(p) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
