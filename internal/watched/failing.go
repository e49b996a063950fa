package watched

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
)

// A Failing is what goes wrong at every try: since when, and how at last. It is
// safe for concurrent use; the zero value is that all is well.
type Failing struct {
	mu    sync.Mutex
	since time.Time
	err   error // nil: all is well
}

// Note takes in how a try ended, and reports whether that is another way than
// the last.
func (f *Failing) Note(err error, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	turned := (f.err == nil) != (err == nil)
	if turned {
		f.since = now
	}
	f.err = err
	return turned
}

// String says since when and why, "" where all is well.
func (f *Failing) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		return ""
	}
	return f.since.UTC().Format("since 2006-01-02 15:04 UTC: ") + f.err.Error()
}

// Wrote takes note of how a write to the store ended. The log tells of the first
// that fails, and of the first that does not any more.
func (d *Desk) Wrote(ctx context.Context, err error) {
	if err != nil {
		d.Metrics.StoreFailures.Inc()
	}
	switch turned := d.Unwritten.Note(err, d.Wall()); {
	case turned && err != nil:
		d.Log.ErrorContext(ctx, "cannot write to the store: verdicts stay, and decisions are degraded", "err", err)
	case turned:
		d.Log.InfoContext(ctx, "the store can be written again")
	}
}

// A lost observation of a lock could not be written, and so does not hold.
type lost struct {
	judged *verdict.Observation // the last that was judged; nil: none was
}

// lose keeps in mind that what was observed of w could not be written. A
// judgement stays in mind until another comes: that nobody answers since does
// not take it back.
func (w *Lock) lose(o *verdict.Observation) {
	x := w.lost.Load()
	switch {
	case o.Cause == verdict.Decided:
		x = &lost{new(*o)}
	case x == nil:
		x = &lost{}
	}
	w.lost.Store(x)
}

// find takes note that an observation of w holds.
func (w *Lock) find(o *verdict.Observation) {
	if x := w.lost.Load(); x != nil && (x.judged == nil || o.Cause == verdict.Decided) {
		w.lost.Store(nil)
	}
}

// Decide is [verdict.Decide] by s, a state of w, and by what was lost: where
// that is not better it counts already, and the answer is degraded.
func (w *Lock) Decide(s *verdict.State, now time.Time, skill string) verdict.Decision {
	p := w.Agent.Params.Load()
	d := verdict.Decide(s, now, p, skill)
	x := w.lost.Load()
	if x == nil {
		return d
	}
	d.Degraded = true
	if x.judged == nil || x.judged.Class < max(s.Class(), diff.Review) {
		return d
	}
	by := verdict.Decide(&verdict.State{
		Verdict: verdict.Of(x.judged.Class), CardDigest: x.judged.CardDigest, Findings: x.judged.Findings, ValidatedAt: now,
	}, now, p, skill)
	d.Delegate = d.Delegate && by.Delegate
	if classOf(by.Class) > classOf(d.Class) {
		d.Class = by.Class
	}
	have := slices.Clip(d.Findings)
	for i := range by.Findings {
		f := &by.Findings[i]
		if !slices.ContainsFunc(d.Findings, func(g diff.Finding) bool { return g.Fingerprint == f.Fingerprint && g.Rule == f.Rule }) {
			have = append(have, *f)
		}
	}
	d.Findings = have
	return d
}

func classOf(v verdict.Verdict) diff.Class { return (&verdict.State{Verdict: v}).Class() }
