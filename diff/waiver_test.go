package diff

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/value"
)

// A waiver is judged by all it says: what it names, who answers, until when.
func TestWaivers(t *testing.T) {
	change := Example{Was: `{"capabilities":{"streaming":true}}`, Now: `{"version":"2.0.0","capabilities":{"streaming":false}}`}
	full := func(more string) string {
		return `{"requires":{"streaming":true},"waivers":[{"reason":"polling is fine","owner":"team-travel","until":"2026-12-31",` + more + `}]}`
	}
	of := func(reason, owner, until string) string {
		return fmt.Sprintf(`{"requires":{"streaming":true},"waivers":[{"rule":"streaming-lost","reason":%q,"owner":%q,"until":%q}]}`, reason, owner, until)
	}
	base := comparison(t, Example{Was: change.Was, Now: change.Now, Lock: `{"requires":{"streaming":true}}`}, exampleClient())
	var print string
	for _, f := range Compare(base).Findings {
		if f.Rule == "streaming-lost" {
			print = f.Fingerprint
		}
	}
	tests := []struct {
		name, lock string
		waived     []string
		more       []string // beside the two findings of the change
		class      Class
	}{
		{"by rule", full(`"rule":"streaming-lost"`), []string{"streaming-lost"}, nil, Review},
		{"by path", full(`"rule":"streaming-lost","path":"/streaming"`), []string{"streaming-lost"}, nil, Review},
		{"by fingerprint", full(`"rule":"streaming-lost","fingerprint":"` + print + `"`), []string{"streaming-lost"}, nil, Review},
		{"another path", full(`"rule":"streaming-lost","path":"/push"`), nil, []string{"waiver-unused"}, Breaking},
		{"another fingerprint", full(`"rule":"streaming-lost","fingerprint":"0123456789abcdef"`), nil, []string{"waiver-unused"}, Breaking},
		{"another rule", full(`"rule":"push-lost"`), nil, []string{"waiver-unused"}, Breaking},
		{
			"both", `{"requires":{"streaming":true},"waivers":[` +
				`{"rule":"streaming-lost","reason":"a","owner":"b","until":"2026-12-31"},` +
				`{"rule":"agent-version-changed","reason":"a","owner":"b","until":"2026-12-31"}]}`,
			[]string{"agent-version-changed", "streaming-lost"},
			nil, Compatible,
		},
		{"past", of("a", "b", "2026-10-01"), nil, []string{"waiver-expired"}, Breaking},
		{"last day", of("a", "b", "2026-10-02"), []string{"streaming-lost"}, nil, Review},
		{"past hour", of("a", "b", "2026-10-02T08:30:00Z"), nil, []string{"waiver-expired"}, Breaking},
		{"coming hour", of("a", "b", "2026-10-02T08:30:01Z"), []string{"streaming-lost"}, nil, Review},
		{"no date", of("a", "b", "next spring"), nil, []string{"waiver-expired"}, Breaking},
		{"no end", of("a", "b", ""), nil, []string{"waiver-expired"}, Breaking},
		{"no reason", of(" ", "b", "2026-12-31"), nil, []string{"waiver-expired"}, Breaking},
		{"no owner", of("a", "", "2026-12-31"), nil, []string{"waiver-expired"}, Breaking},
		{
			"past and unused", `{"requires":{"streaming":true},"waivers":[{"rule":"push-lost","reason":"a","owner":"b","until":"2020-01-01"}]}`,
			nil,
			[]string{"waiver-unused"},
			Breaking,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Compare(comparison(t, Example{Was: change.Was, Now: change.Now, Lock: tt.lock}, exampleClient()))
			var waived, rules []string
			for _, f := range r.Findings {
				rules = append(rules, f.Rule)
				if f.Waived != nil {
					waived = append(waived, f.Rule)
				}
			}
			slices.Sort(waived)
			slices.Sort(rules)
			want := append([]string{"agent-version-changed", "streaming-lost"}, tt.more...)
			slices.Sort(want)
			if !slices.Equal(waived, tt.waived) || !slices.Equal(rules, want) || r.Class != tt.class || !r.Decided {
				t.Errorf("waived %v of %v, class %v; want %v of %v, %v", waived, rules, r.Class, tt.waived, want, tt.class)
			}
		})
	}
}

