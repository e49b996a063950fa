package diff

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// side makes a version of a lock as it stands in a file.
func side(t testing.TB, path string, text []byte) *Side {
	t.Helper()
	s := &Side{Path: path, Text: text}
	s.Lock, s.Err = lockfile.Parse(text, path)
	return s
}

// written is the lock as fmt writes it, with a fragment laid over it.
func written(t testing.TB, l *lockfile.Lock, fragment string) []byte {
	t.Helper()
	data, err := lockfile.Format(l)
	if err != nil {
		t.Fatal(err)
	}
	if fragment == "" {
		return data
	}
	changed, err := lockfile.Parse(overlay(t, string(data), fragment), "example.a2a.lock.json")
	if err != nil {
		return overlay(t, string(data), fragment) // the change makes it no lock
	}
	if data, err = lockfile.Format(changed); err != nil {
		t.Fatal(err)
	}
	return data
}

// revision makes of an example what Locks is asked.
func revision(t testing.TB, e Example, cl *compile.Client) (Revision, []*lockfile.Lock) {
	t.Helper()
	const path = "example.a2a.lock.json"
	skeleton := overlay(t, ExampleLock, e.Lock)
	was := pinTo(t, skeleton, read(t, overlay(t, ExampleCard, e.Was), cl))
	now := pinTo(t, skeleton, read(t, overlay(t, ExampleCard, e.Now), cl))
	r := Revision{Client: cl, At: ExampleTime}
	before, after := written(t, was, ""), written(t, now, e.Change)
	switch e.Written {
	case "":
	case "CRLF":
		after = []byte(strings.ReplaceAll(string(after), "\n", "\r\n"))
	default:
		after = []byte(e.Written)
	}
	if e.Only != "now" {
		r.Was = side(t, path, before)
	}
	if e.Only != "was" {
		r.Now = side(t, path, after)
	}
	if e.Live != "" {
		r.Live = read(t, overlay(t, ExampleCard, e.Live), cl)
	}
	var standing []*lockfile.Lock
	if e.Beside != "" {
		standing = append(standing, side(t, "other.a2a.lock.json", written(t, was, e.Beside)).Lock)
	}
	return r, standing
}

func review(t testing.TB, e Example) *Result {
	t.Helper()
	r, standing := revision(t, e, exampleClient())
	return Locks([]Revision{r}, standing)[0]
}

// What a rule about changes of a lock says of its example.
func exampleResult(t testing.TB, r Rule) *Result {
	t.Helper()
	if r.Check == nil {
		return review(t, r.Example)
	}
	return Compare(comparison(t, r.Example, exampleClient()))
}

// A lock that did not change has nothing to be said of.
func TestSameLockIsSilent(t *testing.T) {
	for _, rule := range Rules() {
		if rule.Check != nil {
			continue
		}
		r, _ := revision(t, rule.Example, exampleClient())
		for _, s := range []*Side{r.Was, r.Now} {
			if s == nil {
				continue
			}
			same := r
			same.Was, same.Now, same.Live = s, s, nil
			if got := Locks([]Revision{same}, nil)[0]; len(got.Findings)+len(got.Notes) > 0 || !got.Decided || got.Class != Compatible {
				t.Errorf("%s: %s %q", rule.ID, show(got), got.Notes)
			}
		}
	}
}

// The public card in place of the extended one says nothing of what the lock is about:
// neither that it fails what was dropped, nor that it is the card that was pinned.
func TestLostCardOfRevision(t *testing.T) {
	const offers = `{"capabilities":{"extendedAgentCard":true,"streaming":true}}`
	const gone = "the agent has no extended card configured (-32007)"
	e := Example{
		Was: offers, Now: offers, Lock: `{"identity":"travel","requires":{"streaming":true}}`, Change: `{"requires":{"streaming":false}}`,
		Live: `{"capabilities":{"extendedAgentCard":true}}`,
	}
	for _, tt := range []struct {
		name, live string
		seen       Seen
		rules      []string
		told       string
	}{
		{"extended", e.Live, Seen{Extended: true}, []string{"lock-stale-pin", "lock-weakened-to-fit"}, "the agent serves another card"},
		{"public", e.Live, Seen{Lost: gone}, []string{"lock-requirement-dropped", "lock-stale-pin"}, "extended-card-lost"},
		{"public, and the same", offers, Seen{Lost: gone}, []string{"lock-requirement-dropped", "lock-stale-pin"}, "extended-card-lost"},
		{"moved", e.Live, Seen{Extended: true, URL: "https://agent.example/other"}, []string{"lock-stale-pin", "lock-weakened-to-fit"}, "card-moved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e.Live = tt.live
			r, _ := revision(t, e, exampleClient())
			r.Now.Lock.Profile.ExtendedCard = true
			r.Seen = tt.seen
			got := Locks([]Revision{r}, nil)[0]
			if rules := said(got); !slices.Equal(rules, tt.rules) {
				t.Errorf("rules = %q, want %q\n%s", rules, tt.rules, show(got))
			}
			if !strings.Contains(show(got), tt.told) {
				t.Errorf("%s\nwant %q in it", show(got), tt.told)
			}
		})
	}
}
