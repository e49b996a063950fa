package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// told is a store in which three locks are breaking, and a message of each waits.
func told(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	s := openStore(t, path)
	for _, id := range []string{"a", "b", "c"} {
		update(t, s, func(tx *store.Tx) error {
			seq, err := tx.NextSeq()
			body, err2 := tx.PutBody([]byte(`{"name":"` + id + `"}`))
			tr := transition(id, seq)
			tr.Kind, tr.Episode = verdict.Opened, seq
			state := verdict.State{
				Verdict: verdict.Breaking, CardDigest: tr.CardDigest, FindingSet: tr.FindingSet, Findings: tr.Findings,
				Episode: &verdict.Episode{Start: seq, OpenedAt: at},
			}
			_, err3 := tx.InsertRow(store.Row{
				Key: "ops|*:ops|" + id, Sink: "ops", Route: "*:ops", Lock: id, Episode: seq, Seq: seq, Kind: verdict.Opened,
				Class: tr.Class, CreatedAt: at, DueAt: at, State: store.Waiting,
			})
			return errors.Join(err, err2, err3,
				tx.PutAgent(store.Agent{ID: id, URL: "https://" + id + ".example.com", Body: body, CardDigest: tr.CardDigest}),
				tx.PutSeen(id, store.Seen{Slot: at, Validated: at}),
				tx.PutLock(store.Lock{ID: id, Path: id + ".a2a.lock.json", Agent: id, Good: []byte(`{"agent":"` + id + `"}`), State: state}),
				tx.PutTransition(tr), tx.PutCardVersion(store.CardVersion{Seq: seq, Agent: id, Digest: tr.CardDigest, Body: body, At: at}),
				tx.PutEpisode(store.Episode{Lock: id, Start: seq, OpenedAt: at, Class: tr.Class, Worst: tr.Class, Seq: seq, OpenedTo: []string{"ops"}}),
				tx.PutSilence(store.Silence{ID: "s" + id, Match: map[string]string{"owner": id}, Author: "ann", Reason: "known", Created: at, Until: at.AddDate(1, 0, 0)}),
				tx.PutSink(store.Sink{Name: "sink " + id, Disabled: "answered 401 Unauthorized"}))
		})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// spoil makes the first record of a bucket one that cannot be read.
func spoil(bucket string) func(*bolt.Tx) error {
	return func(b *bolt.Tx) error {
		key, value := b.Bucket([]byte(bucket)).Cursor().First()
		value = bytes.Clone(value)
		if len(value) == 0 { // an index
			return b.Bucket([]byte(bucket)).Delete(bytes.Clone(key))
		}
		value[len(value)/2] ^= 0x5A
		return b.Bucket([]byte(bucket)).Put(bytes.Clone(key), append([]byte{0xFE}, value...))
	}
}

// One damaged record costs that record, whatever it is of: all is there but it,
// what decides and is to be told comes back, and a person hears of it.
func TestOneDamagedRecord(t *testing.T) {
	for bucket, want := range map[string]string{
		"agents":          `the stored agent "a": `,
		"seen":            `the stored seen "a": `,
		"locks":           `the stored lock "a": `,
		"history":         `the stored transition `,
		"cards":           `the stored card_version `,
		"episodes":        `the stored episode `,
		"episodes_open":   `index open: 1 entries are missing`,
		"rows":            `the stored row `,
		"row_keys":        `": is not what the records give`,
		"rows_due":        `index due: 1 entries are missing`,
		"rows_by_episode": `the stored told `,
		"silences":        `the stored silence "sa": `,
		"sinks":           `the stored sink "sink a": `,
		"names":           `the stored name `,
		"body_refs":       `the stored body_count `,
	} {
		t.Run(bucket, func(t *testing.T) {
			path := told(t)
			edit(t, path, spoil(bucket))
			s := openStore(t, path)
			o := s.Opened()
			if o.Rebuilt || o.Mended == 0 || !strings.Contains(o.Reason, want) || !strings.HasPrefix(o.Aside, path+".corrupt-2") {
				t.Errorf("Opened = %+v, want %q mended", o, want)
			}
			view(t, s, func(tx *store.Tx) error {
				rows, err := tx.DueRows("ops", at, 10)
				if len(rows) != 3 || err != nil {
					t.Errorf("%d of 3 messages wait to be delivered (%v)", len(rows), err)
				}
				open, _, err := tx.OpenEpisodes(store.Page{})
				if len(open) != 3 || err != nil {
					t.Errorf("%d of 3 episodes are open (%v)", len(open), err)
				}
				for _, ep := range open {
					l, ok, err := tx.Lock(ep.Lock)
					if !ok || err != nil || l.State.Verdict != verdict.Breaking || l.State.Episode.Start != ep.Start || len(ep.OpenedTo) != 1 {
						t.Errorf("lock %s = %+v, %v, %v; want it breaking, in the episode %+v", ep.Lock, l, ok, err, ep)
					}
				}
				if held, err := tx.SilencesAt(at); err != nil || len(held) < 2 {
					t.Errorf("silences = %v, %v", held, err)
				}
				return nil
			})
			if n, err := s.Damaged(); n != 0 {
				t.Errorf("afterwards %d records cannot be read: %v", n, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := store.Check(path); err != nil {
				t.Errorf("Check = %v", err)
			}
			for range 2 { // a start that ends before it could tell changes nothing
				s = openStore(t, path)
				if got := s.Opened(); got != o {
					t.Errorf("the next start met %+v, want %+v", got, o)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			s = openStore(t, path)
			update(t, s, func(tx *store.Tx) error { return tx.Told() })
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if got := openStore(t, path).Opened(); got != (store.Opened{}) {
				t.Errorf("after it was told: %+v", got)
			}
		})
	}
}

// Nor is anything said to be damaged still that was met while another was mended.
func TestTwoDamagedRecords(t *testing.T) {
	for _, pair := range [][]string{{"rows", "episodes"}, {"locks", "history"}, {"locks", "episodes"}} {
		path := told(t)
		for _, bucket := range pair {
			edit(t, path, spoil(bucket))
		}
		s := openStore(t, path)
		if n, err := s.Damaged(); s.Opened().Mended < 2 || n != 0 {
			t.Errorf("%q: of %+v %d cannot be read: %v", pair, s.Opened(), n, err)
		}
		check(t, s.Close())
		check(t, store.Check(path))
	}
}

// A record under another key than its own is put back.
func TestMovedRecords(t *testing.T) {
	for bucket, key := range map[string]string{
		"agents": "a", "locks": "a", "silences": "sa", "rows": "\x00\x00\x00\x00\x00\x00\x00\x01", "episodes": "a\x00\x00\x00\x00\x00\x00\x00\x00\x01",
	} {
		t.Run(bucket, func(t *testing.T) {
			path := told(t)
			s := openStore(t, path)
			before := dump(t, s)
			check(t, s.Close())
			edit(t, path, func(b *bolt.Tx) error {
				records := b.Bucket([]byte(bucket))
				value := bytes.Clone(records.Get([]byte(key)))
				return errors.Join(records.Delete([]byte(key)), records.Put([]byte("\x7f"+key[1:]), value))
			})
			s = openStore(t, path)
			if n := s.Opened().Mended; n != 1 {
				t.Errorf("%d mended, want 1: %s", n, s.Opened().Reason)
			}
			if d := cmp.Diff(before, dump(t, s), emptyIsNil); d != "" {
				t.Errorf("(-before +after):\n%s", d)
			}
		})
	}
}

// A record that goes bad in an open store is left out of lists, and mended there.
func TestDamageWhileOpen(t *testing.T) {
	path := told(t)
	s := openStore(t, path)
	update(t, s, func(tx *store.Tx) error { return tx.PutSilence(store.Silence{ID: "x"}) })
	if err := store.Spoil(s, "silences", "sa"); err != nil {
		t.Fatal(err)
	}
	if err := store.Spoil(s, "rows", string([]byte{0, 0, 0, 0, 0, 0, 0, 1})); err != nil {
		t.Fatal(err)
	}
	view(t, s, func(tx *store.Tx) error {
		held, err := tx.SilencesAt(at)
		rows, err2 := tx.DueRows("ops", at, 10)
		if len(held) != 2 || len(rows) != 2 || err != nil || err2 != nil {
			t.Errorf("%d silences and %d messages, %v, %v; want the two that can be read of each", len(held), len(rows), err, err2)
		}
		return nil
	})
	if n, err := s.Damaged(); n != 2 || err == nil {
		t.Errorf("Damaged = %d, %v", n, err)
	}
	if faults, err := s.Mend(); len(faults) != 2 || err != nil {
		t.Errorf("Mend = %v, %v", faults, err)
	}
	view(t, s, func(tx *store.Tx) error {
		if rows, err := tx.DueRows("ops", at, 10); len(rows) != 3 || err != nil {
			t.Errorf("%d messages wait, %v", len(rows), err)
		}
		return nil
	})
	if n, err := s.Damaged(); n != 0 {
		t.Errorf("afterwards: %d, %v", n, err)
	}
	check(t, s.Close())
	copies := func() []string {
		list, err := filepath.Glob(path + ".corrupt-*")
		check(t, err)
		return list
	}
	if list := copies(); len(list) != 0 {
		t.Errorf("copies of an open store: %q", list)
	}
	s = openStore(t, path) // it was not told yet
	if o := s.Opened(); o.Mended != 2 || o.Aside != "" || !strings.Contains(o.Reason, `the stored silence "sa"`) {
		t.Errorf("the next start met %+v", o)
	}
	check(t, s.Close())
	list := copies()
	if len(list) != 1 {
		t.Fatalf("copies: %q, want one", list)
	}
	edit(t, list[0], func(b *bolt.Tx) error {
		if b.Bucket([]byte("meta")).Get([]byte("taken\x00silences\x00sa")) == nil {
			t.Error("the copy is without the silence")
		}
		return nil
	})
}

// What a fault hid is told of too, and what stays the same once.
func TestFaultsBehindFaults(t *testing.T) {
	path := told(t)
	edit(t, path, func(b *bolt.Tx) error {
		return b.Bucket([]byte("agents")).Put([]byte("y"), []byte(`{"id":"z","body":"none"}`))
	})
	o := openStore(t, path).Opened()
	if want := `the stored agent "y": it is of "z"; the stored agent "z": body "none"`; o.Mended != 2 || o.Reason != want {
		t.Errorf("Opened = %+v, want %s", o, want)
	}
}

// Where there is no room for a copy of the damaged file, what is taken out of it
// stays in it, until there is.
func TestMendedWithoutACopy(t *testing.T) {
	short := told(t)
	edit(t, short, spoil("locks"))
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 240)) // its copy's name would be too long
	check(t, os.Rename(short, path))
	taken := func(path string) (value []byte) {
		edit(t, path, func(b *bolt.Tx) error {
			value = bytes.Clone(b.Bucket([]byte("meta")).Get([]byte("taken\x00locks\x00a")))
			return nil
		})
		return value
	}
	s := openStore(t, path)
	if o := s.Opened(); o.Mended == 0 || o.Aside != "" {
		t.Errorf("Opened = %+v, want it mended without a copy", o)
	}
	check(t, s.Close())
	if value := taken(path); !bytes.HasPrefix(value, []byte{0xFE}) {
		t.Errorf("of the lock, %q is kept", value)
	}
	var log bytes.Buffer
	s, err := store.Open(path, store.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	check(t, err)
	check(t, s.Close())
	if strings.Contains(log.String(), "in a copy") || !strings.Contains(log.String(), "not copied") {
		t.Errorf("the next start, with no room either, says:\n%s", &log)
	}
	check(t, os.Rename(path, short))
	s = openStore(t, short)
	check(t, s.Close())
	if value := taken(short); value != nil {
		t.Errorf("%q is kept though there is a copy", value)
	}
	copies, err := filepath.Glob(short + ".corrupt-*")
	if err != nil || len(copies) != 1 || !bytes.HasPrefix(taken(copies[0]), []byte{0xFE}) {
		t.Errorf("copies: %q, %v; want one with the lock in it", copies, err)
	}
}

// Whatever bits of the file turn, the store opens, gives what can be read, and
// takes what is put.
func TestFlippedBits(t *testing.T) {
	path := told(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rebuilt, mended := 0, 0
	for seed := range uint64(150) {
		draw := rand.New(rand.NewPCG(seed, 1))
		data := bytes.Clone(whole)
		used := 16 * os.Getpagesize() // where the records are
		for range 1 + draw.IntN(8) {
			data[draw.IntN(min(used, len(data)))] ^= 1 << draw.IntN(8)
		}
		path := filepath.Join(dir, fmt.Sprint(seed))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		o := s.Opened()
		if o.Rebuilt {
			rebuilt++
		} else if o.Mended > 0 {
			mended++
		}
		err = s.View(func(tx *store.Tx) error {
			rows, err := tx.DueRows("ops", at.AddDate(300, 0, 0), 10)
			if !o.Rebuilt && o.Mended == 0 && len(rows) != 3 {
				t.Errorf("seed %d: %d messages, and nothing is said of it %+v", seed, len(rows), rows)
			}
			if err == nil {
				_, err = read(tx)
			}
			return err
		})
		err = errors.Join(err, s.Update(fill), s.Close())
		if n, first := s.Damaged(); n > 0 || err != nil {
			t.Errorf("seed %d: %+v: %d cannot be read: %v, %v", seed, o, n, first, err)
		}
	}
	if rebuilt < 5 || mended < 5 {
		t.Errorf("%d were rebuilt and %d mended: the test flips nothing that matters", rebuilt, mended)
	}
}

// A start that ends anywhere between setting the store aside and telling of it
// leaves that to the next.
func TestTheNextStartKnowsOfASideSetStore(t *testing.T) {
	for name, then := range map[string]func(t *testing.T, path string){
		"at once":                    func(*testing.T, string) {},
		"before there was a new one": remove,
		"when the new one was empty": func(t *testing.T, path string) { remove(t, path); check(t, os.WriteFile(path, nil, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			if err := os.WriteFile(path, []byte("garbage"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := openStore(t, path)
			o := s.Opened()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			then(t, path)
			if got := openStore(t, path).Opened(); !got.Rebuilt || got.Aside != o.Aside || got.Reason == "" {
				t.Errorf("the next start met %+v, want %+v", got, o)
			}
		})
	}
}

// What was set aside or copied and was told of is no news to a store that is begun
// in the same place.
func TestAnOldCopyIsNoNews(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, path string){
		"set aside": func(t *testing.T, path string) { check(t, os.WriteFile(path, []byte("garbage"), 0o600)) },
		"copied":    func(t *testing.T, path string) { edit(t, path, spoil("locks")) },
	} {
		t.Run(name, func(t *testing.T) {
			path := told(t)
			harm(t, path)
			s := openStore(t, path)
			if o := s.Opened(); o.Aside == "" {
				t.Errorf("Opened = %+v, want a file beside", o)
			}
			update(t, s, func(tx *store.Tx) error { return tx.Told() })
			check(t, s.Close())
			remove(t, path)
			if got := openStore(t, path).Opened(); got != (store.Opened{}) {
				t.Errorf("a new store met %+v", got)
			}
		})
	}
}

func remove(t *testing.T, path string) { check(t, os.Remove(path)) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A store on a disk that cannot be written can be looked at.
func TestReadOnlyPlace(t *testing.T) {
	path := filled(t)
	if err := errors.Join(os.Chmod(path, 0o400), os.Chmod(filepath.Dir(path), 0o500)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o700) })
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := errors.Join(store.Check(path), store.Export(path, &out)); err != nil || out.Len() == 0 {
		t.Errorf("Check and Export = %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was written (%v)", err)
	}
}
