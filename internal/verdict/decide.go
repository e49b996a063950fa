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
	// Degraded is whether the answer rests on less than a recent look, of a
	// suppressed lock on a worse card than the current one, or on a better one than
	// the last, which cannot be confirmed.
	Degraded bool
	// Class is the worst that the findings say of the skill, or of the lock
	// where none was named; [None] where nothing was decided.
	Class     Verdict
	Freshness Freshness
	AsOf      time.Time // of the card behind the verdict, see [State.AsOf]
	// Findings are those that concern the skill, all where none was named: the
	// worst 200 of them. They are not the caller's to change.
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
	d := Decision{Class: None, Freshness: s.Freshness(now, p), AsOf: s.AsOf(), Out: evidence.Out(s.Reports, now, p.RuntimeEvidenceTTL, skill)}
	w := weighing{Decision: &d}
	if s.Verdict.rank() >= 0 {
		w.weigh(s.Class(), s.Findings, p, skill, nil)
	}
	if s.Dispute.IsOn() {
		for i := range s.Dispute.Answers {
			x := &s.Dispute.Answers[i]
			w.weigh(x.Class, x.Findings, p, skill, nil)
		}
	}
	if s.Damping.isOn() {
		x := &s.Damping.Worst
		w.weigh(x.Class, x.Findings, p, skill, nil)
	}
	if s.Pending != nil {
		if floor := findings.Floor(s.Pending.Findings); floor > diff.Compatible {
			w.weigh(floor, s.Pending.Findings, p, skill, findings.IsFloor)
		}
	}
	d.Findings = w.list.All()
	unknown := d.Freshness == Expired || d.Class == None
	switch {
	case w.denied && (d.Class == Breaking || !unknown):
		d.Delegate = false
	case unknown:
		d.Delegate, d.Degraded = p.OnUnknown != "deny", true
		return d
	default:
		d.Delegate = true
	}
	d.Degraded = d.Freshness != Fresh && d.Freshness != Ageing || s.Damping.isOn() || s.Pending.IsStuck(now, p.patience())
	return d
}

// A weighing is a decision under way.
type weighing struct {
	*Decision
	list   findings.Worst
	denied bool
}

// weigh takes in what one judgement says of the skill, by the findings
// that count; nil: all.
func (w *weighing) weigh(class diff.Class, list []diff.Finding, p *Params, skill string, counts func(*diff.Finding) bool) {
	explained, worst := false, diff.Compatible
	for i := range list {
		f := &list[i]
		if counts != nil && !counts(f) {
			continue
		}
		holds := f.Waived == nil
		explained = explained || holds && f.Class >= class
		if skill != "" && len(f.Skills) > 0 && !slices.Contains(f.Skills, skill) {
			continue
		}
		w.list.Add(f)
		if !holds {
			continue
		}
		worst = max(worst, f.Class)
		w.denied = w.denied || f.Class == diff.Breaking ||
			f.Class == diff.Review && p.Review == "deny-named" && len(f.Skills) > 0
	}
	// A class that no finding explains concerns all.
	if skill == "" || !explained {
		worst = max(worst, class)
		w.denied = w.denied || class == diff.Breaking
	}
	if v := Of(worst); v.rank() > w.Class.rank() {
		w.Class = v
	}
}
