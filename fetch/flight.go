package fetch

import "context"

// A flightKey is what requests share one flight by.
type flightKey struct{ url, identity string }

// A flight is a request under way, and those who wait for it.
type flight struct {
	request *Request
	waiting int // under Client.mu; at 0 it ends
	cancel  context.CancelCauseFunc
	done    chan struct{}
	// Set before done is closed.
	answer *Answer
	err    error
}

// serves is whether the flight's answer is good for r, too: one that passed no
// cache is good for all, and not the other way round.
func (f *flight) serves(r *Request) bool {
	return f.waiting > 0 &&
		(f.request.Unconditional || !r.Unconditional) &&
		(f.request.Fresh || !r.Fresh) &&
		(f.request.Avoid == r.Avoid || !r.Avoid.IsValid())
}

// Refresh asks for the card at r.URL, conditionally where r.Memory and r.Body
// allow it. Calls that coincide for one URL and identity share one request,
// and what it says is in terms of the first one's Memory; one that asks for more
// than the request under way waits for it to end. A context ends the waiting of
// its caller alone, and the request when nobody waits any more.
//
// The error is an [*Error]; what is remembered stays as it was. One that leads
// to a [*gate.PausedError] says nothing about the agent.
func (c *Client) Refresh(ctx context.Context, r Request) (*Answer, error) {
	key := flightKey{r.URL, r.Identity}
	for {
		c.mu.Lock()
		f := c.flights[key]
		switch {
		case f == nil:
			f = c.launch(ctx, key, &r)
		case f.serves(&r):
			f.waiting++
		default:
			c.mu.Unlock()
			select {
			case <-f.done:
				continue
			case <-ctx.Done():
				return nil, &Error{URL: r.URL, State: Unreachable, Err: context.Cause(ctx)}
			}
		}
		c.mu.Unlock()
		return c.join(ctx, f)
	}
}

// join waits for f.
func (c *Client) join(ctx context.Context, f *flight) (*Answer, error) {
	select {
	case <-f.done:
		return f.answer, f.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	f.waiting--
	last := f.waiting == 0
	c.mu.Unlock()
	if last {
		f.cancel(context.Cause(ctx))
		<-f.done // it ends at once, and nothing of it is left when we return
	}
	return nil, &Error{URL: f.request.URL, State: Unreachable, Err: context.Cause(ctx)}
}

// launch begins a flight; c.mu is held.
func (c *Client) launch(ctx context.Context, key flightKey, r *Request) *flight {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &flight{request: r, waiting: 1, cancel: cancel, done: make(chan struct{})}
	if c.flights == nil {
		c.flights = map[flightKey]*flight{}
	}
	c.flights[key] = f
	go func() {
		defer cancel(nil)
		f.answer, f.err = c.refresh(ctx, cancel, r)
		c.mu.Lock()
		delete(c.flights, key)
		c.mu.Unlock()
		close(f.done)
	}()
	return f
}
