package watch

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/evidence"
	"github.com/a2alock/a2alock/internal/verdict"
)

// ErrNoLock is what calls about a lock that is not there give.
var ErrNoLock = errors.New("no such lock")

// A Decision answers an orchestrator that asks whether it may delegate.
type Decision struct {
	Delegate  bool              `json:"delegate"`
	Degraded  bool              `json:"degraded"` // it rests on less than a recent look
	Class     verdict.Verdict   `json:"class"`
	Freshness verdict.Freshness `json:"freshness"`
	// AsOf is when the agent last confirmed the card; null: never.
	AsOf *time.Time `json:"as_of"`
	// Plan is how the skill is called, or {"refused": {"step", "reason"}}; null
	// without a skill, and where no card is known.
	Plan     jsontext.Value `json:"plan"`
	Findings []diff.Finding `json:"findings"`
	Fallback string         `json:"fallback"`
}

// Decide answers from memory whether a lock's workflow may delegate: a skill,
// or with "" the worst of all. A plan that is refused denies too, since the
// call could not be made.
func (e *Engine) Decide(id, skill string) (*Decision, error) {
	start := time.Now()
	e.mu.RLock()
	w := e.locks[id]
	e.mu.RUnlock()
	if w == nil {
		return nil, ErrNoLock
	}
	d := &Decision{Class: verdict.None, Freshness: verdict.Expired, Findings: []diff.Finding{}, Fallback: w.Fallback}
	cfg := e.cfg.Load()
	if w.agent == nil { // never was a lock: nothing is known
		d.Delegate, d.Degraded = cfg.Config.Daemon.OnUnknown != "deny", true
	} else {
		s := w.state.Load()
		v := verdict.Decide(s, e.Wall(), w.agent.params, skill)
		d.Delegate, d.Degraded, d.Class, d.Freshness, d.AsOf = v.Delegate, v.Degraded, v.Class, v.Freshness, moment(v.AsOf)
		if v.Findings != nil {
			d.Findings = v.Findings
		}
		if skill != "" {
			plan := e.planOf(w, skill, s, v.Out)
			d.Plan = plan.json
			d.Delegate = d.Delegate && !plan.refused
		}
	}
	label := "false"
	if d.Delegate {
		label = "true"
	}
	e.Metrics.Decisions.WithLabelValues(label).Inc()
	e.Metrics.DecisionDuration.Observe(time.Since(start).Seconds())
	return d, nil
}

// plans are those that were made for a lock, by skill and by what was out.
type plans struct {
	mu  sync.Mutex
	all map[string]plan
}

// maxPlans bounds what callers can make a lock hold.
const maxPlans = 256

type plan struct {
	json    jsontext.Value // nil: no card is known
	refused bool
}

// planOf is the plan for a skill, as it was made once until something moves.
func (e *Engine) planOf(w *watched, skill string, s *verdict.State, out []string) plan {
	kept := w.plans.Load()
	if kept == nil {
		kept = &plans{all: map[string]plan{}}
		if !w.plans.CompareAndSwap(nil, kept) {
			kept = w.plans.Load()
		}
	}
	if kept == nil { // moved in between
		return e.newPlan(w, skill, s, out)
	}
	key := skill + "\x00" + strings.Join(out, "\x00")
	kept.mu.Lock()
	p, ok := kept.all[key]
	kept.mu.Unlock()
	if ok {
		return p
	}
	p = e.newPlan(w, skill, s, out)
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if len(kept.all) < maxPlans {
		kept.all[key] = p
	}
	return p
}

// newPlan plans a call of the skill on the card that holds, without what
// callers found not to work.
func (e *Engine) newPlan(w *watched, skill string, s *verdict.State, out []string) plan {
	cfg := e.cfg.Load()
	body, ok := e.holding(w, s)
	if !ok {
		return plan{}
	}
	r := compile.Read(body, &cfg.Config.Client, cfg.CardOptions())
	if r.Err != nil {
		return plan{}
	}
	profile := r.Profile.Without(refuted(s.Reports, out), &cfg.Config.Client)
	call := compile.Call{
		Client: &cfg.Config.Client, Skill: skill,
		Lock: diff.Limit(diff.Comparison{Lock: w.lock(), Now: profile, Client: &cfg.Config.Client}, skill),
	}
	route, refusal := compile.Plan(profile, call)
	var answer any = route
	if refusal != nil {
		answer = map[string]*compile.Refusal{"refused": refusal}
	}
	text, err := json.Marshal(answer, json.Deterministic(true))
	if err != nil {
		panic("a plan is JSON: " + err.Error())
	}
	return plan{text, refusal != nil}
}

// holding is the body of the card that the verdict rests on: another may have
// come that does not hold yet. It waits for nobody.
func (e *Engine) holding(w *watched, s *verdict.State) ([]byte, bool) {
	shown := w.agent.shown.Load()
	if s.CardDigest != "" && s.CardDigest != shown.card {
		if body, ok := e.bodyOfCard(w.agent.id, s.CardDigest); ok {
			return body, true
		}
	}
	return shown.read(e.Store)
}

// refuted is what leaves the profile for reports that are out.
func refuted(reports []verdict.Report, out []string) compile.Refuted {
	r := compile.Refuted{Input: map[string][]string{}}
	for _, report := range reports {
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
			if i, ok := parseInterface(report.Value); ok {
				r.Interfaces = append(r.Interfaces, i)
			}
		}
	}
	return r
}

// interfaceText names an interface in a report, for [parseInterface].
func interfaceText(i *compile.Interface) string { return i.Binding + " " + i.Version + " " + i.URL }

func parseInterface(text string) (compile.Interface, bool) {
	words := strings.SplitN(text, " ", 3)
	if len(words) != 3 {
		return compile.Interface{}, false
	}
	return compile.Interface{Binding: words[0], Version: words[1], URL: words[2]}, true
}