// A waiver with a fingerprint covers that finding alone, also where another
// skill's says the same: what is waived apart is told apart.
func TestWaiversOfWhatIsMerged(t *testing.T) {
	e := Example{
		Was: `{"skills":[{"id":"quote"},{"id":"book"}]}`,
		Now: `{"defaultInputModes":["text/csv"],"skills":[{"id":"quote"},{"id":"book"}]}`,
	}
	const requires = `{"requires":{"skills":{"book":{"input":["application/json"],"output":["application/json"]}}}`
	e.Lock = requires + `}`
	var whole Finding
	for _, f := range Compare(comparison(t, e, exampleClient())).Findings {
		if f.Rule == "input-narrowed" {
			whole = f
		}
	}
	if len(whole.Skills) != 2 || len(whole.Parts) != 2 || whole.Parts[0] != (Part{whole.Path, whole.Fingerprint}) ||
		whole.Parts[1].Path == whole.Path || whole.Parts[1].Fingerprint == whole.Fingerprint {
		t.Fatalf("merged finding of %q at %s %s has the parts %v, want itself and another", whole.Skills, whole.Path, whole.Fingerprint, whole.Parts)
	}
	waiver := func(p Part, owner string) string {
		return fmt.Sprintf(`{"rule":"input-narrowed","path":%q,"fingerprint":%q,"reason":"a","owner":%q,"until":"2026-12-31"}`, p.Path, p.Fingerprint, owner)
	}
	tests := []struct {
		name, waivers string
		want          []string
		class         Class
	}{
		{"the first", waiver(whole.Parts[0], "a"), []string{"breaking [quote] <nil>", "breaking [book] a"}, Breaking},
		{"the second", waiver(whole.Parts[1], "a"), []string{"breaking [book] <nil>", "breaking [quote] a"}, Breaking},
		{"both alike", waiver(whole.Parts[0], "a") + "," + waiver(whole.Parts[1], "a"), []string{"breaking [book quote] a"}, Compatible},
		{"both, by two owners", waiver(whole.Parts[0], "a") + "," + waiver(whole.Parts[1], "b"), []string{"breaking [book] a", "breaking [quote] b"}, Compatible},
		{"all of the rule", `{"rule":"input-narrowed","reason":"a","owner":"a","until":"2026-12-31"}`, []string{"breaking [book quote] a"}, Compatible},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.Lock = requires + `,"waivers":[` + tt.waivers + `]}`
			r := Compare(comparison(t, e, exampleClient()))
			var got []string
			for _, f := range r.Findings {
				if f.Rule == "input-narrowed" {
					owner := "<nil>"
					if f.Waived != nil {
						owner = f.Waived.Owner
					}
					got = append(got, fmt.Sprintf("%s %v %s", f.Class, f.Skills, owner))
				} else if f.Rule == "waiver-unused" {
					t.Errorf("%s", f.Message)
				}
			}
			if !slices.Equal(got, tt.want) || r.Class != tt.class {
				t.Errorf("findings = %q, class %s, want %q, %s", got, r.Class, tt.want, tt.class)
			}
		})
	}
}

// Three fingerprints, so that a waiver of today holds tomorrow: each is of the
// SHA-256 over the array in the form of RFC 8785.
func TestFingerprintsStay(t *testing.T) {
	for _, tt := range []struct {
		f          Finding
		form, want string // what is hashed, and to what
	}{
		{Finding{Rule: "agent-version-changed", Path: "/agent_version", Was: "1.0.0", Now: "2.0.0"}, `["agent-version-changed","/agent_version","1.0.0","2.0.0"]`, "a8edad5a0e58ea2a"},
		{
			Finding{Rule: "change-unclassified", Path: "/capabilities/x", Was: jsontext.Value(`{"\u20ac": 1e2, "b": "\u0041<"}`)},
			`["change-unclassified","/capabilities/x",{"b":"A<","€":100},null]`, "581aa8c8a44d2efc",
		},
		{
			Finding{Rule: "scheme-changed", Path: "/schemes/k", Was: compile.Scheme{Kind: card.KindAPIKey, In: "header", Name: "X"}, Now: map[string]any{"\U0001f600": 1, "\ufb33": 2}},
			`["scheme-changed","/schemes/k",{"in":"header","kind":"apiKey","name":"X"},{"😀":1,"דּ":2}]`, "d760474668163ca1",
		},
	} {
		if form := card.Sum([]byte(tt.form)); form[len("sha256:"):][:fingerprintLength] != tt.want {
			t.Errorf("%s hashes to %s, want %s…", tt.form, form, tt.want)
		}
		if got := nameOf(tt.f); got != tt.want {
			t.Errorf("fingerprint of %s = %s, want %s", tt.form, got, tt.want)
		}
	}
}

// A waived breaking finding decides nothing: the lock of a disabled skill is
// open again.
func TestWaivedBreakingLeavesDisabledSkillOpen(t *testing.T) {
	e := Example{
		Was:  `{"capabilities":{"streaming":true}}`,
		Now:  `{"skills":[{"id":"quote","name":"Quote","description":"d","tags":["t"],"inputModes":"application/json"},{"id":"other","name":"Other","description":"d","tags":["t"]}]}`,
		Lock: `{"requires":{"streaming":true},"waivers":[{"rule":"streaming-lost","reason":"a","owner":"b","until":"2026-12-31"}]}`,
	}
	r := Compare(comparison(t, e, exampleClient()))
	if r.Decided || r.State != card.Invalid {
		t.Errorf("decided %v, state %s: want an open lock", r.Decided, r.State)
	}
}

