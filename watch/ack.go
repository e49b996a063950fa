package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/a2alock/a2alock/internal/evidence"
	"github.com/a2alock/a2alock/internal/standing"
	"github.com/a2alock/a2alock/internal/verdict"
)

// An Ack is a person's word that the open episode of a lock is known.
type Ack struct {
	Author, Reason string
	Until          time.Time // zero: until it clears
	Seen           Seen
}

// Seen is what a person saw of a lock.
type Seen = standing.Seen

// A MovedError is a word about something that is not there any more. It tells
// what is.
type MovedError struct{ Now string }

// Error says so.
func (e *MovedError) Error() string { return "the lock has moved since; now " + e.Now }

// Ack takes a person's word: no more reminders of the episode until it gets
// worse, ends, or until has come. Where something else than what the person saw
// is there, the error is a [*MovedError], and nothing is taken.
func (e *Engine) Ack(ctx context.Context, id string, a Ack) error {
	switch _, err := e.find(id); {
	case err != nil:
		return err
	case a.Author == "" || a.Reason == "":
		return &InputError{"want an author and a reason"}
	case len(a.Author) > evidence.MaxText || len(a.Reason) > evidence.MaxText:
		return &InputError{fmt.Sprintf("author and reason: at most %d bytes each", evidence.MaxText)}
	case !a.Until.IsZero() && !a.Until.After(e.Wall()):
		return &InputError{"until: that is over already"}
	}
	return e.person(ctx, id, func(s *verdict.State) (verdict.Observation, error) {
		switch {
		case !a.Seen.Fits(s):
			return verdict.Observation{}, &MovedError{standing.Told(s)}
		case s.Episode == nil:
			return verdict.Observation{}, &InputError{"no episode is open: there is nothing to acknowledge"}
		}
		return verdict.Observation{Cause: verdict.Acked, Ack: verdict.Ack{Author: a.Author, Reason: a.Reason, Until: a.Until}}, nil
	})
}

// Unack takes an acknowledgement back.
func (e *Engine) Unack(ctx context.Context, id string) error {
	return e.person(ctx, id, func(s *verdict.State) (verdict.Observation, error) {
		if s.Ack == nil {
			return verdict.Observation{}, &InputError{"nothing is acknowledged: there is nothing to take back"}
		}
		return verdict.Observation{Cause: verdict.Unacked}, nil
	})
}
