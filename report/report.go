// Package report says what became of a comparison: one [Report], written as
// JSON for programs and as text for people.
//
// Much of a report is text from an agent's card, and all of it is untrusted.
// JSON keeps it as data; invisible characters, and what a CI system would take
// for a command, are escaped so that no terminal or log acts on them. Text
// shows them (see [Line]) and never starts a line with them.
package report

import (
	"cmp"
	"slices"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/redact"
)

// A Report is what a check, or any other comparison, came to. Its JSON form is
// fixed by contract; schema.json describes it ([Schema]).
type Report struct {
	// Status is the worst class that was found, or [Undecided].
	Status string `json:"status"`
	// FailOn is the class from which on the report fails.
	FailOn diff.Class `json:"fail_on"`
	Counts Counts     `json:"counts"`
	// Base is what the locks of a review were compared with; nil in every other
	// report, and for two files.
	Base *Base `json:"base,omitzero"`
	// Locks are in the order in which they were given.
	Locks []Lock `json:"locks"`
	// Errors are what kept the command from its work: a wrong command line,
	// config or lockfile.
	Errors []string `json:"errors"`
}

// A Base is the commit that a review compares with: where the branch left Ref.
type Base struct {
	Ref    string `json:"ref"`
	Commit string `json:"commit"` // its id, in full
}

// String is "main (abc1234)"; nil is "".
func (b *Base) String() string {
	if b == nil {
		return ""
	}
	return b.Ref + " (" + b.Commit[:min(7, len(b.Commit))] + ")"
}

// Undecided is the [Report.Status] where something could not be decided and
// nothing reached the fail level.
const Undecided = "undecided"

// Counts count findings; Undecided counts locks.
type Counts struct {
	Breaking   int `json:"breaking"`
	Review     int `json:"review"`
	Compatible int `json:"compatible"`
	Undecided  int `json:"undecided"`
	Waived     int `json:"waived"`
}

// A Lock is what became of one lock.
type Lock struct {
	Lock     string `json:"lock"` // path of the file
	Workflow string `json:"workflow"`
	Owner    string `json:"owner"`
	Agent    string `json:"agent"`
	Identity string `json:"identity"`

	State card.State `json:"state"`
	// Class is nil for an undecided lock.
	Class *diff.Class `json:"class"`

	CardDigest   string `json:"card_digest"`
	AgentVersion string `json:"agent_version"`
	Fallback     string `json:"fallback"`

	Findings []diff.Finding `json:"findings"`

	// Detail says why the lock is undecided; Notes what it cannot answer.
	Detail string   `json:"detail,omitzero"`
	Notes  []string `json:"notes,omitzero"`
}

// New makes the report of results, judged at failOn; nothing fails on
// compatible, so that means breaking. A report with errs never passes. Results
// may be empty (a review of no change): whether that is an error is the
// command's to say.
func New(results []*diff.Result, failOn diff.Class, errs []string) *Report {
	r := &Report{FailOn: cmp.Or(failOn, diff.Breaking), Locks: []Lock{}, Errors: append([]string{}, errs...)}
	for _, res := range results {
		l := newLock(res)
		r.Locks = append(r.Locks, l)
		if l.Class == nil {
			r.Counts.Undecided++
		}
		for _, f := range l.Findings {
			switch {
			case f.Waived != nil:
				r.Counts.Waived++
			case f.Class == diff.Breaking:
				r.Counts.Breaking++
			case f.Class == diff.Review:
				r.Counts.Review++
			default:
				r.Counts.Compatible++
			}
		}
	}
	r.Status = r.worst().String()
	if r.isOpen() && !r.isFailed() {
		r.Status = Undecided
	}
	return r
}

func newLock(res *diff.Result) Lock {
	l := Lock{
		State:        res.State,
		CardDigest:   res.CardDigest,
		AgentVersion: res.AgentVersion,
		Findings:     append([]diff.Finding{}, res.Findings...),
		Detail:       res.Detail,
		Notes:        slices.Clone(res.Notes),
	}
	if lock := res.Lock; lock != nil {
		l.Lock, l.Workflow, l.Owner = lock.Path, lock.Workflow, lock.Owner
		l.Agent, l.Identity, l.Fallback = redact.URL(lock.Agent), lock.Identity, redact.URL(lock.Fallback)
	}
	if res.Decided {
		l.Class = &res.Class
	}
	return l
}

// worst is the worst class of any lock, decided or not.
func (r *Report) worst() diff.Class {
	worst := diff.Compatible
	for _, l := range r.Locks {
		worst = max(worst, l.worst())
	}
	return worst
}

// worst is the lock's class; that of its worst finding when it is undecided.
func (l *Lock) worst() diff.Class {
	worst := diff.Compatible
	if l.Class != nil {
		return *l.Class
	}
	for _, f := range l.Findings {
		if f.Waived == nil {
			worst = max(worst, f.Class)
		}
	}
	return worst
}

// isOpen is whether something was left without an answer.
func (r *Report) isOpen() bool { return r.Counts.Undecided > 0 || len(r.Errors) > 0 }

// isFailed is whether something is at or above the fail level.
func (r *Report) isFailed() bool { return r.worst() >= r.FailOn }

// Exit is the exit code that goes with the report: 2 when it holds errors,
// else 1 when something is at or above the fail level, else 3 when something
// could not be decided, else 0.
func (r *Report) Exit() int {
	switch {
	case len(r.Errors) > 0:
		return 2
	case r.isFailed():
		return 1
	case r.Counts.Undecided > 0:
		return 3
	}
	return 0
}
