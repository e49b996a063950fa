package a2alock_test

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/golden"
	"github.com/a2alock/a2alock/lockfile"
)

// corpus is a folder of real cards beside the project. Tests read it in place
// and skip without it.
const corpus = "../shared/corpus"

// openClient speaks every version of the protocol over the bindings that need
// nothing but HTTP.
func openClient() *compile.Client {
	cl := config.Default().Client
	cl.Interfaces = nil
	for _, version := range []string{"1.0", "0.3", "0.2"} {
		for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
			cl.Interfaces = append(cl.Interfaces, compile.Transport{Binding: binding, Version: version})
		}
	}
	return &cl
}

// index gives the declared shape of every file of the corpus.
func index(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(corpus, "index.tsv"))
	if err != nil {
		t.Skipf("no corpus of real cards here: %v", err)
	}
	defer f.Close()
	shapes := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		if cols := strings.Split(s.Text(), "\t"); len(cols) > 1 {
			shapes[cols[0]] = cols[1]
		}
	}
	return shapes
}

// Most of what is published can be served: at least 65 % of the files that are
// meant as A2A cards are usable, and the reason for each of the rest is one
// that its reader would agree with (run with -v to read them).
func TestRealCardsAreUsable(t *testing.T) {
	shapes := index(t)
	cards, usable := 0, 0
	reasons := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		if !strings.HasPrefix(name, "cards/") {
			continue
		}
		body, err := os.ReadFile(filepath.Join(corpus, name))
		if err != nil {
			t.Fatal(err)
		}
		read := compile.Read(body, openClient(), card.Options{})
		if (read.Profile == nil) == (read.Err == nil) {
			t.Errorf("%s: profile %v and error %v: want one of them", name, read.Profile, read.Err)
		}
		if shapes[name] == "other" {
			continue
		}
		cards++
		reason := ""
		switch {
		case read.Err != nil:
			reason = string(read.Err.State) + ": " + read.Err.Msg + " " + read.Err.Path
		case !read.Profile.Usable:
			reason = read.Profile.Reason
		default:
			usable++
			continue
		}
		reasons[reason] = append(reasons[reason], strings.TrimPrefix(name, "cards/"))
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%s: %q", strings.Join(reasons[reason], " "), reason)
	}
	share := float64(usable) / float64(cards)
	t.Logf("%d of %d cards are usable, %.1f %%", usable, cards, 100*share)
	if share < 0.65 {
		t.Errorf("%.1f %% of the real cards are usable, want 65 %%", 100*share)
	}
}

// Every history of the corpus is pinned at one version and checked at the
// next. testdata/pairs.golden is the summary, for reading; it holds for the
// corpus that it names.
func TestRealHistories(t *testing.T) {
	index(t)
	dirs, err := filepath.Glob(filepath.Join(corpus, "pairs", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no pairs: %v", err)
	}
	classes, rules := map[string]int{}, map[string]int{}
	var rows bytes.Buffer
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		for i := 1; i < len(files); i++ {
			verdict, found := checkPair(t, files[i-1], files[i])
			classes[verdict]++
			for _, r := range found {
				rules[r]++
			}
			fmt.Fprintf(&rows, "%s/%s  %s  %s\n", filepath.Base(dir), strings.TrimSuffix(filepath.Base(files[i]), ".json"),
				verdict, strings.Join(found, " "))
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "corpus %s\n\n", corpusDigest(t))
	count := func(n map[string]int) {
		for _, name := range slices.Sorted(maps.Keys(n)) {
			fmt.Fprintf(&out, "%5d  %s\n", n[name], name)
		}
	}
	count(classes)
	fmt.Fprintln(&out)
	count(rules)
	t.Logf("\n%s\n%s", out.String(), rows.String())
	const summary = "testdata/pairs.golden"
	if known, err := os.ReadFile(summary); err == nil && !golden.Updating() &&
		!bytes.Contains(known, []byte(corpusDigest(t))) {
		t.Skipf("%s was made from another corpus", summary)
	}
	golden.Equal(t, summary, out.Bytes())
}

// corpusDigest names the corpus by its index.
func corpusDigest(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, "index.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	return card.Sum(data)
}

// checkPair gives the verdict on now for a lock that needs all of was, and the
// rules that spoke.
func checkPair(t *testing.T, was, now string) (verdict string, rules []string) {
	t.Helper()
	before, err := os.ReadFile(was)
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(now)
	if err != nil {
		t.Fatal(err)
	}
	cl := openClient()
	lock, why := pinAll(compile.Read(before, cl, card.Options{}), cl)
	if lock == nil {
		return "not pinned: " + why, nil
	}
	r := diff.Judge(lock, compile.Read(after, cl, card.Options{}),
		diff.Comparison{Client: cl, At: time.Date(2026, 10, 3, 0, 0, 0, 0, time.UTC)})
	for _, f := range r.Findings {
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	if !r.Decided {
		return "undecided: " + string(r.State), slices.Compact(rules)
	}
	return r.Class.String(), slices.Compact(rules)
}

// pinAll pins every skill with all of its media types, or says why not. cl
// learns to send and accept those types. Where a skill declares none, text is
// assumed.
func pinAll(read *compile.Reading, cl *compile.Client) (*lockfile.Lock, string) {
	if read.Err != nil {
		return nil, string(read.Err.State)
	}
	p := read.Profile
	if !p.Usable {
		return nil, "unusable"
	}
	var lock *lockfile.Lock
	for _, id := range slices.Sorted(maps.Keys(p.Skills)) {
		o := lockfile.PinOptions{
			Old: lock, Skills: []string{id}, Input: p.Skills[id].Input, Output: p.Skills[id].Output,
			Agent:      "https://agent.example/.well-known/agent-card.json",
			CardDigest: read.Digest,
			At:         time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC),
		}
		if o.Input == nil {
			o.Input = []string{"text/plain"}
		}
		if o.Output == nil {
			o.Output = []string{"text/plain"}
		}
		cl.Sends, cl.Accepts = append(cl.Sends, o.Input...), append(cl.Accepts, o.Output...)
		var err error
		if lock, _, err = lockfile.Pin(p, cl, o); err != nil {
			return nil, err.Error()
		}
	}
	if lock == nil {
		return nil, "no usable skill"
	}
	return lock, ""
}
