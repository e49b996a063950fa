package triples_test

import (
	"bytes"
	"cmp"
	"errors"
	stdflag "flag" // sketches of cards have flags too
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/lockfile"
)

// All rules on all pairs: each triple names every finding that its change may
// have, so that a false alarm of any rule shows here. A triple's want is
// written from the documents; where the program says something else, one of
// the two is wrong.
func TestTriples(t *testing.T) {
	all := readTriples(t)
	const least = 170
	if len(all) < least {
		t.Errorf("%d triples, want at least %d", len(all), least)
	}
	for _, tr := range all {
		t.Run(tr.theme+"/"+tr.name, func(t *testing.T) {
			forward := tr.pair(t)
			forward.check(t, tr.want)
			if tr.reads != nil {
				checkTripleReads(t, forward.now(t), tr.reads)
			}
			backward, ok := tr.swapped(t)
			switch {
			case !ok && tr.mirror != nil:
				t.Error("a mirror of a lock that pin did not make")
			case !ok:
			case tr.mirror != nil:
				backward.check(t, tr.mirror)
			case tr.want.class == "compatible" && len(tr.want.findings) == 0:
				backward.check(t, tr.want) // what is the same is so both ways
			default:
				backward.result(t) // ends well, whatever it says
			}
		})
	}
}

// A triplePair is one side of a triple, ready to be compared.
type triplePair struct {
	*triple
	cfg       *config.Config
	was, came []byte // the cards then and now
	agent     string // where the card was pinned, and where it comes from now
	seen      string
	pin       []string
	notes     []string
	extended  bool
	lost      string
}

const (
	tripleAgent  = "https://pricing.example/.well-known/agent-card.json"
	triplePinned = "2026-10-02T08:30:00Z"
	tripleJudged = "2026-10-03T08:30:00Z"
)

func (tr *triple) pair(t *testing.T) *triplePair {
	t.Helper()
	p := &triplePair{triple: tr, cfg: tr.configuration(t), agent: tripleAgent, seen: tr.seen, pin: tr.pin, notes: tr.notes, extended: tr.extended, lost: tr.lost}
	if p.seen == "" {
		p.seen = tripleAgent
	}
	p.was = tripleBytes(t, tr.old.document(t, "base"), "")
	from := tr.now
	if from.from == "" {
		from = tripleChange{tr.old.from, slices.Concat(tr.old.edits, tr.now.edits)}
	}
	p.came = tripleBytes(t, from.document(t, "base"), tr.as)
	if tr.body != nil {
		p.came = []byte(strings.Join(tr.body, "\n"))
	}
	return p
}

// swapped is the mirror edit: pinned from the card now, judged against the one
// then, where pin makes the lock.
func (tr *triple) swapped(t *testing.T) (*triplePair, bool) {
	t.Helper()
	if tr.lock.from != "" || tr.want.class == "error" {
		return nil, false
	}
	p := tr.pair(t)
	p.was, p.came = p.came, p.was
	p.agent, p.seen, p.notes, p.extended, p.lost = p.seen, p.agent, nil, false, ""
	if tr.mirrorPin != nil {
		p.pin = tr.mirrorPin
	}
	return p, true
}

