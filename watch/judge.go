package watch

import (
	"context"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/evidence"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// judged is the observation of a lock whose agent showed a card; o says how the
// card came. A card that was judged before is not judged again, unless
// something else may have moved: an age, a waiver's end, what callers reported.
func (e *Engine) judged(w *watched, r *compile.Reading, rec *store.Agent, o verdict.Observation, now time.Time) verdict.Observation {
	s := w.state.Load()
	if said := w.said.Load(); said != nil && !w.timed && !s.Judge && said.CardDigest == r.Digest && said.Via == viaOf(rec) {
		o.Cause, o.Class, o.CardDigest, o.Via = said.Cause, said.Class, said.CardDigest, said.Via
		o.ProfileDigest, o.Findings, o.State, o.Detail = said.ProfileDigest, said.Findings, said.State, said.Detail
		return o
	}
	return e.judge(w, r, rec, o, now)
}

// judge holds the lock against the card, with what was seen over time.
func (e *Engine) judge(w *watched, r *compile.Reading, rec *store.Agent, o verdict.Observation, now time.Time) verdict.Observation {
	l, s := w.lock(), w.state.Load()
	digest := r.Profile.Digest(w.skills)
	base := diff.Comparison{
		Client: &e.cfg.Load().Config.Client, Policy: w.policy, At: now,
		Seen: diff.Seen{URL: rec.Final, Offsite: rec.Offsite, Unreliable: rec.Lied},
	}
	for _, answer := range s.Replicas() {
		base.Seen.Replicas = append(base.Seen.Replicas, answer.CardDigest)
	}
	for _, report := range s.Evidence(now, digest, w.agent.params) {
		base.Seen.Reports = append(base.Seen.Reports, claimOf(report))
	}
	result := diff.Judge(l, r, base)
	o.CardDigest, o.Via, o.ProfileDigest = r.Digest, viaOf(rec), digest
	if result.Decided {
		o.Cause, o.Class, o.Findings = verdict.Decided, result.Class, result.Findings
	} else {
		o.Cause, o.State, o.Detail = verdict.Failed, result.State, result.Detail
	}
	w.said.Store(new(o))
	return o
}

// viaOf is where redirects led, "" for nowhere.
func viaOf(rec *store.Agent) string {
	if rec.Final == rec.URL {
		return ""
	}
	return rec.Final
}

// claimOf is the place in the profile that a report speaks against.
func claimOf(r verdict.Report) diff.Report {
	c := diff.Report{Error: r.Error, Method: r.Method, Detail: r.Detail}
	switch r.Operation {
	case evidence.Streaming:
		c.Path, c.Value = "/streaming", true
	case evidence.Push:
		c.Path, c.Value = "/push", true
	case evidence.ExtendedCard:
		c.Path, c.Value = "/extended_card", true
	case evidence.Input:
		c.Path, c.Skill, c.Value = "/skills/"+escape(r.Skill)+"/input", r.Skill, r.Value
	case evidence.Interface:
		c.Path, c.Value = "/interface", r.Value
	}
	return c
}

// tick lets time alone move the locks of an agent, and compares again where
// something else than the card has moved.
func (e *Engine) tick(ctx context.Context, a *agent) {
	a.take()
	now := e.Wall()
	e.observe(ctx, a, change{}, func(w *watched) verdict.Observation {
		s := w.state.Load()
		if s.Judge {
			return e.again(w, verdict.Judged, now)
		}
		if at := verdict.NextTick(s, now, a.params); at.IsZero() || at.After(now) {
			return verdict.Observation{}
		}
		return verdict.Observation{Cause: verdict.Tick}
	})
	a.give()
	e.settle(a)
}

// again compares a lock with the card that is stored, or with the worst of those
// in dispute. Where none is stored there is nothing to say, and the next
// request will.
func (e *Engine) again(w *watched, by verdict.By, now time.Time) verdict.Observation {
	a := w.agent
	body, ok := a.shown.Load().read(e.Store)
	for _, want := range verdict.Wants(w.state.Load(), a.params) {
		if want.By == by && want.CardDigest != "" && want.CardDigest != a.rec.CardDigest {
			body, ok = e.bodyOfCard(a.id, want.CardDigest)
		}
	}
	o := verdict.Observation{By: by}
	if !ok {
		o.Cause = verdict.Tick
		return o
	}
	cfg := e.cfg.Load()
	r := compile.Read(body, &cfg.Config.Client, cfg.CardOptions())
	if r.Err != nil { // by limits that have changed
		o.Cause, o.State, o.Detail = verdict.Failed, r.Err.State, r.Err.Error()
		return o
	}
	return e.judge(w, r, &a.rec, o, now)
}

// bodyOfCard is the body of a card that the agent showed, as far as it is kept.
func (e *Engine) bodyOfCard(agent, digest string) (body []byte, ok bool) {
	_ = e.Store.View(func(tx *store.Tx) error {
		p := store.Page{Limit: 100}
		versions, _, err := tx.CardVersions(agent, p)
		if err != nil {
			return err
		}
		for _, v := range versions {
			if v.Digest == digest && v.Body != "" {
				body, ok, err = tx.Body(v.Body)
				return err
			}
		}
		return nil
	})
	return body, ok
}
