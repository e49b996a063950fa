package watch

import "context"

// Tell has whoever runs the daemon told something about the daemon itself. kind
// is a word for it: "network", "store", "reload", "lock".
func (e *Engine) Tell(ctx context.Context, kind, text string) { e.desk.Tell(ctx, kind, text) }

// TellOnce is Tell for what may come again and again: the same text in a row is
// told once, also over a restart, until [Engine.Over].
func (e *Engine) TellOnce(ctx context.Context, kind, text string) {
	e.news.Once(ctx, kind, text, map[string]string{" " + kind: text}, nil)
}

// Over notes that what was told of kind has ended.
func (e *Engine) Over(ctx context.Context, kind string) {
	e.news.Once(ctx, kind, "", nil, []string{" " + kind})
}
