package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/internal/value"
	"github.com/a2alock/a2alock/lockfile"
)

// lockWaiverRules speak of waivers.
var lockWaiverRules = []Rule{
	{
		ID:    "lock-waiver-added",
		Class: Review,
		Title: "a waiver came",
		Why:   "From now on its finding stands, whoever it hurts.",
		Do:    "Agree with its reason and its end, or say no.",
		Example: Example{Change: `{"waivers":[{"rule":"streaming-lost","reason":"polling is fine","owner":"team-travel",` +
			`"until":"2026-11-30"}]}`},
		Section: Assurance,
		Design:  "Changes of a lock",
		Review:  waiverAdded,
	},
	{
		ID:    "lock-waiver-extended",
		Class: Review,
		Title: "a waiver holds longer",
		Why:   "What somebody meant to deal with by then was not dealt with.",
		Do:    "Agree with the new end, or have the finding dealt with.",
		Example: Example{
			Lock:   `{"waivers":[{"rule":"streaming-lost","reason":"polling is fine","owner":"team-travel","until":"2026-10-31"}]}`,
			Change: `{"waivers":[{"rule":"streaming-lost","reason":"polling is fine","owner":"team-travel","until":"2026-11-30"}]}`,
		},
		Section: Assurance,
		Design:  "Changes of a lock",
		Review:  waiverExtended,
	},
	{
		ID:      "lock-waiver-incomplete",
		Class:   Breaking,
		Title:   "a waiver came without a reason, an owner or an end, or for longer than the policy allows",
		Why:     "Nobody answers for it, or it never ends.",
		Do:      "Say why, who and until when, at most policy.max_waiver ahead.",
		Example: Example{Change: `{"waivers":[{"rule":"streaming-lost"}]}`, Also: []string{"lock-waiver-added"}},
		Section: Assurance,
		Design:  "Changes of a lock",
		Review:  waiverIncomplete,
	},
}

// A change of a waiver: was is nil for one that came.
type waiverChange struct {
	path     string
	was, now *lockfile.Waiver
}

// waiverChanges pairs waivers by what they cover, and returns those that came or
// differ, and those that went.
func (f *amended) waiverChanges() (differ []waiverChange, gone []lockfile.Waiver) {
	if f.now == nil {
		return nil, nil
	}
	before := map[[3]string][]*lockfile.Waiver{}
	if f.was != nil {
		for i := range f.was.Waivers {
			w := &f.was.Waivers[i]
			key := [3]string{w.Rule, w.Path, w.Fingerprint}
			before[key] = append(before[key], w)
		}
	}
	for i := range f.now.Waivers {
		w := &f.now.Waivers[i]
		key := [3]string{w.Rule, w.Path, w.Fingerprint}
		c := waiverChange{path: say.Pointer("waivers", strconv.Itoa(i)), now: w}
		if list := before[key]; len(list) > 0 {
			c.was, before[key] = list[0], list[1:]
		}
		if c.was == nil || c.was.Reason != w.Reason || c.was.Owner != w.Owner || c.was.Until != w.Until || !jsondoc.Same(c.was.Extra, w.Extra) {
			differ = append(differ, c)
		}
	}
	if f.was != nil {
		for _, w := range f.was.Waivers {
			if key := [3]string{w.Rule, w.Path, w.Fingerprint}; len(before[key]) > 0 {
				gone, before[key] = append(gone, w), before[key][1:]
			}
		}
	}
	return differ, gone
}

// IsFirm reports whether no waiver lets a finding of the rule stand in a review: the
// file has to be mended, or the waiver itself is in question.
func (r Rule) IsFirm() bool { return isFirm(r.ID) }

// IsWaivedBefore reports whether only a waiver that held before a change lets a finding
// of the rule stand in its review: what a change itself does to a lock, and what has a
// floor. Else the gate would be one more edit away.
func (r Rule) IsWaivedBefore() bool { return r.Floor || r.Subject == lockChangeSubject }

func isFirm(rule string) bool {
	return rule == "lock-invalid" || rule == "lock-secret" || strings.HasPrefix(rule, "lock-waiver-")
}

