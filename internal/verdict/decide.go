package verdict

import (
	"slices"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/evidence"
	"github.com/a2alock/a2alock/internal/findings"
)

// A Decision answers "may I delegate?".
type Decision struct {
	Delegate bool
	// Degraded is whether the answer rests on less than a recent look.
	Degraded bool
	// Class is the worst that the findings say of the skill, or of the lock
	// where none was named; [None] where nothing was decided.
	Class     Verdict
	Freshness Freshness
	AsOf      time.Time // the last validation; zero: none
	// Findings are those that concern the skill, all where none was named. They
	// are not the caller's to change.
	Findings []diff.Finding
	// Out are the operations that runtime evidence takes out of the plan, as
	// [Report.Out] names them, sorted.
	Out []string
}

// Decide is the answer for a skill, or the worst of all for "". What is worse
// than the verdict counts already where it is known: every answer of a dispute,
// the worst of a suppression, and, of an answer that waits for its
// confirmation, the findings that no configuration lowers.
func Decide(s *State, now time.Time, p *Params, skill string) Decision {
	d := Decision{Class: None, Freshness: s.Freshness(now, p), AsOf: s.ValidatedAt, Out: s.out(now, p, skill)}
	denied := false
	if s.Verdict.rank() >= 0 {
		denied = d.weigh(s.Class(), s.Findings, p, skill, always)
	}
	if s.Dispute.IsOn() {
		for i := range s.Dispute.Answers {
			x := &s.Dispute.Answers[i]
			denied = d.weigh(x.Class, x.Findings, p, skill, always) || denied
		}
	}
	if s.Damping.isOn() {
		x := &s.Damping.Worst
		denied = d.weigh(x.Class, x.Findings, p, skill, always) || denied
	}
	if s.Pending != nil {
		if floor := findings.Floor(s.Pending.Findings); floor > diff.Compatible {
			denied = d.weigh(floor, s.Pending.Findings, p, skill, findings.IsFloor) || denied
		}
	}
	unknown := d.Freshness == Expired || d.Class == None
	switch {
	case denied && (d.Class == Breaking || !unknown):
		d.Delegate = false
	case unknown:
		d.Delegate, d.Degraded = p.OnUnknown != "deny", true
		return d
	default:
		d.Delegate = true
	}
	d.Degraded = d.Freshness != Fresh && d.Freshness != Ageing
	return d
}

func always(*diff.Finding) bool { return true }

// weigh takes in what one judgement says of the skill, and reports whether that
// denies it.
func (d *Decision) weigh(class diff.Class, list []diff.Finding, p *Params, skill string, counts func(*diff.Finding) bool) bool {
	denied, explained, worst := false, false, diff.Compatible
	for i := range list {
		f := &list[i]
		if !counts(f) {
			continue
		}
		holds := f.Waived == nil
		explained = explained || holds && f.Class >= class
		if skill != "" && len(f.Skills) > 0 && !slices.Contains(f.Skills, skill) {
			continue
		}
		if !slices.ContainsFunc(d.Findings, func(have diff.Finding) bool { return have.Fingerprint == f.Fingerprint && have.Rule == f.Rule }) {
			d.Findings = append(d.Findings, *f)
		}
		if !holds {
			continue
		}
		worst = max(worst, f.Class)
		denied = denied || f.Class == diff.Breaking ||
			f.Class == diff.Review && p.Review == "deny-named" && len(f.Skills) > 0
	}
	// A class that no finding explains concerns all.
	if skill == "" || !explained {
		worst = max(worst, class)
		denied = denied || class == diff.Breaking
	}
	if v := Of(worst); v.rank() > d.Class.rank() {
		d.Class = v
	}
	return denied
}

// out is what runtime evidence takes out for the skill.
func (s *State) out(now time.Time, p *Params, skill string) []string {
	var list []string
	for i := range s.Reports {
		r := &s.Reports[i]
		if r.Operation == "" || !r.Stands(now, p.RuntimeEvidenceTTL) || r.Operation == evidence.Input && skill != "" && r.Skill != skill {
			continue
		}
		if out := r.Out(); !slices.Contains(list, out) {
			list = append(list, out)
		}
	}
	slices.Sort(list)
	return list
}
