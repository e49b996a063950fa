package message

import (
	"slices"
	"strings"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// headline is what happened, in a few words; "" for a kind that is not told.
func headline(t *Telling) string {
	class := t.Row.Class.String()
	was := ""
	if t.Transition != nil {
		class, was = t.Transition.Class.String(), string(t.Transition.Was)
	}
	switch t.Row.Kind {
	case verdict.Opened:
		return class
	case verdict.Worsened, verdict.Improved:
		if was == "" || was == class {
			return class
		}
		return class + ", was " + was
	case verdict.Changed:
		return class + changed(t)
	case verdict.Resolved:
		return resolved(t)
	case verdict.WentAway:
		return "unreachable"
	case verdict.CameBack:
		return "reachable again"
	case verdict.WentInvalid:
		return "no card that can be judged"
	case verdict.RanOut:
		return "not validated for too long"
	case verdict.Stale:
		return "a caller met an error"
	case verdict.Flapping:
		return "flapping, no more messages until it settles"
	case verdict.Settled:
		return "settled, now " + class
	case store.KindSample:
		return "a test, nothing happened"
	case store.KindReminder:
		return "still " + standing(t) + lasting(t, " after ")
	}
	return ""
}

func resolved(t *Telling) string {
	if t.Unheard && t.Episode != nil {
		return "was " + t.Episode.Worst.String() + lasting(t, " for ") + ", is over"
	}
	return "resolved" + lasting(t, " after ") + wasWhat(t)
}

// wasWhat says what has ended: the worst that there was, or what kept it from
// being known.
func wasWhat(t *Telling) string {
	if t.Episode != nil && t.Episode.Worst > diff.Compatible {
		return ", was " + t.Episode.Worst.String()
	}
	if t.Transition == nil {
		return ""
	}
	if trouble, ok := strings.CutPrefix(t.Transition.Detail, "was "); ok {
		trouble, _, _ = strings.Cut(trouble, ":")
		return ", was " + Line(trouble, NameWidth)
	}
	return ""
}

// changed says how the findings of an episode have moved.
func changed(t *Telling) string {
	news := newsOf(t)
	if news == nil {
		return ", with other findings"
	}
	if slices.ContainsFunc(findingsOf(t), func(f diff.Finding) bool { return counts(&f) && !isNew(&f, news) }) {
		return ", and another reason"
	}
	return ", for other reasons than before"
}

// standing is what an open episode is about: the class, or what keeps the
// class from being known.
func standing(t *Telling) string {
	if class := t.Episode; class != nil && class.Class > diff.Compatible {
		return class.Class.String()
	}
	return "in trouble"
}

// standsFor is the verdict and what it means for those who want to delegate; ""
// for a sample.
func standsFor(t *Telling) string {
	s := &t.Lock.State
	var class diff.Class
	list, damped := findingsOf(t), s.Suppressed()
	told := store.TellsFindings(t.Row.Kind) && t.Transition != nil
	switch {
	case t.Row.Kind == store.KindSample:
		return ""
	case t.Row.Kind == verdict.Resolved:
		return "compatible: delegation goes on"
	case told:
		class = t.Transition.Class
	case s.Verdict == "" || s.Verdict == verdict.None:
		return "none: nothing was decided yet, daemon.on_unknown says whether delegation goes on"
	default:
		class, list = s.Class(), s.Findings
	}
	text := class.String()
	if !told && !s.DecidedAt.IsZero() {
		text += ", decided " + moment(s.DecidedAt)
	}
	if damped && s.Damping.Worst.Class > class {
		class, list = s.Damping.Worst.Class, s.Damping.Worst.Findings
		text += ", the worst seen " + class.String()
	}
	switch {
	case class == diff.Breaking:
		return text + ": new delegations" + ofSkills(list) + " are denied"
	case t.Row.Kind == verdict.RanOut || s.Lapsed:
		return text + ": too old, daemon.on_unknown says whether delegation goes on"
	case class == diff.Review:
		text += ": delegation goes on, unless daemon.review is deny-named"
	default:
		text += ": delegation goes on"
	}
	if damped || s.Unreachable || s.Invalid || s.Stale != nil {
		text += "; answers say degraded"
	}
	return text
}

// ofSkills names the skills that the breaking findings of list deny; "" for all.
func ofSkills(list []diff.Finding) string {
	var skills []string
	for i := range list {
		f := &list[i]
		if f.Waived != nil || f.Class != diff.Breaking {
			continue
		}
		if len(f.Skills) == 0 {
			return ""
		}
		skills = append(skills, f.Skills...)
	}
	if len(skills) == 0 {
		return ""
	}
	slices.Sort(skills)
	return " of " + Line(strings.Join(slices.Compact(skills), ", "), NameWidth)
}

// whatToDo is for trouble that no finding tells of; "" for all else.
func whatToDo(t *Telling) string {
	switch t.Row.Kind {
	case verdict.WentAway:
		return "Ask whoever runs the agent. If the address was refused, network in a2alock.yaml allows it."
	case verdict.WentInvalid:
		return "Run a2alock validate on the agent's URL, with --identity where the lock names one: it says what is wrong. A card that has moved wants a new pin."
	case verdict.RanOut:
		return "See what keeps the agent from answering, or take the lock out."
	case verdict.Stale:
		return "Ask the agent's owner about the error; what failed is out of the plan until it is seen to work."
	case verdict.Flapping:
		return "Ask the agent's owner why its answers change."
	}
	return ""
}