// configuration reads the lines of a2alock.yaml that the triple has.
func (tr *triple) configuration(t *testing.T) *config.Config {
	t.Helper()
	if tr.config == nil {
		return config.Default()
	}
	path := filepath.Join(t.TempDir(), config.Name)
	text := "version: 1\n" + strings.Join(tr.config, "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func (p *triplePair) read(body []byte) *compile.Reading {
	return compile.Read(body, &p.cfg.Client, card.Options{
		Bytes: int(p.cfg.Limits.CardBytes), Depth: p.cfg.Limits.Depth, Skills: p.cfg.Limits.Skills, Strict: p.cfg.Strict,
	})
}

func (p *triplePair) now(t *testing.T) *compile.Reading {
	t.Helper()
	return p.read(p.came)
}

// lockOf makes the lock and takes it through the file format. The error is
// pin's.
func (p *triplePair) lockOf(t *testing.T) (*lockfile.Lock, error) {
	t.Helper()
	var doc any
	if p.lock.from != "" {
		doc = p.lock.document(t, "locks")
	} else {
		then := p.read(p.was)
		if then.Err != nil {
			return nil, then.Err
		}
		l, _, err := lockfile.Pin(then.Profile, &p.cfg.Client, p.options(t, then.Digest))
		if err != nil {
			return nil, err
		}
		data, err := lockfile.Format(l)
		if err != nil {
			t.Fatal(err)
		}
		if doc, err = tripleJSON(string(data)); err != nil {
			t.Fatal(err)
		}
		doc = editTriple(t, doc, p.lock.edits)
	}
	l, err := lockfile.Parse(tripleBytes(t, doc, ""), "triple."+lockfile.Suffix)
	if err != nil {
		t.Fatal(err)
	}
	return l, nil
}

// options reads the flags of pin, as cmd/a2alock has them.
func (p *triplePair) options(t *testing.T, digest string) lockfile.PinOptions {
	t.Helper()
	at, err := time.Parse(time.RFC3339, triplePinned)
	if err != nil {
		t.Fatal(err)
	}
	o := lockfile.PinOptions{Agent: p.agent, CardDigest: digest, At: at}
	f := stdflag.NewFlagSet("pin", stdflag.ContinueOnError)
	several := func(name string, into *[]string) {
		f.Func(name, "", func(v string) error { *into = append(*into, v); return nil })
	}
	several("skill", &o.Skills)
	several("input", &o.Input)
	several("output", &o.Output)
	several("extension", &o.Extensions)
	f.BoolVar(&o.Streaming, "streaming", false, "")
	f.BoolVar(&o.Push, "push", false, "")
	if err := f.Parse(p.pin); err != nil || f.NArg() > 0 {
		t.Fatalf("pin %v: %v", p.pin, err)
	}
	return o
}

// result compares, or says why there was nothing to compare.
func (p *triplePair) result(t *testing.T) (*diff.Result, *lockfile.Lock, error) {
	t.Helper()
	l, err := p.lockOf(t)
	if err != nil {
		return nil, nil, err
	}
	policy, err := diff.NewPolicy(p.cfg.Policy.Rules, p.cfg.Policy.TextPolicy)
	if err == nil {
		policy.MaxLockAge, policy.MaxEvidenceAge = p.cfg.Policy.MaxLockAge, p.cfg.Policy.MaxEvidenceAge
		policy, err = policy.With(l.Policy)
	}
	if err != nil {
		return nil, nil, triplePolicyFault{err}
	}
	at, err := time.Parse(time.RFC3339, cmp.Or(p.at, tripleJudged))
	if err != nil {
		t.Fatal(err)
	}
	return diff.Judge(l, p.read(p.came), diff.Comparison{
		Client: &p.cfg.Client, Policy: policy, At: at,
		Seen: diff.Seen{URL: p.seen, Offsite: p.offsite, Extended: p.extended, Lost: p.lost},
	}), l, nil
}

type triplePolicyFault struct{ error }

// check holds what a pair comes to against a verdict.
func (p *triplePair) check(t *testing.T, want *tripleVerdict) {
	t.Helper()
	r, _, err := p.result(t)
	if err != nil {
		got := "refused"
		if _, ok := errors.AsType[triplePolicyFault](err); ok {
			got = "error"
		}
		if got != want.class || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: %v\nwant %s %s", got, err, want.class, want.text)
		}
		return
	}
	got := r.Class.String()
	if !r.Decided {
		got = "undecided"
	}
	if got != want.class || want.class == "undecided" && string(r.State) != want.text {
		t.Errorf("the verdict is %s (%s %s), want %s %s", got, r.State, r.Detail, want.class, want.text)
	}
	found, asked := []string{}, []string{}
	for _, f := range r.Findings {
		e := tripleFinding{class: f.Class.String(), rule: f.Rule, path: f.Path, skills: f.Skills}
		if f.Waived != nil {
			e.class = "waived"
		}
		found = append(found, e.String())
	}
	for _, e := range want.findings {
		asked = append(asked, e.String())
	}
	slices.Sort(found)
	slices.Sort(asked)
	if d := gocmp.Diff(asked, found); d != "" {
		t.Errorf("findings (- want, + got):\n%s%s", d, tripleSaid(r))
		return
	}
	for _, e := range want.findings {
		checkTripleValues(t, e, r.Findings)
	}
	for _, note := range p.notes {
		if !strings.Contains(strings.Join(r.Notes, "\n"), note) {
			t.Errorf("notes %q, want %q among them", r.Notes, note)
		}
	}
}

// checkTripleValues compares was, now and message of one finding, where the triple
// tells them.
func checkTripleValues(t *testing.T, e tripleFinding, all []diff.Finding) {
	t.Helper()
	i := slices.IndexFunc(all, func(f diff.Finding) bool {
		return f.Rule == e.rule && f.Path == e.path && slices.Equal(f.Skills, e.skills)
	})
	f := all[i]
	if !strings.Contains(f.Message, e.message) {
		t.Errorf("%s says %q, want %q in it", e.rule, f.Message, e.message)
	}
	if !e.hasValues {
		return
	}
	for _, side := range []struct {
		name      string
		want, got any
	}{{"was", e.was, f.Was}, {"now", e.now, f.Now}} {
		want, got := tripleCanonical(t, tripleBytes(t, side.want, "")), tripleCanonical(t, side.got)
		if !bytes.Equal(want, got) {
			t.Errorf("%s: %s = %s, want %s", e, side.name, got, want)
		}
	}
}

func tripleCanonical(t *testing.T, v any) []byte {
	t.Helper()
	data, ok := v.([]byte)
	var err error
	if !ok {
		data, err = json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	}
	if err == nil {
		data, err = card.Canonical(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// checkTripleReads wants the findings about the document: "SEVERITY CODE PATH".
func checkTripleReads(t *testing.T, r *compile.Reading, want []string) {
	t.Helper()
	got := []string{}
	for _, f := range r.Findings {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Path)))
	}
	want = slices.Clone(want)
	for i := range want {
		want[i] = strings.TrimSpace(want[i])
	}
	slices.Sort(got)
	slices.Sort(want)
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("findings about the document (- want, + got):\n%s", d)
	}
}

// tripleSaid is a result for a failure.
func tripleSaid(r *diff.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %s %s %q %v: %s\n", f.Class, f.Rule, f.Path, f.Skills, f.Message)
	}
	return b.String()
}
