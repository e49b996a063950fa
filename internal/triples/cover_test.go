package triples_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/a2alock/a2alock/diff"
)

// overTime are the rules that no pair of cards can show, with what they are seen
// by instead. Their near misses are in diff/rules_runtime_test.go.
var overTime = map[string]string{
	"replicas-disagree":    "cards that come in turn from one agent",
	"validator-unreliable": "answers whose ETag and content do not go together",
	"claim-refuted":        "what callers report, while the card stays as it is",
}

// Every rule is in the wants of several triples, and of at least one whose
// mirror edit is stated too. A rule that is new to the catalogue begins with
// its triples.
func TestTriplesCoverEveryRule(t *testing.T) {
	const several = 3
	wants, mirrors := map[string]int{}, map[string]int{}
	for _, tr := range readTriples(t) {
		rules := map[string]bool{}
		for _, f := range tr.want.findings {
			rules[f.rule] = true
		}
		for rule := range rules {
			wants[rule]++
			if tr.mirror != nil {
				mirrors[rule]++
			}
		}
		for _, v := range []*tripleVerdict{tr.want, tr.mirror} {
			if v != nil {
				checkTripleVerdict(t, tr.name, v)
			}
		}
	}
	for _, r := range diff.Rules() {
		if _, ok := overTime[r.ID]; ok || r.Check == nil { // testdata/revisions has those of locks
			continue
		}
		if wants[r.ID] < several {
			t.Errorf("%s is in the wants of %d triples, want %d", r.ID, wants[r.ID], several)
		}
		if mirrors[r.ID] == 0 {
			t.Errorf("%s: no triple that wants it states its mirror", r.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(overTime)) {
		if _, ok := diff.Lookup(id); !ok || wants[id] > 0 {
			t.Errorf("%s: of overTime, it is no rule (known %v), or triples want it (%d)", id, ok, wants[id])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(wants)) {
		if _, ok := diff.Lookup(id); !ok {
			t.Errorf("triples want %s, which is no rule", id)
		}
	}
}

// checkTripleVerdict holds a verdict to itself: the class is that of its worst
// finding.
func checkTripleVerdict(t *testing.T, name string, v *tripleVerdict) {
	t.Helper()
	worst := diff.Compatible
	for _, f := range v.findings {
		if f.class == "waived" {
			continue
		}
		class, err := diff.ParseClass(f.class)
		if err != nil {
			t.Errorf("%s: %s: %v", name, f, err)
		}
		worst = max(worst, class)
	}
	if _, err := diff.ParseClass(v.class); err == nil && v.class != worst.String() {
		t.Errorf("%s: the verdict is %s, and the worst of its findings %s", name, v.class, worst)
	}
}
