package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/metrics"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/store"
)

// A damaged store, or record, is told of once, also where the start that met it
// gets no further.
func TestDamageIsToldByWhoeverGetsSoFar(t *testing.T) {
	for name, tt := range map[string]struct {
		harm func(path string) error
		want string
	}{
		"file": {func(path string) error { return os.WriteFile(path, []byte("garbage"), 0o600) }, "The store was damaged (no bbolt file) and was begun anew"},
		"record": {func(path string) error {
			db, err := bolt.Open(path, 0o600, nil)
			if err != nil {
				return err
			}
			err = db.Update(func(b *bolt.Tx) error { return b.Bucket([]byte("locks")).Put([]byte("l0"), []byte("{")) })
			return errors.Join(err, db.Close())
		}, `The store is damaged: 1 of its records could not be read, and were taken out or made anew from the rest (the stored lock \"l0\": unexpected EOF)`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a2alockd.db")
			taken, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer taken.Close()
			daemon := func() *Daemon {
				cfg := config.Default()
				cfg.Root, cfg.Daemon.Store.BBolt, cfg.Daemon.Listen = dir, path, taken.Addr().String()
				return &Daemon{Setup: &setup.Setup{Config: cfg}}
			}
			s, err := store.Open(path, store.Options{})
			if err := errors.Join(err, os.Mkdir(filepath.Join(dir, "locks"), 0o700), s.Close(), tt.harm(path)); err != nil {
				t.Fatal(err)
			}
			if err := daemon().Run(t.Context()); err == nil || !strings.Contains(err.Error(), "in use") {
				t.Fatalf("Run = %v, want that the port is busy", err)
			}
			for range 2 {
				ctx, cancel := context.WithCancel(t.Context())
				d := daemon()
				if d.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
					t.Fatal(err)
				}
				done := make(chan error, 1)
				go func() { done <- d.Run(ctx) }()
				get(t, "http://"+d.Listener.Addr().String()+"/v1/outbox", tt.want)
				get(t, "http://"+d.Listener.Addr().String()+"/readyz", "ready")
				cancel()
				if err := <-done; err != nil {
					t.Errorf("Run = %v", err)
				}
			}
			if rows := told(t, path); len(rows) != 1 {
				t.Errorf("told %q, want once", rows)
			}
		})
	}
}

// told are the texts of all messages in the store.
func told(t *testing.T, path string) (list []string) {
	t.Helper()
	s, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := store.Each(s, func(tx *store.Tx, p store.Page) ([]store.Row, string, error) { return tx.Rows(store.RowQuery{}, p) }, func(r store.Row) {
		list = append(list, r.Text)
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// spoil turns the first byte of text wherever it is in the file at path, which may
// be open.
func spoil(t *testing.T, path string, text []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for at := 0; ; n++ {
		i := bytes.Index(data[at:], text)
		if i < 0 {
			break
		}
		if _, err := f.WriteAt([]byte("!"), int64(at+i)); err != nil {
			t.Fatal(err)
		}
		at += i + 1
	}
	if n == 0 {
		t.Fatalf("there is no %q", text)
	}
}

// A record that goes bad while the daemon runs makes it unready until it is
// mended.
func TestDamageWhileItRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	s, err := store.Open(path, store.Options{})
	err = errors.Join(err, s.Update(func(tx *store.Tx) error { return tx.PutSilence(store.Silence{ID: "s"}) }), s.Close())
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Daemon.Store.BBolt = path
	d := &Daemon{Setup: &setup.Setup{Config: cfg}, Log: slog.New(slog.DiscardHandler), metrics: metrics.New("1")}
	if err := d.open(cfg); err != nil {
		t.Fatal(err)
	}
	defer d.store.Close()
	spoil(t, path, []byte(`{"id":"s"`))
	if err := d.store.View(func(tx *store.Tx) error { _, _, err := tx.Silences(store.Page{}); return err }); err != nil {
		t.Fatal(err)
	}
	if why := d.why(); !strings.Contains(why, `the store is damaged: 1 of its records cannot be read: the stored silence "s"`) {
		t.Errorf("why it is not ready: %q", why)
	}
	faults, err := d.store.Mend()
	if len(faults) != 1 || err != nil {
		t.Errorf("Mend = %v, %v", faults, err)
	}
	if n, _ := d.store.Damaged(); n != 0 {
		t.Errorf("%d records cannot be read afterwards", n)
	}
}
