package diff

import (
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/internal/say"
)

// likelyRename returns the new skill that a required one, which is gone, has
// most likely become; "" when there is no good guess. It is a hint for a
// person, and nothing is decided by it.
func likelyRename(c *Comparison, id string, fresh []string) string {
	best, score := "", 2 // equal tags alone say little
	for _, other := range fresh {
		if n := resemblance(c, id, other); n > score {
			best, score = other, n
		}
	}
	return best
}

// freshSkills are the skills that one which is gone may have become, when so
// many are gone; nil where a guess is not worth the time.
func freshSkills(c *Comparison, gone int) []string {
	const mostGone, candidates = 50, 200
	if gone == 0 || gone > mostGone {
		return nil
	}
	fresh := keys(c.Now.Skills, func(other string, _ compile.Skill) bool {
		return !c.requires(other) && (c.Lock.Profile == nil || !offered(c.Lock.Profile, other))
	})
	return fresh[:min(len(fresh), candidates)]
}

// resemblance is 0 for skills that have nothing telling in common. Texts are
// compared by digest, so an equal one is the very same text.
func resemblance(c *Comparison, id, other string) int {
	score := 0
	if c.Lock.Profile != nil {
		for member, weight := range map[string]int{"name": 4, "description": 4, "examples": 3, "tags": 2} {
			was, ok := c.Lock.Profile.Texts[say.Pointer("skills", id, member)]
			if ok && was.Digest == c.Now.Texts[say.Pointer("skills", other, member)].Digest {
				score += weight
			}
		}
	}
	const longest = 120 // beyond that an id is not worth the time
	a, b := strings.ToLower(id), strings.ToLower(other)
	switch n := min(len(a), len(b)); {
	case len(a) > longest || len(b) > longest:
	case fold(a) == fold(b):
		score += 5
	case n >= 4 && (strings.Contains(a, b) || strings.Contains(b, a)):
		score += 3
	case nearest.Distance(a, b) <= max(len(a), len(b))/3:
		score += 3
	}
	return score
}
