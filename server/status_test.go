package server

import (
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
		return tx.PutSink(store.Sink{Name: "ops", Disabled: "answered 401 Unauthorized"})
	}))
	has(`a2alockd_sink_up{sink="ops"} 0`)
	o := get[Overview](r, "/v1/status")
	if o.Outbox["ops"] != 2 || len(o.Sinks) != 1 || len(o.Trouble) != 1 || o.Trouble[0] != "sink ops is disabled: answered 401 Unauthorized" {
		t.Errorf("status = %+v", o)
	}
}
