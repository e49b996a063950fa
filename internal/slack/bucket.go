package slack

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// A Bucket lets one message a second through to one channel; nil lets through
// all. It is safe for concurrent use.
type Bucket struct{ limiter *rate.Limiter }

// NewBucket is a bucket for what [Client.Bucket] names.
func NewBucket() *Bucket { return &Bucket{rate.NewLimiter(rate.Every(time.Second), 1)} }

// Wait returns when the next message may go out; the error is that of a ctx that
// has ended, or would before.
func (b *Bucket) Wait(ctx context.Context) error {
	if b == nil {
		return ctx.Err()
	}
	return b.limiter.Wait(ctx)
}
