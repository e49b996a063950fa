package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"github.com/a2alock/a2alock/store"
)

// filled is the path of a store that fill filled, closed.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	s := openStore(t, path)
	update(t, s, fill)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// edit changes the closed file behind the store's back.
func edit(t *testing.T, path string, fn func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(fn), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedFilesAreSetAside(t *testing.T) {
	for name, damage := range map[string]func(data []byte) []byte{
		"a text":   func([]byte) []byte { return []byte("agents: []\n") },
		"all zero": func(data []byte) []byte { return make([]byte, len(data)) },
		"cut off":  func(data []byte) []byte { return data[:4*os.Getpagesize()+100] },
		"one byte": func([]byte) []byte { return []byte{0} },
		"zeros from the middle on": func(data []byte) []byte {
			clear(data[2*os.Getpagesize():])
			return data
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			data = damage(data)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := store.Check(path); err == nil {
				t.Error("Check found nothing")
			}
			s := openStore(t, path)
			got := s.Opened()
			if !got.Rebuilt || !strings.HasPrefix(got.Aside, path+".corrupt-2") || got.Reason == "" {
				t.Errorf("Opened = %+v", got)
			}
			if aside, err := os.ReadFile(got.Aside); err != nil || !bytes.Equal(aside, data) {
				t.Errorf("what was set aside is not what was there (%v)", err)
			}
			if d := cmp.Diff(dump(t, newStore(t)), dump(t, s), emptyIsNil); d != "" {
				t.Errorf("the new store is not empty:\n%s", d)
			}
			update(t, s, fill)
		})
	}
}

func TestASecondOpenNamesTheHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	openStore(t, path)
	_, err := store.Open(path, store.Options{})
	inUse, ok := errors.AsType[*store.InUseError](err)
	if !ok || inUse.Path != path || inUse.Holder.PID != os.Getpid() {
		t.Errorf("Open = %v, want that process %d holds it", err, os.Getpid())
	}
	if err := store.Check(path); !strings.Contains(fmt.Sprint(err), "in use by process") {
		t.Errorf("Check = %v", err)
	}
}

func TestNewerFormatIsLeftAlone(t *testing.T) {
	path := filled(t)
	set := func(key, format string) {
		edit(t, path, func(b *bolt.Tx) error { return b.Bucket([]byte("meta")).Put([]byte(key), []byte(format)) })
	}
	set("format", "8")
	if err := store.Check(path); err != nil {
		t.Errorf("one of two is another: %v", err)
	}
	set("format", "99")
	set("format again", "99")
	for range 2 {
		_, err := store.Open(path, store.Options{})
		if newer, ok := errors.AsType[*store.FormatError](err); !ok || newer.Have != 99 || !strings.Contains(err.Error(), path+": has format 99") {
			t.Errorf("Open = %v", err)
		}
	}
	set("format", "0")
	set("format again", "0")
	if err := store.Check(path); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A record that does not decode is an error of its own, and can be replaced.
func TestDamagedRecord(t *testing.T) {
	path := filled(t)
	edit(t, path, func(b *bolt.Tx) error {
		bodies := b.Bucket([]byte("bodies"))
		key, body := bodies.Cursor().First()
		body = bytes.Clone(body)
		body[len(body)/2] ^= 0xFF
		return errors.Join(
			b.Bucket([]byte("agents")).Put([]byte("pricing"), []byte("{")), b.Bucket([]byte("seen")).Put([]byte("pricing"), []byte("x")),
			bodies.Put(bytes.Clone(key), body), b.Bucket([]byte("locks")).Put([]byte("pricing"), []byte("\x01 no deflate")),
		)
	})
	err := store.Check(path)
	for _, want := range []string{
		`the stored agent "pricing": unexpected EOF`, `the stored seen "pricing": cut off`, "the stored body \"sha256:", `the stored lock "pricing": `,
	} {
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("Check = %v, want %q", err, want)
		}
	}
	s := openStore(t, path) // which mends all that
	if err := errors.Join(store.Spoil(s, "agents", "pricing"), store.Spoil(s, "seen", "pricing"), store.Spoil(s, "locks", "pricing")); err != nil {
		t.Fatal(err)
	}
	isRecord := func(err error) bool { _, ok := errors.AsType[*store.RecordError](err); return ok }
	view(t, s, func(tx *store.Tx) error {
		if _, ok, err := tx.Agent("pricing"); ok || !isRecord(err) {
			t.Errorf("Agent = %v, %v; want a RecordError", ok, err)
		}
		if _, err := tx.Seen("pricing"); !isRecord(err) {
			t.Errorf("Seen: %v, want a RecordError", err)
		}
		return nil
	})
	update(t, s, func(tx *store.Tx) error {
		body, err := tx.PutBody([]byte(`{"name":"pricing"}`)) // may be the damaged one
		return errors.Join(err, tx.PutAgent(store.Agent{ID: "pricing", Body: body}), tx.PutSeen("pricing", store.Seen{}), tx.PutLock(store.Lock{ID: "pricing"}))
	})
	view(t, s, func(tx *store.Tx) error {
		a, ok, err := tx.Agent("pricing")
		if !ok || err != nil {
			t.Errorf("the agent that was put anew: %v, %v", ok, err)
		}
		if raw, ok, err := tx.Body(a.Body); !ok || string(raw) != `{"name":"pricing"}` || err != nil {
			t.Errorf("the body that was put anew: %q, %v, %v", raw, ok, err)
		}
		return nil
	})
}

