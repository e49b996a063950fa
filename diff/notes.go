package diff

import (
	"fmt"
	"strings"

	"github.com/a2alock/a2alock/internal/say"
)

// mostMembers is how many unknown members are named.
const mostMembers = 10

// notes says once, for a lock, what its findings cannot: what it does not
// answer, and what of it asks for nothing.
func notes(c *Comparison) []string {
	var all []string
	if c.IsLost() {
		all = append(all, lostNote(c))
	}
	if lacks := unrecorded(c); len(lacks) > 0 {
		all = append(all, "the lock does not record "+strings.Join(lacks, ", ")+
			": such changes stay unseen until `a2alock pin` adds it")
	}
	if c.Policy.MaxLockAge > 0 && c.Lock.PinnedAt == "" {
		all = append(all, "the lock does not say when it was pinned, so its age is not known: `a2alock pin` adds it")
	}
	if members := c.Lock.Unknown(); len(members) > 0 {
		if more := len(members) - mostMembers; more > 0 {
			members = append(members[:mostMembers], fmt.Sprintf("and %d more", more))
		}
		for i := range members {
			members[i] = say.OneLine(members[i])
		}
		all = append(all, "the lock has members that this version does not know: "+
			strings.Join(members, ", ")+" (they are kept)")
	}
	if c.Client != nil {
		all = append(all, c.Lock.Beyond(c.Client)...)
	}
	return all
}

// unrecorded is what this lock cannot answer: a rule whose "was" the lock does
// not record stays silent, and nobody should take that for "no change".
func unrecorded(c *Comparison) []string {
	f := c.known()
	var lacks []string
	if c.Lock.Profile == nil {
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
		if s.was == nil && c.Lock.Profile != nil {
			unpinned = append(unpinned, s.id)
		}
	}
	if len(unpinned) > 0 {
		lacks = append(lacks, "a pinned profile of "+say.List(unpinned))
	}
	return lacks
}
