// Package plans makes and keeps the plans of a lock's skills: how each is
// called on the card that holds, without what callers found not to work.
package plans

import (
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/evidence"
	"github.com/a2alock/a2alock/internal/jsondoc"
	"github.com/a2alock/a2alock/internal/nearest"
	"github.com/a2alock/a2alock/internal/say"
	"github.com/a2alock/a2alock/lockfile"
)

// A Plan is how a skill is called, as JSON, or {"refused": {"step", "reason"}}.
// The zero Plan is that of an agent of which no card is known.
type Plan struct {
	JSON    jsontext.Value
	Refused bool
	listed  bool // the lock requires the skill
}

// Make plans a call of the skill for cl on a profile from which refuted was
// taken.
func Make(p *compile.Profile, cl *compile.Client, l *lockfile.Lock, skill string) Plan {
	route, refusal := compile.Plan(p, compile.Call{
		Client: cl, Skill: skill,
		Lock: diff.Limit(diff.Comparison{Lock: l, Now: p, Client: cl}, skill),
	})
	var answer any = route
	if refusal != nil {
		answer = map[string]*compile.Refusal{"refused": refusal}
	}
	text, err := json.Marshal(answer, json.Deterministic(true))
	if err != nil {
		panic("a plan is JSON: " + err.Error())
	}
	_, listed := l.Requires.Skills[skill]
	return Plan{text, refusal != nil, listed}
}

// Unseen is the plan of the skill while no card is known: the zero Plan, and a
// refusal of a skill that the lock alone refuses.
func Unseen(l *lockfile.Lock, skill string) Plan {
	ids := l.RequiredSkills()
	if slices.Contains(ids, skill) {
		return Plan{}
	}
	reason := "the lock does not require the skill " + say.Show(skill)
	if len(ids) > 0 {
		reason += ", but " + say.Listed(nearest.Sort(ids, skill))
	}
	text, err := json.Marshal(map[string]compile.Refusal{"refused": {Step: "skill", Reason: reason}}, json.Deterministic(true))
	if err != nil {
		panic("a plan is JSON: " + err.Error())
	}
	return Plan{JSON: text, Refused: true}
}

// A Cache keeps what was planned on one card. The zero Cache is empty; it is
// safe for concurrent use.
type Cache struct {
	mu     sync.Mutex
	listed map[string]Plan // of the skills that the lock requires
	others map[string]Plan // of names that callers think of
}

// What callers can make a lock hold of others.
const (
	maxPlans = 256
	maxKey   = 1000
)

// Get is the plan of the skill while out is out, made by plan where it is not
// kept. A plan that knows no card is not kept.
func (c *Cache) Get(skill string, out []string, plan func() Plan) Plan {
	key := skill + "\x00" + strings.Join(out, "\x00")
	c.mu.Lock()
	p, ok := c.listed[key]
	if !ok {
		p, ok = c.others[key]
	}
	c.mu.Unlock()
	if ok {
		return p
	}
	p = plan()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listed == nil {
		c.listed, c.others = map[string]Plan{}, map[string]Plan{}
	}
	switch {
	case p.JSON == nil:
	case p.listed:
		c.listed[key] = p
	case len(key) < maxKey:
		if len(c.others) == maxPlans {
			clear(c.others)
		}
		c.others[key] = p
	}
	return p
}

// Refuted is what leaves the profile for those reports that are out, as
// [evidence.Report.Out] names them.
func Refuted(reports []evidence.Report, out []string) compile.Refuted {
	r := compile.Refuted{Input: map[string][]string{}}
	for i := range reports {
		report := &reports[i]
		if !slices.Contains(out, report.Out()) {
			continue
		}
		switch report.Operation {
		case evidence.Streaming:
			r.Streaming = true
		case evidence.Push:
			r.Push = true
		case evidence.ExtendedCard:
			r.ExtendedCard = true
		case evidence.Input:
			r.Input[report.Skill] = append(r.Input[report.Skill], report.Value)
		case evidence.Interface:
			if words := strings.SplitN(report.Value, " ", 3); len(words) == 3 {
				r.Interfaces = append(r.Interfaces, compile.Interface{Binding: words[0], Version: words[1], URL: words[2]})
			}
		}
	}
	return r
}

// Interface names an interface in a report, so that [Refuted] knows it.
func Interface(i *compile.Interface) string { return i.Binding + " " + i.Version + " " + i.URL }

// Claim is the place in the profile that a report speaks against.
func Claim(r evidence.Report) diff.Report {
	c := diff.Report{Error: r.Error, Method: r.Method, Detail: r.Detail}
	switch r.Operation {
	case evidence.Streaming:
		c.Path, c.Value = "/streaming", true
	case evidence.Push:
		c.Path, c.Value = "/push", true
	case evidence.ExtendedCard:
		c.Path, c.Value = "/extended_card", true
	case evidence.Input:
		c.Path, c.Skill, c.Value = "/skills/"+jsondoc.Escape(r.Skill)+"/input", r.Skill, r.Value
	case evidence.Interface:
		c.Path, c.Value = "/interface", r.Value
	}
	return c
}
