package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	e.Metrics.StaleReports.WithLabelValues(r.Kind()).Inc()
	for _, report := range r.Reports(e.planned(w), e.sends(w, r.Skill)) {
		if err := e.person(ctx, id, verdict.Observation{Cause: verdict.Reported, Report: report}); err != nil {
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

// Ack takes a person's word that the lock's episode is known: no more reminders
// until it gets worse, ends, or until has come (zero: none).
func (e *Engine) Ack(ctx context.Context, id, author, reason string, until time.Time) error {
	w, err := e.find(id)
	switch {
	case err != nil:
		return err
	case author == "" || reason == "":
		return &InputError{"want an author and a reason"}
	case len(author) > evidence.MaxText || len(reason) > evidence.MaxText:
		return &InputError{fmt.Sprintf("author and reason: at most %d bytes each", evidence.MaxText)}
	case !until.IsZero() && !until.After(e.Wall()):
		return &InputError{"until: that is over already"}
	case w.State().Episode == nil:
		return &InputError{"no episode is open: there is nothing to acknowledge"}
	}
	return e.person(ctx, id, verdict.Observation{
		Cause: verdict.Acked,
		Ack:   verdict.Ack{Author: author, Reason: reason, Until: until},
	})
}

// Unack takes an acknowledgement back.
func (e *Engine) Unack(ctx context.Context, id string) error {
	return e.person(ctx, id, verdict.Observation{Cause: verdict.Unacked})
}

// Refresh has the lock's agent asked as soon as its host allows.
func (e *Engine) Refresh(id string) error {
	w, err := e.find(id)
	if err != nil {
		return err
	}
	e.settle(w.Agent, func() { w.Agent.Asked = true })
	return nil
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

// person puts what a person or an orchestrator says of one lock through the
// state machine. It is on the disk when person returns.
func (e *Engine) person(ctx context.Context, id string, said verdict.Observation) error {
	for {
		w, err := e.find(id)
		if err != nil {
			return err
		}
		a := w.Agent
		a.Take()
		if now, err := e.find(id); err != nil || now != w { // a reload came first
			a.Give()
			continue
		}
		err = e.desk.Hear(ctx, w, said)
		a.Give()
		e.settle(a, nil)
		if err != nil {
			return errors.Join(errNotWritten, err)
		}
		return nil
	}
}
