package diff

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/set"
	"github.com/a2alock/a2alock/lockfile"
)

// NoBase is the state of a lock whose earlier self cannot be read, so that
// nobody can say what changed in it.
const NoBase card.State = "no-base"

// A Side is one version of a lockfile.
type Side struct {
	Path string         // as the reader knows it
	Text []byte         // nil where the file could not be read
	Lock *lockfile.Lock // nil where there is an Err
	Err  error          // why the text is no lock, all faults joined
}

// IsSame is whether both sides could be read, as the same text. Of two that
// could not nobody knows it.
func (s *Side) IsSame(o *Side) bool {
	return s.Text != nil && o.Text != nil && bytes.Equal(s.Text, o.Text)
}

// A Revision is one lock before and after a change. It is not safe for
// concurrent use: checks keep in it what several of them need.
type Revision struct {
	Was, Now *Side // nil where there is none on that side; never both

	Client *compile.Client // nil is a client that speaks and holds nothing
	// Policy is the operator's, without what the locks override: a review takes
	// the worse of both sides' overrides, so that no change lowers its own class.
	Policy Policy
	// MaxWaiver is how long a waiver may hold; 0 is any time.
	MaxWaiver time.Duration
	// Live is what the agent answered; nil where nobody asked.
	Live *compile.Reading
	Seen Seen // how that came in
	At   time.Time

	facts *amended
}

// Locks judges changes of locks, one [Result] each in the order given. The set
// is judged too: standing are the locks that did not change.
//
// A result has the findings of the rules about changes of a lock, and those of
// the lock before held against the profile that it is pinned to now: what the
// new pin accepts. Of those a breaking one without a floor counts as review
// where the lock still asks for what it did and its new profile gives it. The
// waivers of the new lock let findings stand, but those of rules that are firm
// ([Rule.IsFirm]), or where only a waiver that held before the change counts
// ([Rule.IsWaivedBefore]).
//
// It is undecided, unless something is breaking, where the earlier self cannot
// be read ([NoBase]), and where the agent was asked and gave no card.
func Locks(revisions []Revision, standing []*lockfile.Lock) []*Result {
	list := slices.Clone(revisions)
	for i := range list {
		list[i].facts = amendedOf(&list[i])
	}
	meet(list, standing, maxHeld)
	results := make([]*Result, len(list))
	for i := range list {
		results[i] = list[i].judge()
	}
	return results
}

// judge gives the result of one revision.
func (r *Revision) judge() *Result {
	l := r.lock()
	result := &Result{Lock: l, State: Checked, Decided: true, CardDigest: l.CardDigest, AgentVersion: l.AgentVersion}
	if r.Was != nil && r.Now != nil && r.Was.Path == r.Now.Path && r.Was.IsSame(r.Now) {
		return result
	}
	f := r.facts
	f.said = append(f.said, f.drift...)
	for _, last := range []bool{false, true} { // a rule with a check of both kinds looks at what the others left
		for _, rule := range catalogue() {
			if rule.Review != nil && (rule.Check != nil) == last {
				late := rule.Review(r)
				r.hide(late)
				r.finish(late)
				f.said = append(f.said, late...)
			}
		}
	}
	var firm, open []Finding
	for _, x := range f.said {
		if isFirm(x.Rule) {
			firm = append(firm, x)
		} else {
			open = append(open, x)
		}
	}
	r.excuse(open)
	result.Findings = append(merge(open), firm...)
	present(result.Findings)
	result.Notes = revisionNotes(r)
	if len(result.Findings) > 0 && result.Findings[0].Waived == nil {
		result.Class = result.Findings[0].Class
	}
	r.decide(result)
	return result
}

// decide says where nothing can be decided, and why.
func (r *Revision) decide(result *Result) {
	var state card.State
	var why string
	switch {
	case r.Was != nil && r.Was.Err != nil:
		state, why = NoBase, "the lock before cannot be read: "+r.facts.veil.Hide(r.Was.Err.Error())
	case r.Live != nil && r.Live.Err != nil:
		state, why = r.Live.Err.State, r.Live.Err.Detail()
	default:
		return
	}
	why = strings.Join(strings.Fields(why), " ")
	if result.Class == Breaking {
		result.Notes = append(result.Notes, why)
		return
	}
	result.State, result.Detail, result.Decided, result.Class = state, why, false, Compatible
}

// lock is what the result is about; never nil.
func (r *Revision) lock() *lockfile.Lock {
	side := r.Now
	if side == nil {
		side = r.Was
	}
	l := lockfile.Lock{Path: side.Path}
	switch {
	case side.Lock != nil:
		l = *side.Lock
		l.Path = side.Path
	case r.Was != nil && r.Was.Lock != nil: // for whoever is to be told
		was := r.Was.Lock
		l.Workflow, l.Owner, l.Agent, l.Fallback = was.Workflow, was.Owner, was.Agent, was.Fallback
	}
	return &l
}

// finish gives findings the worse of the classes that the policies of both
// sides have for them, and what names them.
func (r *Revision) finish(findings []Finding) {
	other := slices.Clone(findings)
	(&Comparison{Policy: r.facts.policies[0]}).finish(findings)
	(&Comparison{Policy: r.facts.policies[1]}).finish(other)
	for i := range findings {
		findings[i].Class = max(findings[i].Class, other[i].Class)
	}
}

// revisionNotes says what findings cannot: what nobody can tell of this change,
// and what it is where it changes nothing.
func revisionNotes(r *Revision) []string {
	f := r.facts
	var all []string
	if r.Was != nil && r.Now != nil && r.Was.Path != r.Now.Path {
		all = append(all, "the lock was "+say.Quote(r.Was.Path))
	}
	if f.now == nil {
		return all
	}
	switch {
	case f.now.Profile == nil && r.live() == nil:
		all = append(all, "the lock does not record a profile, so what the agent changed cannot be told: `a2alock pin` adds it")
	case f.was != nil && f.was.Profile == nil:
		all = append(all, "the lock before did not record a profile, so not all that the agent changed can be told")
	}
	if err := f.now.Unsupported(); err != nil {
		all = append(all, "this version cannot check the lock: "+say.OneLine(err.Error()))
	}
	if r.Client != nil {
		var known []string
		if f.was != nil {
			known = f.was.Beyond(r.Client)
		}
		all = append(all, set.Without(f.now.Beyond(r.Client), known)...)
	}
	if f.was != nil && len(f.changes) == 0 && !bytes.Equal(r.Was.Text, r.Now.Text) {
		all = append(all, "the lock says the same as before, and is written otherwise")
	}
	for i := range all {
		all[i] = f.veil.Hide(all[i])
	}
	return all
}
