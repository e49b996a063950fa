package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/internal/gate"
	"github.com/a2alock/a2alock/internal/metrics"
	"github.com/a2alock/a2alock/internal/setup"
	"github.com/a2alock/a2alock/store"
	"github.com/a2alock/a2alock/watch"
)

func TestConcernsLocks(t *testing.T) {
	for _, tt := range []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"/w/locks/pricing.a2a.lock.json", fsnotify.Write, true},
		{"/w/locks/pricing.a2a.lock.json", fsnotify.Chmod, true},
		{"/w/a2alockd.db", fsnotify.Write, false}, // the store, all the time
		{"/w/README.md", fsnotify.Write | fsnotify.Chmod, false},
		{"/w/team", fsnotify.Create, true}, // a folder, with locks in it
		{"/w/team", fsnotify.Remove, true},
		{"/w/team", fsnotify.Rename, true},
	} {
		if got := concernsLocks(fsnotify.Event{Name: tt.name, Op: tt.op}); got != tt.want {
			t.Errorf("concernsLocks(%s %s) = %v, want %v", tt.op, tt.name, got, tt.want)
		}
	}
}

// A 0 in the configuration is none, where that of a package is its default.
func TestZeroIsNone(t *testing.T) {
	d := &Daemon{}
	for _, tt := range []struct {
		doc  string
		gap  time.Duration
		over int64
	}{
		{"", gate.DefaultGap, 64 << 20},
		{"daemon: {host_gap: 1s, compact_over: 1MiB}", time.Second, 1 << 20},
		{"daemon: {host_gap: 0, compact_over: off}", -1, -1},
		{"daemon: {host_gap: 0s, compact_over: 0}", -1, -1},
	} {
		cfg := config.Default()
		if err := cfg.Parse([]byte(tt.doc), config.Name); err != nil {
			t.Fatal(err)
		}
		gap, over := d.client(&setup.Setup{Config: cfg}).Gates.Gap, d.options(cfg).CompactOver
		if gap != tt.gap || over != tt.over {
			t.Errorf("%s: a gap of %s, and compacted over %d, want %s and %d", tt.doc, gap, over, tt.gap, tt.over)
		}
	}
}

