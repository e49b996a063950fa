package fetch

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"sync"

	"github.com/a2alock/a2alock/netguard"
)

// defaultLimit is how many GETs [Client.All] runs at once.
const defaultLimit = 32

// perHost is how many of limit GETs may be for one host.
func perHost(limit int) int { return (limit + 1) / 2 }

// Outcome is what one GET came to: a response, or an error.
type Outcome struct {
	Response *Response
	Err      error // an [*Error]
}

// All gets each distinct ask once, at most limit (0: 32) at a time
// and half as many per host, and returns when all have ended. The map has every
// ask; a context that ends early is the error of those not yet done.
func (c *Client) All(ctx context.Context, asks []Ask, limit int) map[Ask]Outcome {
	out := make(map[Ask]Outcome, len(asks))
	distinct := slices.Compact(slices.SortedFunc(slices.Values(asks), func(a, b Ask) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Identity, b.Identity))
	}))
	if c.Progress != nil {
		c.Progress(0, len(distinct))
	}
	hosts := map[string]chan struct{}{}
	limit = cmp.Or(max(limit, 0), defaultLimit)
	slots := make(chan struct{}, limit)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, ask := range distinct {
		host := hostOf(ask.URL)
		if hosts[host] == nil {
			hosts[host] = make(chan struct{}, perHost(limit))
		}
		// The host's slot comes first, so that a slow host with many agents
		// does not sit on all of the others.
		way := []chan struct{}{hosts[host], slots}
		wg.Go(func() {
			o := c.one(ctx, ask, way)
			mu.Lock()
			defer mu.Unlock()
			out[ask] = o
			if c.Progress != nil {
				c.Progress(len(out), len(distinct))
			}
		})
	}
	wg.Wait()
	return out
}

// one gets ask once it holds a slot of every kind.
func (c *Client) one(ctx context.Context, ask Ask, slots []chan struct{}) Outcome {
	for _, slot := range slots {
		select {
		case slot <- struct{}{}:
			defer func() { <-slot }()
		case <-ctx.Done():
			return Outcome{Err: &Error{URL: ask.URL, State: Unreachable, Err: context.Cause(ctx)}}
		}
	}
	r, err := c.Get(ctx, ask)
	return Outcome{Response: r, Err: err}
}

// hostOf is what counts as one host: an origin, so that agents at several
// ports of one machine do not wait for each other.
func hostOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return netguard.Origin(u)
}
