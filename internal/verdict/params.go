package verdict

import (
	"time"

	"github.com/a2alock/a2alock/internal/damping"
	"github.com/a2alock/a2alock/internal/replicas"
)

// Params are the durations and thresholds that a lock is judged by. Steps of
// one lock may have different ones: they hold from then on.
type Params struct {
	FailureThreshold   int           // failed fetches in a row
	FailureMinTime     time.Duration // over which they are spread
	ConfirmAfter       time.Duration
	RecoverThreshold   int           // better answers in a row
	MinStable          time.Duration // over which they are spread
	StaleHold          time.Duration
	RolloutGrace       time.Duration
	MaxStaleness       time.Duration // 0: a verdict never expires
	RuntimeEvidenceTTL time.Duration
	// Interval is the expected time between two refreshes of the agent; 0: not
	// known, and no verdict ages.
	Interval time.Duration

	Review    string // "allow" (also ""), or "deny-named"
	OnUnknown string // "allow" (also ""), or "deny"

	Damping damping.Params
}

func (p *Params) patience() replicas.Patience {
	return replicas.Patience{Times: p.FailureThreshold, Over: p.FailureMinTime, Apart: p.ConfirmAfter}
}

// DefaultParams are the defaults of the configuration, for an agent that is
// refreshed once a day.
func DefaultParams() *Params {
	return &Params{
		FailureThreshold:   3,
		FailureMinTime:     5 * time.Minute,
		ConfirmAfter:       30 * time.Second,
		RecoverThreshold:   2,
		MinStable:          10 * time.Minute,
		StaleHold:          10 * time.Minute,
		RolloutGrace:       30 * time.Minute,
		MaxStaleness:       48 * time.Hour,
		RuntimeEvidenceTTL: 24 * time.Hour,
		Interval:           24 * time.Hour,
		Review:             "allow",
		OnUnknown:          "allow",
		Damping:            damping.Params{Suppress: 3000, Reuse: 1000, HalfLife: time.Hour, Max: 6 * time.Hour},
	}
}
