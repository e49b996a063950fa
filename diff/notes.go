package diff

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

// notes says once, for a lock, what its findings cannot: what it does not
// answer, and what of it asks for nothing.
func notes(c *Comparison) []string {
	var all []string
	if lacks := unrecorded(c); len(lacks) > 0 {
		all = append(all, "the lock does not record "+strings.Join(lacks, ", ")+
			": such changes stay unseen until `a2alock pin` adds it")
	}
	if c.Policy.MaxLockAge > 0 && c.Lock.PinnedAt == "" {
		all = append(all, "the lock does not say when it was pinned, so its age is not known: `a2alock pin` adds it")
	}
	if members := unknownMembers(c.Lock); len(members) > 0 {
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

// mostMembers is how many unknown members are named.
const mostMembers = 10

// unknownMembers are the places of what this version does not know of the lock,
// its profile aside. Each may be a slip: a requirement that asks for nothing.
func unknownMembers(l *lockfile.Lock) []string {
	var places []string
	add := func(extra jsontext.Value, at ...string) {
		var members map[string]jsontext.Value
		if len(extra) == 0 || json.Unmarshal(extra, &members) != nil {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			places = append(places, say.OneLine(say.Pointer(append(at, name)...)))
		}
	}
	add(l.Extra)
	if l.Interface != nil {
		add(l.Interface.Extra, "interface")
	}
	add(l.Requires.Extra, "requires")
	for _, id := range l.RequiredSkills() {
		add(l.Requires.Skills[id].Extra, "requires", "skills", id)
	}
	for _, claim := range slices.Sorted(maps.Keys(l.Verified)) {
		add(l.Verified[claim].Extra, "verified", claim)
	}
	if l.Trust != nil {
		add(l.Trust.Extra, "trust")
	}
	if l.Policy != nil {
		add(l.Policy.Extra, "policy")
	}
	for i, w := range l.Waivers {
		add(w.Extra, "waivers", strconv.Itoa(i))
	}
	if more := len(places) - mostMembers; more > 0 {
		places = append(places[:mostMembers], fmt.Sprintf("and %d more", more))
	}
	return places
}
