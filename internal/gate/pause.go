package gate

import "time"

// A PausedError is that of a request which was not sent, since its host or URL
// asked us to stay away.
type PausedError struct {
	URL   string // unredacted
	Until time.Time
}

// Error says until when.
func (e *PausedError) Error() string {
	return "not sent: the server asked to be left alone until " + e.Until.UTC().Format(time.RFC3339)
}

// A pause is a time in which nothing is sent.
type pause struct{ since, until time.Time }

// pauses are by key.
type pauses struct {
	at    map[string]pause
	sweep int // at this size those that are over are thrown away
}

func (p *pauses) set(key string, until, now time.Time) {
	if p.at == nil {
		p.at = map[string]pause{}
	}
	if len(p.at) >= max(p.sweep, 64) {
		for k, t := range p.at {
			if !t.until.After(now) {
				delete(p.at, k)
			}
		}
		p.sweep = 2 * len(p.at) // so that sweeping costs little however many there are
	}
	if until.After(p.at[key].until) {
		p.at[key] = pause{now, until}
	}
}

func (p *pauses) count(now time.Time) int {
	n := 0
	for _, t := range p.at {
		if t.until.After(now) {
			n++
		}
	}
	return n
}
