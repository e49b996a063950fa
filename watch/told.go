package watch

import (
	"context"
	"sync/atomic"

	"github.com/a2alock/a2alock/store"
)

// Tell has whoever runs the daemon told something about the daemon itself. kind
// is a word for it: "network", "store", "reload", "lock".
func (e *Engine) Tell(ctx context.Context, kind, text string) { e.desk.Tell(ctx, kind, text) }

// TellWith is Tell in one transaction with what also writes. It reports whether
// that is on the disk.
func (e *Engine) TellWith(ctx context.Context, kind, text string, also func(*store.Tx) error) bool {
	return e.desk.TellWith(ctx, kind, text, also)
}

// networkWord is that of the network's outage, as it is told once.
const networkWord = " network"

// TellOnce is Tell for what may come again and again: the same text in a row is
// told once, also over a restart, until [Engine.Over].
func (e *Engine) TellOnce(ctx context.Context, kind, text string) {
	e.news.Once(ctx, kind, text, map[string]string{" " + kind: text}, nil)
}

// Restore writes to the store what [store.Store.Mend] took out or made anew there
// of what the engine has. It reports whether the store has it all.
func (e *Engine) Restore(ctx context.Context) bool {
	var lacks atomic.Bool
	e.inTurn(ctx, e.everyone(), func(a *agent) {
		if !e.desk.Restore(ctx, a) {
			lacks.Store(true)
		}
	})
	return ctx.Err() == nil && !lacks.Load()
}

// Over notes that what was told of kind has ended.
func (e *Engine) Over(ctx context.Context, kind string) {
	e.news.Once(ctx, kind, "", nil, []string{" " + kind})
}
