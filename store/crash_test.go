package store_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/store"
)

var crashes = flag.Int("crashes", 12, "how often TestKill kills a process that writes")

// child, where the environment names a store, makes the test binary a process
// that writes there until it is killed.
const child = "A2ALOCK_STORE_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(child); path != "" {
		fmt.Fprintln(os.Stderr, writeForever(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForever adds a transition, an episode and a row in one transaction after
// another, and prints the number of each that is on disk. Others wait for no
// answer, and make the file move.
func writeForever(path string) error {
	s, err := store.Open(path, store.Options{Delay: time.Millisecond})
	if err != nil {
		return err
	}
	fmt.Println("open")
	for i := 0; ; i++ {
		s.Later(func(tx *store.Tx) error {
			return tx.PutSeen(strconv.Itoa(i%1000), store.Seen{Slot: time.Now(), Validated: time.Now()})
		}, nil)
		var seq uint64
		err := s.Update(func(tx *store.Tx) (err error) {
			if seq, err = tx.NextSeq(); err != nil {
				return err
			}
			_, err = tx.InsertRow(store.Row{Key: strconv.FormatUint(seq, 10), Sink: "ops", Lock: "a", Episode: seq, Seq: seq, State: store.Waiting})
			body, err2 := tx.PutBody([]byte(strings.Repeat(strconv.FormatUint(seq, 10), 2000)))
			return errors.Join(err, err2,
				tx.PutTransition(transition("a", seq)), tx.PutEpisode(store.Episode{Lock: "a", Start: seq}),
				tx.PutAgent(store.Agent{ID: strconv.FormatUint(seq%50, 10), Body: body}))
		})
		if err != nil {
			return err
		}
		fmt.Println(seq)
	}
}

// TestKill kills a writing process again and again: the store opens every time,
// is whole, and holds all that Update returned for, in whole transactions.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	var last uint64
	for n := range *crashes {
		told := killed(t, path, time.Duration(rand.IntN(100))*time.Millisecond)
		last = max(last, told)
		if err := store.Check(path); err != nil {
			t.Fatalf("crash %d: %v", n, err)
		}
		s, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatalf("crash %d: %v", n, err)
		}
		if s.Opened().Rebuilt {
			t.Fatalf("crash %d: %+v", n, s.Opened())
		}
		p := dump(t, s)
		if p.Seq < last {
			t.Fatalf("crash %d: %d was told, and the store is at %d", n, last, p.Seq)
		}
		if uint64(len(p.Rows)) != p.Seq || uint64(len(p.Transitions["a"])) != p.Seq || uint64(len(p.Open)) != p.Seq {
			t.Fatalf("crash %d: %d rows, %d transitions and %d episodes of %d", n, len(p.Rows), len(p.Transitions["a"]), len(p.Open), p.Seq)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if last == 0 {
		t.Error("nothing was written: the processes died too early")
	}
}

// killed runs a process that writes, kills it some time after it opened the
// store, and gives the last number that it printed.
func killed(t *testing.T, path string, after time.Duration) (last uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the process printed %q first", lines.Text())
	}
	_, err = store.Open(path, store.Options{Timeout: time.Millisecond})
	inUse, ok := errors.AsType[*store.InUseError](err)
	if !ok || inUse.Holder.PID != cmd.Process.Pid {
		t.Errorf("opening what process %d holds: %v", cmd.Process.Pid, err)
	}
	time.AfterFunc(after, func() { cmd.Process.Kill() })
	for lines.Scan() {
		if n, err := strconv.ParseUint(lines.Text(), 10, 64); err == nil {
			last = n
		}
	}
	cmd.Wait() // it was killed
	return last
}
