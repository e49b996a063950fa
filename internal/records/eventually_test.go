package records

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// What nobody waits for is written together, in its place among the others, and
// with them where they come first.
func TestEventually(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var commits atomic.Int64
		db := openDB(t, filepath.Join(t.TempDir(), "a.db"), Options{CommitDuration: func(time.Duration) { commits.Add(1) }})
		var told atomic.Int64
		idle := func(key string) { db.Eventually(put(key), func(error) { told.Add(1) }) }
		for range 3 { // it is no matter when the last commit was
			before := commits.Load()
			for i := range 1000 {
				idle(fmt.Sprint(i))
				time.Sleep(4 * time.Millisecond)
			}
			if commits.Load() != before {
				t.Errorf("%d commits within 4 s, want none", commits.Load()-before)
			}
			time.Sleep(2 * time.Second)
			if synctest.Wait(); told.Load() != 1000 || commits.Load() != before+1 {
				t.Errorf("%d of 1000 kept in %d commits, want all in one", told.Load(), commits.Load()-before)
			}
			told.Store(0)
		}
		// What keeps coming has one commit in five seconds, whatever there was before.
		for range 5 {
			db.Later(put("x"), nil)
			time.Sleep(time.Second + time.Millisecond)
			idle("y")
		}
		before, begin := commits.Load(), time.Now()
		var again func(error)
		again = func(error) {
			if time.Since(begin) < time.Minute && commits.Load() < before+100 {
				db.Eventually(put("z"), again)
			}
		}
		again(nil)
		time.Sleep(2 * time.Minute)
		if synctest.Wait(); commits.Load() < before+11 || commits.Load() > before+13 {
			t.Errorf("%d commits in a minute, want 12", commits.Load()-before)
		}
		told.Store(0)
		idle("a")
		db.Later(func(tx *Tx) error {
			v, err := tx.Get(things.Bucket, []byte("a"))
			if v == nil || err != nil {
				t.Errorf("what came before is not there: %v", err)
			}
			return tx.Drop(things.Bucket, []byte("a"))
		}, nil)
		idle("b")
		time.Sleep(time.Second + time.Millisecond)
		if synctest.Wait(); told.Load() != 2 {
			t.Errorf("%d of 2 written with what could not wait", told.Load())
		}
		idle("c")
		if err := db.Update(put("d")); err != nil || told.Load() != 3 {
			t.Errorf("Update = %v, and %d of 3 before it were told", err, told.Load())
		}
		for i := range mostAll {
			idle(fmt.Sprint("many ", i))
		}
		if synctest.Wait(); told.Load() != 3+mostAll {
			t.Errorf("%d wait although there are very many", 3+mostAll-told.Load())
		}
		idle("last")
		list := strings.Join(keys(t, db), " ")
		if strings.Contains(list, " a ") || !strings.Contains(list, " b c d ") || strings.Contains(list, "last") {
			t.Errorf("kept: %.99s", list)
		}
	})
}
