package watched

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync/atomic"

	"github.com/a2alock/a2alock/internal/lockset"
	"github.com/a2alock/a2alock/internal/plans"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/store"
)

// A Lock is one lock and where it stands. It is replaced when its file changes;
// its state goes over.
type Lock struct {
	*lockset.File
	Agent *Agent // nil for a file that never was a lock
	// held is replaced when a transaction has ended, and read by whoever asks.
	held atomic.Pointer[held]
	// lost is what could not be written of w; nil: nothing.
	lost atomic.Pointer[lost]

	// With the agent's turn. said is what the last comparison came to, for when
	// nothing has moved since; judged is what the stored state was judged by, and
	// tried what was last looked at locally.
	said          *said
	judged, tried string
	by            struct{ judging, basis string } // what [Lock.basis] last worked out
	// mute is whether the stored card could not be judged when it was to be
	// judged again: the next one from the agent will be.
	mute atomic.Bool
}

// held is a state, and what was planned while it holds.
type held struct {
	verdict.State
	plans *plans.Cache
}

// said is what a comparison came to, and what it was made of beside the card.
type said struct {
	judgment
	judging, lied, lost string
}

// NewLock is the lock of f, about which nothing is known: it is as fresh as its
// agent's card.
func NewLock(f *lockset.File, a *Agent) *Lock {
	w := &Lock{File: f, Agent: a}
	s := verdict.State{}
	if a != nil {
		s.ValidatedAt = a.Seen.Validated
	}
	w.hold(s, true)
	return w
}

// Follow makes w stand where old stood, which it takes the place of. With the
// turn of the agent of both.
func (w *Lock) Follow(old *Lock) {
	w.hold(*old.State(), true)
	w.judged, w.tried = old.judged, old.tried
	if old.Digest == w.Digest {
		w.said = old.said
		w.mute.Store(old.mute.Load())
		w.lost.Store(old.lost.Load())
	}
}

// Resume makes w stand where the store says. With the turn.
func (w *Lock) Resume(l *store.Lock, c *Config) {
	s := l.State
	if seen := w.Agent.Seen.Validated; s.Trouble == nil && seen.After(s.ValidatedAt) {
		s.ValidatedAt = seen
	}
	w.hold(s, true)
	w.judged = l.Judged
	if w.judged != w.basis(c.Judging) || s.CardDigest == "" || s.Trouble != nil || s.Pending != nil || s.Better != nil ||
		s.Dispute != nil || s.Judge || len(s.Reports) > 0 {
		return
	}
	w.said = &said{
		judgment: judgment{
			Cause: verdict.Decided, Class: s.Class(), CardDigest: s.CardDigest, Via: s.Via,
			ProfileDigest: s.ProfileDigest, Findings: s.Findings,
		},
		judging: c.Judging, lied: w.Agent.rec.Lied, lost: w.Agent.rec.Lost,
	}
}

// IsKept is whether the store has w as it is, by l.
func (w *Lock) IsKept(l *store.Lock) bool {
	return l.Agent == w.Agent.ID && l.Path == w.Path && l.Workflow == w.Workflow && l.Owner == w.Owner && l.Fallback == w.Fallback &&
		l.Text == w.Digest
}

// State is what holds. It is not the caller's to change.
func (w *Lock) State() *verdict.State { return &w.held.Load().State }

// hold makes s what holds; moved is whether plans may be others from now on.
func (w *Lock) hold(s verdict.State, moved bool) {
	h := &held{State: s}
	if was := w.held.Load(); was != nil && !moved {
		h.plans = was.plans
	} else {
		h.plans = &plans.Cache{}
	}
	w.held.Store(h)
}

// basis names what w is judged by. With the turn.
func (w *Lock) basis(judging string) string {
	if w.by.basis == "" || w.by.judging != judging {
		sum := sha256.Sum256([]byte(judging + "\n" + w.Digest))
		w.by.judging, w.by.basis = judging, hex.EncodeToString(sum[:16])
	}
	return w.by.basis
}

// Record is w for the store.
func (w *Lock) Record() store.Lock {
	return store.Lock{
		ID: w.ID, Path: w.Path, Agent: w.Agent.ID, URL: w.Key.URL,
		Workflow: w.Workflow, Owner: w.Owner, Fallback: w.Fallback, State: *w.State(), Judged: w.judged,
		Text: w.Digest, Good: w.File.Text,
	}
}

// Parse parses the last good text of w.
func (d *Desk) Parse(w *Lock) (*lockfile.Lock, error) {
	text, err := d.textOf(w)
	if err != nil {
		return nil, err
	}
	return lockfile.Parse(text, w.Path)
}

// textOf is the last good text of w.
func (d *Desk) textOf(w *Lock) ([]byte, error) {
	if w.Text != nil {
		return w.Text, nil
	}
	if text, ok := bodyOf(d.Store, w.Digest); ok {
		return text, nil
	}
	text, err := lockfile.ReadBytes(w.Path) // what was kept is damaged
	if err == nil && lockset.Of(text) != w.Digest {
		err = fmt.Errorf("%s: its last good text is lost", w.Path)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}
