// Package diff holds a profile against a lock and says what changed, by rule.
//
// [Compare] runs every rule of the catalogue ([Rules]) over a [Comparison] and
// gives a [Result]: findings with a class each, worst first, and the class of
// the whole. It is pure: no clock, no network, no globals that change. The same
// comparison always gives the same result.
//
// [Cards] holds one card against another by the same rules. [Locks] judges
// changes of locks themselves, each [Revision] by rules of its own and by what
// Compare says of the lock before and the profile that it is pinned to now.
//
// A [Rule] is one value: what it is called, how bad it is, why that matters,
// what to do, and the check that finds it. `a2alock explain`, docs/rules.md
// and the rule's own test all derive from it. Which rules there
// are, and which one speaks where two could, is fixed by contract: ids, once
// published, stay.
//
// Text in a [Finding] that came from a card is quoted, and still not safe to
// print as it is: package report escapes it for the format at hand.
package diff

import (
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/lockfile"
)

// Class is the verdict on one finding, or on many. The zero value is
// [Compatible]; a larger value is worse. Its text form is lower case.
type Class int

// The classes, as docs/rules.md tells of them.
const (
	Compatible Class = iota // the cache is updated, history remembers
	Review                  // an owner should look
	Breaking                // new delegations stop
)

// A Finding is one difference between what was pinned and what is there.
type Finding struct {
	Rule  string `json:"rule"`
	Class Class  `json:"class"`
	// Path is an RFC 6901 pointer into the effective profile, or into the lock for
	// rules about it; "" for what is about the document as a whole.
	Path string `json:"path"`
	// Was and Now are the values at Path, ready for JSON; nil where there is
	// none. For requirement rules Was is the lock's list. In what [Compare]
	// returns, one that takes over 8 KiB is the string "sha256:…" of its
	// canonical form.
	Was any `json:"was"`
	Now any `json:"now"`
	// Skills are the skills it affects, sorted; empty means all. For rules about
	// skills that the lock does not require it names those.
	Skills  []string `json:"skills"`
	Message string   `json:"message"`
	// Fingerprint names the finding across runs: 16 hex digits over Rule, Path,
	// Was and Now. Of several that became one it is that of the first.
	Fingerprint string `json:"fingerprint"`
	// Waived is the waiver that lets the finding stand: it does not count for
	// the class. Nil for most.
	Waived *Waived `json:"waived,omitzero"`
	// Parts are the findings about one skill each that it was made of, itself the
	// first: what a waiver of the whole has to name one by one.
	Parts []Part `json:"-"`
}

// A Part names one of the findings that became one.
type Part struct{ Path, Fingerprint string }

// A Comparison is one lock held against one profile. It is not safe for
// concurrent use: checks keep in it what several of them need.
type Comparison struct {
	// Lock holds the profile that it was pinned from; without one, rules that
	// need it stay silent.
	Lock *lockfile.Lock
	Now  *compile.Profile // needed

	Client *compile.Client // nil is a client that speaks and holds nothing
	Policy Policy
	Seen   Seen
	// HoldsAll is whether the client can meet every alternative that the pinned
	// profile records, not the pinned one alone (see [Cards]).
	HoldsAll bool
	// At is the moment of the comparison, for rules about age and expiry.
	At time.Time

	facts *facts
}

// Seen is how the card now compared came in.
type Seen struct {
	// CardDigest is that of the card; "" when it is not known.
	CardDigest string
	// URL is where the card was answered from; "" when it came from a file.
	URL string
	// Offsite is whether a redirect left the agent's origin on the way there,
	// also when a later one came back. It decides card-moved-offsite, whatever
	// URL says.
	Offsite bool
	// Extended is whether the card is the extended one, which the agent gave to the
	// lock's identity. Lost says why it is the public one instead; "": it is not, or
	// no identity asked.
	Extended bool
	Lost     string
	Same     bool // the extended card is the public one

	// The rest is known to whoever asks again and again, and zero for a single
	// look. Replicas are the digests of the cards that the agent answers with in
	// turn; fewer than two agree.
	Replicas []string
	// Unreliable says how the server's validators were seen to lie; "": they
	// were not.
	Unreliable string
	// Reports are what callers met that still stands against the card.
	Reports []Report
}

// Policy is the operator's say, already merged with the lock's own overrides
// by [NewPolicy].
type Policy struct {
	Rules      map[string]Class // a class for a rule; floors hold
	TextPolicy string           // "off", "compatible" (also ""), "review"
	// MaxLockAge and MaxEvidenceAge are the ages from which a lock and its
	// evidence want a look; 0 is never.
	MaxLockAge, MaxEvidenceAge time.Duration
}

// A Result is what became of one lock: decided with findings, or a state in
// which nothing can be said.
type Result struct {
	Lock *lockfile.Lock
	// State is "checked", or why the card could not be judged.
	State card.State
	// Detail says in one line what led to a State other than checked.
	Detail string
	// Decided is whether Class holds. An undecided result may carry findings
	// below breaking.
	Decided bool
	Class   Class
	// Findings are worst first, then by path and rule; waived ones come last.
	Findings []Finding
	// Notes say once what this lock cannot answer, and the like.
	Notes []string

	CardDigest   string
	AgentVersion string
}

// Checked is the state of a lock whose card could be judged.
const Checked card.State = "checked"
