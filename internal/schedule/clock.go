package schedule

import "time"

// jumpOver is how far wall and monotonic clock may part between two ticks.
const jumpOver = 2 * time.Second

// A Clock notices that the wall clock was set, or that the machine slept. The
// zero value is ready; it is not safe for concurrent use.
type Clock struct {
	wall time.Time
	mono time.Duration
	on   bool
}

// Tick takes both clocks, mono counting from any fixed moment, and gives how far
// the wall clock moved beyond the monotonic one since the last tick: forward is
// positive. It is 0 up to two seconds either way, and at the first tick.
func (c *Clock) Tick(wall time.Time, mono time.Duration) time.Duration {
	wall = wall.Round(0) // else Sub compares monotonic readings
	jump := wall.Sub(c.wall) - (mono - c.mono)
	if !c.on || jump.Abs() <= jumpOver {
		jump = 0
	}
	c.wall, c.mono, c.on = wall, mono, true
	return jump
}
