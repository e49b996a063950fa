package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/a2alock/a2alock/config"
	"github.com/a2alock/a2alock/internal/agenttest"
	"github.com/a2alock/a2alock/internal/setup"
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
	write := func(id string) {
		text := fmt.Sprintf(`{"workflow": "w", "agent": %q, "requires": {"skills": {
			"itinerary-pricing": {"input": ["application/json"], "output": ["application/json"]}}}}`, agent.CardURL())
		if err := os.WriteFile(filepath.Join(dir, id+".a2a.lock.json"), []byte(text), 0o600); err != nil {
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
