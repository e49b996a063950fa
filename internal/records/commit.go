package records

import (
	"fmt"
	"time"

	"github.com/a2alock/a2alock/internal/boltfile"
)

// A job is one function on its way to the disk.
type job struct {
	fn   func(*Tx) error
	done func(error) // may be nil
	idle bool        // it is of [DB.Eventually]
	err  error
	// panicked is what fn panicked with, for the goroutine that called Update.
	panicked any
}

// most is how many functions are grouped into one commit; so many are not kept
// waiting either. Larger groups write fewer pages, and keep the next waiting
// for longer. With those of [DB.Eventually], which do little each, it is mostAll.
const most, mostAll = 256, 4096

// Update runs fn and returns when what it did is on disk, with all that waited
// before it. What fn returns is returned as it is, and then nothing of fn is
// kept. fn runs on another goroutine, and calls no method of the DB. Calls
// at the same time share a commit.
func (db *DB) Update(fn func(*Tx) error) error {
	end := make(chan struct{})
	j := &job{fn: fn, done: func(error) { close(end) }}
	if err := db.add(j, true); err != nil {
		return err
	}
	<-end
	if j.panicked != nil {
		panic(j.panicked)
	}
	return j.err
}

// Later runs fn and has what it did on disk within Options.Delay. It returns at
// once; done, where not nil, is told the outcome, as Update would return it, on
// a goroutine of the DB, and is not to wait. A closed DB tells it at once.
func (db *DB) Later(fn func(*Tx) error, done func(error)) { db.hand(&job{fn: fn, done: done}) }

// Eventually is Later for what may be lost: it is on disk Options.Lull later than
// that, or with what is written before.
func (db *DB) Eventually(fn func(*Tx) error, done func(error)) {
	db.hand(&job{fn: fn, done: done, idle: true})
}

func (db *DB) hand(j *job) {
	if err := db.add(j, false); err != nil && j.done != nil {
		j.done(err)
	}
}

func (db *DB) add(j *job, urgent bool) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.failed != nil {
		return db.failed
	}
	if db.closing {
		return ErrClosed
	}
	db.queue = append(db.queue, j)
	if !j.idle {
		db.pressing++
	}
	full := db.pressing >= most || len(db.queue) >= mostAll
	if !j.idle || full {
		wake(db.soon)
	} else if len(db.queue) == 1 { // the others come with what is before them
		db.rest()
	}
	if urgent || full {
		wake(db.now)
	}
	return nil
}

// rest has what is idle written in a while, and no earlier than that by an older
// rest. Under the mutex.
func (db *DB) rest() {
	if db.lull != nil {
		db.lull.Stop()
	}
	db.lull = time.AfterFunc(db.opts.Lull, func() { wake(db.soon) })
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// commitAll is the one goroutine that writes.
func (db *DB) commitAll() {
	defer close(db.done)
	for {
		select {
		case <-db.soon:
			db.wait()
			db.commit()
		case <-db.quit:
			db.commit() // add adds nothing any more
			return
		}
	}
}

// wait lets others come, until something is urgent.
func (db *DB) wait() {
	timer := time.NewTimer(db.opts.Delay)
	defer timer.Stop()
	select {
	case <-db.now:
	case <-timer.C:
	case <-db.quit:
	}
}

// commit writes all that waits; of what came meanwhile, it leaves what is idle.
func (db *DB) commit() {
	for first := true; ; first = false {
		db.mu.Lock()
		if !first && db.pressing == 0 && !db.closing {
			if len(db.queue) > 0 {
				db.rest()
			}
			db.mu.Unlock()
			return
		}
		n, pressing := 0, 0
		for ; n < min(len(db.queue), mostAll) && pressing < most; n++ {
			if !db.queue[n].idle {
				pressing++
			}
		}
		db.pressing -= pressing
		group := db.queue[:n:n]
		db.queue = db.queue[n:]
		if len(db.queue) == 0 {
			db.queue = nil
		}
		failed := db.failed
		db.mu.Unlock()
		if n == 0 {
			return
		}
		err := failed
		if err == nil {
			err = db.write(group)
			db.fail(err)
		}
		for _, j := range group {
			if j.err == nil {
				j.err = err
			}
			if j.done != nil {
				j.done(j.err)
			} else if j.err != nil {
				db.opts.Log.Error("not stored", "err", j.err)
			}
		}
	}
}

// write runs the functions in one transaction of bbolt.
func (db *DB) write(group []*job) (err error) {
	defer boltfile.Catch(db.file.Path(), &err)
	defer boltfile.PanicOnFault()()
	b, err := db.file.DB.Begin(true)
	if err != nil {
		return fmt.Errorf("writing %s: %w", db.file.Path(), err)
	}
	tx := &Tx{db: db, b: b}
	kept := 0
	for _, j := range group {
		if tx.run(j); j.err == nil {
			kept++
		}
	}
	tx.b = nil // who keeps tx meets an error, not the database
	tx.over = ErrClosed
	if kept == 0 {
		return b.Rollback()
	}
	start := time.Now()
	if err := b.Commit(); err != nil {
		return fmt.Errorf("writing %s: %w", db.file.Path(), err)
	}
	if db.opts.CommitDuration != nil {
		db.opts.CommitDuration(time.Since(start))
	}
	return nil
}

// run runs the function of j, and takes back what it did where it fails.
func (tx *Tx) run(j *job) {
	tx.undo = tx.undo[:0]
	defer func() {
		p := recover()
		if p == nil && j.err == nil {
			return
		}
		if _, fault := p.(interface{ Addr() uintptr }); fault {
			panic(p) // the file is damaged, which ends them all
		}
		if p != nil {
			j.panicked, j.err = p, fmt.Errorf("a panic while storing: %v", p)
		}
		tx.takeBack()
	}()
	j.err = j.fn(tx)
}

// takeBack undoes the changes since undo was cleared, the last first.
func (tx *Tx) takeBack() {
	for i := len(tx.undo) - 1; i >= 0; i-- {
		c := tx.undo[i]
		bucket, err := tx.bucket(c.Bucket)
		if err == nil && c.Was == nil {
			err = bucket.Delete(c.Key)
		} else if err == nil {
			err = bucket.Put(c.Key, c.Was)
		}
		if err != nil { // what was there before was valid
			panic(fmt.Sprintf("records: taking back: %v", err))
		}
	}
}
