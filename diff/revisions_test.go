package diff

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/a2alock/a2alock/internal/nearest"
)

// A handmade change is a section of testdata/revisions, whose README tells how
// one is written.
type handmade map[string]string

var handmadeKeys = []string{
	"was", "now", "lock", "before", "change", "written", "only", "beside", "live", "broken",
	"want", "rules", "mirror", "mirror rules",
}

func readHandmade(t *testing.T, section txtar.File) handmade {
	t.Helper()
	h := handmade{}
	for line := range strings.Lines(string(section.Data)) {
		key, text, ok := strings.Cut(line, ":")
		if _, twice := h[key]; !ok || twice || !slices.Contains(handmadeKeys, key) {
			t.Fatalf("line %q: twice, or no key; %q?", line, nearest.Sort(handmadeKeys, key)[0])
		}
		h[key] = strings.TrimSpace(text)
	}
	return h
}

func (h handmade) revision(t *testing.T) Revision {
	t.Helper()
	cl := exampleClient()
	r, _ := revision(t, Example{
		Was: h["was"], Now: h["now"], Lock: h["lock"], Change: h["change"], Written: h["written"], Only: h["only"], Live: h["live"],
	}, cl)
	r.MaxWaiver = 90 * 24 * time.Hour
	const path = "example.a2a.lock.json"
	if h["before"] != "" {
		r.Was = side(t, path, written(t, r.Was.Lock, h["before"]))
	}
	if h["broken"] != "" {
		r.Was = side(t, path, []byte(h["broken"]))
	}
	return r
}

// spoken is what a result has, as the files say it.
func spoken(r *Result) []string {
	out := []string{}
	for _, f := range r.Findings {
		switch {
		case f.Waived != nil:
			out = append(out, f.Rule+" waived")
		case f.Class != byID()[f.Rule].Class:
			out = append(out, f.Rule+" "+f.Class.String())
		default:
			out = append(out, f.Rule)
		}
	}
	slices.Sort(out)
	return out
}

func (h handmade) check(t *testing.T, prefix string, r Revision) {
	t.Helper()
	verdict, rules := h["want"], h["rules"]
	if prefix != "" {
		verdict, rules = h["mirror"], h["mirror rules"]
	}
	_, standing := revision(t, Example{Was: h["was"], Lock: h["lock"], Beside: h["beside"]}, exampleClient())
	got := Locks([]Revision{r}, standing)[0]
	want := strings.FieldsFunc(rules, func(c rune) bool { return c == ',' })
	for i := range want {
		want[i] = strings.TrimSpace(want[i])
	}
	slices.Sort(want)
	if have := spoken(got); !slices.Equal(have, want) {
		t.Errorf("%srules = %q, want %q\n%s", prefix, have, want, show(got))
	}
	class := got.Class.String()
	if !got.Decided {
		class = "undecided"
	}
	if class != verdict {
		t.Errorf("%sverdict = %s, want %s\n%s", prefix, class, verdict, show(got))
	}
}

func TestHandmadeRevisions(t *testing.T) {
	files, _ := filepath.Glob("../testdata/revisions/*.txtar")
	count := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range txtar.Parse(data).Files {
			count++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+section.Name, func(t *testing.T) {
				h := readHandmade(t, section)
				r := h.revision(t)
				h.check(t, "", r)
				if h["mirror"] != "" {
					r.Was, r.Now = r.Now, r.Was
					h.check(t, "mirror: ", r)
				}
			})
		}
	}
	if count < 60 {
		t.Errorf("%d changes, want 60 at least", count)
	}
}