// excuse lets findings stand that waivers name: those of the new lock, and for
// [Rule.IsWaivedBefore] those that held before. A change may use up a waiver of what it
// does to the lock, and take it out.
func (r *Revision) excuse(findings []Finding) {
	f := r.facts
	var before []lockfile.Waiver
	if f.was != nil && (f.now == nil || f.was.Workflow == f.now.Workflow) { // another workflow's are none of its
		before = slices.DeleteFunc(slices.Clone(f.was.Waivers), func(w lockfile.Waiver) bool { return faultOf(w, r.At) != "" })
	}
	if f.now != nil {
		excuse(f.now.Waivers, findings, r.At)
	}
	for i := range findings {
		x := &findings[i]
		rule := f.rules[x.Rule]
		if !rule.IsWaivedBefore() {
			continue
		}
		held := slices.IndexFunc(before, func(w lockfile.Waiver) bool { return covers(w, x) })
		switch {
		case held < 0 && x.Waived != nil:
			x.Waived = nil
			x.Message += "; the waiver that comes with this change counts from the next one on"
		case held >= 0 && x.Waived == nil && rule.Subject == lockChangeSubject:
			w := before[held]
			x.Waived = &Waived{Reason: w.Reason, Owner: w.Owner, Until: w.Until}
		}
	}
	r.settle(findings, before)
}

// settle makes review of what the new card fails of requirements alone whose going
// the waivers of before let stand: one waiver is enough for both.
func (r *Revision) settle(findings []Finding, before []lockfile.Waiver) {
	const rule = "lock-weakened-to-fit"
	before = slices.DeleteFunc(before, func(w lockfile.Waiver) bool { return w.Rule != rule })
	f := r.facts
	if len(before) == 0 || len(f.failing) == 0 {
		return
	}
	all, known := f.failures(), value.Known{}
	stands, open := map[spot]bool{}, map[spot]bool{}
	for _, q := range f.dropped {
		x := []Finding{q.found(wasOf(f.was, q), nil, "")}
		x[0].Rule = rule
		r.hide(x)
		was, now := known.Of(x[0].Was), known.Of(nil)
		x[0].Fingerprint = fingerprint(rule, x[0].Path, was.Text, now.Text)
		to := open
		if slices.ContainsFunc(before, func(w lockfile.Waiver) bool { return covers(w, &x[0]) }) {
			to = stands
		}
		for _, x := range all.near(q) {
			if r.isOf(x, q) {
				to[spotOf(x.Finding)] = true
			}
		}
	}
	for _, x := range f.alone {
		open[spotOf(x)] = true
	}
	for i := range findings {
		x := &findings[i]
		if at := spotOf(*x); x.Class == Breaking && stands[at] && !open[at] && !f.rules[x.Rule].Floor {
			x.Class = Review
			x.Message += "; accepted by the waiver of " + rule
		}
	}
}

func waiverAdded(r *Revision) []Finding {
	if r.Was != nil && r.facts.was == nil {
		return nil // nobody knows which came
	}
	differ, _ := r.facts.waiverChanges()
	var out []Finding
	for _, c := range differ {
		if c.was == nil {
			out = append(out, found(c.path, nil, c.now, "a waiver of %s came%s", say.Quote(c.now.Rule), terms(c.now)))
		}
	}
	return out
}

// terms are what a waiver says of itself, as far as it does.
func terms(w *lockfile.Waiver) string {
	var text strings.Builder
	for _, t := range []struct{ word, value string }{{", until ", w.Until}, {", by ", w.Owner}, {": ", w.Reason}} {
		if t.value != "" {
			text.WriteString(t.word + say.Quote(t.value))
		}
	}
	return text.String()
}

// isLonger reports whether a waiver holds beyond the end that it had.
func (c waiverChange) isLonger() bool {
	if c.was == nil {
		return false
	}
	was, ok := Expiry(c.was.Until)
	now, ok2 := Expiry(c.now.Until)
	return ok2 && (!ok || now.After(was))
}

func waiverExtended(r *Revision) []Finding {
	differ, _ := r.facts.waiverChanges()
	var out []Finding
	for _, c := range differ {
		if c.isLonger() {
			out = append(out, found(c.path, c.was.Until, c.now.Until, "the waiver of %s holds until %s; it was %s",
				say.Quote(c.now.Rule), say.Quote(c.now.Until), say.Quote(c.was.Until)))
		}
	}
	return out
}

func waiverIncomplete(r *Revision) []Finding {
	differ, _ := r.facts.waiverChanges()
	var out []Finding
	for _, c := range differ {
		fault := faultOf(*c.now, time.Time{}) // one that is over harms nobody
		if end, ok := Expiry(c.now.Until); fault == "" && ok && r.MaxWaiver > 0 && end.Sub(r.At) > r.MaxWaiver+24*time.Hour {
			fault = fmt.Sprintf("it ends %s, more than %s ahead", c.now.Until, days(r.MaxWaiver))
		}
		if fault != "" {
			out = append(out, found(c.path, nil, c.now, "the waiver of %s: %s", say.Quote(c.now.Rule), fault))
		}
	}
	return out
}
