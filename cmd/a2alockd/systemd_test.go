//go:build linux

package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What systemd is told, and when. A reload has its moment on the monotonic
// clock, as sd_notify(3) has it.
func TestSystemd(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "a2alock.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const good = "locks: []\ndaemon: {listen: '127.0.0.1:0'}\n"
	write(good)
	// A path of a socket is short.
	place, err := os.MkdirTemp("", "sd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(place) })
	socket := filepath.Join(place, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// next is the next message, those of the watchdog aside.
	pings := 0
	next := func() string {
		t.Helper()
		for buffer := make([]byte, 4096); ; {
			if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			n, err := conn.Read(buffer)
			if err != nil {
				t.Fatalf("a2alockd told nothing: %v", err)
			}
			if text := string(buffer[:n]); text != "WATCHDOG=1" {
				return text
			}
			pings++
		}
	}
	want := func(state string) {
		t.Helper()
		if got := next(); got != state {
			t.Errorf("systemd was told %q, want %q", got, state)
		}
	}

	last := 0
	p := start(t, dir, "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=100000")
	want("READY=1")
	reload := func() {
		t.Helper()
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		moment, ok := strings.CutPrefix(next(), "RELOADING=1\nMONOTONIC_USEC=")
		if now, err := strconv.Atoi(strings.TrimSpace(moment)); !ok || err != nil || now <= last {
			t.Errorf("systemd was told %q, want a reload and a moment after %d", moment, last)
		} else {
			last = now
		}
		want("READY=1")
	}
	reload()
	write("nonsense: true\n")
	reload() // refused, and it runs on
	write(good)

	for before := pings; pings < before+3; {
		buffer := make([]byte, 100)
		n, err := conn.Read(buffer)
		if err != nil || string(buffer[:n]) != "WATCHDOG=1" {
			t.Fatalf("systemd was told %q, %v; want a ping of the watchdog", buffer[:n], err)
		}
		pings++
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	want("STOPPING=1")
	if code, err := p.wait(); err != nil || code != "0" {
		t.Errorf("a2alockd ended with %s, %v", code, err)
	}
}
