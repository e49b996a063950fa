package watched

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/a2alock/a2alock/internal/ledger"
	"github.com/a2alock/a2alock/store"
)

// A News remembers what was told of the daemon itself and has not ended, over
// restarts, so that it is told once. It is opened before its first use, and safe
// for concurrent use.
type News struct {
	desk *Desk
	mu   sync.Mutex
	text map[string]string // by a word for it
}

// newsKey is the value of the store that News is kept under.
const newsKey = "told"

// Open reads what is kept in the store of d.
func (n *News) Open(d *Desk) error {
	n.desk, n.text = d, map[string]string{}
	return d.Store.View(func(tx *store.Tx) error {
		data, err := tx.Value(newsKey)
		if err == nil && data != nil {
			_ = json.Unmarshal(data, &n.text) // else it is told once more
		}
		return err
	})
}

// Once tells text where one of news, by the words for them, is not what was told
// of its word already, and forgets the words of over. kind is what a message is
// about.
func (n *News) Once(ctx context.Context, kind, text string, news map[string]string, over []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	next := maps.Clone(n.text)
	maps.Copy(next, news)
	isNews := len(news) > 0 && !maps.Equal(next, n.text)
	for _, word := range over {
		delete(next, word)
	}
	if maps.Equal(next, n.text) {
		return
	}
	if !isNews {
		text = ""
	}
	if n.desk.tell(ctx, kind, text, next) {
		n.text = next
	}
}

// Has is whether text is what was told of the word.
func (n *News) Has(word, text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text[word] == text
}

// Words are those of what was told, in order.
func (n *News) Words() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.text))
}

// Tell writes a message about the daemon itself; kind is a word for what it is
// about.
func (d *Desk) Tell(ctx context.Context, kind, text string) { d.TellWith(ctx, kind, text, nil) }

// tell writes a message ("": none), and where not nil all that was told by then.
func (d *Desk) tell(ctx context.Context, kind, text string, all map[string]string) bool {
	return d.TellWith(ctx, kind, text, func(tx *store.Tx) error {
		if all == nil {
			return nil
		}
		data, err := json.Marshal(all, json.Deterministic(true))
		if err != nil {
			return err
		}
		return tx.PutValue(newsKey, data)
	})
}

// TellWith is Tell in one transaction with what also (nil: nothing) writes. It
// reports whether that is on the disk.
func (d *Desk) TellWith(ctx context.Context, kind, text string, also func(*store.Tx) error) bool {
	var rows []store.Row
	if text != "" {
		rows = d.Config().Router.Daemon(kind, text, d.Wall())
	}
	err := d.Store.Update(func(tx *store.Tx) error {
		if also != nil {
			if err := also(tx); err != nil {
				return err
			}
		}
		return ledger.Insert(tx, rows)
	})
	if d.Wrote(ctx, err); err != nil {
		return false
	}
	if len(rows) > 0 {
		d.Told()
	}
	return true
}
