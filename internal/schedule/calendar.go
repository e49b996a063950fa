package schedule

import (
	"math/bits"
	"time"
)

const day = 86400

// A calendar is the five fields of a spec, each a set of bits as robfig/cron
// makes it: the highest one says that the field, of days or months, was a
// wildcard.
type calendar struct {
	minute, hour, dom, month, dow uint64
	// real says that spacing in real time counts where the clocks are moved.
	real bool
}

const wildcard = 1 << 63

// Local times are kept as the Unix seconds that they would be in UTC ("wall"),
// so that they can be computed with before it is known whether they exist.

// first is the first matching wall time in [from, to).
func (c *calendar) first(from, to int64) (int64, bool) {
	from = -floorDiv(-from, 60) * 60
	at := floorDiv(from, day) * day
	minute := int(from-at) / 60
	for at < to {
		y, m, d := time.Unix(at, 0).UTC().Date()
		if c.month&(1<<uint(m)) == 0 {
			at, minute = time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC).Unix(), 0
			continue
		}
		if c.onDay(at, d) {
			if n, ok := c.minuteFrom(minute); ok {
				wall := at + int64(n)*60
				return wall, wall < to
			}
		}
		at, minute = at+day, 0
	}
	return 0, false
}

// last is the last matching wall time in [from, to).
func (c *calendar) last(from, to int64) (int64, bool) {
	at := floorDiv(to-1, day) * day
	minute := int(to-1-at) / 60
	for at > from-day {
		y, m, d := time.Unix(at, 0).UTC().Date()
		if c.month&(1<<uint(m)) == 0 {
			at, minute = time.Date(y, m, 1, 0, 0, 0, 0, time.UTC).Unix()-day, day/60-1
			continue
		}
		if c.onDay(at, d) {
			if n, ok := c.minuteUntil(minute); ok {
				wall := at + int64(n)*60
				return wall, wall >= from
			}
		}
		at, minute = at-day, day/60-1
	}
	return 0, false
}

// count is how many wall times in [from, to) match.
func (c *calendar) count(from, to int64) int {
	n := 0
	for at := floorDiv(from, day) * day; at < to && from < to; at += day {
		_, m, d := time.Unix(at, 0).UTC().Date()
		if c.month&(1<<uint(m)) != 0 && c.onDay(at, d) {
			n += c.before(min(day, to-at)) - c.before(max(0, from-at))
		}
	}
	return n
}

// onDay reports whether the day that begins at the wall time at, the d-th of its
// month, matches. As cron has it, a day needs to match one of the two fields
// when neither is a wildcard.
func (c *calendar) onDay(at int64, d int) bool {
	days := floorDiv(at, day) + 4 // 1970 began on a Thursday
	weekday := uint(days - floorDiv(days, 7)*7)
	dom, dow := c.dom&(1<<uint(d)) != 0, c.dow&(1<<weekday) != 0
	if (c.dom|c.dow)&wildcard != 0 {
		return dom && dow
	}
	return dom || dow
}

// minuteFrom is the first matching minute of a day from n on.
func (c *calendar) minuteFrom(n int) (int, bool) {
	hour, minute := n/60, n%60
	if c.hour&(1<<hour) != 0 {
		if left := c.minute >> minute << minute; left != 0 {
			return hour*60 + bits.TrailingZeros64(left), true
		}
	}
	left := c.hour >> (hour + 1) << (hour + 1)
	return bits.TrailingZeros64(left)*60 + bits.TrailingZeros64(c.minute), left != 0
}

// minuteUntil is the last matching minute of a day up to n.
func (c *calendar) minuteUntil(n int) (int, bool) {
	hour, minute := n/60, n%60
	if c.hour&(1<<hour) != 0 {
		if left := c.minute & (2<<minute - 1); left != 0 {
			return hour*60 + bits.Len64(left) - 1, true
		}
	}
	left := c.hour & (1<<hour - 1)
	return (bits.Len64(left)-1)*60 + bits.Len64(c.minute) - 1, left != 0
}

// before is how many slots a matching day has before its second n.
func (c *calendar) before(n int64) int {
	minutes := (n + 59) / 60 // a slot is at the start of its minute
	hour, minute := minutes/60, minutes%60
	sum := bits.OnesCount64(c.hour&(1<<hour-1)) * bits.OnesCount64(c.minute)
	if c.hour&(1<<hour) != 0 {
		sum += bits.OnesCount64(c.minute & (1<<minute - 1))
	}
	return sum
}

// firstIn is the first slot of p from at on and before the given end.
func (c *calendar) firstIn(p period, at, end int64) (int64, bool) {
	best, ok := c.first(p.fresh(c, at), min(p.end, end)+p.offset)
	best -= p.offset
	if p.before >= p.offset {
		return best, ok
	}
	if slot, found := c.firstOfGap(p, at); found && (!ok || slot < best) {
		return slot, true
	}
	return best, ok
}

// firstOfGap is the first slot of p from at on that takes the place of one in
// the gap before p.
func (c *calendar) firstOfGap(p period, at int64) (int64, bool) {
	if c.real {
		wall, ok := c.first(at+p.before, p.start+p.offset)
		return wall - p.before, ok
	}
	_, ok := c.first(p.start+p.before, p.start+p.offset)
	return p.start, ok && at <= p.start
}

// lastIn is the last slot of p from the given begin up to at.
func (c *calendar) lastIn(p period, begin, at int64) (int64, bool) {
	best, ok := c.last(p.fresh(c, max(begin, p.start)), at+1+p.offset)
	best -= p.offset
	if p.before >= p.offset {
		return best, ok
	}
	if slot, found := c.lastOfGap(p, at); found && (!ok || slot > best) {
		return slot, true
	}
	return best, ok
}

func (c *calendar) lastOfGap(p period, at int64) (int64, bool) {
	if c.real {
		wall, ok := c.last(p.start+p.before, min(at+1+p.before, p.start+p.offset))
		return wall - p.before, ok
	}
	_, ok := c.first(p.start+p.before, p.start+p.offset)
	return p.start, ok
}

// countIn is how many slots of p are in [from, to), which is in p.
func (c *calendar) countIn(p period, from, to int64) int {
	n := c.count(p.fresh(c, from), to+p.offset)
	if p.before >= p.offset {
		return n
	}
	for at := from; at < to; {
		slot, ok := c.firstOfGap(p, at)
		if !ok || slot >= to {
			break
		}
		wall := slot + p.offset
		if _, there := c.first(wall, wall+1); !there {
			n++
		}
		at = slot + 1
	}
	return n
}

// fresh is the wall time at the instant at of p, or where the local time is
// told a second time, and once is enough, that at which it is new again.
func (p period) fresh(c *calendar, at int64) int64 {
	if c.real || p.before <= p.offset {
		return at + p.offset
	}
	return max(at+p.offset, p.start+p.before)
}
