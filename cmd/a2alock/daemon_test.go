package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/a2alock/a2alock/internal/daemon"
	"github.com/a2alock/a2alock/internal/setup"
)

// defaultListen is where a daemon listens by default; no test may.
const defaultListen = "127.0.0.1:8437"

// daemonCommand runs the daemon of a script, for as long as the script runs.
func daemonCommand(ts *testscript.TestScript, neg bool, args []string) {
	running := ts.Value("daemon").(*running)
	switch {
	case !neg && len(args) == 1 && args[0] == "reload":
		running.reload <- struct{}{}
	case !neg && len(args) == 1 && args[0] != "wait":
		r, err := runDaemon(ts.MkAbs(args[0]))
		ts.Check(err)
		*running = *r
		ts.Defer(func() { ts.Check(r.stop()) })
		ts.Setenv("DAEMON", r.url)
	case !neg && len(args) == 3 && args[0] == "wait":
		awaitDaemon(ts, args[1], args[2])
	default:
		ts.Fatalf("usage: daemon FILE, daemon reload, or daemon wait PATH TEXT")
	}
}

// A running daemon.
type running struct {
	url    string
	reload chan struct{} // what SIGHUP is for a process
	stop   func() error
}

// runDaemon runs a daemon until it is stopped, and returns once it answers.
// Where the config at path names the default address, it names the daemon's own
// from then on.
func runDaemon(path string) (*running, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := listener.Addr().String()
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte(defaultListen), []byte(addr)), 0o666); err != nil {
		return nil, err
	}
	s, err := setup.Load(path)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	up, over, reload := make(chan struct{}), make(chan error, 1), make(chan struct{})
	d := &daemon.Daemon{
		Setup: s, Version: "1.2.3", Listener: listener, Reload: reload,
		Load:    func() (*setup.Setup, error) { return setup.Load(path) },
		Started: func(net.Addr) { close(up) },
	}
	go func() { over <- d.Run(ctx) }()
	select {
	case <-up:
		return &running{"http://" + addr, reload, func() error { cancel(); return <-over }}, nil
	case err := <-over:
		cancel()
		return nil, err
	}
}

// awaitDaemon asks for a path of the API until the answer holds text.
func awaitDaemon(ts *testscript.TestScript, path, text string) {
	client := &http.Client{Timeout: 10 * time.Second}
	var last string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		req, err := http.NewRequest(http.MethodGet, ts.Getenv("DAEMON")+path, nil)
		ts.Check(err)
		req.Header.Set("Authorization", "Bearer "+ts.Getenv("A2ALOCK_TOKEN"))
		res, err := client.Do(req)
		ts.Check(err)
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		ts.Check(err)
		if last = string(body); strings.Contains(last, text) {
			return
		}
	}
	ts.Fatalf("GET %s never had %q in it, but:\n%s", path, text, last)
}
