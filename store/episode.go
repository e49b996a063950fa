package store

import (
	"time"

	"github.com/a2alock/a2alock/internal/kept"
	"github.com/a2alock/a2alock/internal/outbox"
	"github.com/a2alock/a2alock/internal/records"
)

// Episode is the episode of the lock that began with this number.
func (tx *Tx) Episode(lock string, start uint64) (e Episode, ok bool, err error) {
	key, err := outbox.EpisodeKey(lock, start)
	if err != nil {
		return Episode{}, false, nil
	}
	return records.One[Episode](tx.tx, kept.Episodes, key)
}

// PutEpisode keeps e under its Lock and Start.
func (tx *Tx) PutEpisode(e Episode) error {
	key, err := outbox.EpisodeKey(e.Lock, e.Start)
	if err != nil {
		return err
	}
	if e.ClosedAt.IsZero() {
		err = tx.tx.Put(kept.Open.Bucket, key, []byte{})
	} else {
		err = tx.tx.Drop(kept.Open.Bucket, key)
	}
	if err != nil {
		return err
	}
	return records.Save(tx.tx, kept.Episodes, key, e)
}

// OpenEpisodes are those that are not closed, by lock. It reads no others.
func (tx *Tx) OpenEpisodes(p Page) (page []Episode, next string, err error) {
	var after []byte
	if p.After != "" {
		after = []byte(p.After)
	}
	keys, err := tx.tx.Scan(kept.Open.Bucket, nil, after, p.Size())
	if err != nil {
		return nil, "", err
	}
	for _, k := range keys {
		e, ok, err := records.One[Episode](tx.tx, kept.Episodes, k.Key)
		if err != nil && !tx.tx.Skip(err) {
			return nil, "", err
		}
		if ok {
			page = append(page, e)
		}
	}
	if len(keys) == p.Size() {
		next = string(keys[len(keys)-1].Key)
	}
	return page, next, nil
}

// Episodes are the episodes of the lock, the newest first.
func (tx *Tx) Episodes(lock string, p Page) (page []Episode, next string, err error) {
	prefix, err := outbox.EpisodeKey(lock, 0)
	if err != nil {
		return nil, "", nil
	}
	prefix = prefix[:len(prefix)-8]
	var before []byte
	if p.After != "" {
		before = []byte(p.After)
	}
	entries, err := tx.tx.ScanBack(kept.Episodes.Bucket, prefix, before, p.Size())
	if err != nil {
		return nil, "", err
	}
	for _, e := range entries {
		var episode Episode
		if err := kept.Episodes.Decode(e.Key, e.Value, &episode); tx.tx.Skip(err) {
			continue
		} else if err != nil {
			return nil, "", err
		}
		page = append(page, episode)
	}
	if len(entries) == p.Size() {
		next = string(entries[len(entries)-1].Key)
	}
	return page, next, nil
}

// Silence is the silence with this ID, ended or not.
func (tx *Tx) Silence(id string) (s Silence, ok bool, err error) {
	return records.One[Silence](tx.tx, kept.Silences, []byte(id))
}

// PutSilence keeps s under its ID.
func (tx *Tx) PutSilence(s Silence) error { return records.Save(tx.tx, kept.Silences, []byte(s.ID), s) }

// Silences are the silences by ID, ended ones until they are trimmed.
func (tx *Tx) Silences(p Page) (page []Silence, next string, err error) {
	return records.List[Silence](tx.tx, kept.Silences, p)
}

// SilencesAt are all silences that hold at this moment.
func (tx *Tx) SilencesAt(at time.Time) ([]Silence, error) {
	var held []Silence
	for p := (Page{Limit: 1000}); ; {
		page, next, err := tx.Silences(p)
		if err != nil {
			return nil, err
		}
		for _, s := range page {
			if s.Holds(at) {
				held = append(held, s)
			}
		}
		if next == "" {
			return held, nil
		}
		p.After = next
	}
}

// Sink is what is remembered of the sink with this name.
func (tx *Tx) Sink(name string) (s Sink, ok bool, err error) {
	return records.One[Sink](tx.tx, kept.Sinks, []byte(name))
}

// PutSink keeps s under its Name.
func (tx *Tx) PutSink(s Sink) error { return records.Save(tx.tx, kept.Sinks, []byte(s.Name), s) }

// DeleteSink drops what is remembered of the sink.
func (tx *Tx) DeleteSink(name string) error { return tx.tx.Drop(kept.Sinks.Bucket, []byte(name)) }

// Sinks are the sinks by name.
func (tx *Tx) Sinks(p Page) (page []Sink, next string, err error) {
	return records.List[Sink](tx.tx, kept.Sinks, p)
}
