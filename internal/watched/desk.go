package watched

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/a2alock/a2alock/compile"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/extended"
	"github.com/a2alock/a2alock/internal/metrics"
	"github.com/a2alock/a2alock/internal/plans"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/schedule"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// A Desk is where agents are judged and what comes of it is written. Its fields
// are set before its first use.
type Desk struct {
	Store *store.Store
	Log   *slog.Logger
	Told  func() // messages were left in the store
	// Metrics counts the writes that fail.
	Metrics *metrics.Set
	Wall    func() time.Time
	// Config is the configuration that holds.
	Config func() *Config
	// Mu is for what many goroutines see of agents. Nothing waits for the disk or
	// the network under it.
	Mu   sync.RWMutex
	skew schedule.Skew // under Mu

	// Unwritten is that the store cannot be written.
	Unwritten Failing
}

// A Config is a configuration to judge and tell by.
type Config struct {
	*setup.Setup
	Router  *route.Router
	Judging string // a digest of all that locks are judged by, beside their texts
}

// NewConfig is s for rules of a version.
func NewConfig(s *setup.Setup, version string) *Config {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%+v\n%+v\n%+v", version, s.Config.Client, s.CardOptions(), s.Policy)
	for _, r := range diff.Rules() {
		fmt.Fprintf(h, "\n%s", r.ID)
	}
	return &Config{Setup: s, Router: route.New(new(s.Config.Notify.OrLog())), Judging: hex.EncodeToString(h.Sum(nil))}
}

// isTimed is whether time alone can change a comparison of w.
func (c *Config) isTimed(w *Lock) bool {
	return w.Timed || c.Policy.MaxLockAge > 0 || c.Policy.MaxEvidenceAge > 0
}

// A face is a card as its agent showed it.
type face struct {
	*compile.Reading
	// See [diff.Seen].
	extended bool
	lost     string
	same     bool
	why      string // as it is kept
}

// same stands in the place of why a card is the public one where the extended card
// is that.
const same = "="

// read reads a card that was shown to identity; lost says why it is the public one.
func (c *Config) read(body []byte, identity, lost string) face {
	f := face{Reading: compile.Read(body, &c.Setup.Config.Client, c.CardOptions()), lost: lost, why: lost}
	if lost == same {
		f.lost, f.same = "", true
	}
	f.extended = identity != "" && f.lost == ""
	if f.extended {
		f.Reading = extended.Mark(f.Reading)
	}
	return f
}

// Plan is how the skill is called on the card that the lock's verdict rests on,
// with that verdict: now is what holds, and to it decide gives what callers
// found not to work. It waits for no turn.
func (d *Desk) Plan(w *Lock, skill string, decide func(now *verdict.State) (out []string)) plans.Plan {
	h := w.held.Load()
	out := decide(&h.State)
	if skill == "" {
		return plans.Plan{}
	}
	return h.plans.Get(skill, out, func() plans.Plan {
		p := d.Profile(w, &h.State, out)
		l, err := d.Parse(w)
		switch {
		case err != nil:
			return plans.Plan{}
		case p == nil:
			return plans.Unseen(l, skill)
		}
		return plans.Make(p, &d.Config().Setup.Config.Client, l, skill)
	})
}

// Profile is what is planned from while s holds and out is out; nil where no card
// is known.
func (d *Desk) Profile(w *Lock, s *verdict.State, out []string) *compile.Profile {
	c := d.Config()
	body, lost, ok := d.holding(w, s)
	if !ok {
		return nil
	}
	r := c.read(body, w.Agent.Key.Identity, lost)
	if r.Err != nil {
		return nil
	}
	return r.Profile.Without(plans.Refuted(s.Reports, out), &c.Setup.Config.Client)
}

// holding is the body of the card that the verdict rests on, and why it is the
// public one: another may have come that does not hold yet.
func (d *Desk) holding(w *Lock, s *verdict.State) (body []byte, lost string, ok bool) {
	shown := w.Agent.shown.Load()
	if s.CardDigest != "" && s.CardDigest != shown.card {
		if body, lost, ok := d.bodyOfCard(w.Agent.ID, s.CardDigest); ok {
			return body, lost, true
		}
	}
	body, ok = shown.read(d.Store)
	return body, shown.lost, ok
}

// bodyOfCard is the body of a card that the agent showed, as far as it is kept,
// and why it was the public one.
func (d *Desk) bodyOfCard(agent, digest string) (body []byte, lost string, ok bool) {
	_ = d.Store.View(func(tx *store.Tx) error {
		versions, _, err := tx.CardVersions(agent, store.Page{Limit: 100})
		if err != nil {
			return err
		}
		for _, v := range versions {
			if v.Digest == digest && v.Body != "" {
				if body, ok, err = tx.Body(v.Body); ok || err != nil {
					lost = v.Lost
					return err
				}
			}
		}
		return nil
	})
	return body, lost, ok
}
