package diff

import (
	"testing"

	"github.com/a2alock/a2alock/lockfile"
)

// Whatever two files hold, a review of them ends, says the same twice, and of a
// new file that is no lock that it is none.
func FuzzLocks(f *testing.F) {
	for _, rule := range Rules() {
		if rule.Check != nil {
			continue
		}
		r, _ := revision(f, rule.Example, exampleClient())
		var texts [2]string
		for i, s := range []*Side{r.Was, r.Now} {
			if s != nil {
				texts[i] = string(s.Text)
			}
		}
		f.Add(texts[0], texts[1])
	}
	f.Fuzz(func(t *testing.T, was, now string) {
		read := func(text string) *Side {
			s := &Side{Path: "x.a2a.lock.json", Text: []byte(text)}
			s.Lock, s.Err = lockfile.Parse(s.Text, s.Path)
			return s
		}
		r := Revision{Was: read(was), Now: read(now), Client: exampleClient(), At: ExampleTime}
		got := Locks([]Revision{r}, nil)[0]
		if again := Locks([]Revision{r}, nil)[0]; show(again) != show(got) {
			t.Errorf("twice:\n%s\n%s", show(got), show(again))
		}
		if was != now && r.Now.Err != nil && got.Class != Breaking {
			t.Errorf("%v: %s", r.Now.Err, show(got))
		}
		if was != now && r.Was.Err != nil && got.Decided && got.Class != Breaking {
			t.Errorf("%v: %s", r.Was.Err, show(got))
		}
	})
}
