package watched

import (
	"sync"
	"time"

	"github.com/a2alock/a2alock/card"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/plans"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A Sight is what an agent answered, read where somebody has to look at it.
type Sight struct {
	Digest string // of the card; "" where Err says why there is none
	Err    *card.DocumentError
	Same   bool // it is the card of before
	Stored bool // and in its very bytes
	// version is the card's own, of another card than before, once s is closed.
	version string
	config  *Config
	read    func() face
}

// See looks at an answer. With the turn.
func (a *Agent) See(d *Desk, answer *fetch.Answer) *Sight {
	c, lost := d.Config(), lostOf(answer)
	read := func() face { return c.read(answer.Body, a.Key.Identity, lost) }
	switch {
	case answer.NotModified && answer.Body == nil:
		read = func() face { return a.readHeld(d, c) }
	case answer.NotModified:
		a.whole = a.rec.Body != "" // the request has read it
	}
	s := &Sight{Digest: a.rec.CardDigest, Stored: answer.NotModified || answer.Same, config: c, read: sync.OnceValue(read)}
	if !s.Stored || s.Digest == "" {
		r := s.read()
		s.Digest, s.Err = r.Digest, r.Err
	}
	s.Same = s.Digest == a.rec.CardDigest
	return s
}

// Outcome names what s came to, for the metrics.
func (s *Sight) Outcome(answer *fetch.Answer) string {
	switch {
	case answer.NotModified:
		return "not_modified"
	case s.Same:
		return "unchanged"
	}
	return "changed"
}

// readHeld reads the card that is stored. One that is lost since it was seen is
// no card, and the next request asks for it. With the turn.
func (a *Agent) readHeld(d *Desk, c *Config) face {
	body, ok := a.shown.Load().read(d.Store)
	if !ok {
		a.whole = false
	}
	return c.read(body, a.Key.Identity, a.rec.Lost)
}

// lostOf is why the body is that of the public card, although the extended one was
// asked for; "": it is not.
func lostOf(answer *fetch.Answer) string {
	switch e := answer.Extended; {
	case e == nil:
		return ""
	case e.Lost == "" && e.Same:
		return same
	default:
		return e.Lost
	}
}

// close lets go of what was read, when every lock was judged: writing may have
// to wait, and thousands wait at once.
func (s *Sight) close() {
	if !s.Same && s.Err == nil {
		s.version = s.read().Profile.AgentVersion
	}
	s.read = nil
}

// Remember is what is kept of an agent after it showed a card, audited where it
// was asked past every cache. With the turn.
func (a *Agent) Remember(s *Sight, answer *fetch.Answer, audited bool, now time.Time) *store.Agent {
	rec := a.rec
	rec.Memory, rec.CardDigest = answer.Memory, s.Digest
	rec.Final, rec.Offsite, rec.Addr, rec.Caches = answer.Final, answer.Offsite, answer.Addr, answer.Caches
	rec.Pause, rec.Lost = nil, lostOf(answer)
	switch {
	case answer.Unreliable && s.Same:
		rec.Memory.Unreliable = a.rec.Memory.Unreliable // two spellings of one card
	case answer.Unreliable:
		rec.Lied = answer.Detail
	case !s.Same && len(answer.Memory.Entries) > 0 && answer.Memory.Entries[0].ETag != "":
		rec.Memory.Unreliable, rec.Lied = 0, "" // another card came with another tag: mended
	}
	if rec.Refreshes++; audited {
		rec.Refreshes, rec.AuditedAt = 0, now.Round(0).UTC()
	}
	if !a.isSlow() {
		rec.Refreshes = 0
	}
	return &rec
}

// Judged is the observation of a lock whose agent showed a card; o says how the
// card came. A card that was judged before is not judged again, unless
// something else may have moved: an age, a waiver's end, what callers reported.
func (d *Desk) Judged(w *Lock, c *Sight, rec *store.Agent, o verdict.Observation, now time.Time) verdict.Observation {
	if s := w.said; s != nil && s.judging == c.config.Judging && s.lied == rec.Lied && s.lost == rec.Lost && s.CardDigest == c.Digest && s.Via == viaOf(rec) &&
		!c.config.isTimed(w) && !w.State().Judge {
		o.Cause, o.Class, o.CardDigest, o.Via = s.Cause, s.Class, s.CardDigest, s.Via
		o.ProfileDigest, o.Findings, o.State, o.Detail = s.ProfileDigest, s.Findings, s.State, s.Detail
		return o
	}
	o, w.said = d.judge(c.config, w, c.read(), rec, o, now)
	return o
}

// judge holds the lock against the card, with what was seen over time.
func (d *Desk) judge(c *Config, w *Lock, r face, rec *store.Agent, o verdict.Observation, now time.Time) (verdict.Observation, *said) {
	failed := func(state card.State, detail string) (verdict.Observation, *said) {
		o.Cause, o.State, o.Detail = verdict.Failed, state, detail
		return o, nil
	}
	if r.Err != nil { // by limits that have changed
		return failed(r.Err.State, r.Err.Error())
	}
	l, err := d.Parse(w)
	if err != nil {
		return failed(card.Invalid, err.Error())
	}
	policy, err := c.PolicyOf(l)
	if err != nil {
		return failed(card.Invalid, err.Error())
	}
	s, digest := w.State(), r.Profile.Digest(w.Skills)
	base := diff.Comparison{
		Client: &c.Setup.Config.Client, Policy: policy, At: now,
		Seen: diff.Seen{URL: rec.Final, Offsite: rec.Offsite, Unreliable: rec.Lied, Extended: r.extended, Lost: r.lost, Same: r.same},
	}
	for _, answer := range s.Replicas() {
		base.Seen.Replicas = append(base.Seen.Replicas, answer.CardDigest)
	}
	for _, report := range s.Evidence(now, digest, w.Agent.Params.Load()) {
		base.Seen.Reports = append(base.Seen.Reports, plans.Claim(report))
	}
	result := diff.Judge(l, r.Reading, base)
	o.CardDigest, o.Via, o.ProfileDigest = r.Digest, viaOf(rec), digest
	if result.Decided {
		o.Cause, o.Class, o.Findings = verdict.Decided, result.Class, result.Findings
	} else {
		o, _ = failed(result.State, result.Detail)
	}
	return o, &said{judgment: judgmentOf(&o), judging: c.Judging, lied: rec.Lied, lost: r.why}
}

// viaOf is where redirects led, "" for nowhere. A way out of the origin is
// another, even to the same place.
func viaOf(rec *store.Agent) string {
	switch {
	case rec.Offsite:
		return "offsite " + rec.Final
	case rec.Final == rec.URL:
		return ""
	}
	return rec.Final
}

// Tick is the observation that time alone makes of a lock, or that something
// else than its card has moved; without a Cause: none. With the turn.
func (d *Desk) Tick(w *Lock, now time.Time) verdict.Observation {
	s := w.State()
	if s.Judge && !w.mute.Load() {
		o := d.again(w, verdict.Judged, now)
		if o.Cause == verdict.Decided {
			return o
		}
		w.mute.Store(true) // or it would be tried without end
	}
	if at := verdict.NextTick(s, now, w.Agent.Params.Load()); at.IsZero() || at.After(now) {
		return verdict.Observation{}
	}
	return verdict.Observation{Cause: verdict.Tick}
}

// IsDue is whether w is judged by something else than before, and was not looked
// at since. With the turn.
func (w *Lock) IsDue(c *Config) bool {
	basis := w.basis(c.Judging)
	return w.judged != basis && w.tried != basis
}

// Rejudge is the observation of w held against the card that is stored, where it
// is due. With the turn.
func (d *Desk) Rejudge(w *Lock, now time.Time) verdict.Observation {
	c := d.Config()
	if !w.IsDue(c) {
		return verdict.Observation{}
	}
	w.tried = w.basis(c.Judging)
	return d.again(w, verdict.Local, now)
}

// again compares a lock with the card that is stored, or with the worst of those
// in dispute. Where none is stored there is nothing to say.
func (d *Desk) again(w *Lock, by verdict.By, now time.Time) (o verdict.Observation) {
	a, c := w.Agent, d.Config()
	body, ok := a.shown.Load().read(d.Store)
	lost := a.rec.Lost
	for _, want := range verdict.Wants(w.State(), a.Params.Load()) {
		if want.By == by && want.CardDigest != "" && want.CardDigest != a.rec.CardDigest {
			body, lost, ok = d.bodyOfCard(a.ID, want.CardDigest)
		}
	}
	if !ok {
		return o
	}
	o, w.said = d.judge(c, w, c.read(body, a.Key.Identity, lost), &a.rec, verdict.Observation{By: by}, now)
	if by != verdict.Local || !w.State().Dispute.IsOn() {
		return o
	}
	for _, x := range w.State().Dispute.Answers {
		body, lost, ok := d.bodyOfCard(a.ID, x.CardDigest)
		if !ok {
			continue
		}
		if x.CardDigest == a.rec.CardDigest {
			lost = a.rec.Lost
		}
		if y, _ := d.judge(c, w, c.read(body, a.Key.Identity, lost), &a.rec, verdict.Observation{}, now); y.Cause == verdict.Decided {
			x.Class, x.ProfileDigest, x.Findings = y.Class, y.ProfileDigest, y.Findings
			o.Answers = append(o.Answers, x)
		}
	}
	return o
}
