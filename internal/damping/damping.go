// Package damping is the arithmetic of route-flap damping: a penalty that each
// change adds to and that time halves.
package damping

import (
	"math"
	"time"
)

// Params are the constants of damping. Without a Suppress there is none.
type Params struct {
	Suppress, Reuse float64       // begins at, ends at
	HalfLife, Max   time.Duration // Max ends a suppression at the latest
}

// A Penalty is what is left of the changes of the past. The zero value is none.
type Penalty struct {
	Points float64   `json:"points"` // at At
	At     time.Time `json:"at"`
}

// Left is what is left at a moment; before At nothing has gone.
func (x Penalty) Left(now time.Time, p *Params) float64 {
	if p.HalfLife <= 0 {
		return 0
	}
	return x.Points * math.Exp2(-float64(max(0, now.Sub(x.At)))/float64(p.HalfLife))
}

// Add is the penalty with points more. It does not grow beyond what Max lets
// decay.
func (x Penalty) Add(points float64, now time.Time, p *Params) Penalty {
	most := p.Reuse * math.Exp2(float64(p.Max)/float64(max(1, p.HalfLife)))
	return Penalty{Points: min(x.Left(now, p)+points, max(most, p.Suppress)), At: now}
}

// Ends is when a suppression that began at since is over: the penalty is down
// to Reuse, or Max has passed. Seconds are rounded up, so that at that moment it
// is over indeed.
func (x Penalty) Ends(since time.Time, p *Params) time.Time {
	end := x.At
	if ratio := x.Points / p.Reuse; p.Reuse > 0 && ratio > 1 {
		end = x.At.Add(time.Duration(math.Log2(ratio) * float64(p.HalfLife)))
	}
	if most := since.Add(p.Max); most.Before(end) {
		end = most
	}
	return end.Truncate(time.Second).Add(time.Second)
}

// Last is list, of the last two digests that differed, with next; "" is none.
func Last(list []string, next string) []string {
	if next == "" || len(list) > 0 && list[len(list)-1] == next {
		return list
	}
	return append(append([]string(nil), list[max(0, len(list)-1):]...), next)
}
