package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A Runtime is what an orchestrator met when it called the agent.
type Runtime struct {
	Error  string `json:"error"` // the specification's name (A2A 5.4)
	Method string `json:"method"`
	Skill  string `json:"skill"`
	Detail string `json:"detail"`
}

// maxText bounds each text of a person or an orchestrator, in bytes.
const maxText = 1000

// An InputError is a call that says something which cannot be taken.
type InputError struct{ Msg string }

func (e *InputError) Error() string { return e.Msg }

// Report takes in what an orchestrator met: what it speaks against leaves the
// plan at once, and the agent is asked again. It holds when Report returns.
func (e *Engine) Report(ctx context.Context, id string, r Runtime) error {
	if r.Error == "" {
		return &InputError{`error: want the name of an A2A error, such as "UnsupportedOperationError"`}
	}
	for name, text := range map[string]string{"error": r.Error, "method": r.Method, "skill": r.Skill, "detail": r.Detail} {
		if len(text) > maxText {
			return &InputError{fmt.Sprintf("%s: over %d bytes", name, maxText)}
		}
	}
	w, err := e.find(id)
	if err != nil {
		return err
	}
	kind := r.Error
	if !slices.Contains(knownErrors, kind) {
		kind = "other" // labels are not the caller's to make up
	}
	e.Metrics.StaleReports.WithLabelValues(kind).Inc()
	for _, value := range e.values(w, r) {
		o := verdict.Observation{Cause: verdict.Reported, Report: verdict.Report{
			Error: r.Error, Method: r.Method, Skill: r.Skill, Detail: r.Detail, Value: value,
		}}
		if err := e.person(ctx, w, o); err != nil {
			return err
		}
	}
	return nil
}

// knownErrors are those of A2A 3.3.2 and 5.4.
var knownErrors = []string{
	"TaskNotFoundError", "TaskNotCancelableError", "PushNotificationNotSupportedError", "UnsupportedOperationError",
	"ContentTypeNotSupportedError", "InvalidAgentResponseError", "ExtendedAgentCardNotConfiguredError",
	"ExtensionSupportRequiredError", "VersionNotSupportedError",
}

// values are what a report is about, where its error alone does not say: the
// interface that is planned, or the media types that the lock sends to the
// skill: the one that the detail names, else all of them.
func (e *Engine) values(w *watched, r Runtime) []string {
	switch r.Error {
	case "VersionNotSupportedError":
		if p := e.profile(w); p != nil && p.Interface != nil {
			return []string{interfaceText(p.Interface)}
		}
	case "ContentTypeNotSupportedError":
		types := w.lock().Requires.Skills[r.Skill].Input
		named := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return !strings.Contains(r.Detail, t) })
		if len(named) > 0 {
			return named
		}
		if len(types) > 0 {
			return types
		}
	}
	return []string{""}
}

// profile is what is planned from now; nil where no card is known.
func (e *Engine) profile(w *watched) *compile.Profile {
	cfg, s := e.cfg.Load(), w.state.Load()
	body, ok := e.holding(w, s)
	if !ok {
		return nil
	}
	r := compile.Read(body, &cfg.Config.Client, cfg.CardOptions())
	if r.Err != nil {
		return nil
	}
	out := verdict.Decide(s, e.Wall(), w.agent.params, "").Out
	return r.Profile.Without(refuted(s.Reports, out), &cfg.Config.Client)
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
	case len(author) > maxText || len(reason) > maxText:
		return &InputError{fmt.Sprintf("author and reason: at most %d bytes each", maxText)}
	case !until.IsZero() && !until.After(e.Wall()):
		return &InputError{"until: that is over already"}
	case w.state.Load().Episode == nil:
		return &InputError{"no episode is open: there is nothing to acknowledge"}
	}
	return e.person(ctx, w, verdict.Observation{
		Cause: verdict.Acked,
		Ack:   verdict.Ack{Author: author, Reason: reason, Until: until},
	})
}

// Unack takes an acknowledgement back.
func (e *Engine) Unack(ctx context.Context, id string) error {
	w, err := e.find(id)
	if err != nil {
		return err
	}
	return e.person(ctx, w, verdict.Observation{Cause: verdict.Unacked})
}

// Refresh has the lock's agent asked as soon as its host allows.
func (e *Engine) Refresh(id string) error {
	w, err := e.find(id)
	if err != nil {
		return err
	}
	e.mu.Lock()
	w.agent.asked = true
	e.mu.Unlock()
	e.settle(w.agent)
	return nil
}

// find is the lock of that id that can be judged.
func (e *Engine) find(id string) (*watched, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	w := e.locks[id]
	switch {
	case w == nil:
		return nil, ErrNoLock
	case w.agent == nil:
		return nil, &InputError{fmt.Sprintf("%s was never a lock: %v", w.path, w.broken)}
	}
	return w, nil
}

// errBusy is what a person gets whose word could not be written.
var errNotWritten = errors.New("it could not be written to the store, and does not hold")

// person puts what a person or an orchestrator says of one lock through the
// state machine. It is on the disk when person returns.
func (e *Engine) person(ctx context.Context, w *watched, said verdict.Observation) error {
	a := w.agent
	a.take()
	defer e.settle(a)
	defer a.give()
	o := observing{Engine: e, agent: a, locks: []*watched{w}, said: []verdict.Observation{said}, now: e.Wall(), seen: a.seen}
	if err := e.Store.Update(o.write); err != nil {
		e.Log.ErrorContext(ctx, "cannot write to the store", "lock", w.id, "err", err)
		return errors.Join(errNotWritten, err)
	}
	o.hold(ctx)
	if o.rows > 0 {
		e.Told()
	}
	return nil
}

// Tell has whoever runs the daemon told something about the daemon itself. kind
// is a word for it: "network", "store", "reload", "lock".
func (e *Engine) Tell(ctx context.Context, kind, text string) {
	rows := e.cfg.Load().router.Daemon(kind, text, e.Wall())
	err := e.Store.Update(func(tx *store.Tx) error {
		for _, row := range rows {
			if _, err := tx.InsertRow(row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		e.Log.ErrorContext(ctx, "cannot write to the store", "err", err)
		return
	}
	e.Told()
}

// TellOnce is Tell for what may come again and again: the same text in a row is
// told once.
func (e *Engine) TellOnce(ctx context.Context, kind, text string) {
	e.mu.Lock()
	known := e.told[" "+kind] == text
	e.told[" "+kind] = text
	e.mu.Unlock()
	if !known {
		e.Tell(ctx, kind, text)
	}
}
