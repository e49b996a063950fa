package store

import "github.com/a2alock/a2alock/internal/records"

// Spoil makes a record of an open store one that cannot be read.
func Spoil(s *Store, bucket, key string) error {
	return s.db.Update(func(tx *records.Tx) error { return tx.Put([]byte(bucket), []byte(key), []byte{1, 0xFE}) })
}
