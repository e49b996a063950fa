package diff

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/redact"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/value"
	"github.com/a2alock/a2alock/lockfile"
)

// lockChangeSubject is the subject of rules about changes of a lock.
const lockChangeSubject = "Changes of a lockfile itself"

// lockFileRules speak of the file, and of who answers for it.
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
	{
		ID:      "lock-duplicate",
		Class:   Breaking,
		Title:   "two locks are of one workflow for one agent and identity",
		Why:     "One of them is no longer looked after, and nobody can tell which.",
		Do:      "Keep one, with the requirements of both.",
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
	{
		ID:      "lock-owner-changed",
		Class:   Review,
		Title:   "another owner is told",
		Why:     "Alerts go to somebody who may not know of it.",
		Do:      "Ask the new owner.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"owner":"team-travel"}`, Change: `{"owner":"team-pricing"}`},
		Review:  ownerChanged,
	},
	{
		ID:      "lock-owner-removed",
		Class:   Breaking,
		Title:   "nobody owns the lock any more",
		Why:     "Alerts reach nobody.",
		Do:      "Name an owner.",
		Section: File,
		Design:  "Changes of a lock",
		Example: Example{Lock: `{"owner":"team-travel"}`, Change: `{"owner":null}`},
		Review:  ownerRemoved,
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
	for _, h := range r.facts.leaks {
		f := found(h.Pointer, nil, h.Shown, "%s: %s", h.What, h.Shown)
		if h.Line > 0 {
			f.Message = fmt.Sprintf("line %d: %s", h.Line, f.Message)
		}
		if slices.ContainsFunc(r.facts.leaked, h.Same) {
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
	for i := range findings {
		f := &findings[i]
		f.Message, f.Path = v.Hide(f.Message), v.Name(f.Path)
		for _, side := range []*any{&f.Was, &f.Now} {
			if *side == nil {
				continue
			}
			if text := string(value.Canonical(*side)); v.Hide(text) != text {
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
	for _, c := range f.changes {
		if at == c.Pointer || strings.HasPrefix(at, c.Pointer+"/") {
			return true
		}
	}
	return false
}

func duplicate(r *Revision) []Finding {
	var out []Finding
	for _, l := range r.facts.twins {
		out = append(out, found("/workflow", nil, r.facts.now.Workflow, "%s is a lock of workflow %s for the same agent, too",
			say.Quote(l.Path), say.Quote(l.Workflow)))
	}
	return out
}

// meet tells each revision of the locks that it has to do with.
func meet(list []Revision, standing []*lockfile.Lock) {
	all := slices.Clone(standing)
	for i := range list {
		if l := list[i].facts.now; l != nil {
			all = append(all, l)
		}
	}
	groups := map[[3]string][]*lockfile.Lock{}
	for _, l := range all {
		groups[workOf(l)] = append(groups[workOf(l)], l)
	}
	for i := range list {
		f := list[i].facts
		if f.now == nil {
			continue
		}
		if f.now.Workflow != "" {
			f.twins = slices.DeleteFunc(slices.Clone(groups[workOf(f.now)]), func(l *lockfile.Lock) bool { return l == f.now })
		}
		if list[i].Was != nil {
			continue
		}
		for k := range list { // a lock that took another's place under another workflow
			if was := list[k].facts.was; was != nil && list[k].Now == nil && sameAgent(was, f.now) {
				f.gone = append(f.gone, was)
				if p, vague := list[i].pinned(was); p != nil {
					f.vague = vague
					f.taken = dropped(was, f.now, list[i].Client)
					list[i].fail(was, f.taken, p)
				}
			}
		}
	}
}

// workOf is equal for locks of one workflow, agent and identity.
func workOf(l *lockfile.Lock) [3]string {
	return [3]string{l.Workflow, compile.NormalizeURL("", l.Agent), l.Identity}
}

// sameAgent reports whether two locks are about one agent, at whatever URL of its
// origin, as one caller sees it.
func sameAgent(a, b *lockfile.Lock) bool {
	return compile.Origin("", a.Agent) == compile.Origin("", b.Agent) && a.Identity == b.Identity
}

func lockAdded(r *Revision) []Finding {
	f := r.facts
	if r.Was != nil || f.now == nil {
		return nil
	}
	var places []string
	for _, l := range f.gone {
		places = append(places, l.Path)
	}
	added := found("", nil, nil, "a new lock: %s depends on %s", workflowOf(f.now), say.Quote(redact.URL(f.now.Agent)))
	if len(places) > 0 {
		added.Message += "; of the same agent went " + say.List(places)
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

// owners are those of both sides; "" where one side has no lock or no owner.
func (f *amended) owners() (was, now string) {
	if f.was == nil || f.now == nil {
		return "", ""
	}
	return say.Visible(f.was.Owner), say.Visible(f.now.Owner)
}

func ownerChanged(r *Revision) []Finding {
	was, now := r.facts.owners()
	if was == "" || now == "" || was == now {
		return nil
	}
	return []Finding{found("/owner", was, now, "the owner was %s and is %s", say.Quote(was), say.Quote(now))}
}

func ownerRemoved(r *Revision) []Finding {
	was, now := r.facts.owners()
	if was == "" || now != "" {
		return nil
	}
	return []Finding{found("/owner", was, nil, "the owner was %s, and the lock names none now", say.Quote(was))}
}
