package schedule

import (
	"slices"
	"time"
)

// What makes a local clock look wrong: most servers disagree by more than
// skewOver, of skewHosts or more that were heard lately.
const (
	skewOver  = 5 * time.Minute
	skewHosts = 3
	skewMost  = 16
)

// A Skew suspects the local clock: by the clocks of most hosts that answered
// last, of at least three, it is more than five minutes off. One server whose
// clock is wrong says nothing of ours. The zero value is ready; it is not safe for
// concurrent use.
type Skew struct {
	heard []clockOf // the last of skewMost hosts, the latest last
	by    time.Duration
}

type clockOf struct {
	host  string
	ahead time.Duration // of ours
}

// Observe takes what the clock of a host said when ours was at. It reports
// whether the suspicion began or ended.
func (s *Skew) Observe(host string, said, at time.Time) (changed bool) {
	s.heard = slices.DeleteFunc(s.heard, func(c clockOf) bool { return c.host == host })
	if len(s.heard) == skewMost {
		s.heard = slices.Delete(s.heard, 0, 1)
	}
	s.heard = append(s.heard, clockOf{host, said.Round(0).Sub(at.Round(0))})
	var off []time.Duration
	for _, c := range s.heard {
		if c.ahead.Abs() > skewOver {
			off = append(off, c.ahead)
		}
	}
	before := s.by
	s.by = 0
	if len(off) >= skewHosts && 2*len(off) > len(s.heard) {
		slices.Sort(off)
		s.by = off[len(off)/2]
	}
	return (before == 0) != (s.by == 0)
}

// Ahead is how far most servers' clocks are ahead of ours; 0 where ours is not
// suspected.
func (s *Skew) Ahead() time.Duration { return s.by }

// Forget begins anew: our clock was set.
func (s *Skew) Forget() { *s = Skew{} }
