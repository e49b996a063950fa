package diff

import (
	"fmt"
	"slices"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/value"
	"github.com/a2alock/a2alock/lockfile"
)

// lockMeetRules speak of locks that came or went, and of what others there are
// beside them.
var lockMeetRules = []Rule{
	{
		ID:      "lock-duplicate",
		Class:   Breaking,
		Title:   "two locks are of one workflow for one agent and identity",
		Why:     "One of them is no longer looked after, and nobody can tell which.",
		Do:      "Keep one, with the requirements of both: `a2alock pin LOCK --skill ID` adds to it.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"workflow":"travel"}`, Only: "now", Beside: `{}`, Also: []string{"lock-added"}},
		Review:  duplicate,
	},
	{
		ID:      "lock-added",
		Class:   Review,
		Title:   "a workflow depends on another agent now",
		Why:     "What it sends there leaves the house.",
		Do:      "Look at the agent, and at what the lock requires of it.",
		Section: Asked,
		Design:  "Changes of a lock",
		Example: Example{Only: "now"},
		Review:  lockAdded,
	},
	{
		ID:      "lock-removed",
		Class:   Review,
		Title:   "a lock is gone",
		Why:     "Nobody watches the agent for this workflow any more.",
		Do:      "Make sure that the workflow no longer calls the agent.",
		Section: Dropped,
		Design:  "Changes of a lock",
		Example: Example{Only: "was"},
		Review:  lockRemoved,
	},
}

// maxHeld is how many locks that came and locks that went are held against each
// other: some seconds of work.
const maxHeld = 100_000

// meet tells each revision of the locks that it has to do with. At most limit pairs of
// a lock that came and one that went are held against each other.
func meet(list []Revision, standing []*lockfile.Lock, limit int) {
	groups, fresh := map[[3]string][]*lockfile.Lock{}, map[[3]string][]*lockfile.Lock{}
	for _, l := range standing {
		groups[workOf(l)] = append(groups[workOf(l)], l)
	}
	gone := map[string][]*lockfile.Lock{} // by the origin of their agents
	for i := range list {
		f := list[i].facts
		if l := f.now; l != nil {
			groups[workOf(l)] = append(groups[workOf(l)], l)
			if !f.isOldWork() {
				fresh[workOf(l)] = append(fresh[workOf(l)], l)
			}
		}
		if f.was != nil && list[i].Now == nil {
			at := compile.Origin("", f.was.Agent)
			gone[at] = append(gone[at], f.was)
		}
	}
	needs := map[string][]*lockfile.Lock{}
	for at, locks := range gone {
		needs[at] = various(locks)
	}
	for i := range list {
		f := list[i].facts
		if f.now == nil {
			continue
		}
		switch {
		case f.now.Workflow == "":
		case f.isOldWork(): // two that stood before are not of this change
			f.twins = fresh[workOf(f.now)]
		default:
			f.twins = groups[workOf(f.now)]
		}
		if list[i].Was == nil {
			at := compile.Origin("", f.now.Agent)
			f.gone = gone[at]
			held := needs[at][:min(len(needs[at]), limit)]
			limit -= len(held)
			f.left = len(needs[at]) - len(held)
			list[i].inherit(held)
		}
	}
}

// various are the first of those locks that require the same of the same profile:
// where an agent is in use everywhere, there are thousands.
func various(locks []*lockfile.Lock) []*lockfile.Lock {
	seen := map[string]bool{}
	var out []*lockfile.Lock
	for _, l := range locks {
		key := card.Sum(value.Canonical([]any{l.Requires, l.Profile}))
		if !seen[key] {
			seen[key] = true
			out = append(out, l)
		}
	}
	return out
}

// workOf is equal for locks of one workflow, agent and identity.
func workOf(l *lockfile.Lock) [3]string {
	return [3]string{l.Workflow, compile.NormalizeURL("", l.Agent), l.Identity}
}

// isOldWork reports whether the lock was there before, for the same work.
func (f *amended) isOldWork() bool { return f.was != nil && workOf(f.was) == workOf(f.now) }

