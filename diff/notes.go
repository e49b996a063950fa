package diff

import (
	"strings"

	"github.com/a2alock/a2alock/internal/say"
)

// notes says once what this lock cannot answer: a rule whose "was" the lock
// does not record stays silent, and nobody should take that for "no change".
func notes(c *Comparison) []string {
	f := c.known()
	var lacks []string
	if c.Was == nil {
		lacks = append(lacks, "a profile (what was gained or lost beyond the requirements, security, extensions, texts)")
	}
	switch {
	case f.pin == nil:
		lacks = append(lacks, "an interface (whether another one is called now)")
	case !f.pin.hasURL:
		lacks = append(lacks, "the interface's URL (whether calls go elsewhere now)")
	}
	if c.Lock.CardDigest == "" && c.Seen.CardDigest != "" {
		lacks = append(lacks, "a card digest (whether anything changed at all)")
	}
	var unpinned []string
	for _, s := range f.skills {
		if s.was == nil && c.Was != nil {
			unpinned = append(unpinned, s.id)
		}
	}
	if len(unpinned) > 0 {
		lacks = append(lacks, "a pinned profile of "+say.List(unpinned))
	}
	if len(lacks) == 0 {
		return nil
	}
	return []string{"the lock does not record " + strings.Join(lacks, ", ") +
		": such changes stay unseen until `a2alock pin` adds it"}
}
