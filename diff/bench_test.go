package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// tenSkills is a card of ten skills that all ask for OAuth 2.
func tenSkills() string {
	var skills []string
	for i := range 10 {
		skills = append(skills, fmt.Sprintf(`{"id":"skill-%d","name":"Skill %d","description":"Does %d.","tags":["a","b"],"examples":["x"]}`, i, i, i))
	}
	return `{"skills":[` + strings.Join(skills, ",") + `],` + strings.TrimPrefix(withSchemes(keyScheme+","+oauthScheme, oauth), "{")
}

func BenchmarkCompareSame(b *testing.B) {
	r := read(b, overlay(b, ExampleCard, tenSkills()), exampleClient())
	c, ok := pinAll(r, exampleClient())
	if !ok {
		b.Fatal("the card cannot be pinned")
	}
	b.Run("every skill required", func(b *testing.B) { compareSame(b, c, r) })
	one := c
	lock := *c.Lock
	one.Lock = &lock
	need := lock.Requires.Skills["skill-3"]
	lock.Requires.Skills = map[string]lockfile.Need{"skill-3": need}
	lock.Profile = r.Profile.ForLock([]string{"skill-3"})
	one.Lock.Profile = lock.Profile
	b.Run("one skill required", func(b *testing.B) { compareSame(b, one, r) })
}

func compareSame(b *testing.B, c Comparison, r *compile.Reading) {
	c.Now = r.Profile
	b.ReportAllocs()
	for b.Loop() {
		if result := Compare(c); len(result.Findings) > 0 {
			b.Fatal(show(result))
		}
	}
}

// A card of the largest size, all of whose skills are new, is judged in time
// that grows with the card and not with its square.
func BenchmarkCompareManyNew(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var skills []string
			for i := range n {
				skills = append(skills, fmt.Sprintf(`{"id":"s%d","tags":["%d"]}`, i, i))
			}
			c := comparison(b, Example{Now: `{"skills":[` + strings.Join(skills, ",") + `]}`}, exampleClient())
			b.ReportAllocs()
			for b.Loop() {
				Compare(c)
			}
		})
	}
}