// Twins are the locks, of those given, that do the same work, in groups of two or more
// and in their order: of one workflow, which has a name, for one agent as one identity.
func Twins(locks []*lockfile.Lock) [][]*lockfile.Lock {
	at := map[[3]string]int{}
	var groups [][]*lockfile.Lock
	for _, l := range locks {
		if l.Workflow == "" {
			continue
		}
		n, ok := at[workOf(l)]
		if !ok {
			n = len(groups)
			at[workOf(l)], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], l)
	}
	return slices.DeleteFunc(groups, func(g []*lockfile.Lock) bool { return len(g) < 2 })
}

// A taking is a requirement of a lock that went, which the lock that came does not
// have, and what the card that this one is pinned from says to it.
type taking struct {
	requirement
	was   *lockfile.Lock
	fails Finding
}

// inherit holds a lock that came against those that went, of the same agent at
// whatever URL of its origin and whoever asks it: it may have taken their place
// under another workflow.
func (r *Revision) inherit(gone []*lockfile.Lock) {
	f := r.facts
	type demand struct {
		requirement
		need string
	}
	seen := map[demand]bool{} // many locks of one agent ask for the same
	for _, was := range gone {
		p, vague := r.pinned(was)
		if p == nil {
			continue
		}
		f.vague = vague
		var left []requirement
		for _, q := range dropped(was, f.now, r.Client) {
			d := demand{requirement: q}
			if q.skill != "" {
				d.need = string(value.Canonical(was.Requires.Skills[q.skill]))
			}
			if !seen[d] {
				left = append(left, q)
				seen[d] = !vague[q.skill]
			}
		}
		if len(left) == 0 {
			continue
		}
		clear(f.failing)
		r.fail(was, left, p)
		for _, q := range left {
			if x, fails := r.fails(q); fails {
				f.taken = append(f.taken, taking{q, was, x})
			}
		}
	}
}

func duplicate(r *Revision) []Finding {
	f := r.facts
	var others []string
	for _, l := range f.twins {
		if l != f.now {
			others = append(others, l.Path)
		}
		if len(others) == maxTwins {
			break
		}
	}
	if len(others) == 0 {
		return nil
	}
	n := len(f.twins)
	if !f.isOldWork() { // it is among them itself
		n--
	}
	return []Finding{found("/workflow", nil, f.now.Workflow, "%s %s of workflow %s for the same agent, too",
		namedOf(others, n), say.Verb(n, "is a lock", "are locks"), say.Quote(f.now.Workflow))}
}

// maxTwins is how many of the locks that another one meets are named.
const maxTwins = 3

// namedOf names the first few of n locks by their paths, and counts the others.
func namedOf(paths []string, n int) string {
	text := say.List(paths)
	if n > len(paths) {
		return fmt.Sprintf("%s and %d more", text, n-len(paths))
	}
	return text
}

func lockAdded(r *Revision) []Finding {
	f := r.facts
	if r.Was != nil || f.now == nil {
		return nil
	}
	added := found("", nil, nil, "a new lock: %s depends on %s", workflowOf(f.now), say.Quote(redact.URL(f.now.Agent)))
	if n := len(f.gone); n > 0 {
		var places []string
		for _, l := range f.gone[:min(n, maxTwins)] {
			places = append(places, l.Path)
		}
		added.Message += "; of the same agent went " + namedOf(places, n)
	}
	return []Finding{added}
}

func lockRemoved(r *Revision) []Finding {
	switch l := r.facts.was; {
	case r.Now != nil:
		return nil
	case l == nil:
		return []Finding{found("", nil, nil, "the lock is gone")}
	default:
		return []Finding{found("", nil, nil, "the lock is gone: %s no longer depends on %s", workflowOf(l), say.Quote(redact.URL(l.Agent)))}
	}
}

func workflowOf(l *lockfile.Lock) string {
	if l.Workflow == "" {
		return "a workflow without a name"
	}
	return "workflow " + say.Quote(l.Workflow)
}