// get asks the API until the answer holds text.
func get(t *testing.T, url, text string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		body := "no answer"
		if res, err := http.Get(url); err == nil {
			data, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			body = string(data)
		}
		if strings.Contains(body, text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %s\nwant %q in it", url, body, text)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A daemon in one process: it serves, sees locks come, keeps its configuration
// where the next is refused, and ends in order.
func TestRun(t *testing.T) {
	agent := agenttest.Start(t, agenttest.Config{})
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "locks"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(id string) {
		text := fmt.Sprintf(`{"workflow": "w", "agent": %q, "requires": {"skills": {
			"itinerary-pricing": {"input": ["application/json"], "output": ["application/json"]}}}}`, agent.CardURL())
		if err := os.WriteFile(filepath.Join(dir, "locks", id+".a2a.lock.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	load := func() (*setup.Setup, error) {
		cfg := config.Default()
		cfg.Root = dir
		cfg.Daemon.Store.BBolt = filepath.Join(dir, "a2alockd.db")
		return &setup.Setup{Config: cfg}, nil
	}
	first, err := load()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	reload, refuse := make(chan struct{}), make(chan error, 1)
	d := &Daemon{
		Setup: first, Version: "1.2.3", Listener: listener, Reload: reload,
		Load: func() (*setup.Setup, error) {
			select {
			case err := <-refuse:
				return nil, err
			default:
				return load()
			}
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	base := "http://" + listener.Addr().String()
	get(t, base+"/readyz", "")
	get(t, base+"/v1/locks/first/decision?skill=itinerary-pricing", `"class": "compatible"`)
	write("second")
	get(t, base+"/v1/locks/second/decision", `"class": "compatible"`)
	const metric = "a2alockd_config_last_reload_successful "
	refuse <- errors.New("no such key")
	reload <- struct{}{}
	get(t, base+"/metrics", metric+"0")
	get(t, base+"/v1/locks/first/decision", `"delegate": true`)
	reload <- struct{}{}
	get(t, base+"/metrics", metric+"1")
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("Run = %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Run does not end")
	}
}

// A daemon that cannot keep what it finds is not ready.
func TestNotReadyWithoutItsStore(t *testing.T) {
	cfg := config.Default()
	cfg.Root = t.TempDir()
	d := &Daemon{Setup: &setup.Setup{Config: cfg}, Log: slog.New(slog.DiscardHandler), metrics: metrics.New("")}
	if err := d.open(cfg); err != nil {
		t.Fatal(err)
	}
	d.engine = &watch.Engine{Store: d.store, Client: d.client}
	if err := d.engine.Open(t.Context(), d.Setup); err != nil {
		t.Fatal(err)
	}
	if why := d.why(); why != "" {
		t.Errorf("not ready from the start: %s", why)
	}
	if err := d.store.Close(); err != nil {
		t.Fatal(err)
	}
	d.engine.Tell(t.Context(), "reload", "a word that cannot be kept")
	if why := d.why(); !strings.HasPrefix(why, "the store cannot be written since ") {
		t.Errorf("why it is not ready: %q", why)
	}
}

// What links lead to is watched as it is read, and nothing above the roots.
func TestFoldersAreWatchedThroughLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, folder := range []string{at("work", "locks"), at("work", "vendor"), at("shared", "team"), at("releases", "1")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		at("work", "locks", "shared"): at("shared"), at("shared", "back"): at("work", "locks"), at("work", "up"): dir, at("now"): at("releases", "1"),
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	cfg := config.Default()
	cfg.Root, cfg.Locks = at("work"), []string{".", at("now")}
	d := &Daemon{Log: slog.New(slog.DiscardHandler)}
	watcher := d.newWatcher(t.Context(), cfg)
	if watcher == nil {
		t.Skip("the system tells of no changes")
	}
	defer watcher.Close()
	got := watcher.WatchList()
	slices.Sort(got)
	want := []string{dir, at("releases", "1"), at("shared"), at("shared", "team"), at("work"), at("work", "locks")}
	if !slices.Equal(got, want) {
		t.Errorf("watched: %q, want %q", got, want)
	}
	if err := os.WriteFile(at("shared", "team", "x.a2a.lock.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case event := <-watcher.Events:
		if !concernsLocks(event) {
			t.Errorf("the first event is %s", event)
		}
	case <-time.After(time.Minute):
		t.Error("nobody tells of a lock that came")
	}
}

func TestSettling(t *testing.T) {
	var s settling
	at := time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)
	for _, tt := range []struct{ after, want time.Duration }{
		{0, settleTime},
		{time.Second, settleTime},
		{settleMost - time.Millisecond, time.Millisecond},
		{settleMost + time.Second, 0},
	} {
		if got := s.next(at.Add(tt.after)); got != tt.want {
			t.Errorf("%s after the first change: wait %s, want %s", tt.after, got, tt.want)
		}
	}
}

func TestMissingRoots(t *testing.T) {
	cfg := config.Default()
	cfg.Root = filepath.Join(t.TempDir(), "locks")
	if got := missingRoots(cfg); len(got) != 1 {
		t.Errorf("missingRoots = %q before there is one", got)
	}
	if err := os.Mkdir(cfg.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := missingRoots(cfg); len(got) != 0 {
		t.Errorf("missingRoots = %q, want none", got)
	}
}

// A reload that changes what only a restart can change says where.
func TestFixed(t *testing.T) {
	parse := func(doc string) *config.Config {
		t.Helper()
		c := config.Default()
		if err := c.Parse([]byte(doc), config.Name); err != nil {
			t.Fatal(err)
		}
		return c
	}
	d := &Daemon{Setup: &setup.Setup{Config: parse("daemon:\n  listen: 127.0.0.1:1\n  tokens_file: t\n  store: {bbolt: a.db}\n")}}
	got := fmt.Sprint(d.fixed(parse("daemon:\n  tokens_file: t\n  public_url: https://a.example\n  store:\n    bbolt: b.db\n")))
	want := "a2alock.yaml: daemon.listen: taking it out needs a restart\n" +
		"a2alock.yaml:3: daemon.public_url: a change needs a restart\n" +
		"a2alock.yaml:5: daemon.store.bbolt: a change needs a restart"
	if got != want {
		t.Errorf("fixed = %s\nwant %s", got, want)
	}
	if err := d.fixed(d.Setup.Config); err != nil {
		t.Errorf("fixed of the same = %v", err)
	}
}

func TestCheckStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a2alockd.db")
	for name, tt := range map[string]struct {
		harm func() error
		want string
	}{
		"whole":    {func() error { return nil }, ""},
		"removed":  {func() error { return os.Remove(path) }, "removed or moved away while"},
		"replaced": {func() error { return errors.Join(os.Remove(path), os.WriteFile(path, []byte("x"), 0o600)) }, "replaced by another file"},
		"damaged":  {func() error { return os.Truncate(path, 0) }, "damaged: "},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(path)
			cfg := config.Default()
			cfg.Daemon.Store.BBolt = path
			d := &Daemon{Setup: &setup.Setup{Config: cfg}, Log: slog.New(slog.DiscardHandler), metrics: metrics.New("1")}
			if err := d.open(cfg); err != nil {
				t.Fatal(err)
			}
			defer d.store.Close()
			if err := tt.harm(); err != nil {
				t.Fatal(err)
			}
			if name == "damaged" { // somebody met it
				_ = d.store.Update(func(tx *store.Tx) error { return tx.PutValue("x", []byte("y")) })
			}
			if err := d.checkStore(); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("checkStore = %v, want %q", err, tt.want)
			}
			if tt.want == "" {
				return
			}
			if why := d.why(); !strings.HasPrefix(why, "the store is lost: ") || !strings.Contains(why, tt.want) {
				t.Errorf("why it is not ready: %q", why)
			}
		})
	}
}
