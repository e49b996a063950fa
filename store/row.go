package store

import (
	"time"

	"github.com/a2alock/a2alock/internal/outbox"
)

// InsertRow adds r, unless there was a row of its Key ever since the last trim:
// it reports whether it did. It numbers the row.
func (tx *Tx) InsertRow(r Row) (inserted bool, err error) { return outbox.Insert(tx.tx, r) }

// Row is the row with this dedupe key.
func (tx *Tx) Row(key string) (r Row, ok bool, err error) { return outbox.Find(tx.tx, key) }

// RowByHash is the row whose dedupe key has this SHA-256, of which the first 16
// bytes are looked at.
func (tx *Tx) RowByHash(sum []byte) (r Row, ok bool, err error) {
	return outbox.FindByHash(tx.tx, sum)
}

// PutRow keeps r, which was inserted before: what moves is its state. Its Key,
// Sink, Lock and Episode stay what they were.
func (tx *Tx) PutRow(r Row) error { return outbox.Put(tx.tx, r) }

// DueRows are the sink's waiting rows that are due at this moment, the longest
// due first, and among equals in the order in which they were inserted. A row
// is left out while an earlier one of the same sink and episode waits: an
// opening that is late holds up its resolve, and nothing else.
func (tx *Tx) DueRows(sink string, at time.Time, limit int) ([]Row, error) {
	return outbox.Due(tx.tx, sink, at, limit)
}

// NextDue is when the sink's next waiting row is due, which may have been and may
// be blocked; false where none waits.
func (tx *Tx) NextDue(sink string) (at time.Time, ok bool, err error) {
	return outbox.NextDue(tx.tx, sink)
}

// WaitingRows is how many rows wait by sink, those of sinks that are configured
// no more among them.
func (tx *Tx) WaitingRows() (map[string]int, error) { return outbox.CountWaiting(tx.tx) }

// Rows are the rows that fit q, as they were inserted. It looks at no more than
// 10,000 rows for a page, which may so be short though there is a next one.
func (tx *Tx) Rows(q RowQuery, p Page) (page []Row, next string, err error) {
	return outbox.List(tx.tx, q, p)
}

// EpisodeRows are all rows of the episode, as they were inserted.
func (tx *Tx) EpisodeRows(lock string, start uint64) ([]Row, error) {
	return outbox.OfEpisode(tx.tx, lock, start)
}
