package notify

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/diff"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/store"
)

// together is a configuration of webhooks that groups everything for 30 s.
func together(names ...string) config.Notify {
	n := hooks(names...)
	for i := range n.Routes {
		n.Routes[i].GroupBy, n.Routes[i].GroupWindow = []string{"class"}, 30*time.Second
	}
	return n
}

// sets are the locks that each id was sent with, one entry a request.
func (r *receiver) sets(host string) map[string][]string {
	sets := map[string][]string{}
	for _, s := range r.requests() {
		if s.host != host {
			continue
		}
		var locks []string
		for _, l := range []string{"a", "b", "c"} {
			if strings.Contains(string(s.body), `"lock":"`+l+`"`) {
				locks = append(locks, l)
			}
		}
		sets[s.id] = append(sets[s.id], strings.Join(locks, ""))
	}
	return sets
}

// An id stands for one set of messages, whatever happens between two attempts.
func TestIDStandsForOneSet(t *testing.T) {
	for _, tt := range []struct {
		name    string
		between func(*bench)
		want    [][]string // by id, in any order
	}{
		{"nothing", func(*bench) {}, [][]string{{"ab", "ab"}}},
		{"another comes", func(b *bench) { b.happen("c", verdict.Opened, diff.Breaking) }, [][]string{{"ab", "ab"}, {"c"}}},
		{"one is over", func(b *bench) { b.happen("a", verdict.Resolved, diff.Compatible) }, [][]string{{"ab", "ab"}, {"a"}}},
		{"a restart", func(b *bench) { b.end(); b.start() }, [][]string{{"ab", "ab"}}},
		{"one is dropped", func(b *bench) {
			b.change("a", func(r *store.Row) { r.End(store.Dead, store.Dropped, time.Now()) })
		}, [][]string{{"ab"}, {"b"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := answering(503)
				b := newBench(t, together("ops"), r)
				b.happen("a", verdict.Opened, diff.Breaking)
				b.wait(10 * time.Second)
				b.happen("b", verdict.Opened, diff.Breaking)
				b.wait(20*time.Second + time.Millisecond)
				r.answers(200)
				tt.between(b)
				b.wait(time.Hour)
				b.ended()
				var got [][]string
				for _, sets := range r.sets("ops.example") {
					got = append(got, sets)
				}
				slices.SortFunc(got, slices.Compare)
				slices.SortFunc(tt.want, slices.Compare)
				if !slices.EqualFunc(got, tt.want, slices.Equal) {
					t.Errorf("by id, %q was sent; want %q", got, tt.want)
				}
			})
		})
	}
}

// change changes the first row of a lock.
func (b *bench) change(lock string, change func(*store.Row)) {
	b.t.Helper()
	rows := b.rows()
	i := slices.IndexFunc(rows, func(r store.Row) bool { return r.Lock == lock })
	change(&rows[i])
	b.update(func(tx *store.Tx) error { return tx.PutRow(rows[i]) })
}

// A message that was tried alone is joined by none that comes later.
func TestGroupOfOneStaysAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := answering(503)
		b := newBench(t, together("ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(30*time.Second + time.Millisecond)
		if row := b.rows()[0]; row.Flush != row.Key || row.Attempts != 1 {
			t.Errorf("after %d attempts the flush is %q, want %q", row.Attempts, row.Flush, row.Key)
		}
		b.happen("b", verdict.Opened, diff.Breaking)
		b.wait(time.Minute)
		r.answers(200)
		b.wait(time.Hour)
		b.ended()
		for id, sets := range r.sets("ops.example") {
			if slices.Sort(sets); sets[0] != sets[len(sets)-1] || len(sets[0]) != 1 {
				t.Errorf("%s was sent with %q", id, sets)
			}
		}
	})
}

// The probe of a sink that refused a group is that group.
func TestProbeIsTheGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := refusing("travel.example", 401)
		b := newBench(t, together("travel", "ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.happen("b", verdict.Opened, diff.Breaking)
		b.wait(2*time.Hour + 2*time.Minute)
		r.answers(200)
		b.wait(time.Hour)
		b.ended()
		sets := r.sets("travel.example")
		for id, list := range sets {
			if len(sets) != 1 || len(list) != 4 || slices.ContainsFunc(list, func(s string) bool { return s != "ab" }) {
				t.Errorf("%s was sent with %q, want ab four times, and one id", id, list)
			}
		}
	})
}

