package diff

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/a2alock/a2alock/internal/amend"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/secret"
	"github.com/a2alock/a2alock/internal/value"
	"github.com/a2alock/a2alock/lockfile"
)

// lockChangeSubject is the subject of rules about changes of a lock.
const lockChangeSubject = "Changes of a lockfile itself"

// lockFileRules speak of the file.
var lockFileRules = []Rule{
	{
		ID:      "lock-invalid",
		Class:   Breaking,
		Floor:   true,
		Title:   "the file is no lock: unreadable, conflict markers, a repeated member, a wrong type, an unknown lock_version",
		Why:     "No command reads it, so nothing watches the agent any more.",
		Do:      "Mend the file: resolve the merge, or take the last good version and pin again.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Written: "<<<<<<< HEAD\n{}\n"},
		Review:  invalid,
	},
	{
		ID:      "lock-secret",
		Class:   Breaking,
		Floor:   true,
		Title:   "the file holds credentials in a URL, or a value that looks like one",
		Why:     "Whoever reads the repository, a log or a report has it, and history keeps it.",
		Do:      "Revoke the credential, then take it out of the file and out of the branch's history.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Change: `{"fallback":"https://backup.example/card.json?access_token=hunter2"}`},
		Review:  secretFound,
	},
	{
		ID:      "lock-noncanonical",
		Class:   Review,
		Title:   "the file is not what a2alock fmt writes",
		Why:     "The next pin rewrites it, and hides its one change among many.",
		Do:      "Run a2alock fmt on it.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Written: "CRLF"},
		Review:  noncanonical,
	},
	{
		ID:      "lock-unknown-member",
		Class:   Review,
		Title:   "a member came or changed that this version does not know",
		Why:     "It may be a slip: a requirement that asks for nothing.",
		Do:      "Correct its name, or use the a2alock that wrote it.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Change: `{"requires":{"streeming":true}}`},
		Review:  unknownMember,
	},
}

func invalid(r *Revision) []Finding {
	if r.Now == nil {
		return nil
	}
	if r.Now.Err == nil {
		return r.facts.faults
	}
	var out []Finding
	for _, err := range separate(r.Now.Err) {
		fault, ok := err.(*lockfile.Fault)
		if !ok {
			out = append(out, found("", nil, nil, "%s", say.OneLine(err.Error())))
			continue
		}
		msg := say.OneLine(fault.Msg)
		if fault.Line > 0 {
			msg = fmt.Sprintf("line %d: %s", fault.Line, msg)
		}
		out = append(out, found(fault.Pointer, nil, nil, "%s", msg))
	}
	return out
}

// readPolicy takes in what the new lock overrides, and returns what is wrong
// with it. Of a lock that comes nothing is taken in: it would be judged by itself.
func (f *amended) readPolicy(r *Revision) []Finding {
	p, err := r.Policy.With(f.now.Policy)
	if err == nil {
		if f.was != nil {
			f.policies[1] = p
		}
		return nil
	}
	var out []Finding
	for _, e := range separate(err) {
		path := "/policy"
		if fault, ok := errors.AsType[*PolicyError](e); ok {
			path += fault.Pointer
		}
		out = append(out, found(path, nil, nil, "%s", say.OneLine(e.Error())))
	}
	return out
}

// separate takes joined errors apart.
func separate(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}

// secretFound speaks of what the new text holds. What stood in the one before is
// out already, and no fault of this change.
func secretFound(r *Revision) []Finding {
	var out []Finding
	before := secret.Known(r.facts.leaked)
	for _, h := range r.facts.leaks {
		f := found(h.Pointer, nil, h.Shown, "%s: %s", h.What, h.Shown)
		if h.Line > 0 {
			f.Message = fmt.Sprintf("line %d: %s", h.Line, f.Message)
		}
		if before.Has(h) {
			f.Class = Review
			f.Message += "; it was there before this change"
		}
		out = append(out, f)
	}
	return out
}

// hide takes what looks like a credential out of findings, so that no report
// spreads it.
func (r *Revision) hide(findings []Finding) {
	v := r.facts.veil
	if len(r.facts.leaked)+len(r.facts.leaks) == 0 {
		return
	}
	known := value.Known{} // thousands may share one list
	for i := range findings {
		f := &findings[i]
		f.Message, f.Path = v.Hide(f.Message), v.Name(f.Path)
		for _, side := range []*any{&f.Was, &f.Now} {
			if *side == nil {
				continue
			}
			if text := string(known.Of(*side).Text); v.Hide(text) != text {
				*side = v.Hide(text)
			}
		}
	}
}

func noncanonical(r *Revision) []Finding {
	if r.facts.now == nil || r.Now.Text == nil {
		return nil
	}
	want, err := lockfile.Format(r.facts.now)
	if err != nil || bytes.Equal(want, r.Now.Text) {
		return nil
	}
	msg := "the file is not written as a2alock fmt writes it"
	if bytes.Equal(want, bytes.ReplaceAll(r.Now.Text, []byte("\r\n"), []byte("\n"))) {
		msg = "the file has the line ends of Windows (CRLF)"
	}
	return []Finding{found("", nil, nil, "%s", msg)}
}

func unknownMember(r *Revision) []Finding {
	f := r.facts
	if f.now == nil {
		return nil
	}
	var out []Finding
	for _, at := range f.now.Unknown() {
		if f.was == nil || f.differs(at) {
			out = append(out, found(at, nil, nil, "%s is no member that this version knows", say.Quote(at)))
		}
	}
	return out
}

// differs reports whether the member at a pointer is among the changes, or part
// of one.
func (f *amended) differs(at string) bool {
	if f.moved == nil {
		var all []string
		for _, c := range f.changes {
			all = append(all, c.Pointer)
		}
		f.moved = amend.Tell(all)
	}
	return f.moved.At(at)
}