func TestCheckFollowsReferences(t *testing.T) {
	for name, tt := range map[string]struct {
		damage func(*bolt.Tx) error
		want   string
	}{
		"body":    {func(b *bolt.Tx) error { return empty(b, "bodies") }, "named and missing"},
		"count":   {func(b *bolt.Tx) error { return empty(b, "body_refs") }, "index body_count: 2 entries are missing"},
		"names":   {func(b *bolt.Tx) error { return empty(b, "names") }, "a name in it is lost"},
		"row":     {func(b *bolt.Tx) error { return empty(b, "rows") }, `leads nowhere`},
		"index":   {func(b *bolt.Tx) error { return empty(b, "rows_due") }, "index due: 1 entries are missing"},
		"episode": {func(b *bolt.Tx) error { return empty(b, "episodes_open") }, "index open: 1 entries are missing"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			edit(t, path, tt.damage)
			if err := store.Check(path); !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("Check = %v, want %q", err, tt.want)
			}
		})
	}
}

func empty(b *bolt.Tx, bucket string) error {
	if err := b.DeleteBucket([]byte(bucket)); err != nil {
		return err
	}
	_, err := b.CreateBucket([]byte(bucket))
	return err
}

func TestAFaultEndsTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	s, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		update(t, s, func(tx *store.Tx) error {
			return tx.PutValue(fmt.Sprint(n), bytes.Repeat([]byte{byte(n)}, 10000))
		})
	}
	if err := os.Truncate(path, 0); err != nil { // by somebody else
		t.Fatal(err)
	}
	isDamage := func(err error) bool { _, ok := errors.AsType[*store.DamageError](err); return ok }
	if err := s.View(func(tx *store.Tx) error { _, err := tx.Value("7"); return err }); !isDamage(err) {
		t.Errorf("View = %v, want a DamageError", err)
	}
	if err := s.Update(fill); !isDamage(err) {
		t.Errorf("Update = %v, want a DamageError", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := openStore(t, path).Opened(); !got.Rebuilt { // nobody holds it
		t.Errorf("Opened = %+v", got)
	}
}

func TestAFaultInUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	s, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	update(t, s, fill)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(fill); err == nil {
		t.Error("Update wrote to what is not there")
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Close() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("Close hangs")
	}
}

func TestExport(t *testing.T) {
	path := filled(t)
	var out bytes.Buffer
	if err := store.Export(path, &out); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		var l struct {
			Kind   string
			Record map[string]any
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || len(l.Record) == 0 {
			t.Errorf("line %s: %v", line, err)
		}
		kinds[l.Kind]++
		if l.Kind == "transition" && l.Record["findings"] == nil {
			t.Errorf("a transition without its findings: %s", line)
		}
	}
	want := map[string]int{
		"meta": 1, "value": 3, "agent": 1, "seen": 1, "lock": 1, "transition": 1, "card_version": 1, "episode": 1, "row": 1, "silence": 1,
		"sink": 1, "body": 2,
	}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
}