// A fingerprint depends on what was and is, and on nothing else.
func TestFingerprints(t *testing.T) {
	e := Example{Now: `{"version":"2.0.0"}`}
	first := Compare(comparison(t, e, exampleClient())).Findings[0]
	if len(first.Fingerprint) != fingerprintLength {
		t.Errorf("fingerprint %q", first.Fingerprint)
	}
	c := comparison(t, Example{Now: `{"version":"2.0.0","description":"Other."}`}, exampleClient())
	var err error
	if c.Policy, err = NewPolicy(map[string]string{"agent-version-changed": "breaking"}, ""); err != nil {
		t.Fatal(err)
	}
	if again := Compare(c).Findings[0]; again.Fingerprint != first.Fingerprint || again.Class != Breaking {
		t.Errorf("fingerprint %q under another policy and beside another change, was %q", again.Fingerprint, first.Fingerprint)
	}
	other := Compare(comparison(t, Example{Now: `{"version":"2.0.1"}`}, exampleClient())).Findings[0]
	if other.Fingerprint == first.Fingerprint {
		t.Error("two versions have one fingerprint")
	}
	// A value that stood in a lock is indented there.
	a := nameOf(Finding{Was: compile.Extension{Params: []byte(`{"a": 1}`)}})
	if b := nameOf(Finding{Was: compile.Extension{Params: []byte(`{"a":1}`)}}); a != b {
		t.Errorf("fingerprints %q and %q of one value", a, b)
	}
}

func TestLockState(t *testing.T) {
	tests := []struct{ name, lock, want string }{
		{"ages are off by default", `{"pinned_at":"2016-01-01T00:00:00Z","verified":{"quote":"probe ok 2016-01-01"}}`, "[]"},
		{"a young lock", `{"pinned_at":"2026-10-01T00:00:00Z","policy":{"max_lock_age":"90d"}}`, "[]"},
		{"just old enough", `{"pinned_at":"2026-10-01T08:30:00Z","policy":{"max_lock_age":"1d"}}`, "[]"},
		{"a moment older", `{"pinned_at":"2026-10-01T08:29:59Z","policy":{"max_lock_age":"1d"}}`, "[lock-stale]"},
		{"pinned in the future", `{"pinned_at":"2027-10-01T08:29:59Z","policy":{"max_lock_age":"1d"}}`, "[]"},
		{"fresh evidence", `{"verified":{"quote":"probe ok 2026-10-01"},"policy":{"max_evidence_age":"30d"}}`, "[]"},
		{"old evidence", `{"verified":{"quote":"probe ok 2026-08-01"},"policy":{"max_evidence_age":"30d"}}`, "[evidence-stale]"},
		{"old evidence, an object", `{"verified":{"skill:quote":{"result":"ok","at":"2026-08-01T00:00:00Z"}},"policy":{"max_evidence_age":"30d"}}`, "[evidence-stale]"},
		{"evidence of the future", `{"verified":{"quote":"probe ok 2099-01-01"},"policy":{"max_evidence_age":"30d"}}`, "[evidence-stale]"},
		{"evidence without a day", `{"verified":{"quote":"probe ok"},"policy":{"max_evidence_age":"30d"}}`, "[evidence-stale]"},
		{"evidence for what is not required", `{"verified":{"streaming":"probe ok 2020-01-01","other":"probe ok 2020-01-01"},"policy":{"max_evidence_age":"30d"}}`, "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fmt.Sprint(said(Compare(comparison(t, Example{Lock: tt.lock}, exampleClient()))))
			if got != tt.want {
				t.Errorf("findings = %s, want %s", got, tt.want)
			}
		})
	}
}

func nameOf(f Finding) string {
	return fingerprint(f.Rule, f.Path, value.Canonical(f.Was), value.Canonical(f.Now))
}

// A day has begun somewhere 14 hours before it does in UTC.
func TestIsAhead(t *testing.T) {
	for _, tt := range []struct {
		at, now string
		want    bool
	}{
		{"2026-10-02T08:35:00Z", "2026-10-02T08:30:00Z", false},
		{"2026-10-02T08:35:01Z", "2026-10-02T08:30:00Z", true},
		{"2026-10-03T00:00:00Z", "2026-10-02T09:55:00Z", false},
		{"2026-10-03T00:00:00Z", "2026-10-02T09:54:59Z", true},
		{"2026-10-01T00:00:00Z", "2026-10-02T08:30:00Z", false},
	} {
		at, err := time.Parse(time.RFC3339, tt.at)
		now, err2 := time.Parse(time.RFC3339, tt.now)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if got := isAhead(at, now); got != tt.want {
			t.Errorf("isAhead(%s, %s) = %v", tt.at, tt.now, got)
		}
	}
}
