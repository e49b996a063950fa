package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
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
	switch {
	case !neg && len(args) == 1 && args[0] != "wait":
		ts.Setenv("DAEMON", startDaemon(ts, ts.MkAbs(args[0])))
	case !neg && len(args) == 3 && args[0] == "wait":
		awaitDaemon(ts, args[1], args[2])
	default:
		ts.Fatalf("usage: daemon FILE, or daemon wait PATH TEXT")
	}
}

// startDaemon runs the daemon of the config at path and returns its URL, once
// it answers. Where the file names the default address, it names the daemon's
// own from then on.
func startDaemon(ts *testscript.TestScript, path string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	addr := listener.Addr().String()
	text := strings.ReplaceAll(ts.ReadFile(path), defaultListen, addr)
	ts.Check(os.WriteFile(path, []byte(text), 0o666))
	s, err := setup.Load(path)
	ts.Check(err)
	ctx, cancel := context.WithCancel(context.Background())
	up, over := make(chan struct{}), make(chan error, 1)
	d := &daemon.Daemon{
		Setup: s, Version: "1.2.3", Listener: listener,
		Load:    func() (*setup.Setup, error) { return setup.Load(path) },
		Started: func(net.Addr) { close(up) },
	}
	go func() { over <- d.Run(ctx) }()
	select {
	case <-up:
	case err := <-over:
		cancel()
		ts.Fatalf("the daemon of %s: %v", filepath.Base(path), err)
	}
	ts.Defer(func() {
		cancel()
		if err := <-over; err != nil {
			ts.Logf("the daemon ended with: %v", err)
		}
	})
	return "http://" + addr
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
