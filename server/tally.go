package server

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/a2alock/a2alock/store"
)

// tallyAge is how old counts of the outbox may be: however often somebody
// scrapes, it is read through no oftener.
const tallyAge = 10 * time.Second

// A tally counts the rows of the outbox.
type tally struct {
	mu     sync.Mutex
	at     time.Time
	counts map[sinkState]int
	oldest map[string]time.Time // of those that wait, by sink
}

type sinkState struct {
	sink  string
	state store.RowState
}

// collect tells of the rows. A store that cannot be read says nothing: its own
// metrics do.
func (t *tally) collect(s *store.Store, gauge func(*prometheus.Desc, float64, ...string)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.at.IsZero() || now.Sub(t.at) >= tallyAge {
		if err := t.count(s); err != nil {
			return
		}
		t.at = now
	}
	for k, n := range t.counts {
		gauge(rowsDesc, float64(n), k.sink, string(k.state))
	}
	for sink, at := range t.oldest {
		gauge(ageDesc, max(0, now.Sub(at).Seconds()), sink)
	}
}

func (t *tally) count(s *store.Store) error {
	counts, oldest := map[sinkState]int{}, map[string]time.Time{}
	list := func(tx *store.Tx, p store.Page) ([]store.Row, string, error) { return tx.Rows(store.RowQuery{}, p) }
	err := store.Each(s, list, func(r store.Row) {
		counts[sinkState{r.Sink, r.State}]++
		if at := oldest[r.Sink]; r.State == store.Waiting && (at.IsZero() || r.CreatedAt.Before(at)) {
			oldest[r.Sink] = r.CreatedAt
		}
	})
	if err != nil {
		return err
	}
	t.counts, t.oldest = counts, oldest
	return nil
}
