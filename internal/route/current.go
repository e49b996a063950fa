package route

import (
	"sync/atomic"
	"time"

	"github.com/a2alock/a2alock/store"
)

// Current is the router that holds. Another may be stored at any time; the first
// is, before it is asked.
type Current struct{ atomic.Pointer[Router] }

// Fallback is that of the router, [Router.Fallback].
func (c *Current) Fallback() string { return c.Load().Fallback() }

// Daemon is that of the router, [Router.Daemon].
func (c *Current) Daemon(kind, text string, now time.Time) []store.Row {
	return c.Load().Daemon(kind, text, now)
}
