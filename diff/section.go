package diff

import (
	"strings"

	"github.com/a2alock/a2alock/internal/place"
)

// A Section is the heading of a review under which a finding stands.
type Section int

// The sections of a review, in the order in which a reviewer reads them.
const (
	Asked     Section = iota // what the workflow asks that it did not
	Dropped                  // what it no longer asks
	Agent                    // what the agent changed
	Assurance                // evidence, trust and waivers
	File                     // the lockfile itself
)

// SectionOf returns the section of a review that f belongs to.
func SectionOf(f Finding) Section {
	if rule := byID()[f.Rule]; rule != nil && rule.Subject == lockChangeSubject {
		return rule.Section
	}
	if f.Rule != "change-unclassified" {
		return Agent
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(f.Path, "/"), "/")
	switch first {
	case "requires":
		return Asked
	case "verified", "trust", "policy", "waivers":
		return Assurance
	case "workflow", "owner", "identity", "fallback", "lock_version", "pinned_at":
		return File
	}
	return Agent
}

// LockPointer returns the member of the lock that f is about, as an RFC 6901
// pointer. The lock may lack it: see [lockfile.Position].
func LockPointer(f Finding) string { return place.Of(f.Rule, f.Path, f.Skills) }
