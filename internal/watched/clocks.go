package watched

import (
	"context"
	"time"
)

// CompareClocks takes in what time it was for a host; the log tells when ours
// comes to look wrong, and when it looks right again. Zero says nothing.
func (d *Desk) CompareClocks(ctx context.Context, host string, said time.Time) {
	if said.IsZero() {
		return
	}
	d.Mu.Lock()
	changed, ahead := d.skew.Observe(host, said, d.Wall()), d.skew.Ahead()
	d.Mu.Unlock()
	d.Metrics.ClockSkew.Set(ahead.Seconds())
	switch {
	case !changed:
	case ahead != 0:
		d.Log.WarnContext(ctx, "the local clock looks wrong: most servers have another time", "ahead", ahead.Round(time.Second))
	default:
		d.Log.InfoContext(ctx, "the local clock looks right again")
	}
}

// ForgetClocks begins anew after our clock was set.
func (d *Desk) ForgetClocks() {
	d.Mu.Lock()
	d.skew.Forget()
	d.Mu.Unlock()
	d.Metrics.ClockSkew.Set(0)
}
