package watch

import (
	"context"
	"errors"
	"fmt"

	"github.com/a2alock/a2alock/internal/evidence"
	"github.com/a2alock/a2alock/internal/plans"
	"github.com/a2alock/a2alock/internal/verdict"
)

// A Runtime is what an orchestrator met when it called the agent.
type Runtime = evidence.Runtime

// An InputError is a call that says something which cannot be taken.
type InputError struct{ Msg string }

// Error is Msg.
func (e *InputError) Error() string { return e.Msg }

// errNotWritten is what a person gets whose word could not be written.
var errNotWritten = errors.New("it could not be written to the store, and does not hold")

// Report takes in what an orchestrator met: what it speaks against leaves the
// plan at once, and the agent is asked again. It holds when Report returns.
func (e *Engine) Report(ctx context.Context, id string, r Runtime) error {
	if err := r.Check(); err != nil {
		return &InputError{err.Error()}
	}
	w, err := e.find(id)
	if err != nil {
		return err
	}
	if err := e.desk.Knows(w, r.Skill); err != nil {
		return &InputError{err.Error()}
	}
	e.Metrics.StaleReports.WithLabelValues(r.Kind()).Inc()
	for _, report := range r.Reports(e.planned(w), e.sends(w, r.Skill)) {
		said := verdict.Observation{Cause: verdict.Reported, Report: report}
		if err := e.person(ctx, id, func(*verdict.State) (verdict.Observation, error) { return said, nil }); err != nil {
			return err
		}
	}
	return nil
}

// planned names the interface that is planned now; "": none.
func (e *Engine) planned(w *lock) string {
	s := w.State()
	out := verdict.Decide(s, e.Wall(), w.Agent.Params.Load(), "").Out
	if p := e.desk.Profile(w, s, out); p != nil && p.Interface != nil {
		return plans.Interface(p.Interface)
	}
	return ""
}

// sends are the media types that the lock's workflow sends to the skill.
func (e *Engine) sends(w *lock, skill string) []string {
	l, err := e.desk.Parse(w)
	if err != nil {
		return nil
	}
	return l.Requires.Skills[skill].Input
}

// Refresh has the lock's agent asked as soon as its host allows, after a restart
// if one comes first.
func (e *Engine) Refresh(ctx context.Context, id string) error {
	return e.turnOf(id, func(w *lock) error {
		e.desk.Ask(ctx, w.Agent)
		return nil
	})
}

// find is the lock of that id that can be judged.
func (e *Engine) find(id string) (*lock, error) {
	w := e.locks.Load().byID[id]
	switch {
	case w == nil:
		return nil, ErrNoLock
	case w.Agent == nil:
		return nil, &InputError{fmt.Sprintf("%s was never a lock: %v", w.Path, w.Broken)}
	}
	return w, nil
}

// person puts what a person or an orchestrator says of one lock, as it is then,
// through the state machine. It is on the disk when person returns.
func (e *Engine) person(ctx context.Context, id string, say func(*verdict.State) (verdict.Observation, error)) error {
	return e.turnOf(id, func(w *lock) error {
		said, err := say(w.State())
		if err != nil {
			return err
		}
		if err := e.desk.Hear(ctx, w, said); err != nil {
			return errors.Join(errNotWritten, err)
		}
		return nil
	})
}

// turnOf calls do in the turn of a lock's agent, and puts that back.
func (e *Engine) turnOf(id string, do func(*lock) error) error {
	for {
		w, err := e.find(id)
		if err != nil {
			return err
		}
		w.Agent.Take()
		if now, err := e.find(id); err != nil || now != w { // a reload came first
			w.Agent.Give()
			continue
		}
		err = do(w)
		w.Agent.Give()
		e.settle(w.Agent, nil)
		return err
	}
}