// One of a group that was given up goes out alone, under an id of its own.
func TestRetryOfOneOfAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := answering(400)
		b := newBench(t, together("ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.happen("b", verdict.Opened, diff.Breaking)
		b.wait(time.Minute)
		r.answers(200)
		b.change("a", func(row *store.Row) {
			row.Alone()
			row.State, row.DueAt, row.EndedAt, row.Attempts, row.FirstAt = store.Waiting, time.Now(), time.Time{}, 0, time.Time{}
		})
		b.happen("c", verdict.Opened, diff.Breaking)
		b.wait(time.Minute)
		for id, sets := range r.sets("ops.example") {
			if len(sets) != 1 {
				t.Errorf("%s was sent with %q", id, sets)
			}
		}
	})
}

// What a person dropped is not told to the fallback when it is over.
func TestDroppedByHandIsOverForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := refusing("travel.example", 503)
		b := newBench(t, hooks("travel", "ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.change("a", func(row *store.Row) { row.End(store.Dead, store.Dropped, time.Now()) })
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.wait(time.Hour)
		wantTold(t, r)
		b.ended()
	})
}

// A redirect is not followed; it is tried again by the schedule.
func TestRedirectIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := answering(302)
		b := newBench(t, hooks("ops"), r)
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(10 * time.Second)
		if n := len(r.requests()); n != 2 {
			t.Errorf("%d attempts in 10 s, want 2", n)
		}
		r.answers(200)
		b.wait(10 * time.Minute)
		wantTold(t, r, "opened a")
	})
}

// Wherever the daemon was killed, an id that was seen before is sent with what it
// was sent with then.
func TestIDStandsForOneSetOverCrashes(t *testing.T) {
	type killed struct {
		at   time.Time
		file []byte
		sent map[string][]string
	}
	var kills []killed
	synctest.Test(t, func(t *testing.T) {
		r := answering(503)
		b := &bench{
			t: t, path: filepath.Join(t.TempDir(), "a.db"), notify: together("ops"), sink: r,
			open: map[string]uint64{}, wake: make(chan struct{}, 1), reload: make(chan config.Notify),
		}
		var mu sync.Mutex
		b.opts.CommitDuration = func(time.Duration) {
			data, err := os.ReadFile(b.path)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			kills = append(kills, killed{time.Now(), data, r.sets("ops.example")})
		}
		b.start()
		b.happen("a", verdict.Opened, diff.Breaking)
		b.wait(10 * time.Second)
		b.happen("b", verdict.Opened, diff.Breaking)
		b.wait(25 * time.Second)
		b.happen("c", verdict.Opened, diff.Breaking)
		b.wait(10 * time.Minute)
		r.answers(200)
		b.happen("a", verdict.Resolved, diff.Compatible)
		b.wait(time.Hour)
		b.ended()
		b.end()
		kills = append(kills, killed{sent: r.sets("ops.example")})
	})
	for i, k := range kills {
		again := map[string][]string{}
		if k.file != nil {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(k.at))
				r := &receiver{}
				b := &bench{t: t, path: filepath.Join(t.TempDir(), "a.db"), notify: together("ops"), sink: r, open: map[string]uint64{}, wake: make(chan struct{}, 1)}
				if err := os.WriteFile(b.path, k.file, 0o600); err != nil {
					t.Fatal(err)
				}
				b.start()
				b.wait(time.Hour)
				b.ended()
				b.end()
				again = r.sets("ops.example")
			})
		}
		for id, sets := range k.sent {
			all := slices.Concat(sets, again[id])
			if slices.Sort(all); all[0] != all[len(all)-1] {
				t.Errorf("killed at commit %d of %d: %s was sent with %q, then with %q", i+1, len(kills), id, sets, again[id])
			}
		}
	}
	if len(kills) < 10 {
		t.Errorf("only %d commits", len(kills))
	}
}
