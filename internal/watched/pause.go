package watched

import (
	"net/http"
	"time"

	"github.com/a2alock/a2alock/fetch"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/store"
)

// maxPause is how long a server may ask to be left alone: more is a clock's
// mistake.
const maxPause = 24 * time.Hour

// PauseOf is what the server asked for with a fault: a 429 is about its host, a
// 503 about the URL. nil: nothing.
func PauseOf(fault *fetch.Error, now time.Time) *store.Pause {
	if fault.RetryAfter == 0 || fault.Code == 0 {
		return nil
	}
	return &store.Pause{
		URL: fault.Final, Host: fault.Code == http.StatusTooManyRequests, Until: now.Add(fault.RetryAfter).Round(0).UTC(),
	}
}

// Keep keeps requests away from whom agents, as the store has them, say that
// they are to be.
func Keep(gates *gate.Gates, agents map[string]store.Agent, now time.Time) {
	mono := time.Now()
	for _, rec := range agents {
		p := rec.Pause
		if p == nil || !p.Until.After(now) {
			continue
		}
		until := mono.Add(min(p.Until.Sub(now), maxPause))
		if p.Host {
			gates.PauseHost(p.URL, until)
		} else {
			gates.PauseURL(p.URL, until)
		}
	}
}
