package watch

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/standing"
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
	// without a skill, and where no card is known, unless the lock alone refuses.
	Plan     jsontext.Value `json:"plan"`
	Findings []diff.Finding `json:"findings"`
	Fallback string         `json:"fallback"`
}

// Decide answers from memory whether a lock's workflow may delegate: a skill,
// or with "" the worst of all. A plan that is refused denies too, since the
// call could not be made. It waits for no other call.
func (e *Engine) Decide(id, skill string) (*Decision, error) {
	start := time.Now()
	w := e.locks.Load().byID[id]
	if w == nil {
		return nil, ErrNoLock
	}
	d := &Decision{Class: verdict.None, Freshness: verdict.Ageing, Findings: []diff.Finding{}, Fallback: w.Fallback}
	if w.Agent == nil { // never was a lock: nothing is known
		d.Delegate, d.Degraded = e.cfg.Load().Setup.Config.Daemon.OnUnknown != "deny", true
	} else {
		plan := e.desk.Plan(w, skill, func(s *verdict.State) (out []string) {
			v := w.Decide(s, e.Wall(), skill)
			d.Delegate, d.Degraded, d.Class, d.Freshness, d.AsOf = v.Delegate, v.Degraded, v.Class, v.Freshness, standing.Moment(v.AsOf)
			if v.Findings != nil {
				d.Findings = v.Findings
			}
			return v.Out
		})
		d.Plan, d.Delegate = plan.JSON, d.Delegate && !plan.Refused
	}
	label := "false"
	if d.Delegate {
		label = "true"
	}
	e.Metrics.Decisions.WithLabelValues(label).Inc()
	e.Metrics.DecisionDuration.Observe(time.Since(start).Seconds())
	return d, nil
}
