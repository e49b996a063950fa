package server

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/internal/verdict"
	"github.com/a2alock/a2alock/lockfile"
	"github.com/a2alock/a2alock/store"
)

// Whatever the tests started has ended when they have.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); code == 0 && n > before {
		stacks := make([]byte, 1<<20)
		fmt.Printf("%d goroutines are left, %d were there before:\n%s\n", n, before, stacks[:runtime.Stack(stacks, true)])
		code = 1
	}
	os.Exit(code)
}

var ageOf = regexp.MustCompile(`(?m)^a2alockd_agent_validation_age_seconds\{agent="([^"]*)"\} `)

// Agents have labels where the configuration asks for them, up to a cap.
func TestMetricsPerAgent(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	locks := map[string]*lockfile.Lock{}
	for i := range 4 {
		locks[fmt.Sprint("lock-", i)] = lockOf(fmt.Sprintf("%s?n=%d", agent.CardURL(), i))
	}
	for _, tt := range []struct {
		config   string
		labels   int
		overflow bool
	}{
		{quick, 0, false},
		{strings.Replace(quick, "daemon:", "daemon:\n  metrics: {per_agent: true}", 1), 4, false},
		{strings.Replace(quick, "daemon:", "daemon:\n  metrics: {per_agent: true, per_agent_cap: 2}", 1), 3, true},
	} {
		r := newRig(t, tt.config, locks)
		r.run()
		for id := range locks {
			r.until(id, verdict.Compatible)
		}
		text := string(r.ask("GET", "/metrics", "").body)
		labels := ageOf.FindAllStringSubmatch(text, -1)
		overflow := false
		for _, l := range labels {
			overflow = overflow || l[1] == "overflow"
		}
		if len(labels) != tt.labels || overflow != tt.overflow {
			t.Errorf("labels = %q, want %d, overflow %v", labels, tt.labels, tt.overflow)
		}
		if !strings.Contains(text, `a2alockd_locks{class="compatible",freshness="fresh"} 4`) {
			t.Errorf("metrics = %.2000s, want four locks", text)
		}
	}
}

// Sinks and messages, as people and Prometheus see them.
func TestTroubledSinks(t *testing.T) {
	r := idle(t)
	check(t, r.store.Update(func(tx *store.Tx) error {
		for i, state := range []store.RowState{store.Waiting, store.Waiting, store.Dead} {
			row := store.Row{Key: fmt.Sprint("key ", i), Sink: "ops", Kind: "reminder", State: state, CreatedAt: time.Now().Add(-time.Hour), DueAt: time.Now()}
			if _, err := tx.InsertRow(row); err != nil {
				return err
			}
		}
		return nil
	}))
	has := func(lines ...string) {
		t.Helper()
		text := string(r.ask("GET", "/metrics", "").body)
		for _, line := range lines {
			if !strings.Contains(text, "\n"+line) {
				t.Errorf("the metrics have no line %s", line)
			}
		}
	}
	has(`a2alockd_sink_up{sink="ops"} 1`, `a2alockd_outbox_rows{sink="ops",state="waiting"} 2`,
		`a2alockd_outbox_rows{sink="ops",state="dead"} 1`, `a2alockd_outbox_oldest_age_seconds{sink="ops"} 36`)
	check(t, r.store.Update(func(tx *store.Tx) error {
		return errors.Join(
			tx.PutSink(store.Sink{Name: "ops", Disabled: "answered 401 Unauthorized", PausedTo: time.Now().Add(-time.Hour)}),
			tx.PutSink(store.Sink{Name: "left", Disabled: "answered 401 Unauthorized"}), // the configuration
		)
	}))
	has(`a2alockd_sink_up{sink="ops"} 0`)
	o := get[Overview](r, "/v1/status")
	if o.Outbox["ops"] != 2 || len(o.Sinks) != 1 || !o.Sinks[0].PausedTo.IsZero() || len(o.Trouble) != 1 || o.Trouble[0] != "sink ops is disabled: answered 401 Unauthorized" {
		t.Errorf("status = %+v", o)
	}
}

// A pause that is over is no trouble, and what cannot be read is not up.
func TestSinksThatAreWell(t *testing.T) {
	r := idle(t)
	check(t, r.store.Update(func(tx *store.Tx) error {
		return tx.PutSink(store.Sink{Name: "ops", PausedTo: time.Now().Add(-time.Second)})
	}))
	if o := get[Overview](r, "/v1/status"); len(o.Sinks) != 0 {
		t.Errorf("sinks in trouble = %+v, want none", o.Sinks)
	}
	check(t, r.store.Close())
	if text := string(r.ask("GET", "/metrics", "").body); strings.Contains(text, "a2alockd_sink_up") {
		t.Error("sink_up is told though the store cannot be read")
	}
}

// What keeps the engine from its work is trouble, and said once.
func TestTroubleOfTheStore(t *testing.T) {
	r := idle(t)
	check(t, r.store.Close())
	r.engine.Tell(t.Context(), "reload", "a word that cannot be kept")
	why := "the store cannot be written " + r.engine.Unwritten()
	r.api.Ready = func() string { return why }
	o, _ := r.api.overview()
	if len(o.Trouble) != 1 || o.Trouble[0] != why || !strings.HasPrefix(why, "the store cannot be written since ") {
		t.Errorf("trouble = %q, want %q", o.Trouble, why)
	}
	r.api.Ready = nil
	root := r.engine.Setup().Config.Root
	check(t, os.Rename(root, root+".away"))
	if err := r.engine.Reload(t.Context(), r.engine.Setup()); err == nil {
		t.Fatal("a folder was read that is not there")
	}
	check(t, os.Rename(root+".away", root))
	o, _ = r.api.overview()
	if len(o.Trouble) != 2 || o.Trouble[0] != why || !strings.HasPrefix(o.Trouble[1], "locks not read since ") ||
		!strings.HasSuffix(o.Trouble[1], "; those of before hold") {
		t.Errorf("trouble = %q", o.Trouble)
	}
}
