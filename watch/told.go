package watch

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/internal/ledger"
	"github.com/a2alock/a2alock/store"
)

// told remembers what was told of the daemon itself and has not ended, over
// restarts, so that it is told once.
type told struct {
	mu   sync.Mutex
	text map[string]string // by a word for it
}

// toldKey is the value of the store that told is kept under.
const toldKey = "told"

// open reads what is kept.
func (t *told) open(s *store.Store) error {
	t.text = map[string]string{}
	return s.View(func(tx *store.Tx) error {
		data, err := tx.Value(toldKey)
		if err == nil && data != nil {
			_ = json.Unmarshal(data, &t.text) // else it is told once more
		}
		return err
	})
}

// Tell has whoever runs the daemon told something about the daemon itself. kind
// is a word for it: "network", "store", "reload", "lock".
func (e *Engine) Tell(ctx context.Context, kind, text string) { e.tell(ctx, kind, text, nil) }

// TellOnce is Tell for what may come again and again: the same text in a row is
// told once, also over a restart, until [Engine.Over].
func (e *Engine) TellOnce(ctx context.Context, kind, text string) {
	e.tellNews(ctx, kind, text, map[string]string{" " + kind: text}, nil)
}

// Over notes that what was told of kind has ended.
func (e *Engine) Over(ctx context.Context, kind string) {
	e.tellNews(ctx, kind, "", nil, []string{" " + kind})
}

// tellNews tells text where one of news is not what was told of its word
// already, and forgets the words of over.
func (e *Engine) tellNews(ctx context.Context, kind, text string, news map[string]string, over []string) {
	e.told.mu.Lock()
	defer e.told.mu.Unlock()
	next := maps.Clone(e.told.text)
	maps.Copy(next, news)
	isNews := len(news) > 0 && !maps.Equal(next, e.told.text)
	for _, word := range over {
		delete(next, word)
	}
	if maps.Equal(next, e.told.text) {
		return
	}
	if !isNews {
		text = ""
	}
	if e.tell(ctx, kind, text, next) {
		e.told.text = next
	}
}

// tell writes a message ("": none), and where not nil all that was told by then.
func (e *Engine) tell(ctx context.Context, kind, text string, all map[string]string) bool {
	var rows []store.Row
	if text != "" {
		rows = e.cfg.Load().Router.Daemon(kind, text, e.Wall())
	}
	err := e.Store.Update(func(tx *store.Tx) error {
		if all != nil {
			data, err := json.Marshal(all, json.Deterministic(true))
			if err == nil {
				err = tx.PutValue(toldKey, data)
			}
			if err != nil {
				return err
			}
		}
		return ledger.Insert(tx, rows)
	})
	if e.desk.Wrote(ctx, err); err != nil {
		return false
	}
	if len(rows) > 0 {
		e.Told()
	}
	return true
}

// has is whether text is what was told of the word.
func (t *told) has(word, text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text[word] == text
}

// words are those of what was told, in order.
func (t *told) words() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.text))
}
