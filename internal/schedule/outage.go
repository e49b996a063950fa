package schedule

import (
	"slices"
	"time"
)

// What makes a local outage: half of the attempts fail within outageWindow, and
// since the last success at so many hosts.
const (
	outageWindow  = 2 * time.Minute
	outageHosts   = 5
	outageBuckets = 24
	outageBucket  = outageWindow / outageBuckets
	// outageRest is the least time between two that are told of.
	outageRest = time.Hour
)

// An Outage suspects the daemon's own network: at least half of the attempts of
// two minutes failed, and since the last success attempts failed at five hosts
// or more. (A success ends a suspicion, so failures with successes among them
// never are one.) The zero value is ready. It takes the same memory at any
// rate, and is not safe for concurrent use.
type Outage struct {
	buckets [outageBuckets]struct {
		number     int64 // of the bucket's time since the epoch
		ok, failed int
	}
	failing   []failure // hosts that failed since the last success, outageHosts at most
	suspected bool
	told      time.Time // when [Outage.Tells] did last
	sound     bool      // most attempts succeeded since
}

type failure struct {
	host string
	at   time.Time
}

// Observe takes the outcome of one attempt at a host: ok is whether an answer
// came, whatever it said. It reports whether the suspicion began or ended.
func (o *Outage) Observe(host string, ok bool, at time.Time) (changed bool) {
	number := bucketOf(at)
	b := &o.buckets[(number%outageBuckets+outageBuckets)%outageBuckets]
	if b.number != number {
		b.number, b.ok, b.failed = number, 0, 0
	}
	before := o.suspected
	if ok {
		b.ok++
		o.failing, o.suspected = o.failing[:0], false
		return before
	}
	b.failed++
	o.fail(host, at)
	o.suspected = o.suspected || o.spread(at) && o.half(number)
	return o.suspected != before
}

// Resume goes on with a suspicion from before a restart, that was told of: until
// an attempt succeeds, those that fail say nothing.
func (o *Outage) Resume(at time.Time) { o.suspected, o.told, o.sound = true, at, false }

// Suspected reports whether the local network is suspected. It stays until an
// attempt succeeds, however long none is made.
func (o *Outage) Suspected() bool { return o.suspected }

// Tells reports whether a suspicion that lasts at is to be told of now: each
// outage once, and one in an hour. Successes amid more failures end a suspicion,
// but not the outage.
func (o *Outage) Tells(at time.Time) bool {
	if !o.suspected || !o.told.IsZero() && (!o.sound || at.Sub(o.told).Abs() < outageRest) {
		return false
	}
	o.told, o.sound = at, false
	return true
}

// Ends reports, once after each outage that was told of and once from the start,
// that most attempts of two minutes succeed.
func (o *Outage) Ends(at time.Time) bool {
	if o.sound || o.suspected || o.half(bucketOf(at)) {
		return false
	}
	o.sound = true
	return true
}

// fail keeps the hosts that failed last.
func (o *Outage) fail(host string, at time.Time) {
	i := slices.IndexFunc(o.failing, func(f failure) bool { return f.host == host })
	if i < 0 && len(o.failing) == outageHosts {
		i = 0 // the oldest
	}
	if i >= 0 {
		o.failing = slices.Delete(o.failing, i, i+1)
	}
	o.failing = append(o.failing, failure{host, at})
}

// spread reports whether enough hosts failed lately.
func (o *Outage) spread(at time.Time) bool {
	return len(o.failing) == outageHosts && at.Sub(o.failing[0].at) <= outageWindow
}

func (o *Outage) half(number int64) bool {
	ok, failed := 0, 0
	for _, b := range o.buckets {
		if age := number - b.number; 0 <= age && age < outageBuckets {
			ok, failed = ok+b.ok, failed+b.failed
		}
	}
	return failed >= ok
}

// bucketOf is the number of the bucket that at falls into.
func bucketOf(at time.Time) int64 { return floorDiv(at.UnixNano(), int64(outageBucket)) }
