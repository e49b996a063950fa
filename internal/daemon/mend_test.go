package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/metrics"
	"github.com/a2alock/a2alock/internal/route"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
	"github.com/a2alock/a2alock/watch"
)

// stand is a daemon with an engine that knows the locks, and asks nobody.
func stand(t *testing.T, dir string) *Daemon {
	t.Helper()
	cfg := config.Default()
	cfg.Root, cfg.Daemon.Store.BBolt = dir, filepath.Join(dir, "a2alockd.db")
	d := &Daemon{Setup: &setup.Setup{Config: cfg}, Log: slog.New(slog.DiscardHandler), metrics: metrics.New("1"), wake: make(chan struct{}, 1)}
	if err := d.open(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.store.Close() })
	d.engine = &watch.Engine{Store: d.store, Client: d.client, Told: d.ring, Metrics: d.metrics, Log: d.Log}
	if err := d.engine.Open(t.Context(), d.Setup); err != nil {
		t.Fatal(err)
	}
	return d
}

// kept is what the store has of the one lock and its agent.
type kept struct {
	Lock  store.Lock
	Agent store.Agent
	Seen  store.Seen
}

func (d *Daemon) kept(t *testing.T) (k kept) {
	t.Helper()
	err := d.store.View(func(tx *store.Tx) error {
		agents, _, err := tx.Agents(store.Page{})
		if len(agents) == 1 {
			k.Agent = agents[0]
		}
		if err != nil {
			return err
		}
		seens, err := tx.Seens()
		for _, s := range seens {
			k.Seen = s
		}
		if err != nil {
			return err
		}
		if k.Lock, _, err = tx.Lock("l"); store.IsRecord(err) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Records of a lock and its agent that go bad while the daemon runs are as the
// engine has them once the store is mended, so that silences and routes fit as
// before; a person is told each time.
func TestMendStore(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	err := errors.Join(os.Mkdir(filepath.Join(dir, "locks"), 0o700),
		os.WriteFile(filepath.Join(dir, "locks", "l.a2a.lock.json"), []byte(`{"workflow": "checkout", "owner": "payments",
			"agent": "https://a.example.com/card.json", "requires": {"skills": {"pay": {"input": ["text/plain"], "output": ["text/plain"]}}}}`), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	d := stand(t, dir)
	err = d.store.Update(func(tx *store.Tx) error {
		l, ok, err := tx.Lock("l")
		if !ok || err != nil {
			return fmt.Errorf("no lock: %w", err)
		}
		start, err := tx.NextSeq()
		l.State = verdict.State{
			Verdict: verdict.Breaking, CardDigest: "sha256:1", DecidedAt: at, ValidatedAt: at, Episode: &verdict.Episode{Start: start, OpenedAt: at},
		}
		return errors.Join(err, tx.PutLock(l), tx.PutAgent(store.Agent{ID: l.Agent, URL: l.URL, Asked: true}),
			tx.PutSeen(l.Agent, store.Seen{Slot: at, Validated: at}),
			tx.PutEpisode(store.Episode{Lock: "l", Start: start, OpenedAt: at, Class: l.State.Class(), Worst: l.State.Class(), Seq: start}))
	})
	if err := errors.Join(err, d.store.Close()); err != nil {
		t.Fatal(err)
	}
	for round := 1; round <= 2; round++ {
		path := filepath.Join(dir, "a2alockd.db")
		var raw [][]byte
		db, err := bolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(func(b *bolt.Tx) error {
			for _, bucket := range []string{"locks", "agents"} {
				_, value := b.Bucket([]byte(bucket)).Cursor().First()
				raw = append(raw, []byte(string(value)))
			}
			return nil
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		d := stand(t, dir)
		want := d.kept(t)
		if want.Lock.Owner != "payments" || want.Lock.State.Episode == nil || len(want.Lock.Good) == 0 || !want.Agent.Asked || want.Seen.Slot.IsZero() {
			t.Fatalf("before: %+v", want)
		}
		for _, value := range raw {
			spoil(t, path, value)
		}
		if d.kept(t); d.why() == "" {
			t.Fatal("nobody sees the damage")
		}
		d.mendStore(t.Context())
		got := d.kept(t)
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.AddrPort{})); diff != "" {
			t.Errorf("round %d (-before +after):\n%s", round, diff)
		}
		for _, match := range []map[string]string{{"owner": "payments"}, {"workflow": "checkout"}, {"agent": "*a.example.com*"}} {
			q := []store.Silence{{ID: "s", Match: match, Until: at.AddDate(1, 0, 0)}}
			if route.SilencedBy(q, route.Subject{Lock: &got.Lock, Class: got.Lock.State.Class()}, at) == nil {
				t.Errorf("a silence of %v does not fit any more", match)
			}
		}
		d.mendStore(t.Context()) // nothing is left to mend, or to tell
		if why := d.why(); strings.Contains(why, "damaged") {
			t.Errorf("why it is not ready: %q", why)
		}
		if err := d.store.Close(); err != nil {
			t.Fatal(err)
		}
		if rows := told(t, path); len(rows) != round || !strings.Contains(rows[0], "2 of its records could not be read") {
			t.Errorf("told %q, want %d times", rows, round)
		}
	}
}

// What was mended by a daemon that ended before it could tell is told by the next.
func TestMendedAndNotTold(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "locks"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := stand(t, dir)
	err := d.store.Update(func(tx *store.Tx) error { return tx.PutSilence(store.Silence{ID: "s"}) })
	if err := errors.Join(err, d.store.Close()); err != nil {
		t.Fatal(err)
	}
	d = stand(t, dir)
	spoil(t, filepath.Join(dir, "a2alockd.db"), []byte(`{"id":"s"`))
	if faults, err := d.store.Mend(); len(faults) != 1 || err != nil {
		t.Fatalf("Mend = %v, %v", faults, err)
	}
	if err := d.store.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		d = stand(t, dir)
		d.tellDamage(t.Context())
		if err := d.store.Close(); err != nil {
			t.Fatal(err)
		}
		if rows := told(t, filepath.Join(dir, "a2alockd.db")); len(rows) != 1 || !strings.Contains(rows[0], `the stored silence "s"`) {
			t.Errorf("told %q, want it once", rows)
		}
	}
}
