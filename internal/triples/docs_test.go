package triples_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/card"
)

// docs/comparison.md shows the ten pairs of blindspots.txtar: each row says
// what its triple wants, and what a hash of the card would.
func TestComparisonDocs(t *testing.T) {
	data, err := os.ReadFile("../../docs/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*triple{}
	for _, tr := range readTriples(t) {
		if tr.theme == "blindspots" {
			byName[tr.name] = tr
		}
	}
	const pairs = 10
	if len(byName) != pairs {
		t.Errorf("blindspots.txtar has %d triples, want %d", len(byName), pairs)
	}
	shown := map[string]bool{}
	for line := range strings.SplitSeq(string(data), "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		const columns = 6
		if len(cells) != columns {
			t.Errorf("%d cells, want %d: %s", len(cells), columns, line)
			continue
		}
		name := strings.Trim(cells[0], "`")
		tr, ok := byName[name]
		if !ok || shown[name] {
			t.Errorf("%s: no such triple in blindspots.txtar, or a second row", name)
			continue
		}
		shown[name] = true
		checkComparisonRow(t, tr, cells)
	}
	for name := range byName {
		if !shown[name] {
			t.Errorf("docs/comparison.md does not show %s", name)
		}
	}
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

func checkComparisonRow(t *testing.T, tr *triple, cells []string) {
	t.Helper()
	p := tr.pair(t)
	hash := "same"
	if card.Sum(p.was) != card.Sum(p.came) {
		hash = "changed"
	}
	if cells[2] != hash {
		t.Errorf("%s: a hash says %q, the table %q", tr.name, hash, cells[2])
	}
	checker, _, _ := strings.Cut(cells[3], ":")
	verdict, rules, _ := strings.Cut(cells[5], ": ")
	if verdict != tr.want.class {
		t.Errorf("%s: the triple wants %s, the table says %s", tr.name, tr.want.class, verdict)
	}
	if checker == verdict || !slices.Contains([]string{"compatible", "breaking"}, checker) {
		t.Errorf("%s: a checker that says %q does not err", tr.name, checker)
	}
	var shown, want []string
	for _, m := range codeSpan.FindAllStringSubmatch(rules, -1) {
		shown = append(shown, m[1])
	}
	for _, f := range tr.want.findings {
		want = append(want, f.rule)
	}
	if !slices.Equal(shown, want) {
		t.Errorf("%s: the triple wants %q, the table says %q", tr.name, want, shown)
	}
}
